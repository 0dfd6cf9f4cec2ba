import { afterEach, describe, expect, it } from 'vitest';
import { insertRecords, openRecords } from '../sql/database.test-support.ts';
import { createChartStore, type SeriesFields } from './store.ts';

const ENDPOINT = 7;

const storeOf = (records: readonly unknown[]) => {
  const db = openRecords();
  insertRecords(
    db,
    records.map((record) => [ENDPOINT, JSON.stringify(record)] as const),
  );
  return createChartStore({ all: async <Row>(sql: string) => db.prepare(sql).all() as Row[] });
};

const read = async (records: readonly unknown[], fields: SeriesFields, per: 'hour' | 'day' | 'year') => {
  const range = { endpoint: ENDPOINT, from: 0, before: Number.MAX_SAFE_INTEGER };
  const rows = await storeOf(records).buckets({ ...range, per, ...fields });
  return rows.map(({ start, records: count }) => [start, count]);
};

describe('the buckets of a series', () => {
  const timeZone = process.env['TZ'];
  afterEach(() => {
    if (timeZone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = timeZone;
  });

  it('count times before 1970 in their own hour and day', async () => {
    process.env['TZ'] = 'UTC';
    const records = ['1969-12-31T23:55:00Z', '1969-12-31T22:59:59Z'].map((time) => ({ ms: Date.parse(time) }));
    const time = { path: 'ms', format: 'milliseconds' } as const;
    expect(await read(records, { time }, 'hour')).toEqual([
      ['1969-12-31 22', 1],
      ['1969-12-31 23', 1],
    ]);
    expect(await read(records, { time }, 'day')).toEqual([['1969-12-31', 2]]);
  });

  it('begin at midnight in a time zone with an offset of three quarters of an hour', async () => {
    process.env['TZ'] = 'Asia/Kathmandu';
    const times = ['2026-03-01T18:14:59Z', '2026-03-01T18:15:00Z', '2026-03-01T18:19:00Z'];
    const records = times.map((time) => ({ ms: Date.parse(time), time }));
    for (const time of [
      { path: 'ms', format: 'milliseconds' },
      { path: 'time', format: 'iso' },
    ] as const) {
      expect(await read(records, { time }, 'day'), time.path).toEqual([
        ['2026-03-01', 1],
        ['2026-03-02', 2],
      ]);
    }
  });

  it('count texts that look like dates but are not, and times after the year 9999, in the bucket without a time', async () => {
    const days = ['0000-00-00', '2026-02-31', '2026-13-01', '2026-02-31T10:00:00Z', '2026-03-01'];
    const iso = { path: 'day', format: 'iso' } as const;
    for (const per of ['hour', 'day', 'year'] as const) {
      const buckets = await read(
        days.map((day) => ({ day })),
        { time: iso },
        per,
      );
      expect(buckets, per).toEqual([
        [null, 4],
        [{ hour: '2026-03-01 00', day: '2026-03-01', year: '2026' }[per], 1],
      ]);
    }
    expect(
      await read([{ at: 1_772_323_200_000 }], { time: { path: 'at', format: 'seconds' } }, 'day'),
      'milliseconds in a field of seconds',
    ).toEqual([[null, 1]]);
  });

  it('count texts that are not exactly a year in the bucket without a time', async () => {
    const records = [{ year: 1955 }, { year: '1956' }, { year: '2026-03-01' }, { year: '12 or 13' }];
    expect(await read(records, { time: { path: 'year', format: 'year' } }, 'year')).toEqual([
      [null, 2],
      ['1955', 1],
      ['1956', 1],
    ]);
  });
});

describe('the range of a field', () => {
  it('ignores texts with two signs', async () => {
    const records = [{ n: '--5' }, { n: '+-5' }, { n: '-5' }];
    expect(await storeOf(records).range(ENDPOINT, 'n')).toEqual({ low: -5, high: -5, numbers: 1 });
  });
});
