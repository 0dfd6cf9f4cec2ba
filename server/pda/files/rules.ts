import { slugify } from '../../wire/normalize.ts';
import { diskName, foldedName, insertNumber } from './content/disk-names.ts';
import type { FileRow } from './store.ts';

const MAX_SLUG_CHARS = 120;
const MAX_EXTENSION_CHARS = 16;

/** Returns the stem and the extension of a file id (docs/decisions.md, section 6). */
export const slugOf = (source: string, name: string): { stem: string; extension: string } => {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? slugify(name.slice(dot + 1)).slice(0, MAX_EXTENSION_CHARS) : '';
  const stem = `${slugify(source)}${slugify(dot > 0 ? name.slice(0, dot) : name)}`.slice(0, MAX_SLUG_CHARS);
  return { stem: stem === '' ? 'file' : stem, extension: extension === '' ? '' : `.${extension}` };
};

/** The number distinguishes files with the same slug; 0 is omitted. */
export const fileIdOf = (slug: { stem: string; extension: string }, number: number): string =>
  `${slug.stem}${number === 0 ? '' : `-${number}`}${slug.extension}`;

/**
 * Returns the slugs from which a file id may have been created. A number at the end of the stem may be part of the
 * name. The numbered ids of a slug match the GLOB pattern `numberedIds` but not `otherIds`.
 */
export const slugsOfId = (fileId: string): { slug: string; numberedIds: string; otherIds: string }[] => {
  const groups = /^(?<stem>.*?)(?<number>-\d+)?(?<extension>\.[a-z0-9-]+)?$/u.exec(fileId)?.groups;
  const { stem = '', number, extension = '' } = groups ?? {};
  const toSlug = (name: string) => ({
    slug: `${name}${extension}`,
    numberedIds: `${name}-[0-9]*${extension}`,
    otherIds: `${name}-*[^0-9]*${extension}`,
  });
  return number === undefined ? [toSlug(stem)] : [toSlug(stem), toSlug(`${stem}${number}`)];
};

/** Returns the first folder of the path, or 'folder' for a file at the top level. */
export const sourceOfPath = (path: string): string => {
  const slash = path.indexOf('/');
  return slash <= 0 ? 'folder' : path.slice(0, slash);
};

/** Returns the endpoint of files in the access log. No endpoint of records has such a name. */
export const ledgerEndpoint = (source: string): string => `files:${source}`;

export const loggedRecordsOf = (files: readonly FileRow[]): Map<string, number[]> => {
  const byEndpoint = Map.groupBy(files, ({ source }) => ledgerEndpoint(source));
  return new Map([...byEndpoint].map(([endpoint, rows]) => [endpoint, rows.map(({ seq }) => seq)]));
};

/** Bytes; `end` is inclusive. */
type Range = { start: number; end: number };

/**
 * Parses the `Range` header (RFC 9110, section 14).
 * @returns undefined if the whole content must be sent, because there is no valid range or there are several, which a
 *   server may ignore; null if the range is outside the content (416)
 */
export const rangeOf = (header: string | undefined, size: number): Range | null | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/u.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
};

/**
 * Returns paths for an archive that are safe and unique on every file system, including those that ignore case or
 * Unicode normalisation.
 */
export const archiveNames = (files: readonly { folder: string; name: string }[]): string[] => {
  const usedPaths = new Set<string>();
  /** Last number of each path, which avoids quadratic time for many equal names. */
  const lastNumbers = new Map<string, number>();
  return files.map(({ folder, name }) => {
    const prefix = folder === '' ? '' : `${folder.split('/').map(diskName).join('/')}/`;
    const safeName = diskName(name);
    const key = foldedName(`${prefix}${safeName}`);
    let number = lastNumbers.get(key) ?? 1;
    let uniquePath = `${prefix}${insertNumber(safeName, number === 1 ? 0 : number)}`;
    while (usedPaths.has(foldedName(uniquePath))) {
      number += 1;
      uniquePath = `${prefix}${insertNumber(safeName, number)}`;
    }
    lastNumbers.set(key, number);
    usedPaths.add(foldedName(uniquePath));
    return uniquePath;
  });
};

export const foldersOfPath = (path: string): string[] => {
  const folders: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    folders.push(path.slice(0, slash));
  return folders;
};

/** Returns the folder of a path, relative to `folder`; empty if the path is directly in it. */
export const folderWithin = (folder: string, path: string): string =>
  path.slice(folder.length + 1, Math.max(folder.length + 1, path.lastIndexOf('/')));

/** Returns the tags of a file from its column `tags`. */
export const tagsOf = ({ tags }: Pick<FileRow, 'tags'>): string[] =>
  tags === null ? [] : (JSON.parse(tags) as string[]);

/** Returns the value of the column `tags`. Repeated tags are stored once. */
export const tagsColumn = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : JSON.stringify([...new Set(tags)]);

/**
 * Cuts rows to a page.
 * @param fetchedRows one row more than a page has, if there is a next page
 */
export const cutPage = <Row>(fetchedRows: readonly Row[], pageRows: number): { rows: Row[]; hasMore: boolean } => ({
  rows: fetchedRows.slice(0, pageRows),
  hasMore: fetchedRows.length > pageRows,
});

/** The largest code point. Paths are assumed not to begin with it. */
const LAST_PATH = '\u{10FFFF}';

/**
 * Returns the bounds of the paths below a folder: `lower` ≤ path < `upper`. '0' follows '/' in ASCII.
 * @param folder without a trailing `/`; empty for all files
 */
export const pathBounds = (folder: string): { lower: string; upper: string } =>
  folder === '' ? { lower: '', upper: LAST_PATH } : { lower: `${folder}/`, upper: `${folder}0` };
