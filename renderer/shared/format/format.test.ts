import { describe, expect, it } from 'vitest';
import { bytes, count, createFormat, dayNear, duration, number, percent, relativeTime } from './format.ts';

const withPlainSpaces = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');

describe('English formats', () => {
  it('groups digits with narrow no-break spaces', () => {
    expect(number(1_234_567)).toBe('1\u202F234\u202F567');
    expect(withPlainSpaces(count(1, 'record', 'records'))).toBe('1 record');
    expect(withPlainSpaces(count(3201, 'record', 'records'))).toBe('3 201 records');
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [999_600, '1 MB'],
    [1_399_981, '1.4 MB'],
    [80_801_399_904, '80.8 GB'],
    [123_400_000, '123 MB'],
  ])('formats %i bytes as %s', (value, expected) => {
    expect(withPlainSpaces(bytes(value))).toBe(expected);
  });

  it('shows 100% only when complete', () => {
    expect([percent(0), percent(0.29), percent(0.999), percent(1)]).toEqual(['0%', '29%', '99%', '100%']);
  });

  it.each([
    [500, '1 second'],
    [40_000, '40 seconds'],
    [90_000, '2 minutes'],
    [3 * 3_600_000, '3 hours'],
  ])('formats %i ms as %s', (ms, expected) => {
    expect(withPlainSpaces(duration(ms))).toBe(expected);
  });

  it('formats times relative to now', () => {
    const now = new Date(2026, 10, 21, 15, 0, 0);
    const textAt = (...parts: [number, number, number, number, number]) =>
      withPlainSpaces(relativeTime(new Date(...parts).toISOString(), now));
    expect(textAt(2026, 10, 21, 15, 0)).toBe('just now');
    expect(textAt(2026, 10, 21, 14, 50)).toBe('10 minutes ago');
    expect(textAt(2026, 10, 21, 9, 5)).toBe('today 09:05');
    expect(textAt(2026, 10, 20, 14, 5)).toBe('yesterday 14:05');
    expect(textAt(2026, 10, 17, 14, 5)).toBe('Tuesday 14:05');
    expect(textAt(2026, 8, 3, 14, 5)).toBe('3 September 14:05');
    expect(textAt(2024, 2, 3, 14, 5)).toBe('3 March 2024');
    expect(textAt(2026, 10, 22, 8, 0)).toBe('tomorrow 08:00');
  });

  it('shows a time a few minutes ahead as "today" with the time of day', () => {
    const now = new Date(2026, 10, 21, 15, 0, 0);
    expect(withPlainSpaces(relativeTime(new Date(2026, 10, 21, 15, 10).toISOString(), now))).toBe('today 15:10');
  });

  it('shows a time a few seconds ahead as "just now", because clocks differ', () => {
    const now = new Date(2026, 10, 21, 15, 0, 0);
    expect(relativeTime(new Date(2026, 10, 21, 15, 0, 4).toISOString(), now)).toBe('just now');
    expect(withPlainSpaces(relativeTime(new Date(2026, 10, 21, 15, 0, 6).toISOString(), now))).toBe('today 15:00');
  });

  it('omits the year for nearby days', () => {
    const now = new Date(2026, 10, 21, 15, 0, 0);
    expect(dayNear(new Date(2026, 8, 3).toISOString(), now)).toBe('3 September');
    expect(dayNear(new Date(2024, 2, 3).toISOString(), now)).toBe('3 March 2024');
  });
});

describe('German formats', () => {
  const german = createFormat('de');

  it('formats numbers, sizes and durations', () => {
    expect(german.number(1_234_567)).toBe('1\u202F234\u202F567');
    expect(withPlainSpaces(german.bytes(0))).toBe('0 Byte');
    expect(withPlainSpaces(german.bytes(1_399_981))).toBe('1,4 MB');
    expect(withPlainSpaces(german.percent(0.37))).toBe('37 %');
    expect([1, 2].map((n) => withPlainSpaces(german.count(n, 'Datensatz', 'Datensätze')))).toEqual([
      '1 Datensatz',
      '2 Datensätze',
    ]);
    expect([withPlainSpaces(german.unit(6, 'hour')), withPlainSpaces(german.unit(1, 'day'))]).toEqual([
      '6 Stunden',
      '1 Tag',
    ]);
    expect([500, 90_000, 3 * 3_600_000, 3 * 86_400_000].map((ms) => withPlainSpaces(german.duration(ms)))).toEqual([
      '1 Sekunde',
      '2 Minuten',
      '3 Stunden',
      '3 Tage',
    ]);
  });

  it('formats times relative to now', () => {
    const now = new Date(2026, 10, 21, 15, 0, 0);
    const textAt = (...parts: [number, number, number, number, number]) =>
      withPlainSpaces(german.relativeTime(new Date(...parts).toISOString(), now));
    expect(textAt(2026, 10, 21, 15, 0)).toBe('gerade eben');
    expect(textAt(2026, 10, 21, 14, 50)).toBe('vor 10 Minuten');
    expect(textAt(2026, 10, 21, 9, 5)).toBe('heute 09:05');
    expect(textAt(2026, 10, 20, 14, 5)).toBe('gestern 14:05');
    expect(textAt(2026, 10, 17, 14, 5)).toBe('Dienstag 14:05');
    expect(textAt(2026, 8, 3, 14, 5)).toBe('3. September 14:05');
    expect(textAt(2024, 2, 3, 14, 5)).toBe('3. März 2024');
    expect(textAt(2026, 10, 22, 8, 0)).toBe('morgen 08:00');
    expect(german.calendarDay('2026-03-01')).toBe('So. 1. März');
  });

  it('sorts names by German rules', () => {
    expect(['Zebra', 'b10', 'Äpfel', 'b2'].toSorted(german.compare)).toEqual(['Äpfel', 'b2', 'b10', 'Zebra']);
  });
});
