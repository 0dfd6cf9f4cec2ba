import type { Uploads } from '../../api/files-uploads.ts';
import { m } from '../../messages/texts.ts';

const words = m.files.uploading;

/** Whether anything still has to be done. */
export function isOpen({ now, waiting }: Uploads): boolean {
  return now.length > 0 || waiting > 0;
}

export function isPaused(uploads: Uploads): boolean {
  return uploads.held || (uploads.waiting === 0 && uploads.now.every(({ state }) => state === 'paused'));
}

/** How it stands, in one line. */
export function stateText(uploads: Uploads): string {
  const { done, files, failed } = uploads;
  if (!isOpen(uploads)) return failed.length > 0 ? words.failed(failed.length) : words.doneTitle(done);
  if (isPaused(uploads)) return words.paused(done, files);
  return uploads.silent ? words.offline : words.running(done, files);
}

/** By bytes; files without any count by their number. */
export function shareOf({ bytes, received, files, done }: Uploads): number {
  if (bytes > 0) return received / bytes;
  return files === 0 ? 1 : done / files;
}
