import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removePartialFiles, numberedName, numberOfName, type BackupArchive } from '../format/archive.ts';
import { openChunks, type Chunks } from '../format/chunks.ts';
import {
  DATABASE,
  hashOfContent,
  readLists,
  parseManifest,
  sortEntries,
  writeLists,
  serializeManifest,
  type Entry,
  type FileEntry,
  type BackupManifest,
} from '../format/manifest-rules.ts';
import { copyDatabase, openHomeDatabase, removeDatabase, type HomeDatabase } from '../home/store.ts';
import {
  FILE_TIME_RESOLUTION_MS,
  hasSameStat,
  isUnchanged,
  scanHome,
  storeContent,
  storeFile,
  type FileStat,
} from '../home/scan.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';
import { FORMAT } from '../format/encryption.ts';
import { reconcileEntries } from '../home/reconciliation-rules.ts';

export type CreatedBackup = { name: string; manifest: BackupManifest };
export type Progress = {
  phase: 'looking' | 'files' | 'database' | 'finishing' | 'checking';
  /** Processed bytes, and the total as far as it is known. */
  done: number;
  total: number;
};

/** Bytes of the database in one chunk: eight pages. Small, because adding a record changes a dozen scattered pages. */
const DATABASE_CHUNK_BYTES = 64 * 1024;
const SNAPSHOT = /^snapshot-[\w-]+\.sqlite(?:-wal|-shm|-journal)?$/u;

/** Reads all entries of a backup. @throws BackupProblem damaged */
export const entriesOf = (chunks: Chunks, manifest: BackupManifest): Entry[] => {
  const entries = readLists(manifest.lists.map((id) => chunks.read(id).content.toString('utf8')));
  if (hashOfContent(entries) !== manifest.hash)
    throw new BackupProblem('damaged', 'The list of files of this backup was modified.');
  return entries;
};

/** Reads the manifest of a backup. @throws BackupProblem damaged | newer */
export const manifestOf = (archive: BackupArchive, name: string): BackupManifest => {
  const manifest = parseManifest(archive.read('backup', name));
  if (manifest.number !== numberOfName(name))
    throw new BackupProblem('damaged', `The file ${name} of the archive contains another backup than its name states.`);
  return manifest;
};

/** Returns the entries of the newest readable backup, for comparison. */
const previousBackup = (archive: BackupArchive, chunks: Chunks): { entries: Map<string, Entry>; since: number } => {
  for (const name of archive.names('backup').toReversed()) {
    try {
      const manifest = manifestOf(archive, name);
      return {
        entries: new Map(entriesOf(chunks, manifest).map((entry) => [entry.path, entry])),
        since: Date.parse(manifest.created),
      };
    } catch (error) {
      // Content shared with the damaged backup is written again.
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
    }
  }
  return { entries: new Map(), since: 0 };
};

/** Deletes snapshots of killed backups. Requires the backup lock. */
const clearSnapshots = (folder: string): void => {
  for (const name of readdirSync(folder)) if (SNAPSHOT.test(name)) rmSync(join(folder, name), { force: true });
};

/**
 * Makes one backup of a home, which may be in use. Reads the files, copies the database, then reads files that changed
 * in between. The last step is short for homes of any size.
 * @param parts.now Unix milliseconds
 * @param parts.distrust packs that a check found damaged; their content is written again
 * @throws BackupProblem
 */
export const makeBackup = async (
  archive: BackupArchive,
  parts: {
    home: string;
    program: string;
    now: () => number;
    onProgress: (progress: Progress) => void;
    distrust?: readonly string[];
    /** Receives the snapshot of the database. */
    onSnapshot?: (copy: HomeDatabase) => void;
    /** Yields to the event loop. @throws if the backup is to stop */
    pause: () => Promise<void>;
  },
): Promise<CreatedBackup> => {
  const { home, program, now, onProgress, pause } = parts;
  const scratch = join(home, 'backups');
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  clearSnapshots(scratch);
  removePartialFiles(archive);
  onProgress({ phase: 'looking', done: 0, total: 0 });

  const chunks = openChunks(archive, { complete: true });
  for (const name of parts.distrust ?? []) chunks.forget(name);
  const previous = previousBackup(archive, chunks);
  const startedAt = now();
  const scanned = new Map<string, Entry>();
  let unsteady = 0;

  let phase: Progress['phase'] = 'files';
  let bytesRead = 0;
  let total = 0;
  const onRead = (bytes: number): void => {
    bytesRead += bytes;
    onProgress({ phase, done: bytesRead, total: Math.max(bytesRead, total) });
  };

  const storeIfChanged = async (file: FileStat): Promise<void> => {
    const unchanged = previous.entries.get(file.path);
    if (isUnchanged(file, unchanged, previous.since, chunks.has)) {
      scanned.set(file.path, unchanged);
      onRead(file.size);
      return;
    }
    const stored = storeFile(home, file.path, chunks, onRead);
    if (stored === undefined) scanned.delete(file.path);
    else scanned.set(file.path, stored.entry);
    if (stored?.steady === false) unsteady += 1;
    await pause();
  };

  const first = scanHome(home);
  total = first.files.reduce((sum, { size }) => sum + size, 0);
  for (const file of first.files) await storeIfChanged(file);

  phase = 'database';
  const snapshot = join(scratch, `snapshot-${process.pid}.sqlite`);
  try {
    const created = now();
    try {
      await copyDatabase(join(home, DATABASE), snapshot, () => onRead(0));
    } catch (error) {
      throw backupErrorText(error, scratch);
    }
    chmodSync(snapshot, 0o600);
    await pause();

    const second = scanHome(home);
    const existing = new Set(second.files.map(({ path }) => path));
    for (const path of scanned.keys()) if (!existing.has(path)) scanned.delete(path);
    for (const file of second.files) {
      if (!hasSameStat(file, scanned.get(file.path)) || file.changedMs > startedAt - FILE_TIME_RESOLUTION_MS)
        await storeIfChanged(file);
    }
    for (const path of second.folders) scanned.set(path, { kind: 'folder', path });

    const copy = openHomeDatabase(snapshot);
    const live = openHomeDatabase(join(home, DATABASE));
    let reconciled: Map<string, Entry>;
    let databaseInfo: Pick<BackupManifest, 'schema' | 'tables' | 'name'>;
    try {
      reconciled = reconcileEntries(scanned, copy.files(), live);
      databaseInfo = { schema: copy.schema(), tables: copy.tables(), name: copy.name() };
      parts.onSnapshot?.(copy);
    } finally {
      copy.close();
      live.close();
    }

    const descriptor = openSync(snapshot, 'r');
    try {
      const content = storeContent(descriptor, chunks, DATABASE_CHUNK_BYTES, onRead);
      reconciled.set(DATABASE, { kind: 'file', path: DATABASE, modified: '0', statSignature: '', ...content });
    } finally {
      closeSync(descriptor);
    }
    phase = 'finishing';
    onProgress({ phase, done: bytesRead, total: bytesRead });
    await pause();

    const entries = sortEntries(reconciled.values());
    const lists = [...writeLists(entries)].map((list) => chunks.add(list, true).id);
    chunks.flush();
    const files = entries.filter((entry): entry is FileEntry => entry.kind === 'file');
    const names = archive.names('backup');
    const number = Math.max(0, ...[...names, ...chunks.listedBackups].map(numberOfName)) + 1;
    const manifest: BackupManifest = {
      format: FORMAT,
      number,
      created: new Date(created).toISOString(),
      program,
      hash: hashOfContent(entries),
      lists,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      added: chunks.added,
      leftOut: second.leftOut,
      unsteady,
      ...databaseInfo,
    };
    const name = numberedName(number);
    archive.write('backup', name, [serializeManifest(manifest)]);
    chunks.saveIndex([...names, name]);
    return { name, manifest };
  } finally {
    removeDatabase(snapshot);
  }
};
