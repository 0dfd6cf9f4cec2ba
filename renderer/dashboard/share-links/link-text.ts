import type { ShareLink } from '../../shared/api/contract.ts';
import { timeInWords } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';

const texts = m.shareLinks;

/** Maximum number of file names shown for each link. */
const MAX_FILE_NAMES = 3;

/** Returns what a link opens: the names of its files, or its folder or collection. */
export function linkContentText({ files, folder, collection }: ShareLink): string {
  if (collection !== null) return texts.collection(collection.name);
  if (folder !== null) return texts.folder(folder);
  const names = files.slice(0, MAX_FILE_NAMES).map(({ name }) => name);
  return files.length === 0 ? texts.noFiles : texts.files(names, files.length - names.length);
}

export function linkEndText({ expires, state }: Pick<ShareLink, 'expires' | 'state'>): string {
  if (expires === null) return texts.endless;
  const time = timeInWords(new Date(expires));
  return state === 'expired' ? texts.ended(time) : texts.ends(time);
}
