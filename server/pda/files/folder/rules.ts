import type { FileRow, FileAttributes } from '../store.ts';

/** Symbolic links, devices and other special files are `other`. */
export type ScannedEntry = FileAttributes & {
  kind: 'file' | 'folder' | 'other';
  size: number;
  /** Number of hard links. */
  links: number;
  /** Unix milliseconds of the last change of the content or of the metadata, whichever is later. */
  changed: number;
};

const UNFINISHED_SUFFIX = /(?:~|\.(?:tmp|temp|part|partial|filepart|crdownload|download|opdownload|swp|swx))$/iu;
/** Hidden files and folders, those that operating systems create, and lock files of office programs. */
const SYSTEM_NAME =
  /^(?:\.|~\$|(?:thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r|\$recycle\.bin|system volume information|lost\+found)$)/iu;

export const isIgnoredFile = (path: string): boolean => {
  const names = path.split('/');
  const fileName = names.at(-1) ?? '';
  return names.some((name) => SYSTEM_NAME.test(name)) || UNFINISHED_SUFFIX.test(fileName) || !path.isWellFormed();
};

export const isIgnoredFolder = (path: string): boolean =>
  path.split('/').some((name) => SYSTEM_NAME.test(name)) || !path.isWellFormed();

/**
 * A program that copies a large file can pause for longer: each 200 MB adds half of the minimum quiet period, up to
 * EXTENSIONS_MAX times.
 */
const BYTES_PER_EXTENSION = 200_000_000;
const EXTENSIONS_MAX = 20;

const quietPeriodOf = (size: number, minimumMs: number): number =>
  minimumMs * (1 + Math.min(EXTENSIONS_MAX, Math.floor(size / BYTES_PER_EXTENSION)) / 2);

/**
 * Returns the milliseconds until an unchanged file counts as completely written; 0 if it does already.
 * @param unchangedMs milliseconds since the attributes last changed; replaces the age of a file whose times are in the
 *   future
 */
export const remainingQuietMs = (
  entry: Pick<ScannedEntry, 'size' | 'changed'>,
  now: number,
  unchangedMs: number,
  minimumMs: number,
): number => {
  const quietPeriod = quietPeriodOf(entry.size, minimumMs);
  const age = now - entry.changed;
  return Math.max(0, quietPeriod - (age < 0 ? unchangedMs : Math.max(age, unchangedMs)));
};

export const hasSameAttributes = (row: Pick<FileRow, 'size' | 'modified' | 'inode'>, entry: ScannedEntry): boolean =>
  entry.kind === 'file' && row.size === entry.size && row.modified === entry.modified && row.inode === entry.inode;

const inodeNumberOf = (inode: string | null): string | undefined => inode?.split(':')[1];

/** Returns true if the attributes differ at most in the device number, which can change when a disk is mounted. */
export const differsAtMostInDevice = (
  row: Pick<FileRow, 'size' | 'modified' | 'inode'>,
  entry: ScannedEntry,
): boolean =>
  entry.kind === 'file' &&
  row.size === entry.size &&
  row.modified === entry.modified &&
  inodeNumberOf(row.inode) === inodeNumberOf(entry.inode);

export const deviceOf = (inode: string): string => inode.split(':')[0] ?? '';

/**
 * Within this time after a deletion, a file with the same content counts as the deleted file, even under a different
 * name.
 */
const RECENTLY_DELETED_MS = 10 * 60_000;

/**
 * Returns true if a scanned file is the file of a row that has a different path or none. An equal inode number alone is
 * not enough: file systems reuse it for other files, which must not inherit the grants of the previous file. Equal
 * content is not enough if it is empty.
 */
export const isSameFile = (
  row: Pick<
    FileRow,
    'size' | 'modified' | 'inode' | 'sha256' | 'name' | 'status' | 'deleted' | 'deleted_by' | 'moving'
  >,
  entry: ScannedEntry,
  candidate: { name: string; sha256: string | undefined; now: number },
): boolean => {
  if (row.moving === 1 || row.size !== entry.size) return false;
  if (row.status !== 'Completed' && !(row.status === 'Deleted' && row.deleted_by === 'outside')) return false;
  if (hasSameAttributes(row, entry)) return true;
  if (candidate.sha256 === undefined || row.sha256 !== candidate.sha256) return false;
  if (row.inode === entry.inode) return true;
  if (entry.size === 0) return false;
  if (row.status === 'Completed' || row.name === candidate.name) return true;
  return row.deleted !== null && candidate.now - row.deleted < RECENTLY_DELETED_MS;
};

export const nameOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
