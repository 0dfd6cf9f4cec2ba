import { notifications } from '@mantine/notifications';
import { useLocation, useSearchParams } from 'react-router';
import { startUploads } from '../../../api/files/uploads.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type FoundFile, LOOSE, sortFound } from './destination.ts';
import { type Dropped, readDropped } from './dropped-files.ts';

const words = m.files.uploading;
/** Milliseconds after which reading a folder says that it goes on. */
const SAY_AFTER = 400;
const SAY_EVERY = 250;
/** Names that one notice says. */
const NAMED = 3;

function say(text: (names: readonly string[]) => string, names: readonly string[]): void {
  if (names.length === 0) return;
  const more = names.length - NAMED;
  showToast(text(more > 0 ? [...names.slice(0, NAMED), words.nextMore(more)] : names));
}

/** Reads what was dropped, saying so when it takes its time. */
async function read(dropped: DataTransfer): Promise<Dropped> {
  let notice: string | undefined;
  let said = 0;
  const began = performance.now();
  try {
    return await readDropped(dropped, (files) => {
      const now = performance.now();
      if (now - began < SAY_AFTER || now - said < SAY_EVERY) return;
      said = now;
      const shown = { title: words.reading(files), message: undefined, loading: true, autoClose: false } as const;
      if (notice === undefined) notice = notifications.show(shown);
      else notifications.update({ id: notice, ...shown });
    });
  } finally {
    if (notice !== undefined) notifications.hide(notice);
  }
}

export interface Uploading {
  /** Where files go that come in no folder. */
  source: string;
  upload: (found: readonly FoundFile[]) => void;
  uploadDropped: (dropped: DataTransfer) => void;
}

/** Takes files for uploading. In the list of one source they go there. */
export function useUpload(): Uploading {
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const looked = pathname === '/files' ? (query.get('source') ?? '') : '';
  const upload = (found: readonly FoundFile[]) => {
    const { uploads, tooLarge, tooLong, leftOut } = sortFound(found, looked);
    say(words.tooLarge, tooLarge);
    say(words.tooLong, tooLong);
    if (leftOut > 0) showToast(words.leftOut(leftOut));
    if (uploads.length > 0) startUploads(uploads);
    else if (tooLarge.length === 0 && tooLong.length === 0) showToast(words.nothing);
  };
  const take = async (dropped: DataTransfer) => {
    const { found, unreadable } = await read(dropped);
    say(words.unreadable, unreadable);
    upload(found);
  };
  return { source: looked === '' ? LOOSE : looked, upload, uploadDropped: (dropped) => void take(dropped) };
}
