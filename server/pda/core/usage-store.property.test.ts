import Sqlite, { type Database } from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../storage/index.ts';
import { migrate } from '../storage/migrations/migrator.ts';
import { countUsage, createUsageStore, type UsageStore } from './usage-store.ts';

const ENDPOINTS = [1, 2, 3];
/** The second and the third origin have the same creator. */
const ORIGINS = [
  { id: 1, kind: 'owner', name: 'owner', reference: '' },
  { id: 2, kind: 'function', name: 'sum', reference: 'run 1' },
  { id: 3, kind: 'function', name: 'sum', reference: 'run 2' },
  { id: 4, kind: 'application', name: 'notes', reference: '' },
];

const endpoint = fc.constantFrom(...ENDPOINTS);
const origin = fc.constantFrom(...ORIGINS.map(({ id }) => id));
const bytes = fc.integer({ min: 1, max: 9 });
const pick = fc.nat(1000);
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('store' as const), endpoint, origin, bytes }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update' as const), pick, bytes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), pick, endpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hide or show' as const), endpoint }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let db: Database;
let tx: Transaction;
let usage: UsageStore;
let lastSeq = 0;

beforeAll(() => {
  db = new Sqlite(':memory:');
  migrate(db);
  tx = { db, afterCommit: () => undefined, collect: () => undefined };
  usage = createUsageStore(db);
  const insert = db.prepare('INSERT INTO origins (id, kind, name, reference) VALUES (:id, :kind, :name, :reference)');
  for (const row of ORIGINS) insert.run(row);
});
afterAll(() => db.close());

const reset = (): void => {
  db.exec('DELETE FROM records; DELETE FROM endpoints; DELETE FROM endpoint_usage; DELETE FROM record_usage');
  for (const id of ENDPOINTS) db.prepare('INSERT INTO endpoints (id, path) VALUES (?, ?)').run(id, `a/${id}`);
};

const isVisible = (id: number): boolean =>
  db.prepare('SELECT path IS NOT NULL FROM endpoints WHERE id = ?').pluck().get(id) === 1;

type StoredRow = { seq: number; endpoint: number; origin: number; bytes: number };
const pickRecord = (number: number): StoredRow | undefined => {
  const rows = db
    .prepare<[], StoredRow>(
      `SELECT seq, endpoint, origin, octet_length(data) AS bytes FROM records
       WHERE endpoint IN (SELECT id FROM endpoints WHERE path IS NOT NULL) ORDER BY seq`,
    )
    .all();
  return rows[number % Math.max(1, rows.length)];
};

const apply = (step: Operation): void => {
  if (step.do === 'store') {
    if (!isVisible(step.endpoint)) return;
    lastSeq += 1;
    db.prepare('INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (?, ?, ?, ?, 0, ?)').run(
      lastSeq,
      String(lastSeq),
      step.endpoint,
      step.origin,
      '1'.repeat(step.bytes),
    );
    usage.add(tx, { endpoint: step.endpoint, origin: step.origin, bytes: step.bytes });
    return;
  }
  if (step.do === 'hide or show') {
    const wasVisible = isVisible(step.endpoint);
    db.prepare('UPDATE endpoints SET path = ? WHERE id = ?').run(
      wasVisible ? null : `a/${step.endpoint}`,
      step.endpoint,
    );
    if (wasVisible) usage.excludeEndpoint(tx, step.endpoint);
    else usage.includeEndpoint(tx, step.endpoint);
    return;
  }
  const record = pickRecord(step.pick);
  if (record === undefined) return;
  const { seq } = record;
  if (step.do === 'update') {
    db.prepare('UPDATE records SET data = ? WHERE seq = ?').run('1'.repeat(step.bytes), seq);
    usage.add(tx, { ...record, bytes: step.bytes - record.bytes });
    return;
  }
  if (step.do === 'move' && !isVisible(step.endpoint)) return;
  usage.add(tx, { ...record, bytes: -record.bytes });
  if (step.do === 'remove') db.prepare('DELETE FROM records WHERE seq = ?').run(seq);
  else {
    db.prepare('UPDATE records SET endpoint = ? WHERE seq = ?').run(step.endpoint, seq);
    usage.add(tx, { ...record, endpoint: step.endpoint });
  }
};

const expectedUsage = (): unknown[] =>
  db
    .prepare(
      `SELECT kind, name, sum(octet_length(data)) AS bytes, count(DISTINCT endpoint) AS endpoints FROM records
       JOIN endpoints ON endpoints.id = endpoint AND path IS NOT NULL JOIN origins ON origins.id = origin
       GROUP BY kind, name ORDER BY kind, name`,
    )
    .all();
const countedUsage = (): unknown[] =>
  db.prepare('SELECT kind, name, bytes, endpoints FROM record_usage ORDER BY kind, name').all();

describe('the usage of a creator', () => {
  it('counts the bytes and endpoints of its visible records, after any sequence of changes and after a recount', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (steps) => {
        reset();
        for (const step of steps) {
          apply(step);
          expect(countedUsage()).toStrictEqual(expectedUsage());
        }
        countUsage(db);
        expect(countedUsage()).toStrictEqual(expectedUsage());
      }),
      { numRuns: 100 },
    );
  });

  it('reports an endpoint as new if the creator has no records there, even if it had some before', () => {
    reset();
    const add = (change: { endpoint: number; origin: number; bytes: number }): boolean | undefined =>
      usage.add(tx, change)?.isNewEndpoint;
    expect(add({ endpoint: 1, origin: 2, bytes: 5 })).toBe(true);
    expect(add({ endpoint: 1, origin: 3, bytes: 5 }), 'another run of the same function').toBe(false);
    expect(add({ endpoint: 1, origin: 4, bytes: 1 }), 'another creator').toBe(true);
    expect(add({ endpoint: 1, origin: 2, bytes: -10 })).toBe(false);
    expect(add({ endpoint: 1, origin: 3, bytes: 1 })).toBe(true);
    expect(usage.add(tx, { endpoint: 2, origin: 2, bytes: 1 })).toStrictEqual({
      kind: 'function',
      name: 'sum',
      bytes: 2,
      endpoints: 2,
      isNewEndpoint: true,
    });
  });
});
