import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { createArchive, folderOf, hasArchive, openArchive } from '../format/archive.ts';
import { DATABASE } from '../format/manifest-rules.ts';
import { lockBackups, type HomeDatabase } from '../home/store.ts';
import { archiveIdOf, requireTarget, syncArchiveId } from '../format/archive-id.ts';
import { lockMaster, newMasterKey, type Secret } from '../format/key-file.ts';
import { makeBackup, pageOf, type Made, type Progress } from './backup.ts';
import { BackupProblem } from '../format/error.ts';
import { prune } from './pruning.ts';
import { checkRecords, type RecordCheck } from '../home/record-digests.ts';
import { findArchive, findBackup, restoreHome } from './restore.ts';
import type { Retention } from './retention-rules.ts';
import { verifyArchive, type Verified } from './verification.ts';

/** What the command line does, in its own process, beside a running server or without one. */

const now = (): number => Date.now();

export type BackedUp = Made & {
  archive: string;
  folder: string;
  recoveryKey: string | undefined;
  removed: number;
  /** Records that are not what they were, in words: then nothing is removed. */
  damage: string | undefined;
};

/** @param check refuses a passphrase that is too easy to guess, for a new archive @throws BackupProblem, or whatever `check` throws */
export const backUp = async (options: {
  home: string;
  to: string;
  passphrase: string;
  program: string;
  retention: Retention | undefined;
  check: (passphrase: string) => Promise<void>;
  tell: (progress: Progress) => void;
}): Promise<BackedUp> => {
  const home = resolve(options.home);
  if (!existsSync(join(home, DATABASE))) throw new BackupProblem('missing', `There is no PDA in ${home}.`);
  const to = requireTarget(options.to, home);
  const scratch = join(home, 'backups');
  const archiveId = archiveIdOf(scratch);
  syncArchiveId(scratch);
  const lock = lockBackups(scratch);
  try {
    const folder = folderOf(to, archiveId);
    let recoveryKey: string | undefined;
    const open = async () => {
      if (hasArchive(folder)) return openArchive(folder, { passphrase: options.passphrase });
      await options.check(options.passphrase);
      const master = newMasterKey();
      const locked = await lockMaster(master, archiveId, options.passphrase);
      recoveryKey = locked.recoveryKey;
      return createArchive(to, locked.file, master);
    };
    const archive = await open();
    const { program, tell, retention } = options;
    let records: RecordCheck | undefined;
    const look = (copy: HomeDatabase): void => {
      records = checkRecords(scratch, copy);
    };
    const made = await makeBackup(archive, { home, program, now, tell, pause, look });
    records?.save();
    const damage = records?.problem;
    const isPruned = retention !== undefined && damage === undefined;
    const removed = isPruned ? (await prune(archive, retention, pause)).removed.length : 0;
    return { ...made, archive: archive.id, folder, recoveryKey, removed, damage };
  } finally {
    lock.close();
  }
};

type From = { from: string; secret: Secret; archive: string | undefined };

/** The backups of an archive, oldest first. A page that cannot be read is a problem in its place. */
export const listBackups = async ({ from, secret, archive: id }: From) => {
  const archive = await findArchive(from, secret, id);
  const backups = archive.names('backup').map((name) => {
    try {
      return { name, page: pageOf(archive, name) };
    } catch (error) {
      if (error instanceof BackupProblem) return { name, problem: error.message };
      throw error;
    }
  });
  return { archive: archive.id, backups };
};

export const verify = async (
  { from, secret, archive: id }: From,
  tell: (done: number, total: number) => void,
): Promise<Verified> => verifyArchive(await findArchive(from, secret, id), { tell, pause });

export const restore = async (
  { from, secret, archive: id }: From,
  options: { home: string; backup: string | undefined; tell: (done: number, total: number) => void },
): Promise<Made> => {
  const archive = await findArchive(from, secret, id);
  const found = findBackup(archive, options.backup);
  await restoreHome(archive, found.page, options.home, { now, tell: options.tell, pause });
  return found;
};
