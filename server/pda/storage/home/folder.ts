import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lockFolder } from '../../../platform/io/folder-lock.ts';
import { messageOf } from '../../../wire/values.ts';
import { narrowModes } from './private-files.ts';
import { StorageProblem } from '../storage-problem.ts';

/**
 * The folder that is one PDA. One process holds it at a time.
 */
export type Home = {
  path: string;
  database: string;
  config: string;
  imports: string;
  backups: string;
  /** The owner's files, to be looked at and changed by other programs too. */
  files: string;
  /** Content on its way in. */
  uploads: string;
  /** Content that can be brought back. */
  removed: string;
  /** Installed function packages. */
  functions: string;
  /** True when the last run did not end in order, or ended before its database was found sound. */
  uncleanStop: boolean;
  /** The database was looked through after an unclean stop, and is sound. */
  foundSound(): void;
  /** Marks an orderly end and lets the folder go. */
  close(): void;
};

/** Only the owner of the machine's account may look inside. */
const PRIVATE_FOLDER = 0o700;

const unusable = (path: string, error: unknown): StorageProblem =>
  new StorageProblem('unusable', `The folder ${path} cannot be used: ${messageOf(error)}`);

/** @throws StorageProblem in_use | unusable */
export const takeLock = (path: string): { close(): void } => {
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

/** Opens (and where needed makes) a home folder. @throws StorageProblem in_use | unusable */
export const openHome = (folder: string): Home => {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
    chmodSync(path, PRIVATE_FOLDER);
    for (const name of ['backups', 'imports', 'uploads', 'removed'])
      mkdirSync(join(path, name), { recursive: true, mode: PRIVATE_FOLDER });
    // Only once: where it is missed later, it may be on a disk that is away, and an empty one would look as if everything in it were deleted.
    if (!existsSync(join(path, 'pda.sqlite')))
      mkdirSync(join(path, 'files'), { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw unusable(path, error);
  }
  const lock = takeLock(path);
  try {
    narrowModes(path);
  } catch (error) {
    lock.close();
    throw unusable(path, error);
  }
  const running = join(path, 'running');
  const uncleanStop = existsSync(running);
  let sound = !uncleanStop;
  try {
    // Empty, so that it can be made on a full disk: what is stored must be readable there too.
    writeFileSync(running, '', { flush: true });
  } catch (error) {
    lock.close();
    throw unusable(path, error);
  }
  let open = true;
  return {
    path,
    database: join(path, 'pda.sqlite'),
    config: join(path, 'config.json'),
    imports: join(path, 'imports'),
    backups: join(path, 'backups'),
    files: join(path, 'files'),
    uploads: join(path, 'uploads'),
    removed: join(path, 'removed'),
    functions: join(path, 'functions'),
    uncleanStop,
    foundSound() {
      sound = true;
    },
    close() {
      if (!open) return;
      open = false;
      // Without a finished check the mark stays: a start that was refused must not make the next one trust the database.
      if (sound) rmSync(running, { force: true });
      lock.close();
    },
  };
};

export const readIfThere = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;
