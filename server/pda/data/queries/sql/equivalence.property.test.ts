import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertRecords, openRecords, run } from './database.test-support.ts';
import { evaluate, type StoredRecord } from '../language/evaluator.test-support.ts';
import { scenarios, spellDifferently } from '../language/generators.test-support.ts';
import { indexesFor } from './index-definitions.ts';

const RUNS = Number(process.env.QUERY_RUNS ?? 75);
/** Average milliseconds per run, including the shrinking of a counterexample. Most runs take 30 ms. */
const MAX_MS_PER_RUN = 2000;

/** Compares JSON texts first, because `expect` takes longer than the queries. */
const expectSame = (actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
};

// Both tests run synchronously, so they need their own time limit to end on a busy machine.
describe('random records and queries', { timeout: 2 * MAX_MS_PER_RUN * RUNS }, () => {
  it('SQL returns the same as the reference evaluator, without and with indexes', () => {
    const db = openRecords();
    fc.assert(
      fc.property(scenarios, ({ contents, queries }) => {
        db.exec('DELETE FROM records');
        const texts = contents.map(([endpoint, value, salt]) => [endpoint, spellDifferently(value, salt)] as const);
        insertRecords(db, texts);
        const records: StoredRecord[] = texts.map(([endpoint, text], at) => ({
          seq: at + 1,
          endpoint,
          value: JSON.parse(text),
        }));
        for (const query of queries) {
          const expected = evaluate(records, query);
          expectSame(run(db, { ...query, columns: 'keys' }), expected);
          const full = expected.map(({ entry, seq }) => ({ entry, seq, id: `id-${seq}`, data: texts[seq - 1]?.[1] }));
          expectSame(run(db, { ...query, columns: 'records' }), full);
          const total = evaluate(records, { ...query, skip: 0, take: null }).length;
          expectSame(run(db, { ...query, columns: 'count' }), [{ n: total }]);

          const needed = indexesFor(query.entries, query.orderBy);
          for (const { createSql } of needed) db.exec(createSql);
          const indexes = new Set(needed.map(({ name }) => name));
          expectSame(run(db, { ...query, columns: 'keys', indexes }), expected);
          expectSame(run(db, { ...query, columns: 'records', indexes }), full);
          expectSame(run(db, { ...query, columns: 'count', indexes }), [{ n: total }]);
          // The planner may also choose an index by itself.
          expectSame(run(db, { ...query, columns: 'keys' }), expected);
          for (const { name } of needed) db.exec(`DROP INDEX ${name}`);
        }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: MAX_MS_PER_RUN * RUNS },
    );
    db.close();
  });

  it('continuing after a row returns the same as skipping to it', () => {
    const db = openRecords();
    fc.assert(
      fc.property(scenarios, fc.nat(20), ({ contents, queries }, position) => {
        db.exec('DELETE FROM records');
        insertRecords(
          db,
          contents.map(([endpoint, value]) => [endpoint, JSON.stringify(value)] as const),
        );
        for (const generated of queries) {
          const query = { ...generated, orderBy: undefined, skip: 0, take: null, columns: 'keys' as const };
          const all = run(db, query) as { entry: number; seq: number }[];
          const after = all[position];
          if (after !== undefined) expectSame(run(db, { ...query, after }), all.slice(position + 1));
        }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: MAX_MS_PER_RUN * RUNS },
    );
    db.close();
  });
});
