import { describe, expect, it } from 'vitest';
import { collectValues, inferFields } from './rules.ts';

const fieldsOf = (records: readonly unknown[]) => [...inferFields(records)].map(({ field }) => field);

const typeOf = (name: string, values: readonly unknown[]) => {
  const [field] = fieldsOf(values.map((value) => ({ [name]: value })));
  if (field === undefined) throw new Error('no field');
  const { type, unit, timeFormat, exceptions } = field;
  return { type, unit, ...(timeFormat === undefined ? {} : { timeFormat }), exceptions };
};

describe('inferFields', () => {
  it.each<[string, readonly unknown[], object]>([
    ['steps', [8112, 6543], { type: 'number', unit: '' }],
    ['distance_km', [1.5, 2], { type: 'number', unit: 'km' }],
    ['price', [3.5, 4], { type: 'money', unit: '' }],
    ['latitude', [52.5, -33.9], { type: 'latitude', unit: '°' }],
    ['lng', [13.4, 151.2], { type: 'longitude', unit: '°' }],
    ['lat', [520, 1], { type: 'number', unit: '' }],
    ['year', [1955, 2005], { type: 'date', unit: '', timeFormat: 'year' }],
    ['created_at', [1_700_000_000, 1_700_000_100], { type: 'dateTime', unit: '', timeFormat: 'seconds' }],
    ['time', [1_700_000_000_000], { type: 'dateTime', unit: '', timeFormat: 'milliseconds' }],
    ['population', [1_700_000_000], { type: 'number', unit: '' }],
    ['duration_minutes', [30, 45], { type: 'duration', unit: 'min' }],
    ['length', ['PT1H30M', 'PT5S'], { type: 'duration', unit: '' }],
    ['amount', ['1.5', '.5', '-3'], { type: 'money', unit: '' }],
    ['day', ['2026-03-01', '2026-03-02'], { type: 'date', unit: '', timeFormat: 'iso' }],
    ['at', ['2026-03-01T10:00:00Z'], { type: 'dateTime', unit: '', timeFormat: 'iso' }],
    ['Release Date', ['Jun 12 1998', 'Aug 07 1998'], { type: 'date', unit: '', timeFormat: 'month-name' }],
    ['begun', ['2001/01/14 21:55', '2001/1/2'], { type: 'dateTime', unit: '', timeFormat: 'year-month-day' }],
    ['zip', ['00501', '10001'], { type: 'text', unit: '' }],
    ['id', ['0', '7', '0.5'], { type: 'number', unit: '' }],
    ['active', [true, false], { type: 'boolean', unit: '' }],
    ['paid', ['yes', 'no'], { type: 'boolean', unit: '' }],
    ['mail', ['ada@example.com'], { type: 'email', unit: '' }],
    ['site', ['https://example.com/a'], { type: 'link', unit: '' }],
    ['cover', ['https://example.com/a.jpg'], { type: 'image', unit: '' }],
    ['photo', ['data:image/png;base64,iVBORw0K', '/api/v2.6/files/content/a.jpg'], { type: 'image', unit: '' }],
    ['drawing', ['data:image/svg+xml;base64,PHN2Zz4='], { type: 'text', unit: '' }],
    ['letter', ['/api/v2.6/files/content/letter.pdf'], { type: 'text', unit: '' }],
    ['shade', ['#ff0000', '#abc'], { type: 'colour', unit: '' }],
    ['tags', [['a'], []], { type: 'list', unit: '' }],
    ['where', [{ type: 'Point', coordinates: [13, 52] }], { type: 'geoJson', unit: '' }],
    ['note', ['buy milk', 'call'], { type: 'text', unit: '' }],
    ['nothing', [null, '', null], { type: 'text', unit: '' }],
  ])('infers the type of %s', (name, values, expected) => {
    expect(typeOf(name, values)).toEqual({ ...expected, exceptions: 0 });
  });

  it('infers the type text from long strings, except embedded pictures', () => {
    expect(typeOf('site', [`https://example.com/${'a'.repeat(2000)}.png`]).type).toBe('text');
    expect(typeOf('hostile', [`http://${'.png?'.repeat(49_000)} `]).type).toBe('text');
    expect(typeOf('photo', [`data:image/png;base64,${'A'.repeat(2000)}`]).type).toBe('image');
  });

  it('infers a type that 90% of the values have, and counts the other values as exceptions', () => {
    const numbers = Array.from({ length: 90 }, (_, index) => index);
    expect(typeOf('score', [...numbers, ...Array.from({ length: 10 }, () => 'n/a')])).toEqual({
      type: 'number',
      unit: '',
      exceptions: 10,
    });
    expect(typeOf('score', [...numbers, ...Array.from({ length: 11 }, () => 'n/a')]).type).toBe('text');
  });

  it('infers dates if only values that are not dates contain a time of day', () => {
    const expected = { type: 'date', unit: '', exceptions: 1 };
    const isoDays = Array.from({ length: 9 }, (_, index) => `2026-03-0${index + 1}`);
    expect(typeOf('day', [...isoDays, 'unknown'])).toEqual({ ...expected, timeFormat: 'iso' });
    const otherDays = Array.from({ length: 9 }, (_, index) => `Jun ${index + 1} 1998`);
    expect(typeOf('day', [...otherDays, 'not before 10:30'])).toEqual({ ...expected, timeFormat: 'month-name' });
    expect(typeOf('day', [...isoDays, '2026-03-01T10:00']).type).toBe('dateTime');
  });

  it('uses the currency field as the unit of amounts if its value is the same in all records', () => {
    const unitOf = (currencies: readonly string[]) =>
      fieldsOf(currencies.map((currency) => ({ amount: 3, currency }))).find(({ path }) => path === 'amount')?.unit;
    expect(unitOf(['EUR', 'EUR'])).toBe('EUR');
    expect(unitOf(['EUR', 'USD'])).toBe('');
  });

  it('reads `min` as minutes, unless a matching `max` field exists', () => {
    const types = (record: object) => fieldsOf([record]).map(({ type }) => type);
    expect(types({ 'Running Time min': 90 })).toEqual(['duration']);
    expect(types({ temp_min: 2, temp_max: 9 })).toEqual(['number', 'number']);
    expect(types({ tempMin: 2, tempMax: 9 })).toEqual(['number', 'number']);
  });

  it('reports the share of records that have a value, and the number of distinct values', () => {
    const [field] = fieldsOf([{ a: 1 }, { a: null }, { a: 2 }, { a: 1 }, {}, {}]);
    expect(field).toMatchObject({ filled: 0.5, distinct: 2 });
  });
});

describe('the time format of a field that the owner corrects to a time', () => {
  const formatOf = (values: readonly unknown[]) => {
    const [inferred] = inferFields(values.map((at) => ({ at })));
    return inferred?.possibleTimeFormat;
  };

  it.each<[string, readonly unknown[], string]>([
    ['Unix seconds', [1_709_251_200, 1_709_254_800], 'seconds'],
    ['Unix seconds as text', ['1709251200', '1709254800'], 'seconds'],
    ['Unix milliseconds', [1_709_251_200_000], 'milliseconds'],
    ['years', [1955, 800, 2005], 'year'],
    ['dates without hyphens', [20_240_303, '20240304'], 'iso'],
    ['ISO 8601 in a minority of the values', ['2024-03-03', 'soon', 'later'], 'iso'],
    ['dates with a month name', ['Jun 12 1998', null, ''], 'month-name'],
    ['dates with slashes', ['31/12/2001', '30/12/2001'], 'day-month'],
  ])('is inferred from %s', (_, values, expected) => {
    expect(formatOf(values)).toBe(expected);
  });

  it('is undefined if no value is a time', () => {
    expect(formatOf(['soon'])).toBeUndefined();
    expect(formatOf([null, ''])).toBeUndefined();
  });
});

describe('the share of records whose picture is stored in the PDA', () => {
  const shareOf = (...values: unknown[]) => fieldsOf(values.map((photo) => ({ photo })))[0]?.ownPictures;

  it('counts embedded pictures and files, but not links to other servers or records without a picture', () => {
    const externalUrl = 'https://example.com/a.jpg';
    expect(shareOf(externalUrl, 'data:image/gif;base64,R0lG', '/files/content/a.jpg', null)).toBe(0.5);
    expect(shareOf(externalUrl)).toBe(0);
  });

  it('is absent for fields of other types', () => {
    expect(shareOf('https://example.com/a')).toBeUndefined();
  });
});

describe('collectValues', () => {
  const paths = (...records: unknown[]) => [...collectValues(records).keys()];

  it('expands nested objects, but not lists or GeoJSON', () => {
    const record = { a: { b: { c: 1 } }, list: [{ x: 1 }], where: { type: 'Point', coordinates: [1, 2] } };
    expect(paths(record)).toEqual(['a.b.c', 'list', 'where']);
  });

  it('uses the empty path for records that are not objects', () => {
    expect(paths(1, 'x')).toEqual(['']);
  });

  it('omits names with dots or brackets, and handles `__proto__` and `constructor` as plain names', () => {
    expect(paths(JSON.parse('{"a.b":1,"c[0]":2,"__proto__":{"x":1},"constructor":2}'))).toEqual([
      '__proto__.x',
      'constructor',
    ]);
  });

  it('limits the depth and the number of fields', () => {
    const deepValue = JSON.parse(`${'{"a":'.repeat(90)}1${'}'.repeat(90)}`) as unknown;
    expect(paths(deepValue)).toEqual(['a.a.a']);
    expect(paths(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1])))).toHaveLength(200);
  });
});
