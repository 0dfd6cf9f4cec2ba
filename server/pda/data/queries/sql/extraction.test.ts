import { afterEach, describe, expect, it } from 'vitest';
import { timeKeyOf } from '../../../../wire/field-times.ts';
import { openRecords } from './database.test-support.ts';
import { localTimeSql, secondsSql } from './extraction.ts';

const EXTENDED_TIMES = [
  '2024-02-29T10:15Z',
  '2024-01-31',
  '2024-03-03',
  '2024-03-03T10:15Z',
  '2024-03-03T10:15:20.250Z',
  '2024-03-03T10:15:20',
  '2024-03-03 10:15:20-08:00',
  '2024-03-03T10:15:20+0100',
  '2024-03-03T23:15-08',
];
const BASIC_TIMES = [
  '20240229',
  '20240303',
  '20240303T1015Z',
  '20240303T101520.250Z',
  '20240303t101520z',
  '20240303T101520',
  '20240303T101520+0100',
  '20240303T2315-08',
];
const INVALID_TIMES = [
  '20240303T10',
  '20240303T101520X',
  '20241303T101520Z',
  '2024-03-03T10:15:20X',
  '2024-02-30T10:15Z',
  '2023-02-29',
  'soon',
];

const evaluate = (expression: (column: string) => string, value: string): unknown => {
  const db = openRecords();
  const result = db
    .prepare<[string]>(`SELECT ${expression('t')} FROM (SELECT ? AS t)`)
    .pluck()
    .get(value);
  db.close();
  return result;
};

describe('the SQL for the Unix seconds of an ISO 8601 text', () => {
  it.each([...EXTENDED_TIMES, ...BASIC_TIMES, ...INVALID_TIMES])(
    'has the same result as the key by which the table sorts (%s)',
    (value) => {
      const key = timeKeyOf(value, { type: 'dateTime', timeFormat: 'iso' });
      expect(evaluate((column) => secondsSql(column, 'iso'), value)).toBe(
        key === undefined ? null : Math.floor(key.ms / 1000),
      );
    },
  );
});

describe('the SQL for the local time of an ISO 8601 text', () => {
  const localTime = (value: string): unknown => evaluate((column) => localTimeSql(column, 'iso'), value);

  it.each([
    ['20240303', '2024-03-03'],
    ['20240303T101520', '2024-03-03 10:15'],
    ['2024-03-03t10:15:20', '2024-03-03 10:15'],
    ['20240303T2315', '2024-03-03 23:15'],
    ['20240303T101520-0800', '2024-03-03 10:15'],
  ])('returns the date, hour and minute of %s as written', (value, expected) => {
    expect(localTime(value)).toBe(expected);
  });

  it('returns the same local time for a UTC time in the basic and in the extended format', () => {
    expect(localTime('20240303T231520Z')).toBe(localTime('2024-03-03T23:15:20Z'));
    expect(localTime('20240303T2315z')).toBe(localTime('2024-03-03T23:15Z'));
  });
});

describe('the SQL for the local time of a time in UTC', () => {
  const timeZone = process.env['TZ'];
  afterEach(() => {
    if (timeZone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = timeZone;
  });

  it.each([
    ['Europe/Berlin', '1965-07-01T22:30:00Z', '1965-07-01 23:30'],
    ['Europe/Berlin', '1945-06-01T22:30Z', '1945-06-02 01:30'],
    ['America/New_York', '2040-03-20T12:00:00Z', '2040-03-20 08:00'],
    ['America/New_York', '0001-01-01T12:00Z', '0001-01-01 07:03'],
    ['Europe/Berlin', '2024-07-01t12:00:00,5Z', '2024-07-01 14:00'],
    ['Europe/Berlin', '20240701T120000,5Z', '2024-07-01 14:00'],
    ['Europe/Berlin', '2015-06-30T23:59:60Z', '2015-07-01 02:00'],
    ['Europe/Berlin', '1969-12-31T23:30:00Z', '1970-01-01 00:30'],
    ['Europe/Berlin', '2024-03-31T00:59:59Z', '2024-03-31 01:59'],
    ['Europe/Berlin', '2024-03-31T01:00:00Z', '2024-03-31 03:00'],
    ['Europe/Berlin', '2024-03-01T24:00:00Z', '2024-03-02 01:00'],
    ['Europe/Berlin', '20240230T101520Z', null],
    ['Europe/Berlin', '2024-02-30T12:00Z', null],
    ['Europe/Berlin', '9999-12-31T23:59Z', null],
  ])('applies the rules of the time zone %s at that time, and reads every valid form: %s', (zone, text, expected) => {
    process.env['TZ'] = zone;
    expect(evaluate((column) => localTimeSql(column, 'iso'), text)).toBe(expected);
    const { ms } = timeKeyOf(text, { type: 'dateTime', timeFormat: 'iso' }) ?? {};
    if (ms === undefined || expected === null) return;
    expect(evaluate((column) => localTimeSql(column, 'milliseconds'), String(Math.round(ms / 1000) * 1000))).toBe(
      expected,
    );
    expect(evaluate((column) => localTimeSql(column, 'seconds'), String(Math.round(ms / 1000)))).toBe(expected);
  });
});
