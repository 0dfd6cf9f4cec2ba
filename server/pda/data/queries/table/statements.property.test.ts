import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../wire/fields.ts';
import type { TableFilter, TableSort } from '../../../../wire/table.ts';
import { newId } from '../../../core/sequence.ts';
import { insertRecords, openRecords } from '../sql/database.test-support.ts';
import type { CompiledQuery } from '../sql/compiler.ts';
import { compileCells } from './cells.ts';
import { columnSql } from './keys.ts';
import {
  compileCounts,
  compileFacet,
  compilePage,
  defineTableIndex,
  indexColumnsOf,
  type ReadyIndex,
  type RecordSelection,
  resolveSelection,
  type TableQuery,
} from './statements.ts';

const ENDPOINT = 7;
const RUN_COUNT = 60;

const field = (path: string, type: Field['type'], timeFormat?: Field['timeFormat']): Field => ({
  path,
  type,
  name: path,
  unit: '',
  filled: 1,
  exceptions: 0,
  corrected: false,
  distinct: 1,
  ...(timeFormat === undefined ? {} : { timeFormat }),
});
const FIELDS: readonly Field[] = [
  field('n', 'number'),
  field('t', 'text'),
  field('at', 'dateTime', 'iso'),
  field('b', 'boolean'),
  field('l', 'list'),
];

const anyValue = fc.oneof(
  fc.constantFrom(null, '', 'a', 'B', 'ab', 'yes', 'no', true, false, 0, 1, -2.5, '3', '-1.5', {}, { a: 1 }),
  fc.constantFrom([], ['a'], ['ab', 'A'], [2, 'x%'], ['2', null, true], [{ a: 'a' }, ['a']], ['x'.repeat(300)]),
  fc.constantFrom(
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-03-02T12:00:00Z',
    '2026-03-03T12:00:00+02:00',
    '20260302T013000+0200',
    '20260301T233000',
    'x'.repeat(300),
  ),
);
const record = fc.record({ n: anyValue, t: anyValue, at: anyValue, b: anyValue, l: anyValue }, { requiredKeys: [] });
const path = fc.constantFrom('n', 't', 'at', 'b', 'l');
const filter: fc.Arbitrary<TableFilter> = fc.oneof(
  fc.record({ is: fc.constant('range' as const), field: path, min: fc.integer({ min: -3, max: 2 }) }),
  fc.record({
    is: fc.constant('range' as const),
    field: path,
    min: fc.constant(-2),
    max: fc.integer({ min: -2, max: 5 }),
  }),
  fc.record({ is: fc.constant('days' as const), field: path, from: fc.constantFrom('2026-03-01', '2026-03-02') }),
  fc.record({
    is: fc.constantFrom('contains' as const, 'containsElement' as const),
    field: path,
    text: fc.constantFrom('a', 'X', '2'),
  }),
  fc.record({
    is: fc.constant('oneOf' as const),
    field: path,
    values: fc.array(fc.constantFrom('a', 'B', 3, true, false, 'x'.repeat(300)), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ is: fc.constantFrom('empty' as const, 'filled' as const), field: path }),
);
const sort: fc.Arbitrary<TableSort> = fc.record({ field: path, descending: fc.boolean() });

describe('random records and selections of the table', () => {
  it('have the same page, counts and facet with and without an index', () => {
    const db = openRecords();
    const read = ({ sql, parameters }: CompiledQuery): unknown[] => db.prepare(sql).all(...parameters);
    const readAll = (query: TableQuery, indexes: readonly ReadyIndex[]) => ({
      page: read(compilePage(query, { skip: 0, take: null }, indexes)),
      counts: read(compileCounts(query, indexes)),
      facet: read(compileFacet(query, FACET, indexes)),
    });
    const FACET = { of: 'key', key: { path: 't', kind: 'text' }, descending: false } as const;
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 30 }),
        fc.array(filter, { maxLength: 3 }),
        fc.array(sort, { maxLength: 3 }),
        fc.boolean(),
        (records, filters, sorts, oldestFirst) => {
          db.exec('DELETE FROM records');
          insertRecords(
            db,
            records.map((value) => [ENDPOINT, JSON.stringify(value)] as const),
          );
          const query = resolveSelection({
            endpoint: ENDPOINT,
            selection: { search: '', filters, sorts, oldestFirst },
            fields: FIELDS,
            now: 0,
          });
          const expected = readAll(query, []);
          // The page has no limit, so its length is the number of matching records.
          expect(expected.counts[0]).toMatchObject({ matching: expected.page.length });
          for (const columns of [indexColumnsOf(query), indexColumnsOf(query, FACET)]) {
            if (columns === undefined) continue;
            const index = defineTableIndex(ENDPOINT, columns);
            db.exec(index.createSql);
            const readyIndexes = [{ name: index.name, columns: columns.map(columnSql) }];
            const actual = readAll(query, readyIndexes);
            db.exec(`DROP INDEX ${index.name}`);
            if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
          }
        },
      ),
      { numRuns: RUN_COUNT },
    );
    db.close();
  });
});

describe('a selection of listed records', () => {
  it('contains only the listed records that match, in the same order as a selection of all records', () => {
    const db = openRecords();
    const readSeqs = ({ sql, parameters }: CompiledQuery): number[] =>
      db
        .prepare<unknown[], number>(sql)
        .pluck()
        .all(...parameters);
    const setId = db.prepare<[string, number]>('UPDATE records SET id = ? WHERE seq = ?');
    const resolve = (selection: RecordSelection): TableQuery =>
      resolveSelection({ endpoint: ENDPOINT, selection, fields: FIELDS, now: 0 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(record, fc.boolean()), { maxLength: 30 }),
        fc.array(filter, { maxLength: 2 }),
        fc.array(sort, { maxLength: 2 }),
        fc.constantFrom('', 'a'),
        (records, filters, sorts, search) => {
          db.exec('DELETE FROM records');
          insertRecords(
            db,
            records.map(([value]) => [ENDPOINT, JSON.stringify(value)] as const),
          );
          const allSeqs = records.map((_, index) => index + 1);
          const ids = allSeqs.map(newId);
          for (const [index, id] of ids.entries()) setId.run(id, index + 1);
          const listedSeqs = new Set(allSeqs.filter((_, index) => records[index]?.[1] === true));
          const selection = { search, filters, sorts, oldestFirst: false };
          // An id that is not the id of the record with its sequence number is ignored.
          const listedIds = ids.map((id, index) => (records[index]?.[1] === true ? id : newId(index + 1)));
          const query = resolve({ ...selection, records: [...listedIds, newId(1000)] });
          const page = { skip: 0, take: null };
          const expectedSeqs = readSeqs(compilePage(resolve(selection), page, [])).filter((seq) => listedSeqs.has(seq));
          expect(readSeqs(compilePage(query, page, []))).toEqual(expectedSeqs);
          expect(readSeqs(compileCounts(query, []))).toEqual([expectedSeqs.length]);
          const seqsOfCells = readSeqs(compileCells(query, allSeqs, { paths: ['n'], maxChars: 10 }));
          expect(new Set(seqsOfCells)).toEqual(new Set(expectedSeqs));
          expect([indexColumnsOf(query), indexColumnsOf({ ...query, search: '' })]).toEqual([undefined, undefined]);
        },
      ),
      { numRuns: RUN_COUNT },
    );
    db.close();
  });
});

describe('a filter by list element', () => {
  const element = fc.constantFrom('a', 'A', 'ab', '%', '_', 'Ä', 'ä', '2', 2, 2.5, null, true, ['a'], { a: 'a' });
  const isEqual = (value: unknown, text: string): boolean =>
    typeof value === 'number' ? value === Number(text) : String(value).toLowerCase() === text.toLowerCase();

  it('selects random lists with an equal element, ignoring case', () => {
    const db = openRecords();
    fc.assert(
      fc.property(
        fc.array(fc.array(element, { maxLength: 4 }), { maxLength: 20 }),
        fc.constantFrom('a', 'AB', '%', 'ä', '2', '2.50'),
        (lists, text) => {
          db.exec('DELETE FROM records');
          insertRecords(
            db,
            lists.map((l) => [ENDPOINT, JSON.stringify({ l })] as const),
          );
          const filters: TableFilter[] = [{ is: 'containsElement', field: 'l', text }];
          const selection = { search: '', filters, sorts: [], oldestFirst: true };
          const query = resolveSelection({ endpoint: ENDPOINT, selection, fields: FIELDS, now: 0 });
          const { sql, parameters } = compilePage(query, { skip: 0, take: null }, []);
          const matchingSeqs = db
            .prepare<unknown[], number>(sql)
            .pluck()
            .all(...parameters);
          const hasElement = (list: readonly unknown[]): boolean =>
            list.some((value) => typeof value !== 'object' && typeof value !== 'boolean' && isEqual(value, text));
          expect(matchingSeqs).toEqual(lists.flatMap((list, index) => (hasElement(list) ? index + 1 : [])));
        },
      ),
      { numRuns: RUN_COUNT },
    );
    db.close();
  });
});

describe('the index of a page', () => {
  it('lets SQLite find the page without sorting', () => {
    const db = openRecords();
    insertRecords(db, [[ENDPOINT, '{"n":1,"t":"a"}']]);
    const query = resolveSelection({
      endpoint: ENDPOINT,
      selection: {
        search: '',
        filters: [
          { is: 'oneOf', field: 't', values: ['a'] },
          { is: 'range', field: 'n', min: 0 },
        ],
        sorts: [{ field: 'n', descending: true }],
        oldestFirst: false,
      },
      fields: FIELDS,
      now: 0,
    });
    const columns = indexColumnsOf(query) ?? [];
    const index = defineTableIndex(ENDPOINT, columns);
    db.exec(index.createSql);
    const { sql, parameters } = compilePage(query, { skip: 0, take: 10 }, [
      { name: index.name, columns: columns.map(columnSql) },
    ]);
    expect(sql).toContain(`INDEXED BY ${index.name}`);
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH records USING INDEX/u)]);
    db.close();
  });

  it('does not exist for a filter by list element, which reads every record', () => {
    const filters: TableFilter[] = [
      { is: 'containsElement', field: 'l', text: 'a' },
      { is: 'oneOf', field: 't', values: ['a'] },
    ];
    const selection = { search: '', filters, sorts: [{ field: 'n', descending: true }], oldestFirst: false };
    const query = resolveSelection({ endpoint: ENDPOINT, selection, fields: FIELDS, now: 0 });
    expect(indexColumnsOf(query)).toBeUndefined();
    expect(
      indexColumnsOf(
        resolveSelection({
          endpoint: ENDPOINT,
          selection: { ...selection, filters: filters.slice(1) },
          fields: FIELDS,
          now: 0,
        }),
      ),
    ).toHaveLength(2);
  });
});
