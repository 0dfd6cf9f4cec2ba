import type { Entry, FileEntry } from '../format/manifest-rules.ts';

/** Where files were when the database was copied, and where their content was found a moment later. Plain data. */

export type Row = {
  seq: number;
  path: string | null;
  status: string;
  undo: string | null;
  size: number | null;
  moving: number;
};

/** Where a row says that its content is; undefined where it says so of no place, or is just moving it. */
const placeOf = ({ seq, path, status, undo, size, moving }: Row): string | undefined => {
  if (moving === 1) return undefined;
  if (status === 'Completed' && path !== null) return `files/${path}`;
  if (status === 'Deleted' && undo !== null) return `removed/${seq}`;
  return status === 'New' && size !== null ? `uploads/${seq}` : undefined;
};

const placesOf = (row: Row): string[] => [
  ...(row.path === null ? [] : [`files/${row.path}`]),
  `removed/${row.seq}`,
  `uploads/${row.seq}`,
];

/**
 * Puts content where the copy of the database says that it is, and leaves out what came after the copy: the next backup has that.
 * @param live the rows as they are by now
 */
export const settleEntries = (
  found: ReadonlyMap<string, Entry>,
  copied: Iterable<Row>,
  live: { file(seq: number): Row | undefined; fileAt(path: string): Row | undefined },
): Map<string, Entry> => {
  const entries = new Map(found);
  const known = new Set<string>();
  const seqs = new Set<number>();
  const astray: Row[] = [];
  for (const row of copied) {
    seqs.add(row.seq);
    if (row.path !== null) known.add(`files/${row.path}`);
    const place = placeOf(row);
    if (place !== undefined && !found.has(place)) astray.push(row);
  }
  const taken: [from: string, entry: FileEntry][] = [];
  for (const row of astray) {
    const now = live.file(row.seq);
    const place = placeOf(row);
    if (now === undefined || place === undefined) continue;
    for (const candidate of placesOf(now)) {
      const entry = found.get(candidate);
      if (entry?.kind !== 'file' || entry.size !== row.size || known.has(candidate)) continue;
      taken.push([candidate, { ...entry, path: place, looks: '' }]);
      break;
    }
  }
  for (const [from] of taken) entries.delete(from);
  for (const [, entry] of taken) entries.set(entry.path, entry);
  for (const path of found.keys()) {
    if (!path.startsWith('files/') || known.has(path)) continue;
    const now = live.fileAt(path.slice('files/'.length));
    if (now !== undefined && !seqs.has(now.seq)) entries.delete(path);
  }
  return entries;
};
