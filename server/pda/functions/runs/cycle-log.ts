import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { MAX_FUNCTION_RUNS_KEPT } from '../../../wire/limits.ts';
import type { Transaction } from '../../storage/index.ts';
import type { StoppedInput } from './change-feed-reader.ts';
import type { FunctionRow, FunctionStore, RunEnd } from '../store.ts';

export const emptyRunEnd = (id: string, chain: string): Omit<RunEnd, 'finished' | 'outcome' | 'message'> => ({
  id,
  chain,
  records_in: 0,
  bytes_in: 0,
  records_out: 0,
  first_seq: null,
  last_seq: null,
  duration: null,
  peak_memory: null,
  log: '[]',
});

/** Number of recent runs that are searched for an entry of the same cycle. A function may be part of several cycles. */
const RECENT_RUNS = 20;

/**
 * Returns a logger of input that was skipped because of a cycle. The logger adds the number of records to a recent
 * entry of the same cycle, if there is one.
 */
export const createCycleLogger = ({ store, clock }: { store: FunctionStore; clock: Clock }) => {
  return (tx: Transaction, row: FunctionRow, stoppedInput: readonly StoppedInput[]): void => {
    for (const { chain, records: count } of stoppedInput) {
      const time = clock.now();
      const cycle = [...chain.slice(chain.indexOf(row.id)), row.id];
      const cycleText = JSON.stringify(cycle);
      store.setCycle(tx, row.id, JSON.stringify({ time, chain: cycle }));
      const existing = store
        .runs(row.id, 0, RECENT_RUNS)
        .find((run) => run.outcome === 'stopped' && run.chain === cycleText);
      if (existing !== undefined) {
        store.extendStoppedRun(tx, existing.seq, time, count);
        continue;
      }
      const id = randomUUID();
      const { version, endpoint } = row;
      const common = { id, function: row.id, version, reason: 'individual' as const, started: time, chain: cycleText };
      store.beginRun(tx, { ...common, from_date: row.last_execution, until_date: time, endpoint });
      store.endRun(tx, {
        ...emptyRunEnd(id, cycleText),
        finished: time,
        outcome: 'stopped',
        message: `stopped: cycle (${cycle.join(' → ')})`,
        records_in: count,
      });
      store.pruneRuns(tx, row.id, MAX_FUNCTION_RUNS_KEPT);
    }
  };
};

export type LogStoppedInput = ReturnType<typeof createCycleLogger>;
