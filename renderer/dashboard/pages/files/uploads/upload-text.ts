import type { UploadSummary } from '../../../api/files/uploads.ts';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.files.uploading;

/** Returns true if uploads are active or waiting. */
export function hasOpenUploads({ active, waiting }: UploadSummary): boolean {
  return active.length > 0 || waiting > 0;
}

/** Returns true if no upload is running because the owner paused them. */
export function isPaused(uploads: UploadSummary): boolean {
  return uploads.isPaused || (uploads.waiting === 0 && uploads.active.every(({ state }) => state === 'paused'));
}

/** Returns the status of all uploads in one line. */
export function uploadStatusText(uploads: UploadSummary): string {
  const { done, files, failed } = uploads;
  if (!hasOpenUploads(uploads)) return failed.length > 0 ? words.failed(failed.length) : words.doneTitle(done);
  if (isPaused(uploads)) return words.paused(done, files);
  return uploads.isUnreachable ? words.offline : words.running(done, files);
}

/** Returns the progress as a share from 0 to 1, by bytes. If all files are empty, by the number of files. */
export function progressOf({ bytes, received, files, done }: UploadSummary): number {
  if (bytes > 0) return received / bytes;
  return files === 0 ? 1 : done / files;
}
