import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { MAX_FUNCTION_RUNS_KEPT } from '../../../wire/limits.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Stopped } from './change-feed-reader.ts';
import type { FunctionRow, FunctionStore, RunEnd } from '../store.ts';

/** A run of which nothing is known but its end. */
export const nothingOf = (id: string, chain: string): Omit<RunEnd, 'finished' | 'outcome' | 'message'> => ({
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

/** Runs among which the same circle is looked for: functions wired in several circles find one after the other. */
const LOOKED_AMONG = 20;

/** Says in the history what a function was not run for; once for each circle that goes on. */
export const createStoppedNotes = ({ store, clock }: { store: FunctionStore; clock: Clock }) => {
  return (tx: Transaction, row: FunctionRow, stopped: readonly Stopped[]): void => {
    for (const { chain, records: count } of stopped) {
      const time = clock.now();
      const circle = [...chain.slice(chain.indexOf(row.id)), row.id];
      const text = JSON.stringify(circle);
      store.setCycle(tx, row.id, JSON.stringify({ time, chain: circle }));
      const same = store.runs(row.id, 0, LOOKED_AMONG).find((run) => run.outcome === 'stopped' && run.chain === text);
      if (same !== undefined) {
        store.addStopped(tx, same.seq, time, count);
        continue;
      }
      const id = randomUUID();
      const { version, endpoint } = row;
      const common = { id, function: row.id, version, reason: 'individual' as const, started: time, chain: text };
      store.beginRun(tx, { ...common, from_date: row.last_execution, until_date: time, endpoint });
      store.endRun(tx, {
        ...nothingOf(id, text),
        finished: time,
        outcome: 'stopped',
        message: `stopped: cycle (${circle.join(' → ')})`,
        records_in: count,
      });
      store.pruneRuns(tx, row.id, MAX_FUNCTION_RUNS_KEPT);
    }
  };
};

export type NoteStopped = ReturnType<typeof createStoppedNotes>;
