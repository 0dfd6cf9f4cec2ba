import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database, Tx } from '../../storage/index.ts';
import {
  addTotals,
  deleteEvents,
  deleteNames,
  lockNames,
  listShardsToCompact,
  takeAdditions,
  writeNames,
} from './store.ts';
import {
  compareText,
  countEntryKey,
  createCountSums,
  createNameSums,
  firstRetainedDay,
  nameEntryKey,
  withBits,
  type NameEntry,
} from '../rules.ts';
import { insertNames, SHARD_COUNT, type Addition } from '../store.ts';

/** Average delay between two rounds. */
const COMPACTION_INTERVAL_MS = 2000;
const ADDITIONS_PER_STEP = 200;
/**
 * A report can have thousands of names, and merging 50,000 names at once would block other requests for 300 ms. Most
 * reports have a few names, so that this limit does not affect them.
 */
const NAME_CHARS_PER_STEP = 100_000;
const ROWS_PER_STEP = 1000;
const COMPACTION_STEPS_PER_ROUND = 10 * SHARD_COUNT;
const DELETION_STEPS_PER_ROUND = 10;
const RARE_NAME_RETENTION_MS = 30 * 86_400_000;
const NAME_SCAN_PROBABILITY = 0.05;

export type Compactor = ReturnType<typeof createCompactor>;

/** Rotates the shards by a random offset, so that concurrent processes rarely work on the same shard. */
const rotateRandomly = (shards: readonly number[]): number[] => {
  const offset = Math.floor(Math.random() * SHARD_COUNT);
  return shards.toSorted((a, b) => ((a + offset) % SHARD_COUNT) - ((b + offset) % SHARD_COUNT));
};

const addCounts = async (tx: Tx, additions: readonly Addition[]): Promise<void> => {
  const sums = createCountSums();
  const times = new Map<string, number>();
  for (const { counts, time } of additions) {
    for (const entry of counts) {
      sums.add(entry);
      times.set(countEntryKey(entry), Math.max(time, times.get(countEntryKey(entry)) ?? 0));
    }
  }
  const sortedEntries = sums
    .list()
    .map((entry) => ({ ...entry, updated: times.get(countEntryKey(entry)) ?? 0 }))
    .toSorted((a, b) => compareText(a.kind, b.kind) || a.day - b.day || compareText(a.name, b.name));
  if (sortedEntries.length > 0) await addTotals(tx, sortedEntries);
};

const addNames = async (tx: Tx, additions: readonly Addition[], updated: number): Promise<void> => {
  const sums = createNameSums();
  const bits = new Map<string, bigint>();
  for (const { names, bit } of additions) {
    for (const entry of names) {
      sums.add(entry);
      const key = nameEntryKey(entry);
      if (bit !== null) bits.set(key, (bits.get(key) ?? 0n) | (1n << BigInt(bit)));
    }
  }
  const sortedEntries = sums
    .list()
    .toSorted((a, b) => compareText(a.endpoint, b.endpoint) || compareText(a.field, b.field));
  if (sortedEntries.length === 0) return;
  const lockExisting = async (names: readonly NameEntry[]) =>
    new Map((await lockNames(tx, names)).map((row) => [nameEntryKey(row), row]));
  let existing = await lockExisting(sortedEntries);
  if (existing.size < sortedEntries.length) {
    // Some names have expired. Another process may be adding them, too, so the sums must include its amounts.
    await insertNames(tx, sortedEntries, updated);
    existing = await lockExisting(sortedEntries);
  }
  const rows = sortedEntries.map((entry) => {
    const { amount, seen } = existing.get(nameEntryKey(entry)) ?? { amount: 0, seen: 0 };
    return { ...entry, amount: amount + entry.amount, ...withBits(seen, bits.get(nameEntryKey(entry)) ?? 0n) };
  });
  await writeNames(tx, rows, updated);
};

/**
 * Adds new counts to the totals, and deletes expired rows, at intervals. Several processes can compact concurrently,
 * because they skip additions that another process has locked.
 */
export const createCompactor = (parts: {
  database: Database;
  clock: Clock;
  log: Log;
  minReportingPdas: number;
  compactionIntervalMs?: number | undefined;
}) => {
  const { database, clock, log, minReportingPdas, compactionIntervalMs = COMPACTION_INTERVAL_MS } = parts;
  let timer: NodeJS.Timeout | undefined;
  let currentRound: Promise<void> | undefined;
  let isClosed = false;
  let nameCursor: { endpoint: string; field: string } | undefined;

  /** @returns true if the shard may have more additions */
  const compactStep = (shard: number): Promise<boolean> =>
    database.transact(async (tx) => {
      const limits = { maxRows: ADDITIONS_PER_STEP, maxNameChars: NAME_CHARS_PER_STEP };
      const { additions, hasMore } = await takeAdditions(tx, shard, limits);
      if (additions.length === 0) return false;
      const updated = Math.max(...additions.map((addition) => addition.time));
      await addCounts(tx, additions);
      await addNames(tx, additions, updated);
      return hasMore;
    });

  const compact = async (maxSteps = Number.POSITIVE_INFINITY): Promise<void> => {
    let steps = 0;
    for (const shard of rotateRandomly(await database.run(listShardsToCompact))) {
      while (!isClosed && steps < maxSteps) {
        steps += 1;
        if (!(await compactStep(shard))) break;
      }
    }
  };

  const deleteExpiredEvents = async (
    shards: readonly number[],
    maxStepsPerShard = Number.POSITIVE_INFINITY,
  ): Promise<void> => {
    const firstDay = firstRetainedDay(clock.now());
    for (const shard of shards) {
      for (let steps = 0; !isClosed && steps < maxStepsPerShard; steps += 1) {
        if ((await database.run((db) => deleteEvents(db, shard, firstDay, ROWS_PER_STEP))) < ROWS_PER_STEP) break;
      }
    }
  };

  const deleteExpiredNames = async (): Promise<void> => {
    const changedBefore = clock.now() - RARE_NAME_RETENTION_MS;
    const rule = { maxRows: ROWS_PER_STEP, minPdas: minReportingPdas, changedBefore };
    nameCursor = await database.transact((tx) => deleteNames(tx, { ...rule, after: nameCursor }));
  };

  const runRound = async (): Promise<void> => {
    try {
      await compact(COMPACTION_STEPS_PER_ROUND);
      await deleteExpiredEvents([Math.floor(Math.random() * SHARD_COUNT)], DELETION_STEPS_PER_ROUND);
      // The table of names grows slowly, and requests also read it, so it is scanned rarely.
      if (Math.random() < NAME_SCAN_PROBABILITY) await deleteExpiredNames();
    } catch (error) {
      // No rows are lost: the transaction is rolled back, and the next round retries.
      log.warn({ err: error }, 'compaction or clean-up of statistics failed, retrying later');
    }
  };

  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        currentRound = runRound().finally(schedule);
      },
      compactionIntervalMs * (0.5 + Math.random()),
    );
    timer.unref();
  };
  schedule();

  return {
    compact: () => compact(),
    async deleteExpired(): Promise<void> {
      await deleteExpiredEvents(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));
      do await deleteExpiredNames();
      while (nameCursor !== undefined);
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await currentRound;
    },
  };
};
