import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database, Tx } from '../../storage/index.ts';
import {
  addTotals,
  deleteEvents,
  deleteNames,
  holdNames,
  shardsToCompact,
  takeAdditions,
  writeNames,
} from './store.ts';
import { compare, createCountSums, createNameSums, forgottenBefore, nameKey, withBits } from '../rules.ts';
import { SHARDS, type Addition } from '../store.ts';

/**
 * What happens in the background: reports that were added are taken together into the sums, and what is too old is forgotten. Each step is one
 * short transaction with so many rows at most. Any number of processes may do it at the same time: what one is taking the others pass over.
 */

const EVERY_MS = 2000;
/** Reports that one step takes together. */
const ADDITIONS_PER_STEP = 200;
/** Event ids and names that one step looks at. */
const ROWS_PER_STEP = 1000;
/** Steps of one kind between two pauses. */
const MAX_STEPS = 10;
/** Milliseconds after which a name that few PDAs have, and none reports any more, is forgotten. */
const NAME_KEPT_MS = 30 * 86_400_000;

export type Compaction = {
  /** Takes everything together that is there now. */
  compact(): Promise<void>;
  /** Forgets everything that is too old. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

const shuffled = (shards: readonly number[]): number[] => {
  const from = Math.floor(Math.random() * SHARDS);
  return shards.toSorted((a, b) => ((a + from) % SHARDS) - ((b + from) % SHARDS));
};

const addCounts = async (tx: Tx, taken: readonly Addition[], updated: number): Promise<void> => {
  const sums = createCountSums();
  for (const { counts } of taken) for (const entry of counts) sums.add(entry);
  const sorted = sums.list().toSorted((a, b) => compare(a.kind, b.kind) || a.day - b.day || compare(a.name, b.name));
  if (sorted.length > 0) await addTotals(tx, sorted, updated);
};

const addNames = async (tx: Tx, taken: readonly Addition[], updated: number): Promise<void> => {
  const sums = createNameSums();
  const bits = new Map<string, bigint>();
  for (const { names, bit } of taken) {
    for (const entry of names) {
      sums.add(entry);
      const key = nameKey(entry);
      if (bit !== null) bits.set(key, (bits.get(key) ?? 0n) | (1n << BigInt(bit)));
    }
  }
  const sorted = sums.list().toSorted((a, b) => compare(a.endpoint, b.endpoint) || compare(a.field, b.field));
  if (sorted.length === 0) return;
  const there = new Map((await holdNames(tx, sorted)).map((row) => [nameKey(row), row]));
  const rows = sorted.map((entry) => {
    const before = there.get(nameKey(entry)) ?? { amount: 0, seen: 0 };
    return { ...entry, amount: before.amount + entry.amount, ...withBits(before.seen, bits.get(nameKey(entry)) ?? 0n) };
  });
  await writeNames(tx, rows, updated);
};

export const createCompaction = (parts: {
  database: Database;
  clock: Clock;
  log: Log;
  minReportingPdas: number;
  compactionIntervalMs?: number;
}): Compaction => {
  const { database, clock, log, minReportingPdas, compactionIntervalMs = EVERY_MS } = parts;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;
  /** Where the walk over the names has come to. */
  let place: { endpoint: string; field: string } | undefined;

  const step = (shard: number): Promise<number> =>
    database.transact(async (tx) => {
      const taken = await takeAdditions(tx, shard, ADDITIONS_PER_STEP);
      if (taken.length === 0) return 0;
      const updated = Math.max(...taken.map((addition) => addition.time));
      await addCounts(tx, taken, updated);
      await addNames(tx, taken, updated);
      return taken.length;
    });

  const compact = async (most = Number.POSITIVE_INFINITY): Promise<void> => {
    let steps = 0;
    // Each process begins elsewhere, so that they seldom meet.
    for (const shard of shuffled(await database.read(shardsToCompact))) {
      while (!closed && steps < most) {
        steps += 1;
        if ((await step(shard)) < ADDITIONS_PER_STEP) break;
      }
    }
  };

  const forgetEvents = async (shards: readonly number[], most = Number.POSITIVE_INFINITY): Promise<void> => {
    const before = forgottenBefore(clock.now());
    for (const shard of shards) {
      for (let steps = 0; !closed && steps < most; steps += 1) {
        if ((await database.read((db) => deleteEvents(db, shard, before, ROWS_PER_STEP))) < ROWS_PER_STEP) break;
      }
    }
  };

  const forgetNames = async (): Promise<void> => {
    const rule = { most: ROWS_PER_STEP, fewerPdas: minReportingPdas, changedBefore: clock.now() - NAME_KEPT_MS };
    place = await database.transact((tx) => deleteNames(tx, { ...rule, after: place }));
  };

  const round = async (): Promise<void> => {
    try {
      await compact(MAX_STEPS * SHARDS);
      await forgetEvents([Math.floor(Math.random() * SHARDS)], MAX_STEPS);
      // Names grow slowly and are read by others too: a walk over them takes its time.
      if (Math.random() < 0.05) await forgetNames();
    } catch (error) {
      // Nothing is lost: the next round finds the same rows.
      log.warn({ err: error }, 'statistics could not be taken together just now');
    }
  };

  const next = (): void => {
    if (closed) return;
    timer = setTimeout(
      () => {
        running = round().finally(next);
      },
      compactionIntervalMs * (0.5 + Math.random()),
    );
    timer.unref();
  };
  next();

  return {
    compact: () => compact(),
    async forget() {
      await forgetEvents(Array.from({ length: SHARDS }, (_, shard) => shard));
      do await forgetNames();
      while (place !== undefined);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
};
