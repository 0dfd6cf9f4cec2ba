import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';
import { recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { distributionSchema, pointsSchema, seriesSchema, valueCountsSchema } from '../../../../wire/charts.ts';
import { bucketOf } from '../sql/time-buckets.ts';
import { seqOfId } from '../../../core/sequence.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const post = (endpoint: string, json: unknown) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });
const get = async (chart: string, query: Record<string, string>): Promise<unknown> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/charts/${chart}?${new URLSearchParams(query).toString()}`);
  expect(reply.status).toBe(200);
  return reply.json;
};
const series = async (query: Record<string, string>) => seriesSchema.parse(await get('series', query));

describe('a time series', () => {
  beforeAll(async () => {
    await post('charts/steps', [
      { day: '2026-03-01', steps: 10 },
      { day: '2026-03-01', steps: 30 },
      { day: '2026-03-02', steps: '5' },
      { day: '2026-03-09', steps: 7 },
      { day: 'unknown', steps: 1 },
      { day: '2026-03-02', steps: '2026-03-01' },
    ]);
  });
  const query = { endpoint: 'charts/steps', time: 'day', value: 'steps' };

  it('aggregates numbers per day and counts records without a time or number as excluded', async () => {
    expect(await series(query)).toEqual({
      buckets: [
        { start: '2026-03-01', count: 2, sum: 40, min: 10, max: 30 },
        { start: '2026-03-02', count: 1, sum: 5, min: 5, max: 5 },
        { start: '2026-03-09', count: 1, sum: 7, min: 7, max: 7 },
      ],
      records: 6,
      excluded: 2,
      next: null,
    });
  });

  it.each([
    ['week', ['2026-02-23', '2026-03-02', '2026-03-09']],
    ['month', ['2026-03']],
    ['year', ['2026']],
  ])('groups by %s', async (per, starts) => {
    expect((await series({ ...query, per })).buckets.map(({ start }) => start)).toEqual(starts);
  });

  it('counts records by the time at which they were stored, by default', async () => {
    const { buckets, excluded } = await series({ endpoint: 'charts/steps', per: 'year' });
    expect(buckets).toEqual([{ start: '2026', count: 6, sum: null, min: null, max: null }]);
    expect(excluded).toBe(0);
  });

  it('reads times in several formats', async () => {
    await post('charts/formats', [
      { iso: '2026-03-01T10:30:00', name: 'Jun 12 1998', slash: '12/31/2001 07:05', year: 1955 },
      { iso: '2026-03-01 10:59', name: 'Jun 13 1998', slash: '12/31/2001 08:00', year: 1955 },
    ]);
    const starts = async (time: string, format: string, per: string) =>
      (await series({ endpoint: 'charts/formats', time, format, per })).buckets.map(({ start }) => start);
    expect(await starts('iso', 'iso', 'hour')).toEqual(['2026-03-01 10']);
    expect(await starts('name', 'month-name', 'day')).toEqual(['1998-06-12', '1998-06-13']);
    expect(await starts('slash', 'month-day', 'hour')).toEqual(['2001-12-31 07', '2001-12-31 08']);
    expect(await starts('year', 'year', 'year')).toEqual(['1955']);
  });

  it('reads Unix times that are stored as strings, and days without dashes', async () => {
    await post('charts/texts', [
      { seconds: '1709251200', ms: '1709251200000', day: '20240303' },
      { seconds: 1_709_251_200, ms: 1_709_251_200_000, day: 20_240_304 },
      { seconds: '9'.repeat(30), ms: 1e300, day: 1_709_251_200 },
      { seconds: 'soon', ms: '2024-03-03', day: '2024' },
    ]);
    const read = async (time: string, format: string, per: string) => {
      const { buckets, excluded } = await series({ endpoint: 'charts/texts', time, format, per });
      return [buckets.map(({ start, count }) => [start, count]), excluded];
    };
    expect(await read('seconds', 'seconds', 'year')).toEqual([[['2024', 2]], 2]);
    expect(await read('ms', 'milliseconds', 'year')).toEqual([[['2024', 2]], 2]);
    expect(await read('day', 'iso', 'day')).toEqual([
      [
        ['2024-03-03', 1],
        ['2024-03-04', 1],
      ],
      2,
    ]);
  });

  it('reads times in the basic format of ISO 8601', async () => {
    await post('charts/basic', [
      { at: '20240303T101500' },
      { at: '20240303T2315-0800' },
      { at: '20240304T093000Z' },
      { at: '2024-03-04T09:59:00Z' },
      { at: '20240304T9' },
    ]);
    const { buckets, excluded } = await series({ endpoint: 'charts/basic', time: 'at', per: 'hour' });
    const utcHour = bucketOf('Z2024-03-04T09:30', 'hour');
    expect(buckets.map(({ start, count }) => [start, count])).toEqual([
      ['2024-03-03 10', 1],
      ['2024-03-03 23', 1],
      [utcHour, 2],
    ]);
    expect(excluded).toBe(1);
  });

  it('aggregates ISO 8601 durations in seconds', async () => {
    await post('charts/durations', [
      { day: '2026-03-01', length: 'PT1H30M' },
      { day: '2026-03-01', length: '-PT0.5S' },
      { day: '2026-03-01', length: 'P1M' },
      { day: '2026-03-01', length: `P${'1'.repeat(100)}D` },
    ]);
    const { buckets, excluded } = await series({ endpoint: 'charts/durations', time: 'day', value: 'length' });
    expect(buckets).toEqual([{ start: '2026-03-01', count: 2, sum: 5399.5, min: -0.5, max: 5400 }]);
    expect(excluded).toBe(2);
    const { bins } = distributionSchema.parse(
      await get('distribution', { endpoint: 'charts/durations', field: 'length' }),
    );
    expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([-0.5, 5400]);
    const { points } = pointsSchema.parse(
      await get('points', { endpoint: 'charts/durations', x: 'length', y: 'length' }),
    );
    expect(points.toSorted((a, b) => a.x - b.x)).toEqual([
      { x: -0.5, y: -0.5 },
      { x: 5400, y: 5400 },
    ]);
  });

  it('aggregates only the records before the cursor', async () => {
    const [, , thirdRecord] = recordsOf(await post('charts/cursor', [{ n: 1 }, { n: 2 }, { n: 4 }]));
    const before = String(seqOfId(thirdRecord?.recordId ?? ''));
    const { buckets, records } = await series({ endpoint: 'charts/cursor', value: 'n', before });
    expect([records, buckets.map(({ sum }) => sum)]).toEqual([2, [3]]);
  });

  it('treats SQL, JSON path syntax and `__proto__` in field names as plain text', async () => {
    for (const time of ["'; DROP TABLE records; --", '$', '"', '__proto__', ''])
      expect((await series({ endpoint: 'charts/steps', time })).excluded).toBe(6);
  });
});

describe('a distribution', () => {
  it('counts numbers in bins from the lowest to the highest', async () => {
    await post('charts/numbers', [...Array.from({ length: 60 }, (_, n) => ({ n })), { n: null }, { n: 'x' }]);
    const { bins, excluded } = distributionSchema.parse(
      await get('distribution', { endpoint: 'charts/numbers', field: 'n' }),
    );
    expect(bins).toHaveLength(30);
    expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([0, 59]);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(60);
    expect(excluded).toBe(2);
  });

  it('leaves out strings with several dots, such as versions', async () => {
    await post('charts/versions', [{ v: '1.25' }, { v: '1.2.3' }, { v: '192.168.0.1' }]);
    expect(await get('distribution', { endpoint: 'charts/versions', field: 'v' })).toMatchObject({
      bins: [{ from: 1.25, to: 1.25, count: 1 }],
      excluded: 2,
    });
  });

  it('has one bin for equal numbers and none without numbers', async () => {
    await post('charts/equal', [{ n: 3 }, { n: 3, m: 'x' }]);
    const binsOf = async (field: string) =>
      distributionSchema.parse(await get('distribution', { endpoint: 'charts/equal', field })).bins;
    expect(await binsOf('n')).toEqual([{ from: 3, to: 3, count: 2 }]);
    expect(await binsOf('m')).toEqual([]);
  });
});

describe('counts by value', () => {
  it('list the most frequent values first, and report the number of distinct values', async () => {
    await post('charts/values', [
      { kind: 'a' },
      { kind: 'b' },
      { kind: 'b' },
      { kind: true },
      { kind: 5 },
      { kind: [1] },
      {},
    ]);
    expect(valueCountsSchema.parse(await get('values', { endpoint: 'charts/values', field: 'kind' }))).toEqual({
      values: [
        { value: 'b', count: 2 },
        { value: null, count: 1 },
        { value: 5, count: 1 },
        { value: 'a', count: 1 },
        { value: 'true', count: 1 },
      ],
      distinct: 5,
      excluded: 1,
    });
  });

  it('count the values of records that are not objects under the empty path', async () => {
    await post('charts/plain', ['a', 'b', 'b']);
    expect(valueCountsSchema.parse(await get('values', { endpoint: 'charts/plain', field: '' }))).toEqual({
      values: [
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ],
      distinct: 2,
      excluded: 0,
    });
  });
});

describe('a time series of many records', () => {
  it.skipIf(!IS_THOROUGH_RUN)('gets an index, and is then read in one request', async () => {
    const batchOf = (start: number) =>
      Array.from({ length: 10_000 }, (_, index) => ({ at: 1_700_000_000 + (start + index) * 60, n: index % 100 }));
    for (let start = 0; start < 260_000; start += 10_000) await post('charts/many', batchOf(start));
    const query = { endpoint: 'charts/many', time: 'at', format: 'seconds', value: 'n', per: 'month' };
    const firstPage = await series(query);
    const secondPage = await series({ ...query, before: String(firstPage.next) });
    expect([firstPage.records, secondPage.records, secondPage.next]).toEqual([250_000, 10_000, null]);
    await pda.pda.indexes.waitUntilIdle();
    const wholeSeries = await series(query);
    expect([wholeSeries.records, wholeSeries.excluded, wholeSeries.next]).toEqual([260_000, 0, null]);
    const sum = (buckets: readonly { sum: number | null }[]) =>
      buckets.reduce((total, row) => total + (row.sum ?? 0), 0);
    expect(sum(wholeSeries.buckets)).toBe(sum([...firstPage.buckets, ...secondPage.buckets]));
  });
});

describe('points', () => {
  it('are all pairs of numbers, or a sample if there are more than the limit', async () => {
    await post(
      'charts/points',
      Array.from({ length: 9000 }, (_, n) => ({ x: n, y: n % 2 === 0 ? n : null })),
    );
    const { points, total, excluded } = pointsSchema.parse(
      await get('points', { endpoint: 'charts/points', x: 'x', y: 'y' }),
    );
    expect([total, excluded, points.length]).toEqual([4500, 4500, 4500]);
    await post(
      'charts/points',
      Array.from({ length: 2000 }, (_, n) => ({ x: n, y: n })),
    );
    const sample = pointsSchema.parse(await get('points', { endpoint: 'charts/points', x: 'x', y: 'y' }));
    expect(sample.total).toBe(6500);
    expect(sample.points).toHaveLength(3250);
  });
});
