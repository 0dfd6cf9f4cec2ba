import { randomUUID } from 'node:crypto';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { RunOutcome, RunReason } from '../../../wire/functions.ts';
import { MAX_FUNCTION_RUNS_KEPT } from '../../../wire/limits.ts';
import type { NamedBundle } from '../../../wire/query.ts';
import type { EventService } from '../../core/events/service.ts';
import { seqOfId } from '../../core/sequence.ts';
import type { AccessLogService } from '../../sharing/access-log/service.ts';
import type { RecordService } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import { executeRun, type Execution, type RunRequest, type RunSubject } from './execution.ts';
import type { FunctionHost } from './function-host.ts';
import type { Input, InputParts } from './input.ts';
import type { RegisteredFunction } from '../catalogue/registry.ts';
import { chainOfRun, outputFieldsOf, type Chain } from '../rules.ts';
import { createCycleLogger, emptyRunEnd } from './cycle-log.ts';
import type { FunctionRow, FunctionStore, RunEnd } from '../store.ts';

export type Runnable = { row: FunctionRow; registered: RegisteredFunction; subject: RunSubject; host: FunctionHost };

export type RunResult =
  /** There was no input; the cursor was advanced. */
  | { kind: 'empty' }
  | { kind: 'done'; hasMore: boolean }
  | { kind: 'failed'; outcome: Exclude<RunOutcome, 'done' | 'stopped'>; message: string }
  /** The run was stopped, or could not start. It stored no records and no cursor, and does not count as a failure. */
  | { kind: 'cancelled' };

/** Performs runs. The output and end of a run are stored in one transaction, so a crash leaves no partial output. */
export type Runner = {
  run(runnable: Runnable, request: RunRequest, reason: RunReason, signal: AbortSignal): Promise<RunResult>;
  dryRun(runnable: Runnable, request: RunRequest, send: boolean, signal: AbortSignal): Promise<Execution>;
};

type RunnerParts = InputParts & {
  store: FunctionStore;
  records: Pick<RecordService, 'createWithin'>;
  events: EventService;
  ledger: Pick<AccessLogService, 'write'>;
  writer: Writer;
  clock: Clock;
};

class FunctionDisabled extends Error {}

export const createRunner = (parts: RunnerParts): Runner => {
  const { store, records, events, ledger, writer, clock } = parts;
  const logStoppedInput = createCycleLogger(parts);

  /** Writes an access log entry if the input leaves this PDA. Must be called before the input is sent. */
  const logOutgoingInput = async ({ row, registered }: Runnable, input: Input, bundle: NamedBundle): Promise<void> => {
    if (registered.place.kind === 'here') return;
    await ledger.write({
      who: { kind: 'function', name: row.id },
      action: 'function run',
      status: 200,
      reason: null,
      consent: { kind: 'function', name: row.id, detail: registered.version },
      records: input.recordSeqs,
      fields: input.records === 0 ? [] : outputFieldsOf(bundle.bundle),
      bytes: input.bytes,
      address: registered.place.host,
    });
  };

  const endOf = (id: string, chain: Chain, execution: Execution): RunEnd => ({
    ...emptyRunEnd(id, JSON.stringify(chain)),
    finished: clock.now(),
    outcome: execution.outcome,
    message: execution.message ?? (execution.input?.notes.join(' ') || null),
    records_in: execution.input?.records ?? 0,
    bytes_in: execution.delivery === 'sent' ? (execution.input?.bytes ?? 0) : 0,
    duration: execution.report.durationMs,
    peak_memory: execution.report.peakMemoryBytes ?? null,
    log: JSON.stringify(execution.report.log),
  });

  /** Stores the cursor of a run without input. The run stays in the history only if there are notes for the owner. */
  const saveEmptyRun = async (runnable: Runnable, runId: string, execution: Execution, input: Input): Promise<void> => {
    const { id } = runnable.row;
    await writer.write((tx) => {
      store.setCursor(tx, id, JSON.stringify(input.cursor));
      // The input of earlier failures no longer exists.
      store.clearFailures(tx, id);
      logStoppedInput(tx, runnable.row, input.stoppedInput);
      if (input.notes.length === 0) store.deleteRun(tx, runId);
      else store.endRun(tx, { ...endOf(runId, chainOfRun(id, input.causes), execution), outcome: 'stopped' });
      events.notify(tx, 'functions');
    });
  };

  const saveOutput = async (
    runnable: Runnable,
    runId: string,
    execution: Execution,
    input: Input,
    data: readonly Buffer[],
    untilDate: number,
  ): Promise<void> => {
    const { id } = runnable.row;
    const { endpoint } = runnable.registered;
    const chain = chainOfRun(id, input.causes);
    await writer.write((tx) => {
      if (store.find(id)?.enabled !== 1) throw new FunctionDisabled();
      const origin = { kind: 'function', name: id, reference: runId } as const;
      const storedRecords = records.createWithin(
        tx,
        data.map((record) => ({ endpoint, data: record })),
        origin,
      );
      const seqOf = (record: { id: string } | undefined): number | null =>
        record === undefined ? null : (seqOfId(record.id) ?? null);
      logStoppedInput(tx, runnable.row, input.stoppedInput);
      store.endRun(tx, {
        ...endOf(runId, chain, execution),
        records_out: storedRecords.length,
        first_seq: seqOf(storedRecords[0]),
        last_seq: seqOf(storedRecords.at(-1)),
      });
      store.succeed(tx, { id, cursor: JSON.stringify(input.cursor), time: untilDate });
      store.pruneRuns(tx, id, MAX_FUNCTION_RUNS_KEPT);
      events.notify(tx, 'functions');
    });
  };

  const interruptedEndOf = (runId: string, chain: Chain, message: string): RunEnd => ({
    ...emptyRunEnd(runId, JSON.stringify(chain)),
    finished: clock.now(),
    outcome: 'crashed',
    message,
  });

  /**
   * Stores the end of a run without output.
   * @param failedUpTo last event of the input, to count a failure of the function
   */
  const saveWithoutOutput = async (id: string, end: RunEnd, failedUpTo: number | undefined): Promise<void> => {
    await writer.write((tx) => {
      store.endRun(tx, end);
      if (failedUpTo !== undefined) store.fail(tx, id, failedUpTo);
      store.pruneRuns(tx, id, MAX_FUNCTION_RUNS_KEPT);
      events.notify(tx, 'functions');
    });
  };

  return {
    async run(runnable, request, reason, signal) {
      const { row, registered, subject, host } = runnable;
      const runId = randomUUID();
      const startedAt = clock.now();
      const initialChain = [row.id];
      await writer.write((tx) => {
        store.beginRun(tx, {
          id: runId,
          function: row.id,
          version: registered.version,
          reason,
          started: startedAt,
          chain: JSON.stringify(initialChain),
          from_date: row.last_execution,
          until_date: Date.parse(request.window.untilDate),
          endpoint: registered.endpoint,
        });
        events.notify(tx, 'functions');
      });
      // The configuration in the input shows the function as running.
      const configuration = {
        ...subject.configuration,
        status: { ...subject.configuration.status, executionStarted: isoTime(startedAt) },
      };
      try {
        const onInput = async (input: Input, bundle: NamedBundle): Promise<boolean> => {
          await logOutgoingInput(runnable, input, bundle);
          return true;
        };
        const execution = await executeRun({ ...parts, host }, { ...subject, configuration }, request, onInput, signal);
        if (signal.aborted) {
          await saveWithoutOutput(row.id, interruptedEndOf(runId, initialChain, String(signal.reason)), undefined);
          return { kind: 'cancelled' };
        }
        const { input, output, outcome } = execution;
        if (outcome !== 'done') {
          const chain = chainOfRun(row.id, execution.input?.causes ?? []);
          await saveWithoutOutput(row.id, endOf(runId, chain, execution), request.upToEvent);
          return { kind: 'failed', outcome, message: execution.message ?? '' };
        }
        if (input === undefined || output === undefined) {
          if (input !== undefined) await saveEmptyRun(runnable, runId, execution, input);
          return { kind: 'empty' };
        }
        await saveOutput(runnable, runId, execution, input, output.data, Date.parse(request.window.untilDate));
        return { kind: 'done', hasMore: input.hasMore };
      } catch (error) {
        if (!(error instanceof FunctionDisabled)) {
          // A read beyond its limits, or an unexpected error such as a full disk. The run must not appear to be in
          // progress.
          const message = error instanceof Failure ? error.message : 'The run failed because of an internal error.';
          const failedUpTo = signal.aborted ? undefined : request.upToEvent;
          await saveWithoutOutput(row.id, interruptedEndOf(runId, initialChain, message), failedUpTo);
          throw error;
        }
        const end = interruptedEndOf(runId, initialChain, 'The function was disabled during the run.');
        await saveWithoutOutput(row.id, end, undefined);
        return { kind: 'cancelled' };
      }
    },

    dryRun: (runnable, request, send, signal) =>
      executeRun(
        { ...parts, host: runnable.host },
        runnable.subject,
        { ...request, runOnEmptyInput: true },
        async (input, bundle) => {
          if (send) await logOutgoingInput(runnable, input, bundle);
          return send;
        },
        signal,
      ),
  };
};
