import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jpegWithExif } from '../../../../tests/support/exif-pictures.ts';
import { storeFile } from '../../../../tests/support/files.ts';
import { startImport, uploadImport, waitForImport } from '../../../../tests/support/import-over-http.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  timelineDaysSchema,
  timelineItemsSchema,
  timelineMatchesSchema,
  timelineSchema,
  type Timeline,
  type TimelineDays,
  type TimelineItems,
} from '../../../wire/timeline.ts';
import { createLocalDateFormat } from '../../../platform/local-date.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

type Query = Readonly<Record<string, string>>;
const get = (path: string, query: Query) =>
  pda.call('GET', `/api/v2.6/owner/timeline${path}?${new URLSearchParams(query).toString()}`);
const read = async (path: string, query: Query): Promise<unknown> => {
  const reply = await get(path, query);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
};
const readOverview = async (query: Query = {}): Promise<Timeline> => timelineSchema.parse(await read('', query));
const readDays = async (query: Query): Promise<TimelineDays['days']> =>
  timelineDaysSchema.parse(await read('/days', query)).days;
const readItems = async (query: Query): Promise<TimelineItems> =>
  timelineItemsSchema.parse(await read('/items', query));
const recordsOf = ({ items: list }: TimelineItems) => list.flatMap((item) => (item.kind === 'record' ? [item] : []));
const store = async (endpoint: string, json: unknown): Promise<void> => {
  expect((await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json })).status).toBe(201);
};
const localDayOf = createLocalDateFormat(Intl.DateTimeFormat().resolvedOptions().timeZone);
const getToday = (): string => localDayOf(pda.clock.now());

describe('the timeline', () => {
  it('is empty without items', async () => {
    expect(await readOverview()).toEqual({
      months: [],
      earlier: 0,
      sources: [],
      leftOut: { total: 0, first: [] },
      counting: false,
    });
    expect(await readDays({ month: '2026-03' })).toEqual([]);
    expect(await readItems({ source: 'no/such', day: '2026-03-01' })).toEqual({ items: [], more: false });
  });

  it('counts records by the day of their time, and reports the number of records without a time', async () => {
    const payments = Array.from({ length: 10 }, (_, n) => ({ shop: `Shop ${n}`, date: `2026-03-0${1 + (n % 2)}` }));
    await store('bank/payments', [...payments, { shop: 'Never', date: 'soon' }]);
    await store('trips/walks', [{ place: 'River', day: '2026-03-02' }]);
    const { months, sources } = await readOverview();
    expect(months).toEqual([{ month: '2026-03', days: 2, items: 11 }]);
    expect(sources.map(({ source, items: count, excluded, time }) => [source, count, excluded, time])).toEqual([
      ['bank/payments', 10, 1, 'stated'],
      ['trips/walks', 1, 0, 'stated'],
    ]);
    expect(await readDays({ month: '2026-03' })).toEqual([
      {
        day: '2026-03-02',
        groups: [
          { source: 'bank/payments', items: 5 },
          { source: 'trips/walks', items: 1 },
        ],
      },
      { day: '2026-03-01', groups: [{ source: 'bank/payments', items: 5 }] },
    ]);
    expect((await readOverview({ source: 'trips/walks' })).months).toEqual([{ month: '2026-03', days: 1, items: 1 }]);
    expect(await readDays({ month: '2026-03', source: 'trips/walks' })).toHaveLength(1);
  });

  it('includes the year 1 and the future', async () => {
    await store('history/events', [{ on: '0001-01-01' }, { on: '9999-12-31' }, { on: '2026-03-01' }]);
    expect((await readOverview()).months.map(({ month }) => month)).toEqual(['9999-12', '2026-03', '0001-01']);
    expect(await readDays({ month: '0001-01' })).toEqual([
      { day: '0001-01-01', groups: [{ source: 'history/events', items: 1 }] },
    ]);
    expect(recordsOf(await readItems({ source: 'history/events', day: '9999-12-31' }))).toHaveLength(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'converts times in UTC to local days, and keeps the day of times with an offset',
    async () => {
      const time = Date.UTC(2026, 2, 14, 23, 30);
      await store('calls/log', [{ at: new Date(time).toISOString(), with: 'Ada' }]);
      await store('calls/abroad', [{ at: '2026-03-20T23:30:00+09:00' }, { at: '2026-03-21T00:30:00-11:00' }]);
      expect(recordsOf(await readItems({ source: 'calls/log', day: localDayOf(time) }))).toHaveLength(1);
      const callDays = await readDays({ month: '2026-03', source: 'calls/abroad' });
      expect(callDays.map(({ day }) => day)).toEqual(['2026-03-21', '2026-03-20']);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'uses the field whose type the owner corrected, otherwise the time of storage',
    async () => {
      const seconds = 1_772_355_600;
      await store('sensor/values', [{ n: seconds, v: 1.5 }]);
      expect((await readOverview()).sources).toMatchObject([{ source: 'sensor/values', items: 1, time: 'stored' }]);
      expect((await readDays({ month: getToday().slice(0, 7) })).map(({ day }) => day)).toEqual([getToday()]);
      const correct = async (type: string | null): Promise<void> => {
        const json = { fields: [{ path: 'n', type }] };
        expect((await pda.call('PUT', '/api/v2.6/owner/fields?endpoint=sensor/values', { json })).status).toBe(200);
      };
      await correct('dateTime');
      expect((await readOverview()).sources).toMatchObject([{ items: 1, excluded: 0, time: 'stated' }]);
      expect(recordsOf(await readItems({ source: 'sensor/values', day: localDayOf(seconds * 1000) }))).toMatchObject([
        { data: { n: seconds, v: 1.5 } },
      ]);
      await correct(null);
      expect((await readOverview()).sources).toMatchObject([{ items: 1, time: 'stored' }]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('counts records that are added later', async () => {
    await store('diary/days', [{ date: '2026-03-01', text: 'one' }]);
    expect((await readOverview()).months).toMatchObject([{ items: 1 }]);
    await store('diary/days', [{ date: '2026-03-01', text: 'two' }]);
    // On a busy machine, a count may take a long time and is then not repeated immediately.
    await vi.waitFor(async () => expect((await readOverview()).months).toMatchObject([{ items: 2 }]), {
      timeout: 60_000,
      interval: 50,
    });
    expect(recordsOf(await readItems({ source: 'diary/days', day: '2026-03-01' }))).toHaveLength(2);
  });

  it('refuses an invalid day, month or search text', async () => {
    for (const [path, query] of [
      ['/items', { source: 'a/b', day: '2026-02-30' }],
      ['/days', { month: '2026-13' }],
      ['/days', {}],
      ['/search', { text: ' ' }],
    ] as const) {
      const reply = await get(path, query);
      expect([reply.status, errorOf(reply).error]).toEqual([400, 'invalid_input']);
    }
  });
});

describe('the items of a day', () => {
  it.skipIf(!IS_THOROUGH_RUN)('are paged, the latest first, each once', async () => {
    const pad = (n: number): string => String(n).padStart(2, '0');
    const timeOf = (n: number): string => `2026-03-01T${pad(Math.floor(n / 60))}:${pad(n % 60)}`;
    await store(
      'log/lines',
      Array.from({ length: 120 }, (_, n) => ({ at: timeOf(n), n })),
    );
    const query = { source: 'log/lines', day: '2026-03-01' };
    const pages = [
      await readItems(query),
      await readItems({ ...query, skip: '50' }),
      await readItems({ ...query, skip: '100' }),
    ];
    expect(pages.map(({ more, items: list }) => [list.length, more])).toEqual([
      [50, true],
      [50, true],
      [20, false],
    ]);
    expect(pages.flatMap(recordsOf).map(({ data }) => data)).toEqual(
      Array.from({ length: 120 }, (_, n) => ({ at: timeOf(119 - n), n: 119 - n })),
    );
    expect(recordsOf(pages[0] ?? { items: [], more: false })[0]).toMatchObject({ time: '2026-03-01 01:59' });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'contain feed items by their Unix time, and leave out the content of large records',
    async () => {
      const unix = 1_772_355_600;
      const date = { iso: '2020-01-01T00:00:00Z', unix };
      await store('diary/feed', [{ source: 'diary', date, types: ['note'], title: { text: 'A walk' } }]);
      await store('diary/long', [{ date: '2026-03-05', text: 'x'.repeat(20_000) }]);
      expect((await readOverview()).sources).toMatchObject([
        { source: 'diary/feed', entries: true },
        { source: 'diary/long', entries: false },
      ]);
      expect(recordsOf(await readItems({ source: 'diary/feed', day: localDayOf(unix * 1000) }))).toMatchObject([
        { data: null, entry: { title: { text: 'A walk' } } },
      ]);
      expect(recordsOf(await readItems({ source: 'diary/long', day: '2026-03-05' }))).toMatchObject([
        { data: null, entry: null },
      ]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'include imports, decisions, and pictures on the day on which they were taken',
    async () => {
      const picture = new Uint8Array(jpegWithExif({ taken: '2024:12:31 23:30:00', offset: '-05:00' }));
      const { fileId } = await storeFile(pda, 'new-year.jpg', picture, { source: 'camera' });
      await vi.waitFor(async () => expect(await readDays({ month: '2024-12' })).toHaveLength(1), {
        timeout: 60_000,
        interval: 50,
      });
      expect(await readDays({ month: '2024-12' })).toEqual([
        { day: '2024-12-31', groups: [{ source: 'pictures', items: 1 }] },
      ]);
      expect(await readItems({ source: 'pictures', day: '2024-12-31' })).toMatchObject({
        items: [{ kind: 'picture', file: { file: { fileId } } }],
        more: false,
      });

      const { importId } = await uploadImport(pda, 'rows.json', Buffer.from('[{"date":"2026-03-01"}]'));
      await startImport(pda, importId, { endpoint: 'bank/rows', format: 'json' });
      await waitForImport(pda, importId);
      expect(await readItems({ source: 'imports', day: getToday() })).toMatchObject({
        items: [{ kind: 'import', job: { importId, added: 1 } }],
      });

      expect((await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`)).status).toBe(200);
      expect((await readOverview()).sources.map(({ source, items: count }) => [source, count])).toEqual([
        ['pictures', 1],
        ['bank/rows', 1],
        ['imports', 1],
        ['decisions', 1],
      ]);
      expect(await readItems({ source: 'decisions', day: getToday() })).toMatchObject({
        items: [{ kind: 'decision', row: { action: 'GET /api/v2.6/files/allowAccessPublic/:fileId' } }],
        more: false,
      });
    },
  );
});

describe('a search', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'returns the matching records with their time, from all sources or from one',
    async () => {
      await store('bank/payments', [
        { shop: 'Bakery', date: '2026-03-01' },
        { shop: 'Bookshop', date: '2026-03-02' },
      ]);
      await store('diary/days', [{ text: 'At the bakery', date: '2026-03-03' }]);
      const search = async (query: Query) => timelineMatchesSchema.parse(await read('/search', query));
      await vi.waitFor(async () => expect((await search({ text: 'bakery' })).complete).toBe(true), {
        timeout: 60_000,
        interval: 50,
      });
      await store('diary/days', [{ text: 'Bakery closed' }]);
      await vi.waitFor(async () => expect((await search({ text: 'bakery' })).undated).toBe(1), {
        timeout: 60_000,
        interval: 50,
      });
      const { matches, more } = await search({ text: 'bakery' });
      expect(matches.map(({ source, item }) => [source, item.time])).toEqual([
        ['diary/days', '2026-03-03'],
        ['bank/payments', '2026-03-01'],
      ]);
      expect(more).toBe(false);
      expect((await search({ text: 'bakery', source: 'diary/days' })).matches).toHaveLength(1);
      expect(await search({ text: 'nothing' })).toEqual({
        matches: [],
        undated: 0,
        more: false,
        enabled: true,
        complete: true,
      });
    },
  );
});
