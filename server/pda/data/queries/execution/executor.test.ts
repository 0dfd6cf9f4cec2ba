import { describe, expect, it } from 'vitest';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { spend } from '../language/read-budget.ts';
import { createReadExecutor } from './executor.ts';

// Tests where a read runs, and which reads are long. The fake store reports the bytes that a read would scan.

const FILTERED_ENTRIES = [
  { endpoint: 'a/b', filters: [{ field: 'n', operator: { operator: 'in' as const, value: 1 } }] },
];
const UNFILTERED_ENTRIES = [{ endpoint: 'a/b' }];
const MB = 1_000_000;

const createExecutor = (summary: { records: number; bytes: number }) => {
  let bytes = 0;
  let lastChange = 1;
  const executor = createReadExecutor({
    store: { rows: () => (spend(bytes), []) } as unknown as Parameters<typeof createReadExecutor>[0]['store'],
    endpoints: { summary: () => ({ ...summary, last_change: lastChange }) } as unknown as Parameters<
      typeof createReadExecutor
    >[0]['endpoints'],
  });
  const options = { ordering: 'ascending', skip: 0, take: null } as const;
  const query = (sql: string) => ({ sql, parameters: [], serializer: undefined as never });
  return {
    setScannedBytes: (count: number) => void (bytes = count),
    change: () => void (lastChange += 1),
    runsOnMainThread: (sql: string, entries: readonly CombinatorEntry[] = FILTERED_ENTRIES, overrides = {}) =>
      executor.tryOnMainThread(query(sql), entries, { ...options, ...overrides }) !== undefined,
    isLong: (sql: string, entries: readonly CombinatorEntry[] = FILTERED_ENTRIES, overrides = {}) =>
      executor.isLong(query(sql), entries, { ...options, ...overrides }),
    noteTime: (sql: string, ms: number) => executor.noteTime(query(sql), ms),
  };
};

describe('a read', () => {
  it('runs on the main thread if few bytes are stored, for any number of records', () => {
    expect(createExecutor({ records: 5000, bytes: 0.9 * MB }).runsOnMainThread('a')).toBe(true);
    expect(createExecutor({ records: 2, bytes: 20 * MB }).runsOnMainThread('a')).toBe(false);
    expect(
      createExecutor({ records: 2, bytes: 20 * MB }).runsOnMainThread('a', UNFILTERED_ENTRIES, { orderBy: 'x' }),
    ).toBe(false);
    // A combinator that reads an endpoint twice scans it twice.
    expect(
      createExecutor({ records: 5000, bytes: 0.9 * MB }).runsOnMainThread('a', [
        ...FILTERED_ENTRIES,
        ...FILTERED_ENTRIES,
      ]),
    ).toBe(false);
  });

  it('without a filter runs on the main thread if its records fit into the budget', () => {
    const { runsOnMainThread, setScannedBytes } = createExecutor({ records: 2000, bytes: 20 * MB });
    setScannedBytes(10_000);
    expect(runsOnMainThread('a', UNFILTERED_ENTRIES)).toBe(true);
    setScannedBytes(2 * MB);
    expect(runsOnMainThread('a', UNFILTERED_ENTRIES)).toBe(false);
  });

  it('does not run on the main thread again after it exceeded the budget, until its endpoints change', () => {
    const { runsOnMainThread, setScannedBytes, change, noteTime } = createExecutor({ records: 100, bytes: 20 * MB });
    noteTime('a', 1);
    setScannedBytes(2 * MB);
    expect(runsOnMainThread('a')).toBe(false);
    setScannedBytes(10);
    noteTime('a', 1);
    expect(runsOnMainThread('a')).toBe(false);
    change();
    expect(runsOnMainThread('a')).toBe(true);
  });

  it('moves to the main thread if it was quick in a reader thread', () => {
    const { runsOnMainThread, noteTime } = createExecutor({ records: 100_000, bytes: 20 * MB });
    expect(runsOnMainThread('a')).toBe(false);
    noteTime('a', 40);
    expect(runsOnMainThread('a')).toBe(false);
    noteTime('a', 1);
    expect(runsOnMainThread('a')).toBe(true);
  });

  it('is long if it may scan many bytes, if its last two runs were slow, or if it skips many records', () => {
    expect(createExecutor({ records: 2, bytes: 20 * MB }).isLong('a')).toBe(true);
    expect(createExecutor({ records: 50_000, bytes: 3 * MB }).isLong('a')).toBe(false);
    const { isLong, noteTime } = createExecutor({ records: 2, bytes: 20 * MB });
    noteTime('a', 200);
    noteTime('a', 10);
    expect(isLong('a'), 'only one of the last two runs was slow').toBe(false);
    noteTime('a', 200);
    noteTime('a', 200);
    expect(isLong('a')).toBe(true);
    expect(isLong('b', UNFILTERED_ENTRIES, { skip: 50_000 })).toBe(true);
  });
});
