import { pathInFilesFolder, type Entry, type FileEntry } from '../format/manifest-rules.ts';
import type { BackupFileRow } from './store.ts';

type FileLocationRow = Omit<BackupFileRow, 'sha256'>;

/** Returns undefined if there is no content, or if it is being moved. */
const contentPathOf = ({ seq, path, status, undo, size, moving }: FileLocationRow): string | undefined => {
  if (moving === 1) return undefined;
  if (status === 'Completed' && path !== null) return `files/${path}`;
  if (status === 'Deleted' && undo !== null) return `removed/${seq}`;
  return status === 'New' && size !== null ? `uploads/${seq}` : undefined;
};

/** The modification time is compared, too, because a new file can have the inode number of a deleted one. */
const isContentOf = ({ inode, modified }: FileLocationRow, entry: FileEntry): boolean =>
  inode !== null && inode.split(':')[1] === entry.statSignature.split(':')[1] && modified === entry.modified;

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
  /** Returns true if the row has another path now, so that the entry at its former path is that of another file. */
  const isReplaced = (row: FileLocationRow, entry: Entry): boolean =>
    row.path !== null &&
    entry.path === `files/${row.path}` &&
    !(entry.kind === 'file' && isContentOf(row, entry)) &&
    liveRows.findFile(row.seq)?.path !== row.path;
  for (const row of copiedRows) {
    seqs.add(row.seq);
    if (row.path !== null) expectedPaths.add(`files/${row.path}`);
    const path = contentPathOf(row);
    if (path === undefined) continue;
    const entry = scannedEntries.get(path);
    if (entry !== undefined && !isReplaced(row, entry)) continue;
    entries.delete(path);
    missingRows.push(row);
  }
  const movedEntries: [from: string, entry: FileEntry][] = [];
  for (const row of missingRows) {
    const current = liveRows.findFile(row.seq);
    const path = contentPathOf(row);
    if (current === undefined || path === undefined) continue;
    for (const candidate of possiblePathsOf(current)) {
      const entry = scannedEntries.get(candidate);
      if (entry?.kind !== 'file' || entry.size !== row.size) continue;
      if (expectedPaths.has(candidate) && !isContentOf(row, entry)) continue;
      movedEntries.push([candidate, { ...entry, path, statSignature: '' }]);
      break;
    }
  }
  for (const [from] of movedEntries) entries.delete(from);
  for (const [, entry] of movedEntries) entries.set(entry.path, entry);
  for (const path of scannedEntries.keys()) {
    const filePath = pathInFilesFolder(path);
    if (filePath === undefined || expectedPaths.has(path)) continue;
    const current = liveRows.findFileAt(filePath);
    if (current !== undefined && !seqs.has(current.seq)) entries.delete(path);
  }
  return entries;
};
