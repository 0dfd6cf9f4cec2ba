import type { Entry, FileEntry } from '../format/manifest-rules.ts';

/** Database row of a file. */
export type FileLocationRow = {
  seq: number;
  path: string | null;
  status: string;
  undo: string | null;
  size: number | null;
  moving: number;
};

/** Returns the path of the content of a row; undefined if it has no content or is being moved. */
const contentPathOf = ({ seq, path, status, undo, size, moving }: FileLocationRow): string | undefined => {
  if (moving === 1) return undefined;
  if (status === 'Completed' && path !== null) return `files/${path}`;
  if (status === 'Deleted' && undo !== null) return `removed/${seq}`;
  return status === 'New' && size !== null ? `uploads/${seq}` : undefined;
};

/** Returns all paths at which the content of a row can be. */
const possiblePathsOf = (row: FileLocationRow): string[] => [
  ...(row.path === null ? [] : [`files/${row.path}`]),
  `removed/${row.seq}`,
  `uploads/${row.seq}`,
];

/**
 * Assigns content to the paths of the database copy, because files may have been moved between the copy and the scan.
 * Leaves out files that were added after the copy; the next backup contains them.
 * @param scanned entries of the scan
 * @param copied rows of the database copy
 * @param live current rows
 */
export const reconcileEntries = (
  scanned: ReadonlyMap<string, Entry>,
  copied: Iterable<FileLocationRow>,
  live: { file(seq: number): FileLocationRow | undefined; fileAt(path: string): FileLocationRow | undefined },
): Map<string, Entry> => {
  const entries = new Map(scanned);
  const expectedPaths = new Set<string>();
  const seqs = new Set<number>();
  const missing: FileLocationRow[] = [];
  for (const row of copied) {
    seqs.add(row.seq);
    if (row.path !== null) expectedPaths.add(`files/${row.path}`);
    const path = contentPathOf(row);
    if (path !== undefined && !scanned.has(path)) missing.push(row);
  }
  const moved: [from: string, entry: FileEntry][] = [];
  for (const row of missing) {
    const current = live.file(row.seq);
    const path = contentPathOf(row);
    if (current === undefined || path === undefined) continue;
    for (const candidate of possiblePathsOf(current)) {
      const entry = scanned.get(candidate);
      if (entry?.kind !== 'file' || entry.size !== row.size || expectedPaths.has(candidate)) continue;
      moved.push([candidate, { ...entry, path, statSignature: '' }]);
      break;
    }
  }
  for (const [from] of moved) entries.delete(from);
  for (const [, entry] of moved) entries.set(entry.path, entry);
  for (const path of scanned.keys()) {
    if (!path.startsWith('files/') || expectedPaths.has(path)) continue;
    const current = live.fileAt(path.slice('files/'.length));
    if (current !== undefined && !seqs.has(current.seq)) entries.delete(path);
  }
  return entries;
};
