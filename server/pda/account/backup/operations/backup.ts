import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removePartialFiles, createNumberedName, numberOfName, type BackupArchive } from '../format/archive.ts';
import { openChunks, type Chunks } from '../format/chunks.ts';
import {
  DATABASE_FILE,
  hashOfContent,
  parseLists,
  parseManifest,
  sortEntries,
  formatLists,
  serializeManifest,
  type Entry,
  type FileEntry,
  type BackupManifest,
  pathInFilesFolder,
} from '../format/manifest-rules.ts';
import { createSnapshot, openHomeDatabase, removeDatabase, type HomeDatabase } from '../home/store.ts';
import {
  FILE_TIME_RESOLUTION_MS,
  hasSameStat,
  isUnchanged,
  scanHome,
  storeContent,
  storeFile,
  type FileStat,
} from '../home/scan.ts';
import { BackupProblem, toBackupProblem } from '../format/error.ts';
import { BACKUP_FORMAT } from '../format/encryption.ts';
import { reconcileEntries } from '../home/reconciliation-rules.ts';

export type CreatedBackup = { name: string; manifest: BackupManifest };
export type BackupProgress = {
  phase: 'scanning' | 'files' | 'database' | 'finishing' | 'checking';
  /** Processed bytes. During a backup, `total` is an estimate. */
  done: number;
  total: number;
};

/** Eight pages. Small, because a new record changes a dozen scattered pages. */
const DATABASE_CHUNK_BYTES = 64 * 1024;
const SNAPSHOT_FILE = /^snapshot-[\w-]+\.sqlite(?:-wal|-shm|-journal)?$/u;

/** @throws BackupProblem damaged | missing | unusable */
export const readEntries = (chunks: Chunks, manifest: BackupManifest): Entry[] => {
  const entries = parseLists(manifest.lists.map((id) => chunks.read(id).content.toString('utf8')));
  if (hashOfContent(entries) !== manifest.hash)
    throw new BackupProblem('damaged', 'The list of files of this backup was modified.');
  return entries;
};

/** @throws BackupProblem damaged | newer | missing | unusable */
export const readManifest = (archive: BackupArchive, name: string): BackupManifest => {
  const manifest = parseManifest(archive.read('backup', name));
  if (manifest.number !== numberOfName(name))
    throw new BackupProblem(
      'damaged',
      `The file ${name} of the archive does not contain the backup that its name indicates.`,
    );
  return manifest;
};

const readPreviousBackup = (
  archive: BackupArchive,
  chunks: Chunks,
): { entries: Map<string, Entry>; snapshotTime: number } => {
  for (const name of archive.listNames('backup').toReversed()) {
    try {
      const manifest = readManifest(archive, name);
      return {
        entries: new Map(readEntries(chunks, manifest).map((entry) => [entry.path, entry])),
        snapshotTime: Date.parse(manifest.created),
      };
    } catch (error) {
      // Files that only the damaged backup contains are read again.
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
    }
  }
  return { entries: new Map(), snapshotTime: 0 };
};

/** Deletes the snapshots that killed backups left behind. The caller must hold the backup lock. */
const deleteSnapshots = (folder: string): void => {
  for (const name of readdirSync(folder)) if (SNAPSHOT_FILE.test(name)) rmSync(join(folder, name), { force: true });
};

/**
 * Creates a backup of a home, which may be in use. The caller must hold the backup lock. Reads the files, copies the
 * database, then reads the files that changed in the meantime, so that the last step is short for homes of any size.
 * @param parts.now returns Unix milliseconds
 * @param parts.distrustedPacks packs that a verification found damaged; their chunks are not reused
 * @throws BackupProblem
 */
export const makeBackup = async (
  archive: BackupArchive,
  parts: {
    home: string;
    programVersion: string;
    now: () => number;
    onProgress: (progress: BackupProgress) => void;
    distrustedPacks?: readonly string[];
    onSnapshot?: (copy: HomeDatabase) => void;
    pause: () => Promise<void>;
  },
): Promise<CreatedBackup> => {
  const { home, programVersion, now, onProgress, pause } = parts;
  const backupsFolder = join(home, 'backups');
  mkdirSync(backupsFolder, { recursive: true, mode: 0o700 });
  deleteSnapshots(backupsFolder);
  removePartialFiles(archive);
  onProgress({ phase: 'scanning', done: 0, total: 0 });

  const chunks = openChunks(archive, { includeUnlistedPacks: true });
  for (const name of parts.distrustedPacks ?? []) chunks.forget(name);
  const previousBackup = readPreviousBackup(archive, chunks);
  const startedAt = now();
  const scannedEntries = new Map<string, Entry>();
  const changingPaths = new Set<string>();

  let phase: BackupProgress['phase'] = 'files';
  let bytesRead = 0;
  let totalBytes = 0;
  const onRead = (bytes: number): void => {
    bytesRead += bytes;
    onProgress({ phase, done: bytesRead, total: Math.max(bytesRead, totalBytes) });
  };

  const storeIfChanged = async (file: FileStat): Promise<void> => {
    const previousEntry = previousBackup.entries.get(file.path);
    if (isUnchanged(file, previousEntry, previousBackup.snapshotTime, chunks.has)) {
      scannedEntries.set(file.path, previousEntry);
      onRead(file.size);
      return;
    }
    const storedFile = storeFile(home, file.path, chunks, onRead);
    if (storedFile === undefined) scannedEntries.delete(file.path);
    else scannedEntries.set(file.path, storedFile.entry);
    if (storedFile?.isSteady === false) changingPaths.add(file.path);
    else changingPaths.delete(file.path);
    await pause();
  };

  /** Keeps the files of the previous backup while the disk of the files folder is not connected. */
  const retainFiles = (entries: ReadonlyMap<string, Entry>): void => {
    for (const [path, entry] of entries) {
      const isAvailable = entry.kind === 'folder' || entry.chunks.every(chunks.has);
      if (pathInFilesFolder(path) !== undefined && isAvailable && !scannedEntries.has(path))
        scannedEntries.set(path, entry);
    }
  };

  const firstScan = scanHome(home);
  totalBytes = firstScan.files.reduce((sum, { size }) => sum + size, 0);
  for (const file of firstScan.files) await storeIfChanged(file);

  phase = 'database';
  const snapshot = join(backupsFolder, `snapshot-${process.pid}.sqlite`);
  try {
    const snapshotTime = now();
    await createSnapshot(join(home, DATABASE_FILE), snapshot, () => onRead(0)).catch((error: unknown) => {
      throw toBackupProblem(error, backupsFolder);
    });
    chmodSync(snapshot, 0o600);
    await pause();

    const secondScan = scanHome(home);
    const existingPaths = new Set(secondScan.files.map(({ path }) => path));
    const isDiskMissing = statSync(join(home, 'files'), { throwIfNoEntry: false }) === undefined;
    if (isDiskMissing) retainFiles(previousBackup.entries);
    for (const path of scannedEntries.keys())
      if (!existingPaths.has(path) && !(isDiskMissing && pathInFilesFolder(path) !== undefined))
        scannedEntries.delete(path);
    for (const file of secondScan.files) {
      if (!hasSameStat(file, scannedEntries.get(file.path)) || file.changedMs > startedAt - FILE_TIME_RESOLUTION_MS)
        await storeIfChanged(file);
    }
    for (const path of secondScan.folders) scannedEntries.set(path, { kind: 'folder', path });

    const copy = openHomeDatabase(snapshot);
    const liveDatabase = openHomeDatabase(join(home, DATABASE_FILE));
    let reconciledEntries: Map<string, Entry>;
    let databaseFields: Pick<BackupManifest, 'schema' | 'tables' | 'name'>;
    try {
      reconciledEntries = reconcileEntries(scannedEntries, copy.iterateFiles(), liveDatabase);
      databaseFields = { schema: copy.readSchemaVersion(), tables: copy.countRowsByTable(), name: copy.readName() };
      parts.onSnapshot?.(copy);
    } finally {
      copy.close();
      liveDatabase.close();
    }

    const descriptor = openSync(snapshot, 'r');
    try {
      const content = storeContent(descriptor, chunks, DATABASE_CHUNK_BYTES, onRead);
      const path = DATABASE_FILE;
      reconciledEntries.set(path, { kind: 'file', path, modified: '0', statSignature: '', ...content });
    } finally {
      closeSync(descriptor);
    }
    phase = 'finishing';
    onProgress({ phase, done: bytesRead, total: bytesRead });
    await pause();

    const entries = sortEntries(reconciledEntries.values());
    const lists = [...formatLists(entries)].map((list) => chunks.add(list, true).id);
    chunks.flush();
    const files = entries.filter((entry): entry is FileEntry => entry.kind === 'file');
    const names = archive.listNames('backup');
    const number = Math.max(0, ...[...names, ...chunks.listedBackups].map(numberOfName)) + 1;
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      number,
      created: new Date(snapshotTime).toISOString(),
      program: programVersion,
      hash: hashOfContent(entries),
      lists,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      added: chunks.addedBytes,
      leftOut: secondScan.leftOut,
      unsteady: changingPaths.size,
      ...databaseFields,
    };
    const name = createNumberedName(number);
    archive.write('backup', name, [serializeManifest(manifest)]);
    chunks.saveIndex([...names, name]);
    return { name, manifest };
  } finally {
    removeDatabase(snapshot);
  }
};
