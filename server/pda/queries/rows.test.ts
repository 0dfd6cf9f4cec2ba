import { describe, expect, it } from 'vitest';
import type { DatabaseThread } from '../storage/index.ts';
import { createRows } from './rows.ts';

/** Where a read runs, and what counts as a long one. Threads that tell how long they worked stand in for real ones. */

const ENTRIES = [{ endpoint: 'a/b', filters: [{ field: 'n', operator: { operator: 'in' as const, value: 1 } }] }];
const ALL = { ordering: 'ascending', skip: 0, take: null } as const;

const open = (held: number) => {
  const ran: string[] = [];
  let ms = 0;
  const thread = (name: string): DatabaseThread => ({
    all: (_sql, _parameters, worked) => {
      ran.push(name);
      worked?.(ms);
      return Promise.resolve([]);
    },
    rows: () => {
      throw new Error('not asked for');
    },
    numbers: () => Promise.resolve(new Float64Array()),
    exec: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
  const summary = () => ({ records: held, bytes: held, last_created: 1, last_change: 1, updated: 0 });
  const rowsOf = createRows({
    store: { rows: () => (ran.push('here'), []) } as unknown as Parameters<typeof createRows>[0]['store'],
    endpoints: { summary } as unknown as Parameters<typeof createRows>[0]['endpoints'],
    reader: thread('reader'),
    guestReader: thread('guest reader'),
  });
  let long = 0;
  const guest = { seen: () => undefined, longRead: () => void (long += 1) };
  const read = (sql: string, by?: typeof guest) =>
    rowsOf({ sql, parameters: [], texts: () => '' }, ENTRIES, { ...ALL, guest: by });
  return { ran, read, guest, long: () => long, takes: (time: number) => void (ms = time) };
};

describe('a read that may take long', () => {
  it('has a thread of its own for the owner, where nobody else’s is in its way', async () => {
    const { ran, read, guest, long } = open(100_000);
    await Promise.all([read('a', guest), read('b', guest), read('c')]);
    expect(ran.toSorted()).toStrictEqual(['guest reader', 'guest reader', 'reader']);
    expect(long()).toBe(2);
  });

  it('is a long one when it was slow twice running, not for one slow moment', async () => {
    const { read, guest, long, takes } = open(10_000);
    takes(10);
    await read('a', guest);
    takes(200);
    await read('a', guest);
    await read('a', guest);
    expect(long()).toBe(0);
    await read('a', guest);
    expect(long()).toBe(1);
    // The owner’s are nobody’s business.
    await read('a');
    expect(long()).toBe(1);
  });
});
