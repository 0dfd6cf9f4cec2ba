import type { UploadSummary } from '../../../api/files/uploads.ts';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.files.uploading;

export function hasOpenUploads({ active, waitingCount }: UploadSummary): boolean {
  return active.length > 0 || waitingCount > 0;
}

/** Returns true if the owner has paused all open uploads, or if there are none. */
export function areAllPaused(uploads: UploadSummary): boolean {
  return uploads.isPaused || (uploads.waitingCount === 0 && uploads.active.every(({ state }) => state === 'paused'));
}

export function uploadStatusText(uploads: UploadSummary): string {
  const { doneCount, fileCount, failed } = uploads;
  if (!hasOpenUploads(uploads)) return failed.length > 0 ? texts.failed(failed.length) : texts.doneTitle(doneCount);
  if (areAllPaused(uploads)) return texts.paused(doneCount, fileCount);
  return uploads.isUnreachable ? texts.offline : texts.running(doneCount, fileCount);
}

/** Returns the progress from 0 to 1 by bytes, or by the number of files if all files are empty. */
export function progressOf({ totalBytes, receivedBytes, fileCount, doneCount }: UploadSummary): number {
  if (totalBytes > 0) return receivedBytes / totalBytes;
  return fileCount === 0 ? 1 : doneCount / fileCount;
}
