import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { ERASURE_STEPS, type ErasureStep } from '../../../wire/erasure-steps.ts';
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
import { ERASE_EVERYTHING_FILE, markEverything, type ErasedEverything } from './home/full-erasure.ts';
import { localCopies } from './home/local-copies.ts';
import type { Plan } from './execution/planner.ts';
import type { Work } from './execution/pipeline.ts';
import type { ErasureRow, ErasureStore } from './store.ts';

/**
 * Erases data completely. The request is stored first, with what was found; then its steps run in order, each retried until
 * it succeeds. A started erasure is completed even if the server is killed: the next start resumes it. A report without the
 * data remains.
 */
export type ErasureService = {
  /** What would go, and what would stay. @throws Failure not_found | invalid_input */
  preview(kind: ErasureKind, target: string): Promise<ErasurePreview>;
  /**
   * Begins. Nothing brings it back.
   * A refusal is in the access history: who is in here without the password may have found an open session.
   * @throws Failure forbidden for another password | rate_limited | invalid_input when something else was typed | wrong_state while another one is not done
   */
  begin(request: ErasureRequest, from: RequestOrigin): Promise<Erasure>;
  /** Newest first. */
  list(): Erasure[];
  /** @throws Failure not_found */
  find(id: string): Erasure;
  /** Goes on with what was begun; at the start, when everything is served. */
  resume(): void;
  /** Waits until nothing is being done. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

export type ErasureParts = {
  store: ErasureStore;
  /** What looks and takes away, made at its first use. @param still throws when the server is being stopped */
  work: (still: () => void) => Work;
  owner: Pick<OwnerService, 'provePassword' | 'accountLog'>;
  /** Tells the access history that the owner has erased something. */
  note: (tx: Transaction, note: AccountEvent) => unknown;
  backups: () => BackupEntry[] | null;
  home: { path: string; backups: string };
  /** Called when everything is to be erased: stops the server, and the next start does the work. Undefined if nothing would restart it. */
  onEverything: (() => void) | undefined;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  log: Log;
};

type Report = {
  keptDerived: boolean;
  copiesRemoved: number;
  copies?: LocalCopy[];
  backups?: BackupEntry[] | null;
};

/** Milliseconds until what could not be done is tried again. */
const RETRY_MS = 30_000;

class Stopped extends Error {}

const wrongPassword = (): Failure => new Failure('forbidden', 'This is not the password. Nothing was erased.');

/** As it is kept when everything is gone: no plan, nothing left to do. */
export const rowOfEverything = (erased: ErasedEverything, finished: number): ErasureRow => ({
  id: erased.id,
  kind: 'everything',
  subject: '',
  plan: null,
  step: null,
  begun: erased.begun,
  finished,
  found: JSON.stringify(erased.what),
  report: JSON.stringify({
    keptDerived: false,
    copiesRemoved: erased.copies,
    copies: [],
    backups: erased.backups,
  } satisfies Report),
  problem: null,
});

export const createErasureService = (parts: ErasureParts): ErasureService => {
  const { store, writer, events, clock, log } = parts;
  let closed = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;

  const still = (): void => {
    if (closed) throw new Stopped('the server stops');
  };
  let made: Work | undefined;
  const work = (): Work => (made ??= parts.work(still));
  const tell = (tx: Transaction): void => events.notify(tx, 'erasure');
  const note = (tx: Transaction, { address }: RequestOrigin): void =>
    void parts.note(tx, { action: 'erasure', status: 202, reason: null, address });

  const toWire = (row: ErasureRow): Erasure => {
    const report = JSON.parse(row.report) as Report;
    return {
      erasureId: row.id,
      kind: row.kind,
      subject: row.subject,
      state: row.step === null ? 'done' : row.problem === null ? 'running' : 'waiting',
      step: row.step as ErasureStep | null,
      begun: isoTime(row.begun),
      finished: row.finished === null ? null : isoTime(row.finished),
      what: JSON.parse(row.found) as ErasureCounts,
      keptDerived: report.keptDerived,
      copiesRemoved: report.copiesRemoved,
      copies: report.copies ?? localCopies(parts.home.backups),
      backups: report.backups === undefined ? parts.backups() : report.backups,
      problem: row.problem,
    };
  };

  const finish = async (row: ErasureRow): Promise<void> => {
    const before = JSON.parse(row.report) as Report;
    const report: Report = { ...before, copies: localCopies(parts.home.backups), backups: parts.backups() };
    await writer.write((tx) => {
      store.finish(tx, row.id, clock.now(), JSON.stringify(report));
      tell(tx);
    });
    log.info({ erasure: row.id, kind: row.kind }, 'erased');
  };

  const run = async (row: ErasureRow): Promise<void> => {
    const plan = JSON.parse(row.plan ?? 'null') as Plan | null;
    const { steps } = work();
    const from = ERASURE_STEPS.indexOf(row.step as ErasureStep);
    for (const step of ERASURE_STEPS.slice(Math.max(0, from))) {
      still();
      await writer.write((tx) => {
        store.setStep(tx, row.id, step);
        // The plan names what is erased, even a file by its name. The following rewrite must not contain it.
        if (step === 'scrub') store.forgetPlan(tx, row.id);
        tell(tx);
      });
      // Without a plan all but the last step is done.
      if (step === 'scrub') await steps.scrub();
      else if (plan !== null) await steps[step](plan);
    }
    await finish(row);
  };

  const resumeLater = (): void => {
    retry ??= setTimeout(() => {
      retry = undefined;
      resume();
    }, RETRY_MS).unref();
  };

  const failed = async (row: ErasureRow, error: unknown): Promise<void> => {
    if (error instanceof Stopped || closed) return;
    log.warn({ err: error, erasure: row.id }, 'an erasure could not go on; it is tried again');
    const problem = error instanceof Failure ? error.message : 'It could not go on. It is tried again by itself.';
    resumeLater();
    await writer
      .write((tx) => {
        store.setProblem(tx, row.id, problem);
        tell(tx);
      })
      .catch((second: unknown) => log.warn({ err: second }, 'why an erasure waits could not be written down'));
  };

  const workThrough = async (): Promise<void> => {
    for (let row = store.open(); row !== undefined && !closed; row = store.open()) {
      try {
        await run(row);
      } catch (error) {
        return failed(row, error);
      }
    }
  };

  const resume = (): void => {
    if (closed || running !== undefined) return;
    running = workThrough()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'which erasure is not done could not be read; it is tried again');
        resumeLater();
      })
      .finally(() => {
        running = undefined;
      });
  };

  const expectNoneOpen = (): void => {
    if (store.open() !== undefined)
      throw new Failure('wrong_state', 'Another erasure is not done yet. Wait for its end.');
  };

  /** Once more where it begins: all of it took a moment, in which the password can have become another one. */
  const expectStill = (proven: () => boolean): void => {
    if (!proven()) throw wrongPassword();
    expectNoneOpen();
  };

  const beginEverything = async (
    found: ErasureCounts,
    proven: () => boolean,
    from: RequestOrigin,
  ): Promise<Erasure> => {
    const { onEverything } = parts;
    if (onEverything === undefined)
      throw new Failure('wrong_state', 'Only the program that serves this PDA can erase all of it.');
    const erased: ErasedEverything = {
      id: randomUUID(),
      begun: clock.now(),
      what: found,
      copies: localCopies(parts.home.backups).length,
      backups: parts.backups(),
      setUpCode: randomBytes(18).toString('base64url'),
    };
    // Deletes the access log last; if the restart never happens, the log still says who requested the erasure.
    await writer.write((tx) => {
      expectStill(proven);
      note(tx, from);
    });
    markEverything(join(parts.home.path, ERASE_EVERYTHING_FILE), erased);
    // Runs after the response, so that the caller receives the report.
    setTimeout(onEverything, AFTER_ANSWER_MS).unref();
    const row = rowOfEverything(erased, 0);
    return { ...toWire({ ...row, finished: null }), state: 'running', step: 'hold', setUpCode: erased.setUpCode };
  };

  const begin = async (request: ErasureRequest, from: RequestOrigin): Promise<Erasure> => {
    expectNoneOpen();
    const { kind, target } = request;
    const proven = await parts.owner.provePassword(request.password, from);
    if (proven === undefined) throw wrongPassword();
    const { preview, found } = await work().planner.look(kind, target);
    if (request.typed.trim() !== preview.typed)
      throw new Failure('invalid_input', 'The confirmation text does not match. Nothing was erased.', {
        details: [{ path: 'body.typed', problem: 'not what it has to be' }],
      });
    if (kind === 'everything') return beginEverything(found.what, proven, from);
    const functions = request.derived ? found.functions : [];
    const rest = { functions, copies: request.copies };
    const plan: Plan =
      kind === 'file'
        ? { kind, fileId: target, ...rest }
        : kind === 'namespace'
          ? { kind, namespace: target, ...rest }
          : { kind, application: target, ...rest };
    const report: Report = {
      keptDerived: !request.derived && found.what.derivedRecords > 0,
      copiesRemoved: request.copies ? preview.copies.length : 0,
    };
    const what = request.derived ? found.what : { ...found.what, derivedRecords: 0 };
    const row: ErasureRow = {
      id: randomUUID(),
      kind,
      subject: found.subject,
      plan: JSON.stringify(plan),
      step: ERASURE_STEPS[0],
      begun: clock.now(),
      finished: null,
      found: JSON.stringify(what),
      report: JSON.stringify(report),
      problem: null,
    };
    await writer.write((tx) => {
      expectStill(proven);
      store.insert(tx, row);
      note(tx, from);
      tell(tx);
    });
    resume();
    return toWire(row);
  };

  return {
    preview: async (kind, target) => (await work().planner.look(kind, target)).preview,

    begin: (request, from) => parts.owner.accountLog.recordRefusals('erasure', from, () => begin(request, from)),

    list: () => store.list().map(toWire),
    find(id) {
      const row = store.find(id);
      if (row === undefined) throw new Failure('not_found', 'There is no such erasure.');
      return toWire(row);
    },
    resume,
    async settled() {
      while (running !== undefined) await running;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await running;
    },
  };
};

/** Milliseconds in which the response reaches the caller. */
const AFTER_ANSWER_MS = 500;
