import { describe, expect, it } from 'vitest';
import { timeKeyOf } from '../../../../wire/field-times.ts';
import { openRecords } from './database.test-support.ts';
import { localTimeSql, secondsSql } from './extraction.ts';

const EXTENDED_TIMES = [
  '2024-03-03',
  '2024-03-03T10:15Z',
  '2024-03-03T10:15:20.250Z',
  '2024-03-03T10:15:20',
  '2024-03-03 10:15:20-08:00',
  '2024-03-03T10:15:20+0100',
  '2024-03-03T23:15-08',
];
const BASIC_TIMES = [
  '20240303',
  '20240303T1015Z',
  '20240303T101520.250Z',
  '20240303t101520z',
  '20240303T101520',
  '20240303T101520+0100',
  '20240303T2315-08',
];
const INVALID_TIMES = ['20240303T10', '20240303T101520X', '20241303T101520Z', '2024-03-03T10:15:20X', 'soon'];

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
