import type { UploadSummary } from '../../../api/files/uploads.ts';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.files.uploading;

/** Whether anything still has to be done. */
export function hasOpenUploads({ active, waiting }: UploadSummary): boolean {
  return active.length > 0 || waiting > 0;
}

export function isPaused(uploads: UploadSummary): boolean {
  return uploads.isPaused || (uploads.waiting === 0 && uploads.active.every(({ state }) => state === 'paused'));
}

/** How it stands, in one line. */
export function uploadStatusText(uploads: UploadSummary): string {
  const { done, files, failed } = uploads;
  if (!hasOpenUploads(uploads)) return failed.length > 0 ? words.failed(failed.length) : words.doneTitle(done);
  if (isPaused(uploads)) return words.paused(done, files);
  return uploads.isUnreachable ? words.offline : words.running(done, files);
}

/** By bytes; files without any count by their number. */
export function shareOf({ bytes, received, files, done }: UploadSummary): number {
  if (bytes > 0) return received / bytes;
  return files === 0 ? 1 : done / files;
}
