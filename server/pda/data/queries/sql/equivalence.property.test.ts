import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { insertRecords, openRecords, run } from './database.test-support.ts';
import { evaluate, type StoredRecord } from '../language/evaluator.test-support.ts';
import { scenarios, writtenOtherwise } from '../language/generators.test-support.ts';
import { indexesFor } from './index-definitions.ts';

const RUNS = Number(process.env.QUERY_RUNS ?? 75);
/** Milliseconds that one run may take on average, the making smaller of a counterexample included; most take thirty. */
const MS_EACH = 2000;

/** `expect` on its own costs more than the queries do. */
const same = (actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
};

// Both run without a pause: only a limit of their own lets them end on a machine that is busy.
describe('whatever is stored and whatever is asked', { timeout: 2 * MS_EACH * RUNS }, () => {
  it('SQL answers as a plain reading of the rules does, without and with indexes', () => {
    const db = openRecords();
    fc.assert(
      fc.property(scenarios, ({ contents, queries }) => {
        db.exec('DELETE FROM records');
        const texts = contents.map(([endpoint, value, salt]) => [endpoint, writtenOtherwise(value, salt)] as const);
        insertRecords(db, texts);
        const records: StoredRecord[] = texts.map(([endpoint, text], at) => ({
          seq: at + 1,
          endpoint,
          value: JSON.parse(text),
        }));
        for (const query of queries) {
          const expected = evaluate(records, query);
          same(run(db, { ...query, columns: 'keys' }), expected);
          const full = expected.map(({ entry, seq }) => ({ entry, seq, id: `id-${seq}`, data: texts[seq - 1]?.[1] }));
          same(run(db, { ...query, columns: 'records' }), full);
          const total = evaluate(records, { ...query, skip: 0, take: null }).length;
          same(run(db, { ...query, columns: 'count' }), [{ n: total }]);

          const wanted = indexesFor(query.entries, query.orderBy);
          for (const { createSql } of wanted) db.exec(createSql);
          const indexes = new Set(wanted.map(({ name }) => name));
          same(run(db, { ...query, columns: 'keys', indexes }), expected);
          same(run(db, { ...query, columns: 'records', indexes }), full);
          same(run(db, { ...query, columns: 'count', indexes }), [{ n: total }]);
          // The planner may also take an index on its own account.
          same(run(db, { ...query, columns: 'keys' }), expected);
          for (const { name } of wanted) db.exec(`DROP INDEX ${name}`);
        }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: MS_EACH * RUNS },
    );
    db.close();
  });

  it('going on after any row gives what skipping to it gives', () => {
    const db = openRecords();
    fc.assert(
      fc.property(scenarios, fc.nat(20), ({ contents, queries }, place) => {
        db.exec('DELETE FROM records');
        insertRecords(
          db,
          contents.map(([endpoint, value]) => [endpoint, JSON.stringify(value)] as const),
        );
        for (const asked of queries) {
          const query = { ...asked, orderBy: undefined, skip: 0, take: null, columns: 'keys' as const };
          const all = run(db, query) as { entry: number; seq: number }[];
          const after = all[place];
          if (after !== undefined) same(run(db, { ...query, after }), all.slice(place + 1));
        }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: MS_EACH * RUNS },
    );
    db.close();
  });
});
