import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../server/wire/fields.ts';
import { type ChartSpec, defaultAggregation, suggestCharts } from './suggest.ts';

const field = (path: string, type: Field['type'], overrides: Partial<Field> = {}): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  distinct: 100,
  exceptions: 0,
  corrected: false,
  ...overrides,
});
const facts = { storedDays: 0, sampled: 100 };

describe('suggestCharts', () => {
  it('suggests sums of counts and means of measurements over the time field', () => {
    const charts = suggestCharts(
      [field('day', 'date'), field('stepCount', 'number'), field('weight', 'number')],
      facts,
    );
    expect(charts.slice(0, 3)).toEqual([
      { kind: 'time', field: 'stepCount', time: 'day', aggregation: 'sum' },
      { kind: 'time', field: 'weight', time: 'day', aggregation: 'mean' },
      { kind: 'time', field: undefined, time: 'day', aggregation: 'count' },
    ]);
    expect(charts.map(({ kind }) => kind)).toEqual([
      'time',
      'time',
      'time',
      'scatter',
      'distribution',
      'distribution',
      'heat',
    ]);
  });

  it('prefers the time field that is filled most often, and numbers that are not identifiers', () => {
    const [chart] = suggestCharts(
      [
        field('ended', 'dateTime', { filled: 0.2 }),
        field('begun', 'dateTime'),
        field('userId', 'number'),
        field('cost', 'money'),
      ],
      facts,
    );
    expect(chart).toEqual({ kind: 'time', field: 'cost', time: 'begun', aggregation: 'sum' });
  });

  it('suggests a distribution first if records without a time were stored together', () => {
    const fields = [field('weight', 'number')];
    expect(suggestCharts(fields, facts)[0]?.kind).toBe('distribution');
    expect(suggestCharts(fields, { ...facts, storedDays: 9 })[0]).toMatchObject({ kind: 'time', time: undefined });
  });

  it('suggests counts by value for Booleans and for strings with few distinct values', () => {
    const texts = [20, 21, 1].map((distinct) => field(`text ${distinct}`, 'text', { distinct }));
    const charts = suggestCharts([field('done', 'boolean', { distinct: 1 }), ...texts], facts);
    expect(charts.filter(({ kind }) => kind === 'values').map((chart) => chart.field)).toEqual(['done', 'text 20']);
  });

  it('prefers measures to dimensions and both to codes, and uses coordinates only for a map', () => {
    const fields = [
      field('lat', 'latitude'),
      field('lon', 'longitude'),
      field('sex', 'number', { distinct: 2 }),
      field('parent', 'number'),
      field('rating', 'number', { distinct: 5 }),
      field('size', 'number', { distinct: 60 }),
    ];
    expect(suggestCharts(fields, facts).map((chart) => [chart.kind, chart.field])).toEqual([
      ['map', 'lat'],
      ['distribution', 'size'],
      ['distribution', 'rating'],
      ['scatter', 'size'],
      ['distribution', 'sex'],
      ['distribution', 'parent'],
      ['time', 'size'],
      ['time', 'rating'],
      ['time', undefined],
      ['time', 'sex'],
      ['time', 'parent'],
      ['heat', 'size'],
    ]);
    expect(suggestCharts(fields.slice(0, 2), facts)[0]).toMatchObject({ kind: 'map', field: 'lat', second: 'lon' });
    // A small sample can contain few distinct values even of a measure.
    expect(suggestCharts(fields.slice(2, 5), { ...facts, sampled: 30 })[0]).toMatchObject({ field: 'sex' });
  });

  it('suggests the number of records over time rather than identifiers, dates, ranks, flags or constants', () => {
    const firstField = (path: string, overrides: Partial<Field> = {}) =>
      suggestCharts([field('at', 'dateTime'), field(path, 'number', overrides)], facts)[0]?.field;
    const codes = ['userId', 'paper_id', 'isbn13', 'chart rank', 'weekday', 'data.month'];
    expect(codes.map((path) => firstField(path))).toEqual(codes.map(() => undefined));
    expect([firstField('alarm', { distinct: 2 }), firstField('share', { distinct: 1 })]).toEqual([
      undefined,
      undefined,
    ]);
    const measures = ['stepsPerDay', 'rain_per_month', 'sleepHours', 'rankings won'];
    expect(measures.map((path) => firstField(path))).toEqual(measures);
    expect(firstField('mood', { distinct: 5 })).toBe('mood');
    const fieldsWithId = [field('at', 'dateTime'), field('userId', 'number')];
    expect(suggestCharts(fieldsWithId, facts).find(({ kind }) => kind === 'heat')?.field).toBeUndefined();
  });

  it('does not suggest a chart over a time with two distinct values first, unless the sample is small', () => {
    const fields = [field('year', 'date', { timeFormat: 'year', distinct: 2 }), field('yield', 'number')];
    expect(suggestCharts(fields, facts)[0]).toMatchObject({ kind: 'distribution', field: 'yield' });
    expect(suggestCharts(fields, { ...facts, storedDays: 9 })[0]).toMatchObject({ kind: 'distribution' });
    expect(suggestCharts(fields, { ...facts, sampled: 30 })[0]).toMatchObject({ kind: 'time', field: 'yield' });
  });

  it('without a time, suggests a scatter chart first if two measures are the only numbers or are named x and y', () => {
    const [x, y, size] = [field('data.X', 'number'), field('data.Y', 'number'), field('size', 'number')];
    expect(suggestCharts([size, x], facts)[0]).toMatchObject({ kind: 'scatter', field: 'size', second: 'data.X' });
    expect(suggestCharts([size, y, x], facts)[0]).toMatchObject({ kind: 'scatter', field: 'data.X', second: 'data.Y' });
    expect(suggestCharts([size, x, field('id', 'number')], facts)[0]).toMatchObject({ kind: 'distribution' });
    expect(suggestCharts([field('at', 'dateTime'), x, y], facts)[0]).toMatchObject({ kind: 'time', field: 'data.X' });
  });

  it('prefers dates to years', () => {
    const fields = [field('year', 'date', { timeFormat: 'year' }), field('day', 'date', { timeFormat: 'iso' })];
    expect(suggestCharts(fields, facts)[0]?.time).toBe('day');
  });

  it('prefers a time that varies to a constant one', () => {
    const fields = [field('exported', 'date', { distinct: 1 }), field('day', 'date', { filled: 0.9 })];
    expect(suggestCharts(fields, facts)[0]?.time).toBe('day');
  });

  it('suggests the number of records first if the endpoint has no usable fields', () => {
    expect(suggestCharts([], facts)[0]).toEqual({
      kind: 'time',
      field: undefined,
      time: undefined,
      aggregation: 'count',
    });
  });

  it('suggests a map of positions first, and then a calendar of events', () => {
    const position = [field('lat', 'latitude'), field('lon', 'longitude')];
    const event = [field('start', 'dateTime'), field('end', 'dateTime')];
    expect(suggestCharts([...position, ...event, field('size', 'number')], facts).slice(0, 2)).toMatchObject([
      { kind: 'map', field: 'lat', second: 'lon' },
      { kind: 'calendar', time: 'start' },
    ]);
    expect(suggestCharts([field('start', 'dateTime')], facts).map(({ kind }) => kind)).not.toContain('calendar');
  });

  it('suggests a gallery first if most records have a picture in the PDA, or some do and other charts only count', () => {
    const kindsWith = (ownPictures: number, ...others: Field[]) =>
      suggestCharts([field('photo', 'image', { ownPictures }), ...others], facts).map(({ kind }) => kind);
    const [day, size] = [field('day', 'date'), field('size', 'number')];
    expect(kindsWith(0.6, day, size)[0]).toBe('gallery');
    expect(kindsWith(0.4, day, size)[0]).toBe('time');
    expect(kindsWith(0.4, day)[0]).toBe('gallery');
    expect(kindsWith(0, day).at(-1)).toBe('gallery');
    expect(suggestCharts([day, size], facts).map(({ kind }) => kind)).not.toContain('gallery');
  });

  it('prefers the pictures that are stored in the PDA', () => {
    const fields = [
      field('cover', 'image', { ownPictures: 0 }),
      field('photo', 'image', { ownPictures: 0.9, filled: 0.9 }),
    ];
    expect(suggestCharts(fields, facts)[0]).toMatchObject({ kind: 'gallery', field: 'photo' });
  });
});

describe('defaultAggregation', () => {
  it('returns the mean for prices and measurements, and the sum for amounts of money and counts', () => {
    expect(
      ['price', 'amount', 'deaths', 'temperature'].map((name) =>
        defaultAggregation(field(name, name === 'price' || name === 'amount' ? 'money' : 'number')),
      ),
    ).toEqual(['mean', 'sum', 'sum', 'mean']);
  });
});

describe('suggested charts for the fields of public data sets', () => {
  const number = (path: string, distinct: number, overrides: Partial<Field> = {}) =>
    field(path, 'number', { distinct, ...overrides });
  const text = (path: string, distinct: number) => field(path, 'text', { distinct });
  const date = (path: string, distinct: number, overrides: Partial<Field> = {}) =>
    field(path, 'date', { distinct, ...overrides });
  const year = (path: string, distinct: number) => date(path, distinct, { timeFormat: 'year' });

  it.each<[name: string, sampled: number, fields: Field[], chart: Partial<ChartSpec>]>([
    [
      'population.json',
      385,
      [year('year', 15), number('age', 19), number('sex', 2), number('people', 385)],
      { kind: 'time', field: 'people', time: 'year', aggregation: 'sum' },
    ],
    [
      // The sample is smaller if the sequence numbers of the records have gaps.
      'population.json in a smaller sample',
      323,
      [year('year', 15), number('age', 19), number('sex', 2), number('people', 323)],
      { kind: 'time', field: 'people', time: 'year', aggregation: 'sum' },
    ],
    [
      'barley.json',
      120,
      [number('yield', 114), text('variety', 10), year('year', 2), text('site', 6)],
      { kind: 'distribution', field: 'yield' },
    ],
    [
      'budget.json, whose yearly columns are mostly zero',
      237,
      [
        number('1962', 18),
        number('1980', 22),
        text('1981', 25),
        number('Source Category Code', 8),
        text('Source category name', 8),
        number('Source subcategory', 4),
        number('Account code', 231),
        text('Account name', 232),
      ],
      { kind: 'values', field: 'Source category name' },
    ],
    [
      'seattle-weather-hourly-normals.csv',
      400,
      [
        field('date', 'dateTime', { distinct: 400 }),
        number('pressure', 35),
        number('temperature', 130),
        number('wind', 24),
      ],
      { kind: 'time', field: 'temperature', time: 'date', aggregation: 'mean' },
    ],
    [
      'cars.json',
      303,
      [
        number('Cylinders', 5),
        number('Miles_per_Gallon', 127, { filled: 0.99 }),
        number('Horsepower', 81, { filled: 0.98 }),
        date('Year', 12),
        text('Origin', 3),
      ],
      { kind: 'time', field: 'Miles_per_Gallon', time: 'Year', aggregation: 'mean' },
    ],
    [
      'github.csv',
      389,
      [field('time', 'dateTime', { distinct: 389 }), number('count', 14)],
      { kind: 'time', field: 'count', time: 'time', aggregation: 'sum' },
    ],
    [
      'platformer-terrain.json',
      398,
      [number('x', 156), number('y', 83), number('lumosity', 353), number('saturation', 2), text('name', 3)],
      { kind: 'scatter', field: 'x', second: 'y' },
    ],
    [
      'anscombe.json',
      44,
      [text('Series', 4), number('X', 12), number('Y', 43)],
      { kind: 'scatter', field: 'X', second: 'Y' },
    ],
    [
      'lookup_people.csv',
      9,
      [text('name', 9), number('age', 9), number('height', 8)],
      { kind: 'scatter', field: 'age' },
    ],
    [
      'income.json',
      360,
      [
        text('name', 52),
        text('region', 5),
        number('id', 52),
        number('pct', 151),
        number('total', 52),
        text('group', 10),
      ],
      { kind: 'distribution', field: 'pct' },
    ],
    [
      'miserables.json',
      254,
      [number('source', 73), number('target', 49), number('value', 17)],
      { kind: 'distribution', field: 'value' },
    ],
    [
      'flare-dependencies.json',
      388,
      [number('source', 102), number('target', 162)],
      { kind: 'scatter', field: 'source', second: 'target' },
    ],
  ])('begin with the expected chart for %s', (_, sampled, fields, chart) => {
    expect(suggestCharts(fields, { storedDays: 0, sampled })[0]).toMatchObject(chart);
  });
});
