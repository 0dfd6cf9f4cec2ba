import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { createArchive, archiveFolderOf, hasArchive, openArchive } from '../format/archive.ts';
import { DATABASE_FILE } from '../format/manifest-rules.ts';
import { lockBackups, type HomeDatabase } from '../home/store.ts';
import { readOrCreateArchiveId, requireTarget, syncArchiveId } from '../format/archive-id.ts';
import { createKeyFile, newMasterKey, type Secret } from '../format/key-file.ts';
import { makeBackup, readManifest, type CreatedBackup, type BackupProgress } from './backup.ts';
import { BackupProblem } from '../format/error.ts';
import { prune } from './pruning.ts';
import { checkRecords, type RecordCheck } from '../home/record-checksums.ts';
import { findArchive, findBackup, restoreHome } from './restore.ts';
import type { Retention } from './retention-rules.ts';
import { verifyArchive, type VerificationResult } from './verification.ts';

/* Backup operations that run in the process of a command, even while a server is running. */

const now = (): number => Date.now();

/**
 * Creates a backup of a home. Creates the archive if there is none. Then removes backups outside `retention`, if it is
 * given and no records are corrupt.
 * @param options.check rejects a weak passphrase for a new archive
 * @returns the backup; `recoveryKey` is undefined if the archive already existed, `damage` describes corrupt records
 * @throws BackupProblem, and errors of `check`
 */
export const backUp = async (options: {
  home: string;
  to: string;
  passphrase: string;
  programVersion: string;
  retention: Retention | undefined;
  check: (passphrase: string) => Promise<void>;
  onProgress: (progress: BackupProgress) => void;
}) => {
  const home = resolve(options.home);
  if (!existsSync(join(home, DATABASE_FILE))) throw new BackupProblem('missing', `There is no PDA in ${home}.`);
  const target = requireTarget(options.to, home);
  const backupsFolder = join(home, 'backups');
  const archiveId = readOrCreateArchiveId(backupsFolder);
  syncArchiveId(backupsFolder);
  const lock = lockBackups(backupsFolder);
  try {
    const folder = archiveFolderOf(target, archiveId);
    let recoveryKey: string | undefined;
    const openOrCreate = async () => {
      if (hasArchive(folder)) return openArchive(folder, { passphrase: options.passphrase });
      await options.check(options.passphrase);
      const masterKey = newMasterKey();
      const keys = await createKeyFile(masterKey, archiveId, options.passphrase);
      recoveryKey = keys.recoveryKey;
      return createArchive(target, keys.file, masterKey);
    };
    const archive = await openOrCreate();
    const { programVersion, onProgress, retention } = options;
    let records: RecordCheck | undefined;
    const onSnapshot = (copy: HomeDatabase): void => {
      records = checkRecords(backupsFolder, copy);
    };
    const backup = await makeBackup(archive, { home, programVersion, now, onProgress, pause, onSnapshot });
    records?.save();
    const damage = records?.problem;
    const shouldPrune = retention !== undefined && damage === undefined;
    const removedCount = shouldPrune ? (await prune(archive, retention, pause)).length : 0;
    return { ...backup, archive: archive.id, folder, recoveryKey, removedCount, damage };
  } finally {
    lock.close();
  }
};

type ArchiveSource = { from: string; secret: Secret; archive: string | undefined };

/** Lists the backups of an archive, oldest first. An unreadable backup is listed with its problem. */
export const listBackups = async ({ from, secret, archive: id }: ArchiveSource) => {
  const archive = await findArchive(from, secret, id);
  const backups = archive.listNames('backup').map((name) => {
    try {
      return { name, manifest: readManifest(archive, name) };
    } catch (error) {
      if (error instanceof BackupProblem) return { name, problem: error.message };
      throw error;
    }
  });
  return { archive: archive.id, backups };
};

export const verify = async (
  { from, secret, archive: id }: ArchiveSource,
  onProgress: (done: number, total: number) => void,
): Promise<VerificationResult> => verifyArchive(await findArchive(from, secret, id), { onProgress, pause });

export const restore = async (
  { from, secret, archive: id }: ArchiveSource,
  options: { home: string; backup: string | undefined; onProgress: (done: number, total: number) => void },
): Promise<CreatedBackup> => {
  const archive = await findArchive(from, secret, id);
  const backup = findBackup(archive, options.backup);
  await restoreHome(archive, backup.manifest, options.home, { now, onProgress: options.onProgress, pause });
  return backup;
};
