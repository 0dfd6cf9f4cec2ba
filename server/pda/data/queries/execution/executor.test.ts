import { describe, expect, it } from 'vitest';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { spend } from '../language/read-budget.ts';
import { createRows } from './executor.ts';

/** Where a read runs, and what counts as a long read. The fake store reports how many bytes a read would touch. */

const FILTERED = [{ endpoint: 'a/b', filters: [{ field: 'n', operator: { operator: 'in' as const, value: 1 } }] }];
const PLAIN = [{ endpoint: 'a/b' }];
const MB = 1_000_000;

const open = (held: { records: number; bytes: number }) => {
  let bytes = 0;
  let change = 1;
  const rows = createRows({
    store: { rows: () => (spend(bytes), []) } as unknown as Parameters<typeof createRows>[0]['store'],
    endpoints: { summary: () => ({ ...held, last_change: change }) } as unknown as Parameters<
      typeof createRows
    >[0]['endpoints'],
  });
  const options = { ordering: 'ascending', skip: 0, take: null } as const;
  const query = (sql: string) => ({ sql, parameters: [], texts: undefined as never });
  return {
    looksAt: (count: number) => void (bytes = count),
    change: () => void (change += 1),
    runsHere: (sql: string, entries: readonly CombinatorEntry[] = FILTERED, more = {}) =>
      rows.onMainThread(query(sql), entries, { ...options, ...more }) !== undefined,
    isLong: (sql: string, entries: readonly CombinatorEntry[] = FILTERED, more = {}) =>
      rows.isLong(query(sql), entries, { ...options, ...more }),
    took: (sql: string, ms: number) => rows.noteTime(query(sql), ms),
  };
};

describe('a read', () => {
  it('runs on the main thread when little is stored, however many records that are', () => {
    expect(open({ records: 5000, bytes: 0.9 * MB }).runsHere('a')).toBe(true);
    expect(open({ records: 2, bytes: 20 * MB }).runsHere('a')).toBe(false);
    expect(open({ records: 2, bytes: 20 * MB }).runsHere('a', PLAIN, { orderBy: 'x' })).toBe(false);
    // A combinator that reads one endpoint many times looks at it as often.
    expect(open({ records: 5000, bytes: 0.9 * MB }).runsHere('a', [...FILTERED, ...FILTERED])).toBe(false);
  });

  it('of stored order runs on the main thread as long as its records fit into the budget', () => {
    const { runsHere, looksAt } = open({ records: 2000, bytes: 20 * MB });
    looksAt(10_000);
    expect(runsHere('a', PLAIN)).toBe(true);
    looksAt(2 * MB);
    expect(runsHere('a', PLAIN)).toBe(false);
  });

  it('that went over the budget is not tried on the main thread again until something changes', () => {
    const { runsHere, looksAt, change, took } = open({ records: 100, bytes: 20 * MB });
    took('a', 1);
    looksAt(2 * MB);
    expect(runsHere('a')).toBe(false);
    looksAt(10);
    took('a', 1);
    expect(runsHere('a')).toBe(false);
    change();
    expect(runsHere('a')).toBe(true);
  });

  it('moves to the main thread when a reader thread found it quick', () => {
    const { runsHere, took } = open({ records: 100_000, bytes: 20 * MB });
    expect(runsHere('a')).toBe(false);
    took('a', 40);
    expect(runsHere('a')).toBe(false);
    took('a', 1);
    expect(runsHere('a')).toBe(true);
  });

  it('is a long one by the bytes that it may look at, until it is known', () => {
    expect(open({ records: 2, bytes: 20 * MB }).isLong('a')).toBe(true);
    expect(open({ records: 50_000, bytes: 3 * MB }).isLong('a')).toBe(false);
    const { isLong, took } = open({ records: 2, bytes: 20 * MB });
    took('a', 200);
    took('a', 10);
    expect(isLong('a'), 'one slow run may be the machine').toBe(false);
    took('a', 200);
    took('a', 200);
    expect(isLong('a')).toBe(true);
    expect(isLong('b', PLAIN, { skip: 50_000 })).toBe(true);
  });
});
