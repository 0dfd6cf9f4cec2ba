import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createArchive,
  archiveFolderOf,
  hasArchive,
  numberOfName,
  openArchive,
  openArchiveWithMasterKey,
  readKeyFiles,
  writeKeys,
  type BackupArchive,
} from '../format/archive.ts';
import { readGeneration } from '../format/chunks.ts';
import type { BackupManifest } from '../format/manifest-rules.ts';
import { drill } from '../operations/restore-drill.ts';
import { unfinishedRestoreOf } from '../home/activation.ts';
import { lockBackups, type HomeDatabase } from '../home/store.ts';
import { requireTarget, syncArchiveId } from '../format/archive-id.ts';
import { QUICK_JOBS, type BackupResults, type BackupMessage, type BackupJob, type BackupDetails } from './jobs.ts';
import { formatKeyFile } from '../format/key-file.ts';
import { makeBackup, readManifest, type BackupProgress } from '../operations/backup.ts';
import { BackupProblem } from '../format/error.ts';
import { prune } from '../operations/pruning.ts';
import { checkRecords, type RecordCheck } from '../home/record-checksums.ts';
import { findArchive, findBackup, restoreInto } from '../operations/restore.ts';
import { verifyArchive } from '../operations/verification.ts';

/*
 * Process that runs one backup job and exits. It has low priority unless the job is quick, and exits when the server
 * exits.
 */

let lastSentAt = 0;
const send = (message: BackupMessage): void => {
  lastSentAt = performance.now();
  process.send?.(message);
};
/** Returns a clock that continues from the server's time, which may differ from the time of the machine. */
const clockFrom = (start: number) => {
  const startedAt = performance.now();
  return (): number => start + Math.floor(performance.now() - startedAt);
};

/** Minimum time between two progress messages, and between any message and an `alive` message. */
const PROGRESS_INTERVAL_MS = 250;
let lastProgressAt = 0;
const reportProgress = (progress: BackupProgress): void => {
  if (performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
  lastProgressAt = performance.now();
  send({ type: 'progress', progress });
};

/** Yields to the event loop. Reports that the job is alive, because a job that sends no messages is killed. */
const pause = (): Promise<void> => {
  if (performance.now() - lastSentAt >= PROGRESS_INTERVAL_MS) send({ type: 'alive' });
  return nextTurn();
};

const DRILL_PREFIX = 'drill-';
const DRILL_FOLDER = `${DRILL_PREFIX}${process.pid}`;

const detailsOf = (name: string, manifest: BackupManifest): BackupDetails => {
  const { number, created, files, bytes, added, hash, leftOut, unsteady } = manifest;
  return { name, number, created, files, bytes, added, hash, leftOut, unsteady };
};

/** Newest first. */
const listReadableBackups = (archive: BackupArchive): BackupDetails[] =>
  archive
    .listNames('backup')
    .toReversed()
    .flatMap((name) => {
      try {
        return [detailsOf(name, readManifest(archive, name))];
      } catch (error) {
        if (error instanceof BackupProblem) return [];
        throw error;
      }
    });

const openOrCreateArchive = (
  { folder, keyFile, masterKey }: Extract<BackupJob, { op: 'backup' | 'drill' | 'writeKey' }>,
  isNew: boolean,
): BackupArchive => {
  const key = Buffer.from(masterKey, 'base64');
  const archiveFolder = archiveFolderOf(folder, keyFile.archive);
  if (isNew && !hasArchive(archiveFolder)) return createArchive(folder, keyFile, key);
  return openArchiveWithMasterKey(folder, keyFile, key);
};

/** Rewrites the key files if one is missing, damaged or differs from the key file of the job. */
const reconcileKeys = (archive: BackupArchive): void => {
  const { files, problem } = readKeyFiles(archive.folder);
  const expectedText = formatKeyFile(archive.keyFile);
  if (problem !== undefined || files.some((file) => formatKeyFile(file) !== expectedText))
    writeKeys(archive.folder, archive.keyFile);
};

const ensureBackupsFolder = (home: string): string => {
  const folder = join(home, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

const withBackupLock = async <T>(home: string, operation: (backupsFolder: string) => Promise<T> | T): Promise<T> => {
  const backupsFolder = ensureBackupsFolder(home);
  const lock = lockBackups(backupsFolder);
  try {
    return await operation(backupsFolder);
  } finally {
    lock.close();
  }
};

/** Deletes the folders that killed drills left behind. The caller must hold the backup lock. */
const deleteDrillFolders = (folder: string): void => {
  for (const name of readdirSync(folder))
    if (name.startsWith(DRILL_PREFIX)) rmSync(join(folder, name), { recursive: true, force: true });
};

const jobs = {
  backup: (job: Extract<BackupJob, { op: 'backup' }>): Promise<BackupResults['backup']> =>
    withBackupLock(job.home, async (backupsFolder) => {
      deleteDrillFolders(backupsFolder);
      if (job.isNew) syncArchiveId(backupsFolder);
      const archive = openOrCreateArchive(job, job.isNew);
      reconcileKeys(archive);
      const { home, programVersion, distrustedPacks } = job;
      let records: RecordCheck | undefined;
      const onSnapshot = (copy: HomeDatabase): void => {
        records = checkRecords(backupsFolder, copy);
      };
      const backup = await makeBackup(archive, {
        home,
        programVersion,
        distrustedPacks,
        now: clockFrom(job.now),
        onProgress: reportProgress,
        pause,
        onSnapshot,
      });
      records?.save();
      // If records are damaged, earlier backups are retained, because they contain the undamaged records.
      if (records?.problem === undefined) await prune(archive, job.retention, pause, distrustedPacks);
      const result = {
        backups: listReadableBackups(archive),
        generation: readGeneration(archive),
        damage: records?.problem,
      };
      try {
        const onProgress = (done: number, total: number): void => reportProgress({ phase: 'checking', done, total });
        const options = { scratch: join(backupsFolder, DRILL_FOLDER), whole: false, onProgress, pause };
        const summary = await drill(archive, backup.manifest, options);
        return { ...result, proof: { number: backup.manifest.number, ...summary }, problem: undefined };
      } catch (error) {
        if (!(error instanceof BackupProblem)) throw error;
        return error.kind === 'damaged'
          ? { ...result, proof: undefined, problem: error.message }
          : { ...result, proof: undefined, problem: undefined, drillFailure: error.message };
      }
    }),

  drill: (job: Extract<BackupJob, { op: 'drill' }>): Promise<BackupResults['drill']> =>
    withBackupLock(job.home, async (backupsFolder) => {
      deleteDrillFolders(backupsFolder);
      const archive = openOrCreateArchive(job, false);
      // Verification and restore each count for half of the progress.
      const reportHalf = (done: number, total: number, offset: number): void =>
        reportProgress({ phase: 'checking', done: offset + done, total: 2 * Math.max(1, total) });
      const { problems, damagedPacks: damaged } = await verifyArchive(archive, {
        knownState: job.knownState,
        onProgress: (done, total) => reportHalf(done, total, 0),
        pause,
      });
      const { manifest } = findBackup(archive);
      try {
        const summary = await drill(archive, manifest, {
          scratch: join(backupsFolder, DRILL_FOLDER),
          whole: true,
          onProgress: (done, total) => reportHalf(done, total, total),
          pause,
        });
        return { proof: { number: manifest.number, ...summary }, problems, damaged };
      } catch (error) {
        if (!(error instanceof BackupProblem)) throw error;
        if (error.kind !== 'damaged' && problems.length === 0) throw error;
        return { proof: undefined, problems: [...problems, error.message], damaged };
      }
    }),

  async list({ from, secret, archive: id }: Extract<BackupJob, { op: 'list' }>): Promise<BackupResults['list']> {
    const archive = await findArchive(from, secret, id);
    const backups = archive
      .listNames('backup')
      .toReversed()
      .map((backupName) => {
        const number = numberOfName(backupName);
        try {
          const { manifest } = findBackup(archive, backupName);
          return { number, details: detailsOf(backupName, manifest), name: manifest.name, problem: null };
        } catch (error) {
          if (error instanceof BackupProblem) return { number, details: undefined, name: '', problem: error.message };
          throw error;
        }
      });
    return { archive: archive.id, backups };
  },

  /** Restores into the folder `restored` of a home that is not set up. The next start activates the restored home. */
  async restore(job: Extract<BackupJob, { op: 'restore' }>): Promise<BackupResults['restore']> {
    const archive = await findArchive(job.from, job.secret, job.archive);
    const { manifest } = findBackup(archive, job.backup);
    ensureBackupsFolder(job.home);
    const unfinishedHome = unfinishedRestoreOf(job.home);
    rmSync(unfinishedHome, { recursive: true, force: true });
    const onProgress = (done: number, total: number): void => reportProgress({ phase: 'files', done, total });
    await restoreInto(archive, manifest, unfinishedHome, { now: clockFrom(job.now), onProgress, pause });
    rmSync(join(job.home, 'restored'), { recursive: true, force: true });
    renameSync(unfinishedHome, join(job.home, 'restored'));
    const { name, created, files, bytes } = manifest;
    return { name, created, files, bytes };
  },
};

const runJob = async (job: BackupJob): Promise<BackupResults[keyof BackupResults]> => {
  switch (job.op) {
    case 'backup':
      return jobs.backup(job);
    case 'drill':
      return jobs.drill(job);
    case 'writeKey':
      return withBackupLock(job.home, (backupsFolder) => {
        syncArchiveId(backupsFolder);
        reconcileKeys(openOrCreateArchive(job, job.isNew));
        return null;
      });
    case 'checkFolder':
      return requireTarget(job.folder, job.home);
    case 'openKey': {
      if (!hasArchive(job.folder)) return null;
      const { masterKey } = await openArchive(job.folder, { passphrase: job.passphrase });
      return { masterKey: masterKey.toString('base64') };
    }
    case 'list':
      return jobs.list(job);
    case 'restore':
      return jobs.restore(job);
  }
};

const sendResult = (message: BackupMessage): void => {
  process.send?.(message, () => process.disconnect());
};

const lowerPriority = (): void => {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The operating system does not permit the change. The process keeps its normal priority.
  }
};

process.once('disconnect', () => process.exit());
process.once('message', (job: BackupJob) => {
  send({ type: 'alive' });
  if (!QUICK_JOBS.has(job.op)) lowerPriority();
  runJob(job)
    .then((result) => sendResult({ type: 'done', result }))
    .catch((error: unknown) => {
      if (error instanceof BackupProblem) sendResult({ type: 'problem', kind: error.kind, text: error.message });
      else sendResult({ type: 'fault', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
});
