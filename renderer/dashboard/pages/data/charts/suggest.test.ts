import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../server/wire/fields.ts';
import { defaultAggregation, suggestCharts } from './suggest.ts';

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
  it('adds up counts and averages measurements over the time field', () => {
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
      'distribution',
      'distribution',
      'scatter',
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

  it('counts values of Booleans and of strings with few distinct values', () => {
    const texts = [20, 21, 1].map((distinct) => field(`text ${distinct}`, 'text', { distinct }));
    const charts = suggestCharts([field('done', 'boolean', { distinct: 1 }), ...texts], facts);
    expect(charts.filter(({ kind }) => kind === 'values').map((chart) => chart.field)).toEqual(['done', 'text 20']);
  });

  it('prefers quantities to categories and coordinates', () => {
    const fields = [
      field('lat', 'latitude'),
      field('lon', 'longitude'),
      field('sex', 'number', { distinct: 2 }),
      field('parent', 'number'),
      field('size', 'number', { distinct: 6 }),
    ];
    expect(suggestCharts(fields, facts).map((chart) => [chart.kind, chart.field])).toEqual([
      ['map', 'lat'],
      ['distribution', 'size'],
      ['scatter', 'size'],
      ['distribution', 'sex'],
      ['distribution', 'parent'],
      ['time', 'size'],
      ['time', 'sex'],
      ['time', 'parent'],
      ['time', undefined],
      ['heat', 'size'],
    ]);
    expect(suggestCharts(fields.slice(0, 2), facts)[0]).toMatchObject({ kind: 'map', field: 'lat', second: 'lon' });
    // A small sample can contain few distinct values even of a quantity.
    expect(suggestCharts(fields.slice(2, 4), { ...facts, sampled: 30 })[0]).toMatchObject({ field: 'sex' });
  });

  it('averages prices and sums other amounts of money', () => {
    expect(
      ['price', 'amount', 'deaths', 'temperature'].map((name) =>
        defaultAggregation(field(name, name === 'price' || name === 'amount' ? 'money' : 'number')),
      ),
    ).toEqual(['mean', 'sum', 'sum', 'mean']);
  });

  it('prefers dates to years', () => {
    const fields = [field('year', 'date', { timeFormat: 'year' }), field('day', 'date', { timeFormat: 'iso' })];
    expect(suggestCharts(fields, facts)[0]?.time).toBe('day');
  });

  it('counts records if the endpoint has no usable fields', () => {
    expect(suggestCharts([], facts)[0]).toEqual({
      kind: 'time',
      field: undefined,
      time: undefined,
      aggregation: 'count',
    });
  });

  it('shows a map of positions first, and a calendar of events', () => {
    const position = [field('lat', 'latitude'), field('lon', 'longitude')];
    const event = [field('start', 'dateTime'), field('end', 'dateTime')];
    expect(suggestCharts([...position, ...event, field('size', 'number')], facts).slice(0, 2)).toMatchObject([
      { kind: 'map', field: 'lat', second: 'lon' },
      { kind: 'calendar', time: 'start' },
    ]);
    expect(suggestCharts([field('start', 'dateTime')], facts).map(({ kind }) => kind)).not.toContain('calendar');
  });

  it('shows a gallery first if most records have a picture in the PDA, or if nothing else can be drawn', () => {
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
