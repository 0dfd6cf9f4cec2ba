import { describe, expect, it } from 'vitest';
import type { ValueType } from '../records/field-format.ts';
import { inputTimeOf, jsonOfTime, newTimeForm, stepOf, timeZoneOf } from './time-input.ts';

const DAY = { type: 'date' } as const;
const TIME = { type: 'dateTime' } as const;

function timeOf(text: string, field: Pick<ValueType, 'type' | 'timeFormat'> = TIME) {
  const time = inputTimeOf({ text }, field);
  if (time === undefined) throw new Error(`no time: ${text}`);
  return time;
}

describe('times stored as strings', () => {
  it.each([
    ['2026-03-01', '2026-03-01', ''],
    ['2026-03-01T10:00', '2026-03-01T10:00', ''],
    ['2026-03-01 10:00:05', '2026-03-01T10:00:05', ''],
    ['2026-03-01T10:00:05.12Z', '2026-03-01T10:00:05.12', 'UTC'],
    ['2026-03-01T10:00:05,120+02:00', '2026-03-01T10:00:05.120', '+02:00'],
    ['2026-03-01 10:00:05 -0530', '2026-03-01T10:00:05', '-0530'],
  ])('%s is %s in an input, and keeps its format', (stored, text, zone) => {
    const time = timeOf(stored);
    expect([time.text, timeZoneOf(time.form)]).toEqual([text, zone]);
    expect(jsonOfTime(time.text, time.form)).toBe(JSON.stringify(stored));
  });

  it('keep their precision when an input omits zeros', () => {
    expect(jsonOfTime('2027-01-02T11:30', timeOf('2026-03-01T10:00:05.120Z').form)).toBe('"2027-01-02T11:30:00.000Z"');
    expect(jsonOfTime('2027-01-02T11:30', timeOf('2026-03-01T10:00').form)).toBe('"2027-01-02T11:30"');
    expect(jsonOfTime('2027-01-02T11:30:07', timeOf('2026-03-01T10:00').form)).toBe('"2027-01-02T11:30:07"');
  });

  it.each(['2026-02-30', '1 March 2026', '2026-03-01T24:00', '2026-03-01T10:00:05.123456Z', '20260301', '', 'later'])(
    'are not offered in a date input that cannot represent them: %j',
    (text) => {
      expect(inputTimeOf({ text }, DAY)).toBeUndefined();
    },
  );

  it('determine the step of the input by their precision', () => {
    const steps = ['2026-03-01T10:00', '2026-03-01T10:00:05', '2026-03-01T10:00:05.1'].map((text) =>
      stepOf(timeOf(text).form),
    );
    expect(steps).toEqual([60, 1, 0.001]);
  });
});

it.each([
  ['1772359205', 'seconds', '2026-03-01T10:00:05'],
  ['1772359205120', 'milliseconds', '2026-03-01T10:00:05.120'],
  ['-1', 'milliseconds', '1969-12-31T23:59:59.999'],
] as const)('reads the number %s as a time in %s', (number, timeFormat, text) => {
  const time = inputTimeOf({ number }, { type: 'dateTime', timeFormat });
  expect(time?.text).toBe(text);
  expect(time && jsonOfTime(time.text, time.form)).toBe(number);
  expect(time && timeZoneOf(time.form)).toBe('UTC');
});

it('does not read other numbers, or values of other fields, as times', () => {
  expect(inputTimeOf({ number: '2026' }, { type: 'date', timeFormat: 'year' })).toBeUndefined();
  expect(inputTimeOf({ number: '1.5' }, { type: 'dateTime', timeFormat: 'seconds' })).toBeUndefined();
  expect(inputTimeOf({ number: '99999999999999' }, { type: 'dateTime', timeFormat: 'seconds' })).toBeUndefined();
  expect(inputTimeOf({ text: '2026-03-01' }, { type: 'text' })).toBeUndefined();
});

it('returns no JSON for incomplete times', () => {
  expect(jsonOfTime('', { kind: 'day' })).toBeUndefined();
  expect(jsonOfTime('2026-03-01', timeOf('2026-03-01T10:00').form)).toBeUndefined();
});

it('uses the field’s usual format for new values', () => {
  expect(newTimeForm(DAY)).toEqual({ kind: 'day' });
  expect(newTimeForm({ type: 'dateTime', timeFormat: 'milliseconds' })).toEqual({ kind: 'milliseconds' });
  expect(newTimeForm({ type: 'date', timeFormat: 'day-month' })).toBeUndefined();
  const form = newTimeForm(TIME);
  expect(form && jsonOfTime('2026-03-01T10:00', form)).toBe('"2026-03-01T10:00"');
});
