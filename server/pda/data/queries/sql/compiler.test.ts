import { beforeAll, describe, expect, it } from 'vitest';
import type { Filter, Operator, Transformation } from '../../../../wire/query.ts';
import { withReadBudget } from '../language/read-budget.ts';
import type { SelectQuery } from './compiler.ts';
import { insertRecords, openRecords, planOf, run } from './database.test-support.ts';
import { fieldSql, wordsSql } from './fields.ts';
import { indexesFor, textIndexPaths } from './index-definitions.ts';

const READ_ALL = { ordering: 'ascending', skip: 0, take: null, columns: 'keys' } as const;

const filter = (field: string, operator: Operator, transformation?: Transformation): Filter => ({
  field,
  operator,
  transformation,
});
const filteredQuery = (...filters: Filter[]): SelectQuery => ({ ...READ_ALL, entries: [{ endpoint: 1, filters }] });
const withIndexes = (query: SelectQuery): SelectQuery => ({
  ...query,
  indexes: new Set(indexesFor(query.entries, query.orderBy).map(({ name }) => name)),
});

describe('a read of several endpoints', () => {
  const db = openRecords();
  insertRecords(db, [
    [1, '{"n":3,"t":"c"}'],
    [2, '{"m":1}'],
    [1, '{"n":1}'],
    [3, '{"n":2}'],
    [2, '{"m":3}'],
    [1, '{"n":null}'],
    [1, '{}'],
  ]);
  const seqs = (query: Partial<SelectQuery>): number[] =>
    run(db, { ...READ_ALL, entries: [{ endpoint: 1 }, { endpoint: 2 }], ...query }).map(
      (row) => (row as { seq: number }).seq,
    );

  it('interleaves their records in ascending or descending order of creation', () => {
    expect(seqs({})).toEqual([1, 2, 3, 5, 6, 7]);
    expect(seqs({ ordering: 'descending' })).toEqual([7, 6, 5, 3, 2, 1]);
    expect(seqs({ skip: 1, take: 2 })).toEqual([2, 3]);
    expect(seqs({ skip: 4 })).toEqual([6, 7]);
    expect(seqs({ skip: 99 })).toEqual([]);
    expect(seqs({ take: 0 })).toEqual([]);
  });

  it('sorts by an output name of each mapping or by a path, with missing values last in both orders', () => {
    const entries = [{ endpoint: 1 }, { endpoint: 2, mapping: { n: 'data.m' } }];
    expect(seqs({ entries, orderBy: 'n' })).toEqual([6, 2, 3, 1, 5, 7]);
    expect(seqs({ entries, orderBy: 'n', ordering: 'descending' })).toEqual([5, 1, 3, 2, 6, 7]);
  });

  it('is in the order of creation if no record has the sort field', () => {
    expect(seqs({ orderBy: 'nothing' })).toEqual([1, 2, 3, 5, 6, 7]);
    expect(seqs({ orderBy: 'nothing', ordering: 'descending' })).toEqual([7, 6, 5, 3, 2, 1]);
  });

  it('returns the stored text unchanged, with the entry that matched', () => {
    expect(run(db, { ...READ_ALL, columns: 'records', entries: [{ endpoint: null }, { endpoint: 3 }] })).toEqual([
      { entry: 1, seq: 4, id: 'id-4', data: '{"n":2}' },
    ]);
    expect(run(db, { ...READ_ALL, columns: 'records', entries: [{ endpoint: 3 }], orderBy: 'n' })).toEqual([
      { entry: 0, seq: 4, id: 'id-4', data: '{"n":2}' },
    ]);
  });

  it('returns a record twice if two entries match it', () => {
    const entries = [{ endpoint: 3 }, { endpoint: 3 }];
    expect(run(db, { ...READ_ALL, entries })).toEqual([
      { entry: 0, seq: 4 },
      { entry: 1, seq: 4 },
    ]);
  });

  it('is empty if no endpoint exists', () => {
    const entries = [{ endpoint: null }];
    expect(run(db, { ...READ_ALL, entries })).toEqual([]);
    expect(run(db, { ...READ_ALL, entries, columns: 'records' })).toEqual([]);
    expect(run(db, { ...READ_ALL, entries, columns: 'count' })).toEqual([{ n: 0 }]);
  });

  it('counts all matches, regardless of the page', () => {
    const entries = [{ endpoint: 1 }, { endpoint: 2 }];
    expect(run(db, { ...READ_ALL, entries, columns: 'count', skip: 1, take: 1 })).toEqual([{ n: 6 }]);
  });

  it('supports a hundred entries with six kinds of values each', () => {
    const entries = Array.from({ length: 100 }, () => ({
      endpoint: 1,
      filters: [filter('n', { operator: 'in', value: [1, 'a', null, true, false, [1]] })],
    }));
    expect(run(db, { ...READ_ALL, entries, take: 1 })).toEqual([{ entry: 0, seq: 3 }]);
    for (const { createSql } of indexesFor(entries)) db.exec(createSql);
    expect(run(db, withIndexes({ ...READ_ALL, entries, take: 1 }))).toEqual([{ entry: 0, seq: 3 }]);
  });
});

describe('a filter', () => {
  const db = openRecords();
  const longId = '12345678901234567890';
  insertRecords(db, [
    [1, `{"v":5,"b":1,"when":"2017-03-05T14:37:00+02:00","id":${longId},"big":1152921504606847000}`],
    [1, '{"v":"5","b":true,"when":"not a date","tags":["Zoë fliegt",{"deep":"nach Łódź"}]}'],
    [1, '{"\\u0076":10,"b":null,"when":1488717420}'],
  ]);
  const matchingSeqs = (...filters: Filter[]): number[] =>
    run(db, filteredQuery(...filters)).map((row) => (row as { seq: number }).seq);

  it('excludes both bounds of `between`', () => {
    expect(matchingSeqs(filter('v', { operator: 'between', lower: 5, upper: 10 }))).toEqual([]);
    expect(matchingSeqs(filter('v', { operator: 'between', lower: 4.9, upper: 10 }))).toEqual([1]);
  });

  it('distinguishes numbers, texts, booleans, null and missing fields', () => {
    expect(matchingSeqs(filter('v', { operator: 'in', value: [5] }))).toEqual([1]);
    expect(matchingSeqs(filter('v', { operator: 'in', value: ['5'] }))).toEqual([2]);
    expect(matchingSeqs(filter('b', { operator: 'contains', value: 1 }))).toEqual([1]);
    expect(matchingSeqs(filter('b', { operator: 'contains', value: true }))).toEqual([2]);
    expect(matchingSeqs(filter('b', { operator: 'contains', value: null }))).toEqual([3]);
    expect(matchingSeqs(filter('tags', { operator: 'contains', value: null }))).toEqual([]);
  });

  it('finds a name that is stored with escapes', () => {
    expect(matchingSeqs(filter('data.v', { operator: 'between', lower: 5, upper: 11 }))).toEqual([3]);
  });

  it('finds an id of twenty digits, although both sides are rounded to doubles', () => {
    expect(matchingSeqs(filter('id', { operator: 'in', value: [Number(longId)] }))).toEqual([1]);
    for (const value of [
      [Number(longId), 7],
      [7, 'a', Number(longId)],
    ])
      expect(matchingSeqs(filter('id', { operator: 'in', value }))).toEqual([1]);
  });

  it('finds a number beyond 2^53 in a list by its double value', () => {
    expect(matchingSeqs(filter('big', { operator: 'in', value: [7, 1_152_921_504_606_847_000, null] }))).toEqual([1]);
  });

  it('extracts the hour in UTC, using the offset in the text, and matches no text that is not a date', () => {
    const hour: Transformation = { transformation: 'datetimeExtract', part: 'hour' };
    expect(matchingSeqs(filter('when', { operator: 'in', value: 12 }, hour))).toEqual([1]);
    expect(matchingSeqs(filter('when', { operator: 'between', lower: -1, upper: 24 }, hour))).toEqual([1]);
    const timestamp: Transformation = { transformation: 'timestampExtract', part: 'hour' };
    expect(matchingSeqs(filter('when', { operator: 'contains', value: 12 }, timestamp))).toEqual([3]);
  });

  it('finds all words of a search in texts, arrays and objects', () => {
    const searchable: Transformation = { transformation: 'searchable' };
    expect(matchingSeqs(filter('tags', { operator: 'find', search: 'lodz ZOE' }, searchable))).toEqual([2]);
    expect(matchingSeqs(filter('tags[0]', { operator: 'find', search: 'ZOE' }, searchable))).toEqual([2]);
    expect(matchingSeqs(filter('tags[1]', { operator: 'find', search: 'lodz' }, searchable))).toEqual([2]);
    expect(matchingSeqs(filter('tags', { operator: 'find', search: 'zoe flog' }, searchable))).toEqual([]);
    expect(matchingSeqs(filter('tags', { operator: 'find', search: '!' }, searchable))).toEqual([]);
  });

  it('treats `in` as the inverse of `contains`, including for arrays and objects', () => {
    const tags = ['Zoë fliegt', { deep: 'nach Łódź' }];
    expect(matchingSeqs(filter('tags', { operator: 'in', value: [...tags, 'more'] }))).toEqual([2]);
    expect(matchingSeqs(filter('tags', { operator: 'in', value: ['Zoë fliegt'] }))).toEqual([]);
    expect(matchingSeqs(filter('tags', { operator: 'contains', value: ['Zoë fliegt'] }))).toEqual([2]);
    expect(matchingSeqs(filter('tags', { operator: 'contains', value: [...tags, 'more'] }))).toEqual([]);
    expect(matchingSeqs(filter('tags[1]', { operator: 'in', value: { deep: 'nach Łódź', more: 1 } }))).toEqual([2]);
  });

  it('matches nothing if only one of `find` and `searchable` is set', () => {
    expect(matchingSeqs(filter('tags', { operator: 'find', search: 'zoe' }))).toEqual([]);
    expect(matchingSeqs(filter('tags', { operator: 'contains', value: [] }, { transformation: 'searchable' }))).toEqual(
      [],
    );
  });

  it('is combined with other filters by AND', () => {
    const valueFilter = filter('v', { operator: 'in', value: [5, '5'] });
    expect(matchingSeqs(valueFilter, filter('b', { operator: 'in', value: [true, null] }))).toEqual([2]);
  });

  it.each([
    "v' OR 1=1 --",
    'v") OR 1=1 --',
    `v'"`,
    'v\\',
    'v\0',
    '$',
    '$.v',
    "a'.'b",
    '?',
    '?1',
    ':v',
    'v;DROP TABLE records',
  ])('matches only a field named %j (no SQL injection)', (field) => {
    const allValuesFilter = filter(field, { operator: 'between', lower: null, upper: {} });
    expect(matchingSeqs(allValuesFilter)).toEqual([]);
    const fieldDb = openRecords();
    insertRecords(fieldDb, [
      [1, JSON.stringify({ [field]: 1 })],
      [1, '{"v":1}'],
    ]);
    const expected = field.includes('.') ? [] : [{ entry: 0, seq: 1 }];
    expect(run(fieldDb, filteredQuery(allValuesFilter))).toEqual(expected);
    expect(run(fieldDb, withoutFilters({ orderBy: field }))).toHaveLength(2);
  });

  const withoutFilters = (query: Partial<SelectQuery>): SelectQuery => ({
    ...READ_ALL,
    entries: [{ endpoint: 1 }],
    ...query,
  });
});

describe('the query plan', () => {
  const db = openRecords();
  const newestPage = { ordering: 'descending', skip: 0, take: 100, columns: 'records' } as const;
  beforeAll(() => {
    insertRecords(
      db,
      Array.from({ length: 3000 }, (_, index) => [
        (index % 3) + 1,
        JSON.stringify({
          n: index % 100,
          s: `s${index}`,
          date: new Date(index * 4e6).toISOString(),
          tags: [`t${index % 9}`],
        }),
      ]),
    );
  });

  it('does not sort to find the newest 100 records of three endpoints', () => {
    const plan = planOf(db, { ...newestPage, entries: [{ endpoint: 1 }, { endpoint: 2 }, { endpoint: 3 }] });
    expect(plan).not.toContain('TEMP B-TREE');
    expect(plan.match(/SEARCH records USING INDEX records_by_endpoint/gu)).toHaveLength(3);
  });

  const hourOfDate: Transformation = { transformation: 'datetimeExtract', part: 'hour' };
  it.each<[string, Filter, RegExp]>([
    [
      'between numbers',
      filter('data.n', { operator: 'between', lower: 5, upper: 9 }),
      /\(<expr>=\? AND <expr>>\? AND <expr><\?\)/u,
    ],
    [
      'between texts',
      filter('s', { operator: 'between', lower: 's5', upper: 's6' }),
      /\(<expr>=\? AND <expr>>\? AND <expr><\?\)/u,
    ],
    ['in a list', filter('s', { operator: 'in', value: ['s5', 's9', 's100'] }), /\(<expr>=\? AND <expr>=\?\)/u],
    ['contains a text', filter('s', { operator: 'contains', value: 's9' }), /\(<expr>=\? AND <expr>=\?\)/u],
    [
      'contains a text, in arrays',
      filter('tags', { operator: 'contains', value: 't3' }),
      /\(<expr>=\? AND <expr>=\?\)/u,
    ],
    [
      'hours of a date',
      filter('date', { operator: 'between', lower: 3, upper: 5 }, hourOfDate),
      /\(<expr>>\? AND <expr><\?\)/u,
    ],
  ])('searches an index without changing the result for %s', (_, condition, search) => {
    const query: SelectQuery = { ...newestPage, entries: [{ endpoint: 1, filters: [condition] }] };
    const expected = run(db, query);
    const [index, ...others] = indexesFor(query.entries);
    expect(others).toEqual([]);
    if (index === undefined) throw new Error('no index');
    db.exec(index.createSql);
    const plan = planOf(db, withIndexes(query));
    expect(plan).toContain(
      `SEARCH records USING INDEX ${index.name}`.replace(
        'INDEX',
        plan.includes('COVERING') ? 'COVERING INDEX' : 'INDEX',
      ),
    );
    expect(plan).toMatch(search);
    expect(plan).not.toContain('SCAN records');
    expect(run(db, withIndexes(query))).toEqual(expected);
    db.exec(`DROP INDEX ${index.name}`);
  });

  it.each(['ascending', 'descending'] as const)(
    'scans the indexes and does not sort for %s order by a field',
    (ordering) => {
      const query: SelectQuery = {
        ...newestPage,
        ordering,
        orderBy: 'data.date',
        entries: [{ endpoint: 1 }, { endpoint: 2 }],
      };
      const expected = run(db, query);
      const indexes = indexesFor(query.entries, query.orderBy);
      for (const { createSql } of indexes) db.exec(createSql);
      const plan = planOf(db, withIndexes(query));
      for (const { name } of indexes) expect(plan).toContain(name);
      expect(plan).not.toContain('TEMP B-TREE');
      expect(run(db, withIndexes(query))).toEqual(expected);
      for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
    },
  );
});

describe('texts that are longer than their index keys', () => {
  const longText = 'x'.repeat(400);
  const texts = [
    '',
    'a',
    'a\0',
    'a\0b',
    'x'.repeat(255),
    'x'.repeat(256),
    longText,
    `${longText}a`,
    `${longText}b`,
    `${longText}b\0`,
    'y',
  ];
  const db = openRecords();
  insertRecords(
    db,
    texts.map((s) => [1, JSON.stringify({ s })] as const),
  );
  const seqs = (query: SelectQuery): number[] => run(db, query).map((row) => (row as { seq: number }).seq);

  it.each(['without an index', 'with an index'])('are compared completely, %s', (mode) => {
    const check = (condition: Filter, expected: readonly string[]): void => {
      const query = filteredQuery(condition);
      if (mode !== 'without an index') for (const { createSql } of indexesFor(query.entries)) db.exec(createSql);
      const results = seqs(mode === 'without an index' ? query : withIndexes(query)).map((seq) => texts[seq - 1]);
      expect(results).toEqual(expected);
    };
    for (const text of texts) check(filter('s', { operator: 'in', value: text }), [text]);
    check(filter('s', { operator: 'in', value: texts.slice(2) }), texts.slice(2));
    check(filter('s', { operator: 'between', lower: longText, upper: `${longText}b\0` }), [
      `${longText}a`,
      `${longText}b`,
    ]);
    check(filter('s', { operator: 'between', lower: 'a\0', upper: `${longText}a` }), texts.slice(3, 7));
    check(filter('s', { operator: 'between', lower: `${longText}a`, upper: 'y' }), [`${longText}b`, `${longText}b\0`]);
    check(filter('s', { operator: 'between', lower: `${longText}a`, upper: 5 }), [
      `${longText}b`,
      `${longText}b\0`,
      'y',
    ]);
  });

  it('are in the order of creation if their keys are equal, and their indexes contain only the keys', () => {
    expect(seqs({ ...READ_ALL, entries: [{ endpoint: 1 }], orderBy: 's', ordering: 'descending' })).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    const equalKeysDb = openRecords();
    insertRecords(
      equalKeysDb,
      [`${longText}b`, `${longText}a`].map((s) => [1, JSON.stringify({ s })] as const),
    );
    expect(run(equalKeysDb, { ...READ_ALL, entries: [{ endpoint: 1 }], orderBy: 's' })).toEqual([
      { entry: 0, seq: 1 },
      { entry: 0, seq: 2 },
    ]);
    const hugeDb = openRecords();
    insertRecords(hugeDb, [
      [1, JSON.stringify({ s: 'z'.repeat(5_000_000), a: Array.from({ length: 500_000 }, () => '') })],
    ]);
    const countPages = (): number => Number(hugeDb.pragma('page_count', { simple: true }));
    const pagesBefore = countPages();
    for (const field of ['s', 'a'])
      for (const { createSql } of indexesFor(
        [{ endpoint: 1, filters: [filter(field, { operator: 'in', value: 'q' })] }],
        field,
      ))
        hugeDb.exec(createSql);
    expect(countPages() - pagesBefore).toBeLessThan(10);
  });
});

describe('the memory limit of a read', () => {
  it('counts the largest record of each branch of a filter, because SQLite keeps them all', () => {
    const db = openRecords();
    const text = 'x'.repeat(21_000_000);
    insertRecords(db, [
      [1, JSON.stringify({ n: 'a', text })],
      [1, JSON.stringify({ n: 'b', text })],
      [1, JSON.stringify({ n: 1, text })],
    ]);
    const oneOfFilter = (...values: (string | number)[]): Filter => filter('n', { operator: 'in', value: values });
    for (const { createSql } of indexesFor([{ endpoint: 1, filters: [oneOfFilter('a')] }])) db.exec(createSql);
    const textFilter = filter('text', { operator: 'between', lower: '', upper: 'y' });
    const read = (...values: (string | number)[]): unknown[] => {
      const query = withIndexes(filteredQuery(oneOfFilter(...values), textFilter));
      return withReadBudget({ bytes: Infinity, ms: Infinity }, () => run(db, query));
    };
    expect(read('a', 'b')).toEqual([
      { entry: 0, seq: 1 },
      { entry: 0, seq: 2 },
    ]);
    expect(read(1)).toEqual([{ entry: 0, seq: 3 }]);
    expect(() => read('a', 1)).toThrow(expect.objectContaining({ code: 'READ_LIMIT_MEMORY' }));
  });
});

describe('the indexes of a query', () => {
  it('are one index for each indexable filter and one for the order, without duplicates', () => {
    const sharedFilter = filter('n', { operator: 'between', lower: 1, upper: 5 });
    const filters = [
      sharedFilter,
      filter('n', { operator: 'in', value: [1] }),
      filter('o', { operator: 'contains', value: { a: 1 } }),
      filter('text', { operator: 'find', search: 'x' }, { transformation: 'searchable' }),
    ];
    const entries = [
      { endpoint: 1, filters },
      { endpoint: 2, filters: [sharedFilter] },
      { endpoint: null, filters },
    ];
    const indexes = indexesFor(entries, 'when');
    expect(indexes.map(({ endpoint }) => endpoint)).toEqual([1, 1, 2, 2]);
    expect(new Set(indexes.map(({ name }) => name)).size).toBe(4);
    expect(indexesFor(entries, 'when')).toEqual(indexes);
    expect(textIndexPaths({ filters })).toEqual(['text']);
  });

  it('do not include paths that SQLite cannot read, because each write would parse the whole record in JavaScript', () => {
    const path = 'a"b';
    const find = filter(path, { operator: 'find', search: 'x' }, { transformation: 'searchable' });
    const entries = [{ endpoint: 1, filters: [filter(path, { operator: 'in', value: [1] }), find] }];
    expect(indexesFor(entries, path)).toEqual([]);
    expect(textIndexPaths({ filters: [find] })).toEqual([]);
  });

  it('are updated by writes on a connection with the functions, which triggers can also call', () => {
    const db = openRecords();
    const entries = [{ endpoint: 1, filters: [filter('a', { operator: 'between', lower: [0], upper: [9] })] }];
    for (const { createSql } of indexesFor(entries)) db.exec(createSql);
    db.exec(`CREATE TABLE words (text TEXT); CREATE TRIGGER keep AFTER INSERT ON records BEGIN
      INSERT INTO words SELECT ${wordsSql(fieldSql('t'))} FROM records WHERE seq = new.seq; END`);
    insertRecords(db, [
      [1, '{"a":[2],"t":["Ça va?",{"x":"Bien!"}]}'],
      [1, '{"a":[9]}'],
    ]);
    db.exec(`UPDATE records SET data = '{"a":[3]}' WHERE seq = 2`);
    expect(run(db, withIndexes({ ...READ_ALL, entries }))).toEqual([
      { entry: 0, seq: 1 },
      { entry: 0, seq: 2 },
    ]);
    expect(db.prepare('SELECT text FROM words').pluck().all()).toEqual(['ca va bien', null]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });
});
