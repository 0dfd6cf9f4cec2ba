import { isAbsolute } from 'node:path';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { Backup, BackupChange, BackupSnapshot, BackupProof } from '../../../wire/backup.ts';
import type { ErrorCode } from '../../../wire/errors.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Writer } from '../../storage/index.ts';
import { folderOf } from './format/archive.ts';
import { isStale, nextDue, WHOLE_DRILL_EVERY } from './schedule-rules.ts';
import { archiveIdOf } from './format/archive-id.ts';
import type { OneBackup, Proof } from './worker/jobs.ts';
import { keyFileFor, lockMaster, newMasterKey, readKeyFile, writeKeyFile, type KeyFile } from './format/key-file.ts';
import type { Progress } from './operations/backup.ts';
import { BackupProblem, type BackupProblemKind } from './format/error.ts';
import type { BackupState, StateFile } from './state.ts';
import type { BackupRow, BackupStore } from './store.ts';
import type { BackupWorker } from './worker/client.ts';

export type BackupService = {
  /** @throws Failure wrong_state | out_of_disk when the home cannot say which archive is its own */
  view(): Backup;
  /** Chooses folder and passphrase. The recovery key is in this answer and in no other. @throws Failure */
  setUp(folder: string, passphrase: string): Promise<string>;
  /** Another passphrase, and another recovery key: the ones before open nothing any more. @throws Failure */
  changeKey(passphrase: string): Promise<string>;
  change(change: BackupChange): Promise<void>;
  /** No more backups; those that there are stay where they are. */
  turnOff(): Promise<void>;
  /** Begins a backup. Resolves once it runs. @throws Failure wrong_state */
  run(): void;
  /** Begins a restore drill of the whole newest backup, after a look at every byte. @throws Failure wrong_state */
  drill(): void;
  /** Does what is due. */
  tick(): Promise<void>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** Milliseconds between two announcements to the owner's pages. */
const TELL_EVERY_MS = 400;

const NOTHING_MADE = {
  backups: [],
  generation: 0,
  damaged: [],
  tried: null,
  problem: null,
  proven: null,
  provenWhole: null,
  drilled: 0,
} satisfies Partial<BackupState>;

const CODES: Record<BackupProblemKind, ErrorCode> = {
  wrong_key: 'forbidden',
  damaged: 'wrong_state',
  newer: 'wrong_state',
  missing: 'wrong_state',
  unusable: 'wrong_state',
  full: 'out_of_disk',
  busy: 'wrong_state',
  wrong_state: 'wrong_state',
};

/** Maps a backup problem to the Failure that a caller receives. */
export const asFailure = (error: unknown): unknown =>
  error instanceof BackupProblem ? new Failure(CODES[error.kind], error.message) : error;

/** For what is looked at here and not in the worker. @throws Failure */
const inFailures = <T>(look: () => T): T => {
  try {
    return look();
  } catch (error) {
    throw asFailure(error);
  }
};

const shown = ({ number, created, files, bytes, added, hash, leftOut, unsteady }: OneBackup): BackupSnapshot => ({
  number,
  created,
  files,
  bytes,
  added,
  hash,
  leftOut,
  unsteady,
});

type Configured = { folder: string; master: string; locks: KeyFile };

export type BackupParts = {
  store: BackupStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  owner: Pick<OwnerService, 'strength' | 'profile'>;
  worker: BackupWorker;
  state: StateFile;
  home: { path: string; backups: string };
  program: string;
  clock: Clock;
  log: Log;
};

export const createBackupService = (parts: BackupParts): BackupService => {
  const { store, writer, owner, worker, state, home, clock, log } = parts;
  let row = store.row();
  let running: { what: 'backup' | 'drill'; progress: Progress; ended: Promise<void> } | undefined;
  let later: NodeJS.Timeout | undefined;
  let closed = false;

  const tell = (): void => {
    if (closed) return;
    later ??= setTimeout(() => {
      later = undefined;
      // An empty transaction: it costs no sync. Nothing is lost when the store is closing.
      writer.write((tx) => parts.events.notify(tx, 'backup')).catch(() => undefined);
    }, TELL_EVERY_MS).unref();
  };

  const set = async (change: Partial<BackupRow>): Promise<void> => {
    row = await writer.write((tx) => {
      const changed = { ...store.row(), ...change };
      store.set(tx, changed);
      parts.events.notify(tx, 'backup');
      return changed;
    });
  };

  const archiveId = (): string => inFailures(() => archiveIdOf(home.backups));

  const isChosen = (): boolean => row.folder !== null;

  const requireChosen = (): Configured => {
    const { folder, master, locks } = row;
    if (folder === null || master === null || locks === null)
      throw new Failure('wrong_state', 'Choose a folder for the backups first.');
    // The archive of this home, whichever home the locks were made in.
    const file = inFailures(() => keyFileFor(readKeyFile(locks), master, archiveIdOf(home.backups)));
    return { folder, master: master.toString('base64'), locks: file };
  };

  const requireIdle = (): void => {
    if (running !== undefined)
      throw new Failure('wrong_state', 'A backup or a restore drill is running. Wait until it has ended.');
  };

  const requireStrong = async (passphrase: string): Promise<void> => {
    if ((await owner.strength(passphrase, owner.profile()?.name)).acceptable) return;
    throw new Failure('invalid_input', 'This passphrase is too easy to guess. Use a longer one, or several words.', {
      details: [{ path: 'body.passphrase', problem: 'too easy to guess' }],
    });
  };

  /** Settings in turns: what is looked up first is still so when it is written, such as that there are backups at all. */
  const alone = createMutex();

  const isNewIn = (folder: string): boolean => !state.get().madeIn.includes(folder);
  /** The last of them is the one of which the rest of the state tells. */
  const noteMade = (folder: string): void => {
    const { madeIn } = state.get();
    if (madeIn.at(-1) === folder) return;
    state.change({ madeIn: [...madeIn.filter((other) => other !== folder), folder].slice(-50) });
  };

  const lastMade = (): number | undefined => {
    const [newest] = state.get().backups;
    return newest === undefined ? undefined : Date.parse(newest.created);
  };

  const due = (): number | undefined =>
    isChosen() ? nextDue(row.every, lastMade(), state.get().tried ?? undefined, clock.now()) : undefined;

  const proofOf = (proof: Proof, whole: boolean): BackupProof => ({ at: isoTime(clock.now()), whole, ...proof });
  const problemOf = (what: 'backup' | 'drill' | 'records', problem: string) => ({ at: clock.now(), what, problem });

  const backUp = async (job: Configured, progress: (now: Progress) => void): Promise<void> => {
    const { damaged } = state.get();
    const done = await worker.run(
      {
        op: 'backup',
        home: home.path,
        now: clock.now(),
        ...job,
        program: parts.program,
        retention: { days: row.keep_days, weeks: row.keep_weeks, months: row.keep_months },
        distrust: damaged,
        isNew: isNewIn(job.folder),
      },
      progress,
    );
    noteMade(job.folder);
    state.change({
      backups: done.backups,
      generation: done.generation,
      damaged: [],
      tried: { at: clock.now(), failures: 0 },
      problem:
        done.problem !== undefined
          ? problemOf('drill', done.problem)
          : done.damage === undefined
            ? null
            : problemOf('records', done.damage),
      ...(done.proof === undefined ? {} : { proven: proofOf(done.proof, false) }),
    });
  };

  const damage = () => {
    const { problem } = state.get();
    return problem?.what === 'records' ? problem : null;
  };

  const drillWhole = async (job: Configured, progress: (now: Progress) => void): Promise<void> => {
    const [newest] = state.get().backups;
    const remembered = newest === undefined ? undefined : { newest: newest.name, generation: state.get().generation };
    state.change({ drilled: clock.now() });
    const done = await worker.run({ op: 'drill', home: home.path, now: clock.now(), ...job, remembered }, progress);
    const isProven = done.proof !== undefined && done.problems.length === 0;
    const proof = done.proof !== undefined && isProven ? proofOf(done.proof, true) : undefined;
    state.change({
      damaged: done.damaged,
      // That a backup comes back says nothing of whether what was backed up was sound.
      problem: isProven ? damage() : problemOf('drill', done.problems.slice(0, 5).join(' ')),
      ...(proof === undefined ? {} : { proven: proof, provenWhole: proof }),
    });
  };

  const begin = (what: 'backup' | 'drill'): Promise<void> => {
    requireIdle();
    const job = requireChosen();
    const progress = (now: Progress): void => {
      if (running !== undefined) running.progress = now;
      tell();
    };
    const work = async (): Promise<void> => {
      try {
        await (what === 'backup' ? backUp(job, progress) : drillWhole(job, progress));
      } catch (error) {
        if (closed) return;
        if (!(error instanceof BackupProblem)) log.error({ err: error, what }, 'the work on backups failed');
        const problem =
          error instanceof BackupProblem ? error.message : 'The server failed unexpectedly. The log says what.';
        const failures = (state.get().tried?.failures ?? 0) + 1;
        state.change({
          problem: problemOf(what, problem),
          ...(what === 'backup' ? { tried: { at: clock.now(), failures } } : {}),
        });
      } finally {
        running = undefined;
        tell();
      }
    };
    // The progress that `work` tells of is of this run.
    running = { what, progress: { phase: 'looking', done: 0, total: 0 }, ended: Promise.resolve() };
    const ended = work();
    if (running !== undefined) running.ended = ended;
    tell();
    return ended;
  };

  const tick = async (): Promise<void> => {
    if (running !== undefined || closed) return;
    const now = clock.now();
    const next = due();
    if (next !== undefined && next <= now) await begin('backup');
    const { drilled, backups, tried } = state.get();
    const isSound = tried?.failures === 0 && backups.length > 0 && row.every !== 'off' && isChosen();
    if (isSound && Math.abs(now - drilled) >= WHOLE_DRILL_EVERY && running === undefined && !closed)
      await begin('drill');
  };

  /** @throws Failure */
  const lock = async (job: Configured): Promise<void> => {
    try {
      await worker.run({ op: 'lock', home: home.path, now: clock.now(), ...job, isNew: isNewIn(job.folder) });
    } catch (error) {
      throw asFailure(error);
    }
    noteMade(job.folder);
  };

  const refused = (problem: string): Failure =>
    new Failure('invalid_input', problem, { details: [{ path: 'body.folder', problem }] });

  const checked = async (folder: string): Promise<string> => {
    // Where a program was started is nothing that its user knows.
    if (!isAbsolute(folder)) throw refused('The whole path of the folder is needed, from the root of the disk on.');
    try {
      return await worker.run({ op: 'target', folder, home: home.path });
    } catch (error) {
      const failure = asFailure(error);
      throw failure instanceof Failure ? refused(failure.reason) : failure;
    }
  };

  /** The master key that is here already, of the settings or of an archive that the command line made; or a new one. */
  const masterFor = async (folder: string, archive: string, passphrase: string): Promise<Buffer> => {
    if (row.master !== null) return row.master;
    try {
      const found = await worker.run({ op: 'adopt', folder: folderOf(folder, archive), passphrase });
      return found === null ? newMasterKey() : Buffer.from(found.master, 'base64');
    } catch (error) {
      if (error instanceof BackupProblem && error.kind === 'wrong_key')
        throw new Failure(
          'wrong_state',
          'There are backups of this PDA in that folder, and this passphrase does not open them. Give theirs, or choose another folder.',
        );
      throw asFailure(error);
    }
  };

  return {
    view() {
      const { backups, problem, proven, provenWhole } = state.get();
      const next = due();
      return {
        folder: row.folder,
        archive: row.folder === null ? null : folderOf(row.folder, archiveId()),
        every: row.every,
        keep: { days: row.keep_days, weeks: row.keep_weeks, months: row.keep_months },
        running: running === undefined ? null : { what: running.what, ...running.progress },
        last: backups[0] === undefined ? null : shown(backups[0]),
        next: next === undefined ? null : isoTime(next),
        stale: !isChosen() || isStale(row.every, lastMade(), clock.now()),
        problem: problem === null ? null : { ...problem, at: isoTime(problem.at) },
        proven,
        provenWhole,
        backups: backups.map(shown),
      };
    },

    setUp: (given, passphrase) =>
      alone(async () => {
        requireIdle();
        const folder = await checked(given);
        await requireStrong(passphrase);
        const archive = archiveId();
        const master = await masterFor(folder, archive, passphrase);
        const { file, recoveryKey } = await lockMaster(master, archive, passphrase);
        const isOther = state.get().madeIn.at(-1) !== folder;
        await lock({ folder, master: master.toString('base64'), locks: file });
        // Those of another folder prove nothing of this one.
        if (isOther) state.change(NOTHING_MADE);
        await set({ folder, master, locks: writeKeyFile(file) });
        return recoveryKey;
      }),

    changeKey: (passphrase) =>
      alone(async () => {
        requireIdle();
        const { folder, master } = requireChosen();
        await requireStrong(passphrase);
        const { file, recoveryKey } = await lockMaster(Buffer.from(master, 'base64'), archiveId(), passphrase);
        await lock({ folder, master, locks: file });
        await set({ locks: writeKeyFile(file) });
        return recoveryKey;
      }),

    change: ({ folder: given, every, keep }) =>
      alone(async () => {
        requireIdle();
        const job = requireChosen();
        const folder = given === job.folder ? given : await checked(given);
        // The schedule can be changed while the disk is not connected.
        if (folder !== job.folder) {
          await lock({ ...job, folder });
          state.change(NOTHING_MADE);
        }
        await set({ folder, every, keep_days: keep.days, keep_weeks: keep.weeks, keep_months: keep.months });
      }),

    turnOff: () =>
      alone(async () => {
        requireIdle();
        await set({ folder: null, master: null, locks: null });
        state.change({ problem: null, tried: null });
      }),

    run: () => void begin('backup'),
    drill() {
      if (state.get().backups.length === 0) throw new Failure('wrong_state', 'There is no backup yet.');
      void begin('drill');
    },

    tick,
    async idle() {
      while (running !== undefined) await running.ended;
      await state.settled();
    },

    async close() {
      closed = true;
      clearTimeout(later);
      await worker.close();
      await running?.ended;
    },
  };
};
