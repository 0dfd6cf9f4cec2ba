import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Field } from '../../../../wire/fields.ts';
import type { TableFilter, TableSort } from '../../../../wire/table.ts';
import type { CompiledQuery } from '../sql/compiler.ts';
import { insertRecords, openRecords } from '../sql/database.test-support.ts';
import { readSeqParts } from './seq-parts.ts';
import { compilePage, resolveSelection, type TableQuery } from './statements.ts';

const ENDPOINT = 7;
const OTHER_ENDPOINT = 8;
const RUN_COUNT = 60;
const FIELDS: readonly Field[] = [
  { path: 'n', type: 'number', name: 'N', unit: '', filled: 1, exceptions: 0, corrected: false, distinct: 1 },
];
const ALL_ROWS = { skip: 0, take: null };

const records = fc.array(
  fc.record({
    endpoint: fc.constantFrom(ENDPOINT, ENDPOINT, OTHER_ENDPOINT),
    data: fc.record({ n: fc.constantFrom(null, 1, 2, 3, 'x', '2') }, { requiredKeys: [] }),
  }),
  { maxLength: 30 },
);

const queryOf = (filters: TableFilter[], sorts: TableSort[], oldestFirst: boolean): TableQuery =>
  resolveSelection({
    endpoint: ENDPOINT,
    selection: { search: '', filters, sorts, oldestFirst },
    fields: FIELDS,
    now: 0,
  });

it('reads the same records in parts as in one read, and sorts a subset in the order of all records', async () => {
  const db = openRecords();
  const seqsOf = ({ sql, parameters }: CompiledQuery): number[] =>
    db
      .prepare<unknown[], number>(sql)
      .pluck()
      .all(...parameters);
  const selectSize = db.prepare<[number], number>('SELECT octet_length(data) FROM records WHERE seq = ?').pluck();
  const sizeOf = (seq: number): number => selectSize.get(seq) ?? Number.NaN;
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.boolean(),
      fc.boolean(),
      fc.record({ records: fc.integer({ min: 1, max: 9 }), bytes: fc.integer({ min: 1, max: 60 }) }),
      async (generatedRecords, isFiltered, isAscending, limits) => {
        db.exec('DELETE FROM records');
        insertRecords(
          db,
          generatedRecords.map(({ endpoint, data }) => [endpoint, JSON.stringify(data)] as const),
        );
        const query = queryOf(isFiltered ? [{ is: 'range', field: 'n', min: 2 }] : [], [], isAscending);
        const partSeqs: number[] = [];
        const read = (compiled: CompiledQuery) => Promise.resolve(Float64Array.from(seqsOf(compiled)));
        for await (const part of readSeqParts(query, limits, read)) {
          expect(part.length).toBeLessThanOrEqual(limits.records);
          const sizes = [...part].map((seq) => sizeOf(seq));
          // Without its last record, a part is below the limit.
          expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBeLessThan(limits.bytes);
          partSeqs.push(...part);
        }
        expect(partSeqs).toEqual(seqsOf(compilePage(query, ALL_ROWS, [])));

        const sortedQuery = queryOf([], [{ field: 'n', descending: !isAscending }], false);
        const expectedSeqs = seqsOf(compilePage(sortedQuery, ALL_ROWS, [])).filter((_, index) => index % 3 !== 0);
        const subset = [...expectedSeqs.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER];
        expect(seqsOf(compilePage({ ...sortedQuery, subset }, ALL_ROWS, []))).toEqual(expectedSeqs);
      },
    ),
    { numRuns: RUN_COUNT },
  );
  db.close();
});

it('ends a part at the record that reaches the byte limit, and continues after it even if it is deleted', async () => {
  const db = openRecords();
  const sizes = [5, 5, 900, 5, 5, 5, 5, 900];
  insertRecords(
    db,
    sizes.map((length) => [ENDPOINT, JSON.stringify('x'.repeat(length))] as const),
  );
  const read = ({ sql, parameters }: CompiledQuery) =>
    Promise.resolve(
      Float64Array.from(
        db
          .prepare<unknown[], number>(sql)
          .pluck()
          .all(...parameters),
      ),
    );
  const parts: number[][] = [];
  for await (const part of readSeqParts(queryOf([], [], true), { records: 4, bytes: 500 }, read)) {
    parts.push([...part]);
    db.exec('DELETE FROM records WHERE seq IN (3, 5)');
  }
  expect(parts).toEqual([
    [1, 2, 3],
    [4, 6, 7, 8],
  ]);
  db.close();
});
