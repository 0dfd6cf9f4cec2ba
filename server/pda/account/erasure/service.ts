import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isoTime, isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { ERASURE_STEPS, isConfirmation, type ErasureStep } from '../../../wire/erasure-steps.ts';
import type {
  BackupEntry,
  Erasure,
  ErasureCounts,
  ErasureKind,
  ErasurePreview,
  ErasureRequest,
  LocalCopy,
} from '../../../wire/erasure.ts';
import type { EventService } from '../../core/events/service.ts';
import type { RequestOrigin, AccountEvent, OwnerService } from '../../identity/owner/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { ERASE_EVERYTHING_FILE, writeFullErasureMarker, type FullErasureMarker } from './home/full-erasure.ts';
import { listLocalCopies } from './home/local-copies.ts';
import type { ErasurePlan, Planner } from './execution/planner.ts';
import type { Steps } from './execution/steps.ts';
import type { ErasureRow, ErasureStore } from './store.ts';

export type ErasureService = ReturnType<typeof createErasureService>;

export type ErasureParts = {
  store: ErasureStore;
  planner: Planner;
  /** @param throwIfStopped throws while the server is stopping */
  createSteps: (throwIfStopped: () => void) => Steps;
  owner: Pick<OwnerService, 'verifyPassword' | 'accountLog'>;
  recordEvent: (tx: Transaction, event: AccountEvent) => unknown;
  /** Returns the backups that may contain erased data; null if unknown. */
  listBackups: () => BackupEntry[] | null;
  /** Returns the folders in which this PDA has stored backups. */
  listBackupFolders: () => string[];
  home: { path: string; backups: string };
  /** Restarts the server, whose next start performs a full erasure. Undefined if nothing would restart the server. */
  onEraseEverything: (() => void) | undefined;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  log: Log;
};

/** Stored as JSON. `copies`, `backups` and `backupFolders` are set when the erasure is complete. */
type Report = {
  keptDerived: boolean;
  copiesRemoved: number;
  copies?: LocalCopy[];
  backups?: BackupEntry[] | null;
  /** Missing from reports that older versions stored. */
  backupFolders?: string[];
};

const RETRY_MS = 30_000;
/** Delay before the restart, so that the client receives the response. */
const RESPONSE_DELAY_MS = 500;

/** Ends the current step while the server is stopping. */
class StoppedError extends Error {}

const wrongPassword = (): Failure => new Failure('forbidden', 'Wrong password. Nothing was erased.');

export const fullErasureRow = (marker: FullErasureMarker, finished: number | null): ErasureRow => ({
  id: marker.id,
  kind: 'everything',
  subject: '',
  plan: null,
  step: null,
  begun: marker.begun,
  finished,
  counts: JSON.stringify(marker.what),
  report: JSON.stringify({
    keptDerived: false,
    copiesRemoved: marker.copies,
    copies: [],
    backups: marker.backups,
    backupFolders: marker.backupFolders,
  } satisfies Report),
  problem: null,
});

/**
 * Erases data permanently. Stores the plan first, then runs the steps in order and retries each until it succeeds. If
 * the server is killed, the next start resumes the erasure. A report without the data remains.
 */
export const createErasureService = (parts: ErasureParts) => {
  const { store, planner, writer, events, clock, log } = parts;
  let isClosed = false;
  let currentRun: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;

  const throwIfStopped = (): void => {
    if (isClosed) throw new StoppedError('the server is stopping');
  };
  const steps = parts.createSteps(throwIfStopped);
  const notify = (tx: Transaction): void => events.notify(tx, 'erasure');
  const recordEvent = (tx: Transaction, { address }: RequestOrigin): void =>
    void parts.recordEvent(tx, { action: 'erasure', status: 202, reason: null, address });

  const toWire = (row: ErasureRow): Erasure => {
    const report = JSON.parse(row.report) as Report;
    return {
      erasureId: row.id,
      kind: row.kind,
      subject: row.subject,
      state: row.step === null ? 'done' : row.problem === null ? 'running' : 'waiting',
      step: row.step as ErasureStep | null,
      begun: isoTime(row.begun),
      finished: isoTimeOrNull(row.finished),
      what: JSON.parse(row.counts) as ErasureCounts,
      keptDerived: report.keptDerived,
      copiesRemoved: report.copiesRemoved,
      copies: report.copies ?? listLocalCopies(parts.home.backups),
      ...(report.backups === undefined
        ? { backups: parts.listBackups(), backupFolders: parts.listBackupFolders() }
        : { backups: report.backups, backupFolders: report.backupFolders ?? [] }),
      problem: row.problem,
    };
  };

  const finish = async (row: ErasureRow): Promise<void> => {
    const storedReport = JSON.parse(row.report) as Report;
    const report: Report = {
      ...storedReport,
      copies: listLocalCopies(parts.home.backups),
      backups: parts.listBackups(),
      backupFolders: parts.listBackupFolders(),
    };
    await writer.write((tx) => {
      store.finish(tx, row.id, clock.now(), JSON.stringify(report));
      notify(tx);
    });
    log.info({ erasure: row.id, kind: row.kind }, 'erasure complete');
  };

  const runSteps = async (row: ErasureRow): Promise<void> => {
    const plan = JSON.parse(row.plan ?? 'null') as ErasurePlan | null;
    const nextStep = ERASURE_STEPS.indexOf(row.step as ErasureStep);
    for (const step of ERASURE_STEPS.slice(Math.max(0, nextStep))) {
      throwIfStopped();
      await writer.write((tx) => {
        store.setStep(tx, row.id, step);
        // The plan contains names of erased data, so it is deleted before the database is rewritten.
        if (step === 'scrub') store.forgetPlan(tx, row.id);
        notify(tx);
      });
      // Without a plan, only the last step remains.
      if (step === 'scrub') await steps.scrub();
      else if (plan !== null) await steps[step](plan);
    }
    await finish(row);
  };

  const resumeLater = (): void => {
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      resume();
    }, RETRY_MS).unref();
  };

  const handleFailure = async (row: ErasureRow, error: unknown): Promise<void> => {
    if (error instanceof StoppedError || isClosed) return;
    log.warn({ err: error, erasure: row.id }, 'an erasure failed and will be retried');
    const problem = error instanceof Failure ? error.message : 'The erasure failed. It is retried automatically.';
    resumeLater();
    await writer
      .write((tx) => {
        store.setProblem(tx, row.id, problem);
        notify(tx);
      })
      .catch((storeError: unknown) => log.warn({ err: storeError }, 'could not store the failure of an erasure'));
  };

  const runAll = async (): Promise<void> => {
    for (let row = store.findOldestUnfinished(); row !== undefined && !isClosed; row = store.findOldestUnfinished()) {
      try {
        await runSteps(row);
      } catch (error) {
        return handleFailure(row, error);
      }
    }
  };

  const resume = (): void => {
    if (isClosed || currentRun !== undefined) return;
    currentRun = runAll()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'could not read the unfinished erasures; retrying');
        resumeLater();
      })
      .finally(() => {
        currentRun = undefined;
      });
  };

  const requireNoUnfinished = (): void => {
    if (store.findOldestUnfinished() !== undefined)
      throw new Failure('wrong_state', 'Another erasure is in progress. Wait until it is complete.');
  };

  /** Must run in the transaction that starts the erasure: the preconditions may have changed during the preview. */
  const recheckPreconditions = (isPasswordUnchanged: () => boolean): void => {
    if (!isPasswordUnchanged()) throw wrongPassword();
    requireNoUnfinished();
  };

  const startFullErasure = async (
    counts: ErasureCounts,
    isPasswordUnchanged: () => boolean,
    from: RequestOrigin,
  ): Promise<Erasure> => {
    const { onEraseEverything } = parts;
    if (onEraseEverything === undefined)
      throw new Failure(
        'wrong_state',
        'This server cannot restart itself, so it cannot erase the whole account. Nothing was erased.',
      );
    const marker: FullErasureMarker = {
      id: randomUUID(),
      begun: clock.now(),
      what: counts,
      copies: listLocalCopies(parts.home.backups).length,
      backups: parts.listBackups(),
      backupFolders: parts.listBackupFolders(),
      setUpCode: randomBytes(18).toString('base64url'),
    };
    // Recorded before the marker is written, so that the access log contains the request even if the restart fails.
    await writer.write((tx) => {
      recheckPreconditions(isPasswordUnchanged);
      recordEvent(tx, from);
    });
    writeFullErasureMarker(join(parts.home.path, ERASE_EVERYTHING_FILE), marker);
    setTimeout(onEraseEverything, RESPONSE_DELAY_MS).unref();
    const row = fullErasureRow(marker, null);
    return { ...toWire(row), state: 'running', step: 'hold', setUpCode: marker.setUpCode };
  };

  const begin = async (request: ErasureRequest, from: RequestOrigin): Promise<Erasure> => {
    requireNoUnfinished();
    const { kind, target } = request;
    const isPasswordUnchanged = await parts.owner.verifyPassword(request.password, from);
    if (isPasswordUnchanged === undefined) throw wrongPassword();
    const findings = await planner.preview(kind, target);
    const { preview } = findings;
    if (!isConfirmation(request.typed, preview.typed))
      throw new Failure('invalid_input', 'The confirmation text does not match. Nothing was erased.', {
        details: [{ path: 'body.typed', problem: 'differs from the confirmation text' }],
      });
    if (kind === 'everything') return startFullErasure(preview.what, isPasswordUnchanged, from);
    const functions = request.derived ? findings.functions : [];
    const options = { functions, copies: request.copies };
    const plan: ErasurePlan =
      kind === 'file'
        ? { kind, fileId: target, ...options }
        : kind === 'namespace'
          ? { kind, namespace: target, ...options }
          : { kind, application: target, ...options };
    const report: Report = {
      keptDerived: !request.derived && preview.what.derivedRecords > 0,
      copiesRemoved: request.copies ? preview.copies.length : 0,
    };
    const counts = request.derived ? preview.what : { ...preview.what, derivedRecords: 0 };
    const row: ErasureRow = {
      id: randomUUID(),
      kind,
      subject: findings.subject,
      plan: JSON.stringify(plan),
      step: ERASURE_STEPS[0],
      begun: clock.now(),
      finished: null,
      counts: JSON.stringify(counts),
      report: JSON.stringify(report),
      problem: null,
    };
    await writer.write((tx) => {
      recheckPreconditions(isPasswordUnchanged);
      store.insert(tx, row);
      recordEvent(tx, from);
      notify(tx);
    });
    resume();
    return toWire(row);
  };

  return {
    /** @throws Failure not_found | invalid_input */
    preview: async (kind: ErasureKind, target: string): Promise<ErasurePreview> =>
      (await planner.preview(kind, target)).preview,

    /**
     * Starts an erasure, which cannot be undone. Records refusals in the access log, because a caller without the
     * password may be using a stolen session.
     * @throws Failure forbidden for a wrong password | rate_limited | not_found for an unknown file | invalid_input for
     *   a wrong confirmation or an invalid target | wrong_state while another erasure is running, or if the server
     *   cannot restart itself for a full erasure
     */
    begin: (request: ErasureRequest, from: RequestOrigin): Promise<Erasure> =>
      parts.owner.accountLog.recordRefusals('erasure', from, () => begin(request, from)),

    /** Returns the latest erasures, newest first. */
    list: (): Erasure[] => store.list().map(toWire),
    /** @throws Failure not_found */
    find(id: string): Erasure {
      const row = store.find(id);
      if (row === undefined) throw new Failure('not_found', 'This erasure does not exist.');
      return toWire(row);
    },
    /** Resumes an unfinished erasure. Must be called after all modules have started. */
    resume,
    /** Resolves when no erasure is running. An erasure that waits for a retry does not count. */
    async waitUntilIdle(): Promise<void> {
      while (currentRun !== undefined) await currentRun;
    },
    /** Stops the running erasure. The next start resumes it. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retryTimer);
      await currentRun;
    },
  };
};
