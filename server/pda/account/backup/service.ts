import { isAbsolute } from 'node:path';
import { isoTime, isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { Backup, BackupChange, BackupSnapshot, BackupProof } from '../../../wire/backup.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Writer } from '../../storage/index.ts';
import { archiveFolderOf } from './format/archive.ts';
import { isStale, nextDue, FULL_DRILL_INTERVAL_MS } from './schedule-rules.ts';
import { readOrCreateArchiveId } from './format/archive-id.ts';
import type { BackupDetails, DrillResult } from './worker/jobs.ts';
import {
  keyFileFor,
  createKeyFile,
  newMasterKey,
  parseKeyFile,
  formatKeyFile,
  type KeyFile,
} from './format/key-file.ts';
import type { BackupProgress } from './operations/backup.ts';
import { asFailure, BackupProblem, withFailures } from './format/error.ts';
import type { StateFile } from './state.ts';
import type { BackupRow, BackupStore } from './store.ts';
import type { BackupWorker } from './worker/client.ts';

export type BackupService = ReturnType<typeof createBackupService>;

/** Delay of a change event, so that changes of a job in quick succession share one event. */
const EVENT_DELAY_MS = 400;
const ARCHIVE_FOLDERS_MAX = 50;
const REPORTED_PROBLEMS_MAX = 5;

const toSnapshot = ({ name: _name, ...snapshot }: BackupDetails): BackupSnapshot => snapshot;

type ArchiveAccess = {
  folder: string;
  /** Master key in base64. */
  masterKey: string;
  keyFile: KeyFile;
};

export type BackupParts = {
  store: BackupStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  owner: Pick<OwnerService, 'strength' | 'profile'>;
  worker: BackupWorker;
  state: StateFile;
  home: { path: string; backups: string };
  programVersion: string;
  clock: Clock;
  log: Log;
};

export const createBackupService = (parts: BackupParts) => {
  const { store, writer, owner, worker, state, home, clock, log } = parts;
  let row = store.readRow();
  let runningJob: { what: 'backup' | 'drill'; progress: BackupProgress; ended: Promise<void> } | undefined;
  let eventTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const notify = (): void => {
    if (isClosed) return;
    eventTimer ??= setTimeout(() => {
      eventTimer = undefined;
      // The transaction only sends an event. It fails only while the storage closes, so the error is ignored.
      writer.write((tx) => parts.events.notify(tx, 'backup')).catch(() => undefined);
    }, EVENT_DELAY_MS).unref();
  };

  const saveSettings = async (change: Partial<BackupRow>): Promise<void> => {
    row = await writer.write((tx) => {
      const changedRow = { ...store.readRow(), ...change };
      store.set(tx, changedRow);
      parts.events.notify(tx, 'backup');
      return changedRow;
    });
  };

  const getArchiveId = (): string => withFailures(() => readOrCreateArchiveId(home.backups));

  const isConfigured = (): boolean => row.folder !== null;

  const requireConfigured = (): ArchiveAccess => {
    const { folder, master, locks } = row;
    if (folder === null || master === null || locks === null)
      throw new Failure('wrong_state', 'Choose a folder for the backups first.');
    // Another home may have created the key file, so the archive id in it is replaced by that of this home.
    const file = withFailures(() => keyFileFor(parseKeyFile(locks), master, readOrCreateArchiveId(home.backups)));
    return { folder, masterKey: master.toString('base64'), keyFile: file };
  };

  const requireIdle = (): void => {
    if (runningJob !== undefined)
      throw new Failure('wrong_state', 'A backup or a restore drill is running. Wait until it has ended.');
  };

  const requireStrong = async (passphrase: string): Promise<void> => {
    if ((await owner.strength(passphrase, owner.profile()?.name)).acceptable) return;
    throw new Failure('invalid_input', 'This passphrase is too easy to guess. Use a longer one, or several words.', {
      details: [{ path: 'body.passphrase', problem: 'too easy to guess' }],
    });
  };

  /** Serialises changes of the settings. */
  const mutex = createMutex();

  const isNewArchive = (folder: string): boolean => !state.get().madeIn.includes(folder);
  /** Moves the folder to the end, because the other fields of the state describe the archive in the last folder. */
  const recordArchive = (folder: string): void => {
    const { madeIn } = state.get();
    if (madeIn.at(-1) === folder) return;
    state.change({ madeIn: [...madeIn.filter((other) => other !== folder), folder].slice(-ARCHIVE_FOLDERS_MAX) });
  };

  const findNewestBackupTime = (): number | undefined => {
    const [newest] = state.get().backups;
    return newest === undefined ? undefined : Date.parse(newest.created);
  };

  const findNextDue = (): number | undefined =>
    isConfigured()
      ? nextDue(row.every, findNewestBackupTime(), state.get().tried ?? undefined, clock.now())
      : undefined;

  const proofOf = (drill: DrillResult, whole: boolean): BackupProof => ({ at: isoTime(clock.now()), whole, ...drill });
  const failureOf = (problem: string) => ({ at: clock.now(), problem });
  const problemOf = (what: 'backup' | 'drill' | 'records', problem: string) => ({ what, ...failureOf(problem) });

  const backUp = async (access: ArchiveAccess, onProgress: (progress: BackupProgress) => void): Promise<void> => {
    const { damaged, problem } = state.get();
    const result = await worker.run(
      {
        op: 'backup',
        home: home.path,
        now: clock.now(),
        ...access,
        programVersion: parts.programVersion,
        retention: { days: row.keep_days, weeks: row.keep_weeks, months: row.keep_months },
        distrustedPacks: damaged,
        isNew: isNewArchive(access.folder),
      },
      onProgress,
    );
    recordArchive(access.folder);
    // If the drill after this backup has no result, a problem that an earlier drill found remains.
    const previousDamage = result.proof === undefined && problem?.what === 'drill' ? problem : null;
    state.change({
      backups: result.backups,
      generation: result.generation,
      damaged: [],
      tried: { at: clock.now(), failures: 0 },
      problem:
        result.problem !== undefined
          ? problemOf('drill', result.problem)
          : result.damage === undefined
            ? previousDamage
            : problemOf('records', result.damage),
      drillFailure: result.drillFailure === undefined ? null : failureOf(result.drillFailure),
      ...(result.proof === undefined ? {} : { proven: proofOf(result.proof, false) }),
    });
  };

  const runFullDrill = async (access: ArchiveAccess, onProgress: (progress: BackupProgress) => void): Promise<void> => {
    const [newest] = state.get().backups;
    const knownState = newest === undefined ? undefined : { newest: newest.name, generation: state.get().generation };
    state.change({ drilled: clock.now() });
    const result = await worker.run(
      { op: 'drill', home: home.path, now: clock.now(), ...access, knownState },
      onProgress,
    );
    const { damaged, problems } = result;
    state.change({ drillFailure: null });
    if (result.proof === undefined || problems.length > 0) {
      state.change({ damaged, problem: problemOf('drill', problems.slice(0, REPORTED_PROBLEMS_MAX).join(' ')) });
      return;
    }
    const proof = proofOf(result.proof, true);
    const { problem } = state.get();
    // A successful drill does not disprove that records were damaged before the backup.
    const recordDamage = problem?.what === 'records' ? problem : null;
    state.change({ damaged, problem: recordDamage, proven: proof, provenWhole: proof });
  };

  const start = (what: 'backup' | 'drill'): Promise<void> => {
    requireIdle();
    const access = requireConfigured();
    const onProgress = (progress: BackupProgress): void => {
      if (runningJob !== undefined) runningJob.progress = progress;
      notify();
    };
    const runJob = async (): Promise<void> => {
      try {
        await (what === 'backup' ? backUp(access, onProgress) : runFullDrill(access, onProgress));
      } catch (error) {
        if (isClosed) return;
        if (!(error instanceof BackupProblem)) log.error({ err: error, what }, 'a backup job failed');
        const problem =
          error instanceof BackupProblem ? error.message : 'An unexpected error occurred. See the log of the server.';
        if (what === 'backup') {
          const failures = (state.get().tried?.failures ?? 0) + 1;
          state.change({ problem: problemOf('backup', problem), tried: { at: clock.now(), failures } });
        } else if (error instanceof BackupProblem && error.kind === 'damaged')
          state.change({ problem: problemOf('drill', problem), drillFailure: null });
        else state.change({ drillFailure: failureOf(problem) });
      } finally {
        runningJob = undefined;
        notify();
      }
    };
    // Set before the job starts, because `onProgress` updates it.
    runningJob = { what, progress: { phase: 'scanning', done: 0, total: 0 }, ended: Promise.resolve() };
    const ended = runJob();
    if (runningJob !== undefined) runningJob.ended = ended;
    notify();
    return ended;
  };

  const tick = async (): Promise<void> => {
    if (runningJob !== undefined || isClosed) return;
    const now = clock.now();
    const next = findNextDue();
    if (next !== undefined && next <= now) await start('backup');
    const { drilled, backups, tried } = state.get();
    const isDrillAllowed = tried?.failures === 0 && backups.length > 0 && row.every !== 'off' && isConfigured();
    if (isDrillAllowed && Math.abs(now - drilled) >= FULL_DRILL_INTERVAL_MS && runningJob === undefined && !isClosed)
      await start('drill');
  };

  const writeKeyToArchive = async (access: ArchiveAccess): Promise<void> => {
    try {
      const isNew = isNewArchive(access.folder);
      await worker.run({ op: 'writeKey', home: home.path, now: clock.now(), ...access, isNew });
    } catch (error) {
      throw asFailure(error);
    }
    recordArchive(access.folder);
  };

  const invalidFolder = (problem: string): Failure =>
    new Failure('invalid_input', problem, { details: [{ path: 'body.folder', problem }] });

  const checkFolder = async (folder: string): Promise<string> => {
    // A relative path would depend on the server's working directory.
    if (!isAbsolute(folder)) throw invalidFolder('Enter the absolute path of the folder.');
    try {
      return await worker.run({ op: 'checkFolder', folder, home: home.path });
    } catch (error) {
      const failure = asFailure(error);
      throw failure instanceof Failure ? invalidFolder(failure.reason) : failure;
    }
  };

  const findOrCreateMasterKey = async (folder: string, archive: string, passphrase: string): Promise<Buffer> => {
    if (row.master !== null) return row.master;
    try {
      const existing = await worker.run({ op: 'openKey', folder: archiveFolderOf(folder, archive), passphrase });
      return existing === null ? newMasterKey() : Buffer.from(existing.masterKey, 'base64');
    } catch (error) {
      if (error instanceof BackupProblem && error.kind === 'wrong_key')
        throw new Failure(
          'wrong_state',
          'This folder contains backups of this PDA that this passphrase does not open. Enter their passphrase or choose another folder.',
        );
      throw asFailure(error);
    }
  };

  return {
    /** @throws Failure if the archive id of the home cannot be read or created */
    view(): Backup {
      const { backups, problem, drillFailure, proven, provenWhole } = state.get();
      const next = findNextDue();
      return {
        folder: row.folder,
        archive: row.folder === null ? null : archiveFolderOf(row.folder, getArchiveId()),
        every: row.every,
        keep: { days: row.keep_days, weeks: row.keep_weeks, months: row.keep_months },
        running: runningJob === undefined ? null : { what: runningJob.what, ...runningJob.progress },
        last: backups[0] === undefined ? null : toSnapshot(backups[0]),
        next: isoTimeOrNull(next),
        stale: !isConfigured() || isStale(row.every, findNewestBackupTime(), clock.now()),
        problem: problem === null ? null : { ...problem, at: isoTime(problem.at) },
        drillFailure: drillFailure === null ? null : { ...drillFailure, at: isoTime(drillFailure.at) },
        proven,
        provenWhole,
        backups: backups.map(toSnapshot),
      };
    },

    /** Sets the folder and the passphrase. Returns the recovery key, which is not stored. @throws Failure */
    setUp: (path: string, passphrase: string): Promise<string> =>
      mutex(async () => {
        requireIdle();
        const folder = await checkFolder(path);
        await requireStrong(passphrase);
        const archive = getArchiveId();
        const masterKey = await findOrCreateMasterKey(folder, archive, passphrase);
        const { file, recoveryKey } = await createKeyFile(masterKey, archive, passphrase);
        const isOtherFolder = state.get().madeIn.at(-1) !== folder;
        await writeKeyToArchive({ folder, masterKey: masterKey.toString('base64'), keyFile: file });
        // The state describes the previous folder.
        if (isOtherFolder) state.reset();
        await saveSettings({ folder, master: masterKey, locks: formatKeyFile(file) });
        return recoveryKey;
      }),

    /** Changes the passphrase. Returns a new recovery key, which replaces the previous one. @throws Failure */
    changePassphrase: (passphrase: string): Promise<string> =>
      mutex(async () => {
        requireIdle();
        const { folder, masterKey } = requireConfigured();
        await requireStrong(passphrase);
        const { file, recoveryKey } = await createKeyFile(Buffer.from(masterKey, 'base64'), getArchiveId(), passphrase);
        await writeKeyToArchive({ folder, masterKey, keyFile: file });
        await saveSettings({ locks: formatKeyFile(file) });
        return recoveryKey;
      }),

    /** @throws Failure */
    change: ({ folder: path, every, keep }: BackupChange): Promise<void> =>
      mutex(async () => {
        requireIdle();
        const access = requireConfigured();
        const folder = path === access.folder ? path : await checkFolder(path);
        // If the folder does not change, the disk need not be connected.
        if (folder !== access.folder) {
          await writeKeyToArchive({ ...access, folder });
          state.reset();
        }
        await saveSettings({ folder, every, keep_days: keep.days, keep_weeks: keep.weeks, keep_months: keep.months });
      }),

    /**
     * Deletes the folder setting and the keys in the database. Existing backups stay in the folder.
     * @throws Failure wrong_state
     */
    turnOff: (): Promise<void> =>
      mutex(async () => {
        requireIdle();
        await saveSettings({ folder: null, master: null, locks: null });
        state.change({ problem: null, drillFailure: null, tried: null });
      }),

    /** Starts a backup in the background. @throws Failure wrong_state | out_of_disk */
    run: (): void => void start('backup'),
    /**
     * Starts a verification and a full restore drill of the newest backup.
     * @throws Failure wrong_state | out_of_disk
     */
    drill(): void {
      if (state.get().backups.length === 0) throw new Failure('wrong_state', 'There are no backups yet.');
      void start('drill');
    },

    /** Runs a backup and a full restore drill if they are due. */
    tick,
    /** Resolves when no backup or drill is running and the state is written. */
    async waitUntilIdle(): Promise<void> {
      while (runningJob !== undefined) await runningJob.ended;
      await state.whenWritten();
    },

    /** Kills a running job. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(eventTimer);
      await worker.close();
      await runningJob?.ended;
    },
  };
};
