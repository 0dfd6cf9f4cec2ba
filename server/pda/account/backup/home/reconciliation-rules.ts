import type { Entry, FileEntry } from '../format/manifest-rules.ts';
import type { BackupFileRow } from './store.ts';

type FileLocationRow = Omit<BackupFileRow, 'modified' | 'sha256'>;

/** Returns undefined if there is no content, or if it is being moved. */
const contentPathOf = ({ seq, path, status, undo, size, moving }: FileLocationRow): string | undefined => {
  if (moving === 1) return undefined;
  if (status === 'Completed' && path !== null) return `files/${path}`;
  if (status === 'Deleted' && undo !== null) return `removed/${seq}`;
  return status === 'New' && size !== null ? `uploads/${seq}` : undefined;
};

const possiblePathsOf = (row: FileLocationRow): string[] => [
  ...(row.path === null ? [] : [`files/${row.path}`]),
  `removed/${row.seq}`,
  `uploads/${row.seq}`,
];

/**
 * Assigns content to the paths in the database copy, because files may have been moved between the copy and the scan.
 * Omits files that were added after the copy; the next backup contains them.
 */
export const reconcileEntries = (
  scannedEntries: ReadonlyMap<string, Entry>,
  copiedRows: Iterable<FileLocationRow>,
  liveRows: {
    findFile(seq: number): FileLocationRow | undefined;
    findFileAt(path: string): FileLocationRow | undefined;
  },
): Map<string, Entry> => {
  const entries = new Map(scannedEntries);
  const expectedPaths = new Set<string>();
  const seqs = new Set<number>();
  const missingRows: FileLocationRow[] = [];
  for (const row of copiedRows) {
    seqs.add(row.seq);
    if (row.path !== null) expectedPaths.add(`files/${row.path}`);
    const path = contentPathOf(row);
    if (path !== undefined && !scannedEntries.has(path)) missingRows.push(row);
  }
  const movedEntries: [from: string, entry: FileEntry][] = [];
  for (const row of missingRows) {
    const current = liveRows.findFile(row.seq);
    const path = contentPathOf(row);
    if (current === undefined || path === undefined) continue;
    for (const candidate of possiblePathsOf(current)) {
      const entry = scannedEntries.get(candidate);
      if (entry?.kind !== 'file' || entry.size !== row.size || expectedPaths.has(candidate)) continue;
      movedEntries.push([candidate, { ...entry, path, statSignature: '' }]);
      break;
    }
  }
  for (const [from] of movedEntries) entries.delete(from);
  for (const [, entry] of movedEntries) entries.set(entry.path, entry);
  for (const path of scannedEntries.keys()) {
    if (!path.startsWith('files/') || expectedPaths.has(path)) continue;
    const current = liveRows.findFileAt(path.slice('files/'.length));
    if (current !== undefined && !seqs.has(current.seq)) entries.delete(path);
  }
  return entries;
};
