import { expect } from 'vitest';
import { readDatabase } from '../../../../tests/support/database-check.ts';
import { recordsOf, type TestPda } from '../../../../tests/support/test-pda.ts';

export type Day = { n: number; group: string; value: number };
export const dayAt = (n: number): Day => ({ n, group: `g${n % 7}`, value: (n * 7919) % 1009 });

export const days = (count: number, start = 0): Day[] =>
  Array.from({ length: count }, (_, index) => dayAt(start + index));

export const between = (lower: number, upper: number) => [
  { field: 'value', operator: { operator: 'between', lower, upper } },
];
export const inRange =
  (lower: number, upper: number) =>
  (day: Day): boolean =>
    day.value > lower && day.value < upper;

/** Creates functions that send requests and expect them to succeed. */
export const createQueryCalls = (pda: TestPda) => ({
  async post(endpoint: string, json: unknown): Promise<string[]> {
    const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });
    expect(reply.status, reply.text.slice(0, 300)).toBe(201);
    return [reply.json].flat().map((record) => (record as { recordId: string }).recordId);
  },

  async put(name: string, entries: unknown): Promise<void> {
    const reply = await pda.call('PUT', `/api/v2.6/combinator/${name}`, { json: entries });
    expect(reply.status, reply.text).toBe(200);
  },

  async read(name: string, query = 'take=100000'): Promise<Day[]> {
    const reply = await pda.call('GET', `/api/v2.6/combinator/${name}?${query}`);
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    return recordsOf(reply).map((record) => record.data as Day);
  },

  /** Waits until the index manager is idle, and returns the names of the indexes. */
  async indexes(): Promise<{ builtNames: string[]; readyNames: string[] }> {
    await pda.pda.indexes.waitUntilIdle();
    const builtNames = readDatabase(pda.home, (db) =>
      db
        .prepare<[], string>(
          `SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'query_*' OR sql GLOB 'CREATE VIRTUAL TABLE query_*' ORDER BY name`,
        )
        .pluck()
        .all(),
    );
    return { builtNames, readyNames: [...pda.pda.indexes.readyNames()].toSorted() };
  },
});

export type QueryCalls = ReturnType<typeof createQueryCalls>;
