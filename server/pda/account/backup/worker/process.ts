import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createArchive,
  folderOf,
  hasArchive,
  openArchive,
  openArchiveWith,
  readKeys,
  writeKeys,
  type BackupArchive,
} from '../format/archive.ts';
import { generationOf } from '../format/chunks.ts';
import type { Page } from '../format/manifest-rules.ts';
import { drill } from '../operations/restore-drill.ts';
import { lockBackups, type HomeDatabase } from '../home/store.ts';
import { requireTarget, syncArchiveId } from '../format/archive-id.ts';
import type { BackupResults, BackupProgress, BackupJob, OneBackup } from './jobs.ts';
import { writeKeyFile } from '../format/key-file.ts';
import { makeBackup, pageOf, type Progress } from '../operations/backup.ts';
import { BackupProblem } from '../format/error.ts';
import { prune } from '../operations/pruning.ts';
import { checkRecords, type RecordCheck } from '../home/record-digests.ts';
import { findArchive, findBackup, restoreInto } from '../operations/restore.ts';
import { verifyArchive } from '../operations/verification.ts';

/**
 * The process in which backups are made, tried out and brought back. It steps aside for whatever else runs on the machine, and ends with the server that
 * started it. One job, then it is over.
 */

let said = 0;
const say = (message: BackupProgress): void => {
  said = performance.now();
  process.send?.(message);
};
/** By the clock of the server, which may be another than the machine's. */
const clockFrom = (start: number) => {
  const begun = performance.now();
  return (): number => start + Math.floor(performance.now() - begun);
};

const TELL_EVERY_MS = 250;
let told = 0;
const tell = (progress: Progress): void => {
  if (performance.now() - told < TELL_EVERY_MS) return;
  told = performance.now();
  say({ type: 'progress', progress });
};

/** Reports that the job continues: a job that is silent for too long is cancelled. */
const pause = (): Promise<void> => {
  if (performance.now() - said >= TELL_EVERY_MS) say({ type: 'alive' });
  return nextTurn();
};

const DRILL = 'drill-';
const ONCE = `${DRILL}${process.pid}`;

const oneOf = (name: string, page: Page): OneBackup => {
  const { number, created, files, bytes, added, hash, leftOut, unsteady } = page;
  return { name, number, created, files, bytes, added, hash, leftOut, unsteady };
};

/** All that can be read, newest first. */
const listOf = (archive: BackupArchive): OneBackup[] =>
  archive
    .names('backup')
    .toReversed()
    .flatMap((name) => {
      try {
        return [oneOf(name, pageOf(archive, name))];
      } catch (error) {
        if (error instanceof BackupProblem) return [];
        throw error;
      }
    });

const openFor = (
  { folder, locks, master }: Extract<BackupJob, { op: 'backup' | 'drill' | 'lock' }>,
  isNew: boolean,
): BackupArchive => {
  const key = Buffer.from(master, 'base64');
  const here = folderOf(folder, locks.archive);
  if (isNew && !hasArchive(here)) return createArchive(folder, locks, key);
  return openArchiveWith(folder, locks, key);
};

/** Both copies of the key as they should be: one that was spoilt is mended while it is still known. */
const mendKeys = (archive: BackupArchive): void => {
  const { files, problem } = readKeys(archive.folder);
  const wanted = writeKeyFile(archive.keyFile);
  if (problem !== undefined || files.some((file) => writeKeyFile(file) !== wanted))
    writeKeys(archive.folder, archive.keyFile);
};

const scratchOf = (home: string): string => {
  const folder = join(home, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

/** What a drill that was killed left behind goes. Only while the backups are locked for us. */
const clearDrills = (folder: string): void => {
  for (const name of readdirSync(folder))
    if (name.startsWith(DRILL)) rmSync(join(folder, name), { recursive: true, force: true });
};

const work = {
  async backup(job: Extract<BackupJob, { op: 'backup' }>): Promise<BackupResults['backup']> {
    const scratch = scratchOf(job.home);
    const lock = lockBackups(scratch);
    try {
      clearDrills(scratch);
      const archive = openFor(job, job.isNew);
      mendKeys(archive);
      const { home, program, distrust } = job;
      let records: RecordCheck | undefined;
      const look = (copy: HomeDatabase): void => {
        records = checkRecords(scratch, copy);
      };
      const made = await makeBackup(archive, { home, program, distrust, now: clockFrom(job.now), tell, pause, look });
      records?.save();
      // The backups before have what is damaged by now.
      if (records?.problem === undefined) await prune(archive, job.retention, pause, distrust);
      const done = { backups: listOf(archive), generation: generationOf(archive), damage: records?.problem };
      try {
        const check = (at: number, total: number): void => tell({ phase: 'checking', done: at, total });
        const drilled = await drill(archive, made.page, {
          scratch: join(scratch, ONCE),
          whole: false,
          tell: check,
          pause,
        });
        return { ...done, proof: { number: made.page.number, ...drilled }, problem: undefined };
      } catch (error) {
        if (!(error instanceof BackupProblem)) throw error;
        return { ...done, proof: undefined, problem: error.message };
      }
    } finally {
      lock.close();
    }
  },

  /** Every byte of the archive, then the whole newest backup. */
  async drill(job: Extract<BackupJob, { op: 'drill' }>): Promise<BackupResults['drill']> {
    const scratch = scratchOf(job.home);
    const lock = lockBackups(scratch);
    try {
      clearDrills(scratch);
      const archive = openFor(job, false);
      const half = (at: number, total: number, from: number): void =>
        tell({ phase: 'checking', done: from + at, total: 2 * Math.max(1, total) });
      const found = await verifyArchive(archive, {
        remembered: job.remembered,
        tell: (at, total) => half(at, total, 0),
        pause,
      });
      const { page } = findBackup(archive);
      try {
        const drilled = await drill(archive, page, {
          scratch: join(scratch, ONCE),
          whole: true,
          tell: (at, total) => half(at, total, total),
          pause,
        });
        return { proof: { number: page.number, ...drilled }, problems: found.problems, damaged: found.damagedPacks };
      } catch (error) {
        if (!(error instanceof BackupProblem)) throw error;
        return { proof: undefined, problems: [...found.problems, error.message], damaged: found.damagedPacks };
      }
    } finally {
      lock.close();
    }
  },

  /** Makes the archive where there is none, and gives it these locks. */
  lock(job: Extract<BackupJob, { op: 'lock' }>): Promise<BackupResults['lock']> {
    const lock = lockBackups(scratchOf(job.home));
    try {
      syncArchiveId(scratchOf(job.home));
      mendKeys(openFor(job, job.isNew));
      return Promise.resolve(null);
    } finally {
      lock.close();
    }
  },

  target: ({ folder, home }: Extract<BackupJob, { op: 'target' }>): Promise<BackupResults['target']> =>
    Promise.resolve(requireTarget(folder, home)),

  async adopt({ folder, passphrase }: Extract<BackupJob, { op: 'adopt' }>): Promise<BackupResults['adopt']> {
    if (!hasArchive(folder)) return null;
    return { master: (await openArchive(folder, { passphrase })).master.toString('base64') };
  },

  async look({ from, secret, archive: id }: Extract<BackupJob, { op: 'look' }>): Promise<BackupResults['look']> {
    const archive = await findArchive(from, secret, id);
    const backups = archive
      .names('backup')
      .toReversed()
      .map((file) => {
        const number = Number(file.slice(0, 10));
        try {
          const { page } = findBackup(archive, file);
          return { number, page: oneOf(file, page), name: page.name, problem: null };
        } catch (error) {
          if (error instanceof BackupProblem) return { number, page: undefined, name: '', problem: error.message };
          throw error;
        }
      });
    return { archive: archive.id, backups };
  },

  /** Into the home itself, which is empty: as a folder in it that the next start puts in its place. */
  async restore(job: Extract<BackupJob, { op: 'restore' }>): Promise<BackupResults['restore']> {
    const archive = await findArchive(job.from, job.secret, job.archive);
    const { page } = findBackup(archive, job.backup);
    const begun = join(scratchOf(job.home), 'restoring');
    rmSync(begun, { recursive: true, force: true });
    const each = (done: number, total: number): void => tell({ phase: 'files', done, total });
    await restoreInto(archive, page, begun, { now: clockFrom(job.now), tell: each, pause });
    rmSync(join(job.home, 'restored'), { recursive: true, force: true });
    renameSync(begun, join(job.home, 'restored'));
    const { name, created, files, bytes } = page;
    return { name, created, files, bytes };
  },
};

const doJob = (job: BackupJob): Promise<BackupResults[keyof BackupResults]> => {
  switch (job.op) {
    case 'backup':
      return work.backup(job);
    case 'drill':
      return work.drill(job);
    case 'lock':
      return work.lock(job);
    case 'target':
      return work.target(job);
    case 'adopt':
      return work.adopt(job);
    case 'look':
      return work.look(job);
    case 'restore':
      return work.restore(job);
  }
};

const end = (message: BackupProgress): void => {
  process.send?.(message, () => process.disconnect());
};

try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // A system that does not let us step aside runs this like all else.
}
process.once('disconnect', () => process.exit());
process.once('message', (job: BackupJob) => {
  Promise.resolve()
    .then(() => doJob(job))
    .then((result) => end({ type: 'done', result }))
    .catch((error: unknown) => {
      if (error instanceof BackupProblem) end({ type: 'problem', kind: error.kind, text: error.message });
      else end({ type: 'fault', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    });
});
