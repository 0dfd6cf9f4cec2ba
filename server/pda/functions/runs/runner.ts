import { randomUUID } from 'node:crypto';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import type { RunOutcome, RunReason } from '../../../wire/functions.ts';
import { MAX_FUNCTION_RUNS_KEPT } from '../../../wire/limits.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { EventService } from '../../core/events/service.ts';
import type { LedgerService } from '../../sharing/access-log/service.ts';
import type { RecordService } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import { attempt, type Attempt, type Order, type Subject } from './execution.ts';
import type { FunctionHost } from './function-host.ts';
import type { Input, InputParts } from './input.ts';
import type { Registered } from '../catalogue/registry.ts';
import { chainOfRun, outputFieldsOf, type Chain } from '../rules.ts';
import { createStoppedNotes, nothingOf } from './cycle-log.ts';
import type { FunctionRow, FunctionStore, RunEnd } from '../store.ts';

/** One run from its start to what it stored: every step of it is on the disk, or the run never was. */

export type Runnable = { row: FunctionRow; registered: Registered; subject: Subject; host: FunctionHost };

export type RunResult =
  /** There was nothing to hand over; what was looked at is done with. */
  | { kind: 'nothing' }
  | { kind: 'done'; more: boolean }
  | { kind: 'failed'; outcome: Exclude<RunOutcome, 'done' | 'stopped'>; message: string }
  /** Interrupted by a server stop or because the function was disabled. Not a failure; nothing has changed. */
  | { kind: 'broken off' };

export type Runner = {
  run(what: Runnable, order: Order, reason: RunReason, signal: AbortSignal): Promise<RunResult>;
  dryRun(what: Runnable, order: Order, send: boolean, signal: AbortSignal): Promise<Attempt>;
};

export type RunnerParts = InputParts & {
  store: FunctionStore;
  records: Pick<RecordService, 'createWithin'>;
  events: EventService;
  ledger: Pick<LedgerService, 'write'>;
  writer: Writer;
  clock: Clock;
  seqOfId: (id: string) => number | undefined;
};

/** Characters of a run's log that are kept. */
const MAX_LOG_CHARS = 200_000;

class Disabled extends Error {}

const boundedLog = (lines: readonly string[]): string => {
  let left = MAX_LOG_CHARS;
  const kept: string[] = [];
  for (const line of lines) {
    if (line.length > left) {
      kept.push('… and more');
      break;
    }
    left -= line.length;
    kept.push(line);
  }
  return JSON.stringify(kept);
};

export const createRunner = (parts: RunnerParts): Runner => {
  const { store, records, events, ledger, writer, clock } = parts;
  const noteStopped = createStoppedNotes(parts);

  /** Logs the input of a remote function before it is sent. */
  const noteLeaving = async ({ row, registered }: Runnable, input: Input, bundle: NamedBundle): Promise<void> => {
    if (registered.place.kind === 'here') return;
    await ledger.write({
      who: { kind: 'function', name: row.id },
      action: 'function run',
      status: 200,
      reason: null,
      consent: { kind: 'function', name: row.id, detail: registered.version },
      records: input.seen,
      fields: input.records === 0 ? [] : outputFieldsOf(bundle.bundle),
      bytes: input.bytes,
      address: registered.place.host,
    });
  };

  const endOf = (id: string, chain: Chain, tried: Attempt): RunEnd => ({
    ...nothingOf(id, JSON.stringify(chain)),
    finished: clock.now(),
    outcome: tried.outcome,
    message: tried.message ?? (tried.input?.notes.join(' ') || null),
    records_in: tried.input?.records ?? 0,
    bytes_in: tried.sent === 'sent' ? (tried.input?.bytes ?? 0) : 0,
    duration: tried.report.durationMs,
    peak_memory: tried.report.peakMemoryBytes ?? null,
    log: boundedLog(tried.report.log),
  });

  /** Nothing was handed over: there was no run, but for what the owner should know of it. */
  const leave = async (what: Runnable, runId: string, tried: Attempt, input: Input): Promise<void> => {
    const { id } = what.row;
    await writer.write((tx) => {
      store.setCursor(tx, id, JSON.stringify(input.cursor));
      noteStopped(tx, what.row, input.stopped);
      if (input.notes.length === 0) store.forgetRun(tx, runId);
      else store.endRun(tx, { ...endOf(runId, chainOfRun(id, input.causes), tried), outcome: 'stopped' });
      events.notify(tx, 'functions');
    });
  };

  const save = async (
    what: Runnable,
    runId: string,
    tried: Attempt,
    input: Input,
    data: readonly Buffer[],
    until: number,
  ): Promise<void> => {
    const { id } = what.row;
    const { endpoint } = what.registered;
    const chain = chainOfRun(id, input.causes);
    await writer.write((tx) => {
      if (store.find(id)?.enabled !== 1) throw new Disabled();
      const origin = { kind: 'function', name: id, reference: runId } as const;
      const stored = records.createWithin(
        tx,
        data.map((one) => ({ endpoint, data: one })),
        origin,
      );
      const seqOf = (one: { id: string } | undefined): number | null =>
        one === undefined ? null : (parts.seqOfId(one.id) ?? null);
      noteStopped(tx, what.row, input.stopped);
      store.endRun(tx, {
        ...endOf(runId, chain, tried),
        records_out: stored.length,
        first_seq: seqOf(stored[0]),
        last_seq: seqOf(stored.at(-1)),
      });
      store.succeed(tx, { id, cursor: JSON.stringify(input.cursor), time: until });
      store.pruneRuns(tx, id, MAX_FUNCTION_RUNS_KEPT);
      events.notify(tx, 'functions');
    });
  };

  const breakOff = async (runId: string, chain: Chain, message: string): Promise<void> => {
    await writer.write((tx) => {
      store.endRun(tx, {
        ...nothingOf(runId, JSON.stringify(chain)),
        finished: clock.now(),
        outcome: 'crashed',
        message,
      });
      events.notify(tx, 'functions');
    });
  };

  const fail = async (what: Runnable, runId: string, tried: Attempt): Promise<void> => {
    const { id } = what.row;
    await writer.write((tx) => {
      store.endRun(tx, endOf(runId, chainOfRun(id, tried.input?.causes ?? []), tried));
      store.fail(tx, id, events.newest());
      store.pruneRuns(tx, id, MAX_FUNCTION_RUNS_KEPT);
      events.notify(tx, 'functions');
    });
  };

  return {
    async run(what, order, reason, signal) {
      const { row, registered, subject, host } = what;
      const runId = randomUUID();
      const started = clock.now();
      const alone = [row.id];
      await writer.write((tx) => {
        store.beginRun(tx, {
          id: runId,
          function: row.id,
          version: registered.version,
          reason,
          started,
          chain: JSON.stringify(alone),
          from_date: row.last_execution,
          until_date: Date.parse(order.window.untilDate),
          endpoint: registered.endpoint,
        });
        events.notify(tx, 'functions');
      });
      // As it knows itself: running.
      const configuration = {
        ...subject.configuration,
        status: { ...subject.configuration.status, executionStarted: isoTime(started) },
      };
      try {
        const before = async (input: Input, bundle: NamedBundle): Promise<boolean> => {
          await noteLeaving(what, input, bundle);
          return true;
        };
        const tried = await attempt({ ...parts, host }, { ...subject, configuration }, order, before, signal);
        if (signal.aborted) {
          await breakOff(runId, alone, String(signal.reason));
          return { kind: 'broken off' };
        }
        const { input, output, outcome } = tried;
        if (outcome !== 'done') {
          await fail(what, runId, tried);
          return { kind: 'failed', outcome, message: tried.message ?? '' };
        }
        if (input === undefined || output === undefined) {
          if (input !== undefined) await leave(what, runId, tried, input);
          return { kind: 'nothing' };
        }
        await save(what, runId, tried, input, output.data, Date.parse(order.window.untilDate));
        return { kind: 'done', more: input.more };
      } catch (error) {
        if (!(error instanceof Disabled)) {
          // A full disk, or a defect of ours: the run is over whatever it was, and does not look as if it went on.
          await breakOff(runId, alone, 'It could not be finished here.');
          throw error;
        }
        await breakOff(runId, alone, 'It was disabled while it ran.');
        return { kind: 'broken off' };
      }
    },

    dryRun: (what, order, send, signal) =>
      attempt(
        { ...parts, host: what.host },
        what.subject,
        { ...order, always: true },
        async (input, bundle) => {
          if (send) await noteLeaving(what, input, bundle);
          return send;
        },
        signal,
      ),
  };
};
