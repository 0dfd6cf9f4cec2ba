import { notifications } from '@mantine/notifications';
import { useLocation, useSearchParams } from 'react-router';
import { startUploads } from '../../../api/files/uploads.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type LocalFile, DEFAULT_SOURCE, planUploads } from './destination.ts';
import { type DroppedFiles, readDroppedFiles } from './dropped-files.ts';

const texts = m.files.uploading;
/** Delay before a toast shows the progress of reading a folder. */
const PROGRESS_DELAY_MS = 400;
const PROGRESS_INTERVAL_MS = 250;
const MAX_SHOWN_NAMES = 3;

function showNames(toText: (names: readonly string[]) => string, names: readonly string[]): void {
  if (names.length === 0) return;
  const hiddenCount = names.length - MAX_SHOWN_NAMES;
  showToast(toText(hiddenCount > 0 ? [...names.slice(0, MAX_SHOWN_NAMES), m.shell.andMore(hiddenCount)] : names));
}

/** Reads the dropped files. Shows the progress if this takes longer than `PROGRESS_DELAY_MS`. */
async function readWithProgress(transfer: DataTransfer): Promise<DroppedFiles> {
  let toastId: string | undefined;
  let lastUpdate = 0;
  const startTime = performance.now();
  try {
    return await readDroppedFiles(transfer, (files) => {
      const now = performance.now();
      if (now - startTime < PROGRESS_DELAY_MS || now - lastUpdate < PROGRESS_INTERVAL_MS) return;
      lastUpdate = now;
      const content = { title: texts.reading(files), message: undefined, loading: true, autoClose: false } as const;
      if (toastId === undefined) toastId = notifications.show(content);
      else notifications.update({ id: toastId, ...content });
    });
  } finally {
    if (toastId !== undefined) notifications.hide(toastId);
  }
}

interface UploadActions {
  /** Source to which files without a folder are uploaded. */
  source: string;
  upload: (files: readonly LocalFile[]) => void;
  uploadDropped: (transfer: DataTransfer) => void;
}

/** While the list of files is filtered by source, files without a folder are uploaded to that source. */
export function useUpload(): UploadActions {
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const currentSource = pathname === '/files' ? (query.get('source') ?? '') : '';
  const upload = (files: readonly LocalFile[]) => {
    const { uploads, tooLarge, tooLong, skippedCount } = planUploads(files, currentSource);
    showNames(texts.tooLarge, tooLarge);
    showNames(texts.tooLong, tooLong);
    if (skippedCount > 0) showToast(texts.leftOut(skippedCount));
    if (uploads.length > 0) startUploads(uploads);
    else if (tooLarge.length === 0 && tooLong.length === 0) showToast(texts.nothing);
  };
  const uploadDropped = async (transfer: DataTransfer) => {
    const { files, unreadable } = await readWithProgress(transfer);
    showNames(texts.unreadable, unreadable);
    upload(files);
  };
  return {
    source: currentSource === '' ? DEFAULT_SOURCE : currentSource,
    upload,
    uploadDropped: (transfer) => void uploadDropped(transfer),
  };
}
