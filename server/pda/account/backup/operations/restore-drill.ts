import { createHash, randomInt } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupArchive } from '../format/archive.ts';
import { openChunks } from '../format/chunks.ts';
import {
  DATABASE_FILE,
  pathInFilesFolder,
  type Entry,
  type FileEntry,
  type BackupManifest,
} from '../format/manifest-rules.ts';
import { openHomeDatabase } from '../home/store.ts';
import { readEntries } from './backup.ts';
import { BackupProblem, toBackupProblem } from '../format/error.ts';
import { writeEntries } from './restore.ts';

const SAMPLE_MAX_FILES = 25;
const SAMPLE_MAX_BYTES = 256 * 1024 * 1024;
const READ_BUFFER_BYTES = 1024 * 1024;

const hashOfFile = (file: string): string => {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (let bytesRead = readSync(descriptor, buffer); bytesRead > 0; bytesRead = readSync(descriptor, buffer))
      hash.update(buffer.subarray(0, bytesRead));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
};

const sampleOf = (entries: readonly FileEntry[]): FileEntry[] => {
  const candidates = [...entries];
  const sample: FileEntry[] = [];
  let bytes = 0;
  while (candidates.length > 0 && sample.length < SAMPLE_MAX_FILES) {
    const [file] = candidates.splice(randomInt(candidates.length), 1);
    if (file === undefined || bytes + file.size > SAMPLE_MAX_BYTES) continue;
    bytes += file.size;
    sample.push(file);
  }
  return sample;
};

/**
 * Restores a backup into a temporary folder and checks it: the database must pass SQLite's quick check and have the row
 * counts of the manifest, and each restored file must match its hash in the database, unless the database has no hash
 * of the file or the file changed during the backup. Each file is deleted after its check, so that the drill needs no
 * more space than the database and the largest file.
 * @throws BackupProblem, with the kind `damaged` if the restored data differs
 */
export const drill = async (
  archive: BackupArchive,
  manifest: BackupManifest,
  parts: {
    scratch: string;
    /** True: restores all files; false: the database and a sample of the other files. */
    whole: boolean;
    onProgress: (done: number, total: number) => void;
    pause: () => Promise<void>;
  },
): Promise<{ files: number; bytes: number; ms: number }> => {
  const { scratch, whole, pause } = parts;
  const startedAt = performance.now();
  const mismatch = (problem: string): BackupProblem =>
    new BackupProblem('damaged', `The backup of ${manifest.created} was not restored correctly: ${problem}.`);
  try {
    const chunks = openChunks(archive, { includeUnlistedPacks: false });
    const entries = readEntries(chunks, manifest);
    const isDatabase = (entry: Entry): boolean => entry.path === DATABASE_FILE;
    const files = entries.filter((entry): entry is FileEntry => entry.kind === 'file' && !isDatabase(entry));
    const sample = whole ? files : sampleOf(files);
    const total = [...sample, ...entries.filter(isDatabase)].reduce(
      (sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0),
      0,
    );
    let bytesWritten = 0;
    const options = {
      onWrite: (bytes: number): void => parts.onProgress((bytesWritten += bytes), total),
      pause,
      sync: false,
    };

    await writeEntries(chunks, entries.filter(isDatabase), scratch, options);
    const db = openHomeDatabase(join(scratch, DATABASE_FILE));
    try {
      const [problem] = db.findProblems();
      if (problem !== undefined) throw mismatch(`the integrity check of the database failed (${problem})`);
      const tables = db.countRowsByTable();
      for (const [table, rows] of Object.entries(manifest.tables))
        if (tables[table] !== rows) throw mismatch(`${table} has ${tables[table] ?? 0} instead of ${rows} rows`);
      await pause();
      for (const [index, entry] of sample.entries()) {
        const folder = join(scratch, String(index));
        await writeEntries(chunks, [entry], folder, options);
        const filePath = pathInFilesFolder(entry.path);
        const row = filePath === undefined ? undefined : db.findFileAt(filePath);
        // A file that changed during the backup is skipped, because the database may not contain the change.
        if (
          row?.sha256 !== null &&
          row?.size === entry.size &&
          row.modified === entry.modified &&
          entry.statSignature !== '' &&
          hashOfFile(join(folder, ...entry.path.split('/'))) !== row.sha256
        )
          throw mismatch('the hash of a file differs from the hash in the database');
        rmSync(folder, { recursive: true });
      }
    } finally {
      db.close();
    }
    return { files: sample.length + 1, bytes: bytesWritten, ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    throw toBackupProblem(error, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
