import type { FileRow, Looks } from '../store.ts';

/** What counts in the watched folder, and when. Plain data in, a decision out. */

/** What is found at a path. Links, devices and the like are `other`: never followed, never opened. */
export type Found = Looks & {
  kind: 'file' | 'folder' | 'other';
  size: number;
  links: number;
  /** Unix milliseconds of the last change of the content, or of what the system says of the file. */
  changed: number;
};

/** Endings that programs give to what they have not finished, or want to throw away. */
const UNFINISHED = /(?:~|\.(?:tmp|temp|part|partial|filepart|crdownload|download|opdownload|swp|swx))$/iu;
/** What systems put into folders for themselves, and lock files of office programs. */
const OF_SYSTEMS =
  /^(?:\.|~\$|(?:thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r|\$recycle\.bin|system volume information|lost\+found)$)/iu;

/** Names that are no file of the owner's. */
export const isPassedOver = (path: string): boolean => {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  return parts.some((part) => OF_SYSTEMS.test(part)) || UNFINISHED.test(name) || !path.isWellFormed();
};

/** Folders that are not looked into. */
export const isClosedFolder = (path: string): boolean =>
  path.split('/').some((part) => OF_SYSTEMS.test(part)) || !path.isWellFormed();

/** A large copy pauses for longer: one second more for each of these. */
const BYTES_PER_SECOND_MORE = 200_000_000;
const MOST_SECONDS_MORE = 20;

/** Milliseconds for which a file has to be left alone before it counts as written. */
export const restOf = (size: number, least: number): number =>
  least * (1 + Math.min(MOST_SECONDS_MORE, Math.floor(size / BYTES_PER_SECOND_MORE)) / 2);

/**
 * Milliseconds until a file that is left alone counts as written; 0 when it does.
 * @param seen how long it has looked like this, where the disk's clock cannot be trusted: its times lie in the future
 */
export const restLeft = (found: Pick<Found, 'size' | 'changed'>, now: number, seen: number, least: number): number => {
  const rest = restOf(found.size, least);
  const age = now - found.changed;
  return Math.max(0, rest - (age < 0 ? seen : Math.max(age, seen)));
};

export const looksSame = (row: Pick<FileRow, 'size' | 'modified' | 'inode'>, found: Found): boolean =>
  found.kind === 'file' && row.size === found.size && row.modified === found.modified && row.inode === found.inode;

const numberOf = (inode: string | null): string | undefined => inode?.split(':')[1];

/** The same file on a disk that got another number at its last mount. */
export const isRemounted = (row: Pick<FileRow, 'size' | 'modified' | 'inode'>, found: Found): boolean =>
  found.kind === 'file' &&
  row.size === found.size &&
  row.modified === found.modified &&
  numberOf(row.inode) === numberOf(found.inode);

export const deviceOf = (inode: string): string => inode.split(':')[0] ?? '';

/** Marked as gone so short a time ago that the same content is the same file, whatever it is called now. */
const JUST_GONE_MS = 10 * 60_000;

/**
 * Whether a file whose own path is empty may be the one that was found. The number of a file alone says nothing: systems give it to the next one,
 * which must not get what others were allowed with the one before. Neither does empty content.
 */
export const isSameFile = (
  row: Pick<
    FileRow,
    'size' | 'modified' | 'inode' | 'sha256' | 'name' | 'status' | 'deleted' | 'deleted_by' | 'moving'
  >,
  found: Found,
  at: { name: string; sha256: string | undefined; now: number },
): boolean => {
  if (row.moving === 1 || row.size !== found.size) return false;
  if (row.status !== 'Completed' && !(row.status === 'Deleted' && row.deleted_by === 'outside')) return false;
  if (looksSame(row, found)) return true;
  if (at.sha256 === undefined || row.sha256 !== at.sha256) return false;
  if (row.inode === found.inode) return true;
  if (found.size === 0) return false;
  if (row.status === 'Completed' || row.name === at.name) return true;
  return row.deleted !== null && at.now - row.deleted < JUST_GONE_MS;
};

export const nameOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
