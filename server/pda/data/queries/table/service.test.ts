import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { TABLE_INDEX_UNUSED_MS } from '../../../../wire/limits.ts';
import { browsePageSchema } from '../../../../wire/owner.ts';
import { facetSchema, type TableFilter, type TableSort } from '../../../../wire/table.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const post = async (endpoint: string, json: unknown) => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });
  expect(reply.status).toBe(201);
};

type View = { filters?: readonly TableFilter[]; sorts?: readonly TableSort[]; [name: string]: unknown };

const request = (endpoint: string, { filters, sorts, ...query }: View) =>
  pda.call(
    'GET',
    `/api/v2.6/owner/records?${new URLSearchParams({
      endpoint,
      ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
      ...(sorts === undefined ? {} : { sorts: JSON.stringify(sorts) }),
      ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    }).toString()}`,
  );
const page = async (endpoint: string, view: View) => {
  const reply = await request(endpoint, view);
  expect(reply.status, reply.text).toBe(200);
  return browsePageSchema.parse(reply.json);
};
const ids = async (endpoint: string, view: View) =>
  (await page(endpoint, view)).records.map(({ data }) => (data as { id: unknown }).id);

/** The field `n` is a number or its text in 40 records, another text in two, and empty or missing in three. */
const mixedRecords = [
  ...Array.from({ length: 40 }, (_, id) => ({ id, n: id % 2 === 0 ? id : String(id), kind: id % 4 === 0 ? 'a' : 'b' })),
  { id: 'text', n: 'n/a', kind: 'a' },
  { id: 'other', n: 'unknown', kind: 'b' },
  { id: 'empty', n: '', kind: 'a' },
  { id: 'null', n: null, kind: 'a' },
  { id: 'missing', kind: 'a' },
];

describe('a filter of the table', () => {
  beforeAll(async () => {
    await post('table/mixed', mixedRecords);
  });

  it('compares numbers, including those written as text, and reports how many values of another type it left out', async () => {
    const filters: TableFilter[] = [{ is: 'range', field: 'n', min: 5, max: 8 }];
    expect(await page('table/mixed', { filters })).toMatchObject({ total: 4, leftOut: 2 });
    expect(await ids('table/mixed', { filters, sorts: [{ field: 'n', descending: false }] })).toEqual([5, 6, 7, 8]);
    expect(await page('table/mixed', { filters: [{ is: 'range', field: 'n', min: 38 }] })).toMatchObject({
      total: 2,
      leftOut: 2,
    });
  });

  it('does not report records that another filter excludes', async () => {
    const filters: TableFilter[] = [
      { is: 'range', field: 'n', max: 8 },
      { is: 'oneOf', field: 'kind', values: ['a'] },
    ];
    expect(await page('table/mixed', { filters })).toMatchObject({ total: 3, leftOut: 1 });
  });

  it('selects empty and filled values', async () => {
    const emptyIds = await ids('table/mixed', { filters: [{ is: 'empty', field: 'n' }] });
    expect(new Set(emptyIds)).toEqual(new Set(['empty', 'missing', 'null']));
    expect(await page('table/mixed', { filters: [{ is: 'filled', field: 'n' }] })).toMatchObject({
      total: 42,
      leftOut: 0,
    });
  });

  it('is rejected if the path of its field is empty, and so is an order', async () => {
    const views: View[] = [
      { filters: [{ is: 'filled', field: '' }] },
      { filters: [{ is: 'contains', field: '', text: 'a' }] },
      { filters: [{ is: 'lastDays', field: '', days: 1 }] },
      { sorts: [{ field: '', descending: false }] },
    ];
    for (const view of views) {
      const reply = await request('table/mixed', view);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain('field: is empty');
    }
  });

  it('selects any of several numbers or texts', async () => {
    const sorts = [{ field: 'id', descending: false }];
    expect(await ids('table/mixed', { filters: [{ is: 'oneOf', field: 'n', values: [3, 4, 'x'] }], sorts })).toEqual([
      3, 4,
    ]);
    expect(await page('table/mixed', { filters: [{ is: 'oneOf', field: 'kind', values: ['b', 'c'] }] })).toMatchObject({
      total: 31,
    });
  });

  it('finds texts that contain the given text, ignoring case and treating wildcards as text', async () => {
    const longText = 'x'.repeat(400);
    await post('table/texts', [
      { id: 1, t: 'Straße ÜBER Köln' },
      { id: 2, t: '100 %_ sure' },
      { id: 3, t: `${longText}Needle` },
      { id: 4, t: 5 },
      { id: 5, t: ['needle'] },
      { id: 6, t: `${longText}other` },
    ]);
    const matchingIds = (text: string) => ids('table/texts', { filters: [{ is: 'contains', field: 't', text }] });
    expect(await matchingIds('über k')).toEqual([1]);
    expect(await matchingIds('%_')).toEqual([2]);
    expect(await matchingIds('needle')).toEqual([3]);
    expect(await matchingIds('5')).toEqual([4]);
    expect(await page('table/texts', { filters: [{ is: 'contains', field: 't', text: 'x' }] })).toMatchObject({
      total: 2,
      leftOut: 1,
    });
    expect(
      await ids('table/texts', { filters: [{ is: 'oneOf', field: 't', values: [`${longText}other`, '100 %_ sure'] }] }),
    ).toEqual([2, 6]);
  });

  it('finds lists with an element that equals the given text, and plain values that equal it', async () => {
    await post('table/lists', [
      { id: 1, tags: ['Red', 'blue'] },
      { id: 2, tags: ['dark red', 7] },
      { id: 3, tags: 'red' },
      { id: 4, tags: [['red'], { red: 'red' }] },
      { id: 5, tags: [] },
      { id: 6, tags: [7.0, '%'] },
    ]);
    const sorts = [{ field: 'id', descending: false }];
    const matchingIds = (is: 'contains' | 'containsElement', text: string) =>
      ids('table/lists', { filters: [{ is, field: 'tags', text }], sorts });
    // The meaning of a stored filter does not depend on the type of the field.
    for (const type of ['list', 'text']) {
      const json = { fields: [{ path: 'tags', type }] };
      await pda.call('PUT', '/api/v2.6/owner/fields?endpoint=table/lists', { json });
      const results = await Promise.all(['red', '7', '%'].map((text) => matchingIds('containsElement', text)));
      expect(results).toEqual([[1, 3], [2, 6], [6]]);
      expect(await matchingIds('contains', 're')).toEqual([3]);
    }
  });

  it('selects days in local time, for times with and without a time zone and for Unix times', async () => {
    const instants = {
      before: new Date('2026-03-01T23:59:59'),
      first: new Date('2026-03-02T00:00:00'),
      last: new Date('2026-03-03T23:59:59'),
      after: new Date('2026-03-04T00:00:00'),
    };
    const localTimes = { 'local first': '2026-03-02T00:00:00', 'local last': '2026-03-03T23:59:59' };
    await post('table/times', [
      ...Object.entries(instants).map(([id, date]) => ({ id, at: date.toISOString(), ts: date.getTime() / 1000 })),
      ...Object.entries(localTimes).map(([id, at]) => ({ id, at })),
      { id: 'local after', at: '2026-03-04T00:00:00' },
    ]);
    const matchingIds = (filter: { field: string; from?: string; to?: string }) =>
      ids('table/times', { filters: [{ is: 'days', ...filter }] });
    expect(await matchingIds({ field: 'at', from: '2026-03-02', to: '2026-03-03' })).toEqual([
      'first',
      'last',
      'local first',
      'local last',
    ]);
    expect(await matchingIds({ field: 'ts', from: '2026-03-02', to: '2026-03-03' })).toEqual(['first', 'last']);
    expect(await matchingIds({ field: 'at', from: '2026-03-04' })).toEqual(['after', 'local after']);
    expect(await matchingIds({ field: 'at', to: '2026-03-01' })).toEqual(['before']);
  });

  it('selects the last days up to today, by a field or by the time at which records were stored', async () => {
    const dayMs = 86_400_000;
    const dayAfter = (days: number) => new Date(pda.clock.now() + days * dayMs).toISOString().slice(0, 10);
    await post(
      'table/days',
      [-40, -8, -5, -1, 3].map((days) => ({ id: days, day: dayAfter(days) })),
    );
    expect(await ids('table/days', { filters: [{ is: 'lastDays', field: 'day', days: 7 }] })).toEqual([-5, -1]);
    expect(await page('table/days', { filters: [{ is: 'lastDays', days: 1 }] })).toMatchObject({ total: 5 });
    expect(await page('table/days', { filters: [{ is: 'days', to: '2020-01-01' }] })).toMatchObject({ total: 0 });
  });

  it('selects booleans, including those written as yes and no', async () => {
    await post('table/flags', [
      { id: 1, done: true },
      { id: 2, done: 'no' },
      { id: 3, done: false },
      { id: 4, done: 'yes' },
    ]);
    await pda.call('PUT', '/api/v2.6/owner/fields?endpoint=table/flags', {
      json: { fields: [{ path: 'done', type: 'boolean' }] },
    });
    const matchingIds = (value: boolean) =>
      ids('table/flags', { filters: [{ is: 'oneOf', field: 'done', values: [value] }] });
    expect([await matchingIds(true), await matchingIds(false)]).toEqual([
      [1, 4],
      [2, 3],
    ]);
  });

  it('combines with the search, and works for paths that SQLite cannot express', async () => {
    await post('table/odd', [
      { id: 1, 'a"b': 5, t: 'apple' },
      { id: 2, 'a"b': 9, t: 'apple' },
      { id: 3, 'a"b': 9, t: 'pear' },
      { id: 4, "x'; DROP TABLE records; --": 1 },
    ]);
    const filters: TableFilter[] = [{ is: 'range', field: 'a"b', min: 6 }];
    expect(await ids('table/odd', { filters })).toEqual([2, 3]);
    expect(await ids('table/odd', { filters, search: 'apple' })).toEqual([2]);
    for (const field of ["x'; DROP TABLE records; --", '$', '__proto__', '"', 'a[0].b', '\u0000'])
      expect(
        (await request('table/odd', { filters: [{ is: 'filled', field }], sorts: [{ field, descending: true }] }))
          .status,
      ).toBe(200);
    expect(await page('table/odd', {})).toMatchObject({ total: 4 });
  });

  it('can be a search, which finds texts however their JSON is written, ignoring case', async () => {
    const body = String.raw`[{"id": 1, "t": "J\u00fcrgen M\u00fcller"}, {"id": 2, "t": "http:\/\/example.com\/\ud83d\ude00"},
      {"id": 3, "t": "\"Hi\" from C:\\Users"}, {"id": 4, "t": "one\nTWO"}, {"id": 5, "t": "Österreich"}]`;
    expect((await pda.call('POST', '/api/v2.6/data/table/escaped', { body })).status).toBe(201);
    for (const [search, expectedIds] of [
      ['Jürgen müller', [1]],
      ['example.com/😀', [2]],
      ['"hi"', [3]],
      [String.raw`c:\users`, [3]],
      ['one\ntwo', [4]],
      ['österreich', [5]],
      ['%', []],
    ] as const) {
      expect(await ids('table/escaped', { search }), search).toEqual(expectedIds);
      expect(await page('table/escaped', { search })).toMatchObject({ total: expectedIds.length });
    }
  });

  it('treats numbers in the same way whether or not SQLite can express their path', async () => {
    const values = [5, -3, 0, 1, 2.5];
    await post(
      'table/odd-integers',
      values.map((value) => ({ 'a"t': value, t: value, 'a"b': value, b: value })),
    );
    const fields = ['a"t', 't'].map((path) => ({ path, type: 'text' }));
    const flags = ['a"b', 'b'].map((path) => ({ path, type: 'boolean' }));
    await pda.call('PUT', '/api/v2.6/owner/fields?endpoint=table/odd-integers', {
      json: { fields: [...fields, ...flags] },
    });
    const count = async (field: string, value: string | boolean) =>
      (await page('table/odd-integers', { filters: [{ is: 'oneOf', field, values: [value] }] })).total;
    for (const text of ['5', '-3', '0', '2.5'])
      expect([await count('a"t', text), await count('t', text)], text).toEqual([1, 1]);
    for (const flag of [true, false]) expect([await count('a"b', flag), await count('b', flag)]).toEqual([1, 1]);
  });

  it.each([
    '[',
    '{}',
    '[{"is":"range","field":"n"}]',
    '[{"is":"range","field":"n","min":"5"}]',
    '[{"is":"days","from":"2026-02-30"}]',
    '[{"is":"lastDays","days":0}]',
    '[{"is":"oneOf","field":"n","values":[]}]',
    '[{"is":"oneOf","field":"n","values":[null]}]',
    '[{"is":"contains","field":"n","text":""}]',
    '[{"is":"contains","field":"","text":"x"}]',
    '[{"is":"near","field":"n"}]',
  ])('is rejected if it is invalid: %s', async (filters) => {
    const query = new URLSearchParams({ endpoint: 'table/mixed', filters });
    expect((await pda.call('GET', `/api/v2.6/owner/records?${query.toString()}`)).status).toBe(400);
  });
});

describe('orders of the table', () => {
  it('sort by several fields, with values of another type above all others and empty values last', async () => {
    await post('table/sorts', [
      { id: 1, n: '10', kind: 'b' },
      { id: 2, n: 9, kind: 'a' },
      { id: 3, n: 9, kind: 'b' },
      { id: 4, kind: 'b' },
      ...Array.from({ length: 20 }, (_, index) => ({ id: 100 + index, n: 1000 + index, kind: 'c' })),
      { id: 5, n: 'n/a', kind: 'b' },
    ]);
    const sortIds = async (sorts: TableSort[]) => {
      const allIds = await ids('table/sorts', { sorts });
      return allIds.filter((id) => Number(id) < 100);
    };
    expect(await sortIds([{ field: 'n', descending: false }])).toEqual([2, 3, 1, 5, 4]);
    expect(await sortIds([{ field: 'n', descending: true }])).toEqual([5, 1, 3, 2, 4]);
    expect(
      await sortIds([
        { field: 'kind', descending: false },
        { field: 'n', descending: true },
      ]),
    ).toEqual([2, 5, 1, 3, 4]);
    expect(
      await sortIds([
        { field: 'n', descending: false },
        { field: 'kind', descending: true },
      ]),
    ).toEqual([3, 2, 1, 5, 4]);
  });

  it('return the whole list in pages', async () => {
    const sorts = [{ field: 'n', descending: true }];
    const allIds = await ids('table/mixed', { sorts });
    const pagedIds = [];
    for (let skip = 0; skip < allIds.length; skip += 7)
      pagedIds.push(...(await ids('table/mixed', { sorts, skip, take: 7 })));
    expect(pagedIds).toEqual(allIds);
  });
});

describe('a facet', () => {
  const facet = async (query: Record<string, string>) =>
    facetSchema.parse(
      (await pda.call('GET', `/api/v2.6/owner/record-facets?${new URLSearchParams(query).toString()}`)).json,
    );

  it('counts the records of a selection by value, and those without a value', async () => {
    expect(await facet({ endpoint: 'table/mixed', field: 'kind' })).toEqual({
      values: [
        { value: 'b', count: 31 },
        { value: 'a', count: 14 },
      ],
      empty: 0,
      others: 0,
      indexing: false,
    });
    const filters = JSON.stringify([{ is: 'range', field: 'n', min: 0, max: 3 }]);
    expect((await facet({ endpoint: 'table/mixed', field: 'kind', filters })).values).toEqual([
      { value: 'b', count: 3 },
      { value: 'a', count: 1 },
    ]);
    const { values, empty, others } = await facet({ endpoint: 'table/mixed', field: 'n' });
    expect([values.length, values[0], empty, others]).toEqual([20, { value: 0, count: 1 }, 3, 22]);
  });

  it('counts texts such as yes and no as booleans in a boolean field', async () => {
    expect((await facet({ endpoint: 'table/flags', field: 'done' })).values).toEqual([
      { value: false, count: 2 },
      { value: true, count: 2 },
    ]);
  });

  it('is empty for an endpoint without records', async () => {
    expect(await facet({ endpoint: 'table/none', field: 'x' })).toEqual({
      values: [],
      empty: 0,
      others: 0,
      indexing: false,
    });
  });
});

describe('a slow read', () => {
  /** Enough records and keys for a read to count as slow, even on a fast machine. */
  const RECORD_COUNT = 40_000;
  const view: View = {
    filters: Array.from({ length: 9 }, (_, index) => ({ is: 'range', field: 'n', max: 1000 - index })),
    sorts: [
      { field: 'at', descending: true },
      { field: 'n', descending: false },
    ],
    take: 50,
  };

  // On a slow machine, the tests above may also have made slow reads, for which indexes were built.
  beforeAll(async () => {
    await pda.close();
    pda = await startTestPda();
  });

  it('gets an index that is built in the background, survives a restart and is dropped when it is no longer used', async () => {
    const batch = (start: number) =>
      Array.from({ length: 10_000 }, (_, index) => ({
        id: start + index,
        n: (start + index) % 5000,
        at: new Date(Date.UTC(2026, 0, 1) + ((start + index) % 977) * 1000).toISOString(),
      }));
    for (let start = 0; start < RECORD_COUNT; start += 10_000) await post('table/slow', batch(start));
    const firstPage = await page('table/slow', view);
    expect(firstPage.indexing).toBe(true);
    await pda.pda.indexes.waitUntilIdle();
    expect(pda.pda.indexes.readyNames().size).toBe(1);
    expect(await page('table/slow', view)).toEqual({ ...firstPage, indexing: false });
    await pda.restart();
    await pda.pda.indexes.waitUntilIdle();
    expect(pda.pda.indexes.readyNames().size).toBe(1);
    pda.clock.advance(TABLE_INDEX_UNUSED_MS + 1);
    pda.token = await pda.signIn();
    // Another slow read makes the service notice that the first index is no longer used.
    await page('table/slow', { ...view, sorts: [{ field: 'at', descending: false }] });
    await pda.pda.indexes.waitUntilIdle();
    expect(pda.pda.indexes.readyNames().size).toBe(1);
    expect(await page('table/slow', view)).toMatchObject({ total: firstPage.total });
  }, 60_000);
});
