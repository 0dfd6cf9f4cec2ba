import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lockFolder } from '../../../platform/io/folder-lock.ts';
import { messageOf } from '../../../wire/values.ts';
import { StorageProblem } from '../storage-problem.ts';

/** Folder of one PDA. Only one process at a time can open it. */
export type Home = ReturnType<typeof openHome>;

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;
const MODE_BITS = 0o777;

const unusableFolder = (path: string, error: unknown): StorageProblem =>
  new StorageProblem('unusable', `The folder ${path} cannot be used: ${messageOf(error)}`);

/** Locks a home for this process. @throws StorageProblem in_use | unusable */
export const lockHome = (path: string): { close(): void } => {
  let lock: { close(): void } | undefined;
  try {
    lock = lockFolder(path);
  } catch (error) {
    throw new StorageProblem('unusable', `The folder ${path} cannot be locked: ${messageOf(error)}`);
  }
  if (lock === undefined)
    throw new StorageProblem('in_use', `Another process is using ${path}. Stop it first, or use its dashboard.`);
  return lock;
};

const narrowMode = (file: string): void => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true && (stats.mode & MODE_BITS) !== PRIVATE_FILE_MODE) chmodSync(file, PRIVATE_FILE_MODE);
};

/** Restricts the modes of the databases and the lock in a home that an older version created. */
const narrowModes = (home: string): void => {
  // Windows has no POSIX modes.
  if (process.platform === 'win32') return;
  for (const name of ['lock', 'pda.sqlite', 'pda.sqlite-wal', 'pda.sqlite-shm']) narrowMode(join(home, name));
  const backups = join(home, 'backups');
  for (const name of readdirSync(backups)) if (name.endsWith('.sqlite')) narrowMode(join(backups, name));
};

/** Opens and locks a home folder. Creates it if it does not exist. @throws StorageProblem in_use | unusable */
export const openHome = (folder: string) => {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    chmodSync(path, PRIVATE_FOLDER_MODE);
    for (const name of ['backups', 'imports', 'uploads', 'removed'])
      mkdirSync(join(path, name), { recursive: true, mode: PRIVATE_FOLDER_MODE });
    // `files` is created only together with a new home. In an existing home, it may be on a disk that is not mounted,
    // and an empty folder would look as if all files had been deleted.
    if (!existsSync(join(path, 'pda.sqlite')))
      mkdirSync(join(path, 'files'), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  } catch (error) {
    throw unusableFolder(path, error);
  }
  const lock = lockHome(path);
  const runningMarker = join(path, 'running');
  const hadUncleanStop = existsSync(runningMarker);
  let isSound = !hadUncleanStop;
  try {
    narrowModes(path);
    // The marker is empty, so that it can be written on a full disk.
    writeFileSync(runningMarker, '', { flush: true });
  } catch (error) {
    lock.close();
    throw unusableFolder(path, error);
  }
  let isOpen = true;
  return {
    path,
    database: join(path, 'pda.sqlite'),
    config: join(path, 'config.json'),
    imports: join(path, 'imports'),
    backups: join(path, 'backups'),
    /** The owner's files. Other programs may read and change these files. */
    files: join(path, 'files'),
    uploads: join(path, 'uploads'),
    /** Content of deleted files that can be restored. */
    removed: join(path, 'removed'),
    functions: join(path, 'functions'),
    /** True if the last run did not stop cleanly, or stopped before a check showed that the database is undamaged. */
    hadUncleanStop,
    /** Records that the database needs no further check, so that `close` records a clean stop. */
    markDatabaseSound(): void {
      isSound = true;
    },
    /** Releases the lock. Records a clean stop, unless the database still needs a check. */
    close(): void {
      if (!isOpen) return;
      isOpen = false;
      try {
        // Without a complete check, the marker stays, so that the next start checks the database again.
        if (isSound) rmSync(runningMarker, { force: true });
      } finally {
        lock.close();
      }
    },
  };
};

export const readFileIfExists = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;
