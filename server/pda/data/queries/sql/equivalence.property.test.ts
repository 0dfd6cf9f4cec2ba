import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertRecords, openRecords, run } from './database.test-support.ts';
import { evaluate, type EvaluatedRecord } from '../language/evaluator.test-support.ts';
import { scenarios, spellDifferently } from '../language/generators.test-support.ts';
import { indexesFor } from './index-definitions.ts';

const RUN_COUNT = Number(process.env.QUERY_RUNS ?? 75);
/** Time limit per run on average, including the shrinking of a counterexample. Most runs take 30 ms. */
const MAX_MS_PER_RUN = 2000;

/** Compares JSON texts first, because `expect` takes longer than the queries. */
const expectSame = (actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
};

// Vitest cannot interrupt a synchronous test. On a busy machine, fast-check ends it after half of the timeout.
describe('for random records and queries,', { timeout: 2 * MAX_MS_PER_RUN * RUN_COUNT }, () => {
  it('SQL returns the rows of the reference evaluator, with and without indexes', () => {
    const db = openRecords();
    fc.assert(
      fc.property(scenarios, ({ contents, queries }) => {
        db.exec('DELETE FROM records');
        const texts = contents.map(([endpoint, value, salt]) => [endpoint, spellDifferently(value, salt)] as const);
        insertRecords(db, texts);
        const records: EvaluatedRecord[] = texts.map(([endpoint, text], index) => ({
          seq: index + 1,
          endpoint,
          value: JSON.parse(text),
        }));
        for (const query of queries) {
          const expected = evaluate(records, query);
          expectSame(run(db, { ...query, columns: 'keys' }), expected);
          const expectedRows = expected.map(({ entry, seq }) => ({
            entry,
            seq,
            id: `id-${seq}`,
            data: texts[seq - 1]?.[1],
          }));
          expectSame(run(db, { ...query, columns: 'records' }), expectedRows);
          const total = evaluate(records, { ...query, skip: 0, take: null }).length;
          expectSame(run(db, { ...query, columns: 'count' }), [{ n: total }]);

          const requiredIndexes = indexesFor(query.entries, query.orderBy);
          for (const { createSql } of requiredIndexes) db.exec(createSql);
          const indexes = new Set(requiredIndexes.map(({ name }) => name));
          expectSame(run(db, { ...query, columns: 'keys', indexes }), expected);
          expectSame(run(db, { ...query, columns: 'records', indexes }), expectedRows);
          expectSame(run(db, { ...query, columns: 'count', indexes }), [{ n: total }]);
          // The planner may also choose an index that the query does not name.
          expectSame(run(db, { ...query, columns: 'keys' }), expected);
          for (const { name } of requiredIndexes) db.exec(`DROP INDEX ${name}`);
        }
      }),
      { numRuns: RUN_COUNT, interruptAfterTimeLimit: MAX_MS_PER_RUN * RUN_COUNT },
    );
    db.close();
  });
});
