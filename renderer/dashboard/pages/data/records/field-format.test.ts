import { describe, expect, it } from 'vitest';
import { data as german } from '../../../messages/de/data.ts';
import { data as english } from '../../../messages/en/data.ts';
import type { FieldType } from '../../../../shared/api/contract.ts';
import { nameWithoutUnit } from './field-name.ts';
import { type FormattedValue, type ValueType, createFieldFormat } from './field-format.ts';

const en = createFieldFormat('en', english.values);
const de = createFieldFormat('de', german.values);

const field = (type: FieldType, overrides: Partial<ValueType> = {}): ValueType => ({
  path: 'value',
  type,
  unit: '',
  ...overrides,
});
const textOf = ({ text }: FormattedValue): string => text.replaceAll(/[\u202F\u00A0]/g, ' ');
const daysAgo = (days: number): Date => {
  const date = new Date();
  date.setDate(date.getDate() - days);
  date.setHours(14, 5, 0, 0);
  return date;
};

describe('values that match their field type', () => {
  it.each([
    [1_234_567.5, field('number'), '1 234 567.5', '1 234 567,5'],
    [0.1 + 0.2, field('number'), '0.3', '0,3'],
    [64.973_684_210_526_3, field('number'), '64.9737', '64,9737'],
    [0.000_123_456_789, field('number'), '0.000123457', '0,000123457'],
    [1e21, field('number'), '1E21', '1E21'],
    ['12.50', field('number'), '12.5', '12,5'],
    ['01067', field('number'), '01067', '01067'],
    [1_234_567, field('number', { path: 'customerId' }), '1234567', '1234567'],
    [{ rawJSON: '12345678901234567890' }, field('number'), '12345678901234567890', '12345678901234567890'],
    [1234.5, field('money', { unit: 'EUR' }), '€1 234.50', '1 234,50 €'],
    [-3, field('money', { unit: '' }), '-3.00', '-3,00'],
    [5, field('money', { unit: 'points' }), '5.00 points', '5,00 points'],
    [90, field('duration', { unit: 'min' }), '1 h 30 min', '1 h 30 min'],
    [3599.9, field('duration', { unit: 's' }), '1 h', '1 h'],
    [59.996, field('duration', { unit: 's' }), '1 min', '1 min'],
    [999.996, field('duration', { unit: 'ms' }), '1 s', '1 s'],
    [59.99, field('duration', { unit: 's' }), '59.99 s', '59,99 s'],
    [2 * 86_400 + 3600, field('duration', { unit: 's' }), '2 days 1 h', '2 Tage 1 h'],
    [12.5, field('duration', { unit: 's' }), '12.5 s', '12,5 s'],
    [0, field('duration', { unit: 's' }), '0 s', '0 s'],
    ['PT1H30M', field('duration'), '1 h 30 min', '1 h 30 min'],
    ['-PT45S', field('duration'), '-45 s', '-45 s'],
    ['PT36.5S', field('duration'), '36.5 s', '36,5 s'],
    ['P1Y2M', field('duration'), 'P1Y2M', 'P1Y2M'],
    [true, field('boolean'), 'Yes', 'Ja'],
    ['no', field('boolean'), 'No', 'Nein'],
    [52.52, field('latitude', { unit: '°' }), '52.52° N', '52,52° N'],
    [13.405, field('longitude', { unit: '°' }), '13.405° E', '13,405° O'],
    [['a', 'b', 'c'], field('list'), '3 items', '3 Einträge'],
    [{ a: 1 }, field('object'), '1 field', '1 Feld'],
    [{ type: 'Point', coordinates: [13.4, 52.5] }, field('geoJson'), '52.5° N, 13.4° E', '52,5° N, 13,4° O'],
    [1985, field('date', { timeFormat: 'year' }), '1985', '1985'],
    ['2024-03-03', field('date', { timeFormat: 'iso' }), '3 Mar 2024', '3. März 2024'],
    ['2024-03-03T23:30:00-08:00', field('date', { timeFormat: 'iso' }), '3 Mar 2024', '3. März 2024'],
    ['3/14/2024', field('date', { timeFormat: 'month-day' }), '14 Mar 2024', '14. März 2024'],
    ['2024-03-03 10:20:00', field('dateTime', { timeFormat: 'iso' }), '3 Mar 2024 10:20', '3. März 2024 10:20'],
    ['plain words', field('text'), 'plain words', 'plain words'],
    [7, field('text'), '7', '7'],
  ] as const)('formats %j of the field %j', (value, valueType, englishText, germanText) => {
    const result = en(value, valueType, 240);
    expect(textOf(result)).toBe(englishText);
    expect(textOf(de(value, valueType, 240))).toBe(germanText);
    expect(result.kind).not.toBe('exception');
  });

  it('formats recent times in words, with the exact time as a tooltip', () => {
    const yesterday = daysAgo(1);
    for (const [value, timeFormat] of [
      [yesterday.toISOString(), 'iso'],
      [yesterday.getTime(), 'milliseconds'],
      [yesterday.getTime() / 1000, 'seconds'],
    ] as const) {
      const result = en(value, field('dateTime', { timeFormat }), 240);
      expect(textOf(result)).toBe('yesterday 14:05');
      expect(result.title).toContain(String(yesterday.getFullYear()));
      expect(textOf(de(value, field('dateTime', { timeFormat }), 240))).toBe('gestern 14:05');
    }
  });

  it('formats times without an inferred format if the owner chose the type', () => {
    expect(textOf(en(1_709_424_000_000, field('date'), 240))).toMatch(/^[23] Mar 2024$/);
    expect(textOf(en('Mar 3, 2024', field('date'), 240))).toBe('3 Mar 2024');
    expect(textOf(en(1985, field('date'), 240))).toBe('1985');
    expect(textOf(en(20_240_303, field('date'), 240))).toBe('3 Mar 2024');
    expect(textOf(en('20240303T102000Z', field('date'), 240))).toBe('3 Mar 2024');
    expect(textOf(en('20240303T102000', field('dateTime'), 240))).toBe('3 Mar 2024 10:20');
    expect(en('20240303T102000+0200', field('dateTime'), 240).text).toBe(
      en('2024-03-03T08:20:00Z', field('dateTime'), 240).text,
    );
  });

  it('recognises links, email addresses and colours', () => {
    expect(en('https://example.org/a/', field('link'), 240)).toEqual({
      text: 'example.org/a',
      kind: 'link',
      url: 'https://example.org/a/',
    });
    expect(en('ada@example.org', field('email'), 240).kind).toBe('email');
    expect(en('#ff8800', field('colour'), 240).kind).toBe('colour');
  });

  it('shows embedded pictures and the owner’s files as plain text, and marks SVG pictures as exceptions', () => {
    const picture = `data:image/png;base64,${'A'.repeat(5000)}`;
    expect(en(picture, field('image'), 40)).toEqual({ text: `${picture.slice(0, 40)}…`, kind: 'plain' });
    expect(en('/files/content/a.jpg', field('image'), 40)).toEqual({ text: '/files/content/a.jpg', kind: 'plain' });
    expect(en('data:image/svg+xml;base64,PHN2Zz4=', field('image'), 40).kind).toBe('exception');
  });

  it('shows nothing for missing values', () => {
    for (const value of [undefined, null, ''])
      expect(en(value, field('number'), 240)).toEqual({ text: '', kind: 'empty' });
  });
});

describe('values that do not match their field type', () => {
  it.each([
    ['about ten', 'number', 'Not a number', 'Keine Zahl'],
    [true, 'number', 'Not a number', 'Keine Zahl'],
    ['free', 'money', 'Not an amount of money', 'Kein Geldbetrag'],
    ['soon', 'date', 'Not a date', 'Kein Datum'],
    ['2024-02-30', 'date', 'Not a date', 'Kein Datum'],
    [8.64e15 + 1, 'dateTime', 'Not a date and time', 'Kein Datum mit Uhrzeit'],
    ['long', 'duration', 'Not a duration', 'Keine Dauer'],
    ['maybe', 'boolean', 'Neither yes nor no', 'Weder Ja noch Nein'],
    ['constructor', 'boolean', 'Neither yes nor no', 'Weder Ja noch Nein'],
    ['javascript:alert(1)', 'link', 'Not a link', 'Kein Link'],
    ['https://', 'link', 'Not a link', 'Kein Link'],
    ['ada at example', 'email', 'Not an email address', 'Keine E-Mail-Adresse'],
    ['red;background:url(x)', 'colour', 'Not a colour', 'Keine Farbe'],
    ['a', 'list', 'Not a list', 'Keine Liste'],
    [91, 'latitude', 'Not a latitude', 'Kein Breitengrad'],
    ['x', 'geoJson', 'Not GeoJSON', 'Kein GeoJSON'],
  ] as const)(
    'shows %j in a %s field as plain text and marks it as an exception',
    (value, type, englishText, germanText) => {
      const result = en(value, field(type), 240);
      expect(result).toEqual({ text: String(value), kind: 'exception', title: englishText });
      expect(de(value, field(type), 240).title).toBe(germanText);
    },
  );

  it('shows the size of objects and lists in text and number fields', () => {
    expect(textOf(en({ a: 1, b: 2 }, field('text'), 240))).toBe('2 fields');
    expect(textOf(en([1], field('number'), 240))).toBe('1 item');
    expect(en([1], field('number'), 240).kind).toBe('exception');
  });
});

describe('nameWithoutUnit', () => {
  const kmField = { unit: 'km', type: 'number', corrected: false } as const;
  it('removes a unit at the end of the name, unless the owner corrected the field', () => {
    expect(nameWithoutUnit({ ...kmField, name: 'Distance km' })).toBe('Distance');
    expect(nameWithoutUnit({ ...kmField, name: 'Km' })).toBe('Km');
    expect(nameWithoutUnit({ ...kmField, name: 'Distance km', corrected: true })).toBe('Distance km');
    expect(nameWithoutUnit({ ...kmField, name: 'Duration minutes', unit: 'min', type: 'duration' })).toBe('Duration');
    expect(nameWithoutUnit({ ...kmField, name: 'Minutes', unit: 'min', type: 'duration' })).toBe('Minutes');
  });
});

describe('hostile strings', () => {
  it('truncates a string of one megabyte in fields of several types', () => {
    const longText = 'x'.repeat(1_000_000);
    for (const type of ['text', 'number', 'date', 'duration', 'link', 'email', 'list'] as const)
      expect(en(longText, field(type), 240).text).toHaveLength(241);
    expect(en(`https://example.org/${'a'.repeat(1000)}`, field('link'), 240).text).toHaveLength(241);
  });

  it('does not split a surrogate pair when it truncates', () => {
    expect(en('a😀😀', field('text'), 2).text).toBe('a…');
  });

  it('removes bidi controls that would reorder the surrounding text', () => {
    expect(en('\u202Etxt.exe\u2069', field('text'), 240).text).toBe('txt.exe');
    expect(en('https://example.org/\u202Egpj', field('link'), 240).text).toBe('example.org/gpj');
  });
});
