import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChartSpec, suggestCharts } from '../renderer/dashboard/pages/data/charts/suggest.ts';
import { inferFields } from '../server/pda/data/fields/rules.ts';
import { previewFiles } from '../server/pda/data/imports/preview/file-preview.ts';
import { readElements } from '../server/pda/data/imports/tabular/element-reader.ts';
import type { ImportPreview } from '../server/wire/imports.ts';
import { MAX_SAMPLED_RECORDS } from '../server/wire/limits.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests the preview, the field types and the suggested first chart of public data sets, without any correction.

const DATA = join(import.meta.dirname, '../node_modules/vega-datasets/data');

type Expectation = {
  rows: number;
  /** Default: the format of the file extension. */
  format?: ImportPreview['format'];
  /** Path of the record list; default: the file itself is the list. */
  list?: string[];
  /** Column types in the preview. */
  columns: Readonly<Record<string, ImportPreview['columns'][number]['type']>>;
  /** Field types of the stored records. */
  fields: Readonly<Record<string, string>>;
  /** Description of the first chart. */
  chart: string;
};

const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  'movies.json': {
    rows: 3201,
    columns: { Title: 'mixed', 'US Gross': 'integer', 'Release Date': 'month-name', 'IMDB Rating': 'number' },
    fields: { Title: 'text', 'US Gross': 'money', 'Release Date': 'date', 'Running Time min': 'duration' },
    chart: 'sum of US Gross over Release Date',
  },
  'earthquakes.json': {
    format: 'geojson',
    list: ['features'],
    rows: 1707,
    columns: { id: 'text', mag: 'number', time: 'integer', tsunami: 'integer', geometry: 'object' },
    fields: { mag: 'number', time: 'dateTime', place: 'text', url: 'link', geometry: 'geoJson' },
    chart: 'map of geometry',
  },
  'us-10m.json': {
    format: 'topojson',
    list: ['objects', 'counties'],
    rows: 3641,
    columns: { id: 'integer', geometry: 'object' },
    fields: { id: 'number', geometry: 'geoJson' },
    chart: 'map of geometry',
  },
  'world-110m.json': {
    format: 'topojson',
    list: ['objects', 'countries'],
    rows: 177,
    columns: { id: 'integer', geometry: 'object' },
    fields: { id: 'number', geometry: 'geoJson' },
    chart: 'map of geometry',
  },
  'londonBoroughs.json': {
    format: 'topojson',
    list: ['objects', 'boroughs'],
    rows: 33,
    columns: { id: 'text', geometry: 'object' },
    fields: { id: 'text', geometry: 'geoJson' },
    chart: 'map of geometry',
  },
  'londonTubeLines.json': {
    format: 'topojson',
    list: ['objects', 'line'],
    rows: 394,
    columns: { id: 'text', geometry: 'object' },
    fields: { id: 'text', geometry: 'geoJson' },
    chart: 'map of geometry',
  },
  'miserables.json': {
    list: ['links'],
    rows: 254,
    columns: { source: 'integer', target: 'integer', value: 'integer' },
    fields: { value: 'number' },
    chart: 'distribution of value',
  },
  'volcano.json': { list: ['values'], rows: 5307, columns: {}, fields: { '': 'number' }, chart: 'distribution of ' },
  'gapminder.json': {
    rows: 682,
    columns: { year: 'integer', country: 'text', pop: 'integer', life_expect: 'number' },
    fields: { year: 'date', country: 'text', pop: 'number' },
    chart: 'sum of pop over year',
  },
  'population.json': {
    rows: 570,
    columns: { year: 'integer', age: 'integer', sex: 'integer', people: 'integer' },
    fields: { year: 'date', people: 'number' },
    chart: 'sum of people over year',
  },
  'barley.json': {
    rows: 120,
    columns: { yield: 'number', variety: 'text', year: 'integer', site: 'text' },
    fields: { yield: 'number', year: 'date', site: 'text' },
    chart: 'distribution of yield',
  },
  'budget.json': {
    rows: 237,
    columns: {},
    fields: { '1962': 'number', 'Source category name': 'text', 'Account code': 'number' },
    chart: 'records by Source category name',
  },
  'platformer-terrain.json': {
    rows: 7514,
    columns: { x: 'integer', y: 'integer', lumosity: 'number' },
    fields: { x: 'number', y: 'number', saturation: 'number' },
    chart: 'y against x',
  },
  'seattle-weather-hourly-normals.csv': {
    rows: 8759,
    columns: { date: 'iso', pressure: 'number', temperature: 'number', wind: 'number' },
    fields: { date: 'dateTime', pressure: 'number', temperature: 'number' },
    chart: 'mean of temperature over date',
  },
  'flights-20k.json': {
    rows: 20_000,
    columns: { date: 'year-month-day', delay: 'integer', origin: 'text' },
    fields: { date: 'dateTime', delay: 'number' },
    chart: 'mean of delay over date',
  },
  'flights-200k.json': {
    rows: 231_083,
    columns: { delay: 'integer', distance: 'integer', time: 'number' },
    fields: { delay: 'number', distance: 'number' },
    chart: 'distribution of delay',
  },
  'zipcodes.csv': {
    rows: 42_049,
    columns: { zip_code: 'text', latitude: 'number', longitude: 'number', city: 'text' },
    fields: { zip_code: 'text', latitude: 'latitude', longitude: 'longitude' },
    chart: 'map of latitude',
  },
  'airports.csv': {
    rows: 3376,
    columns: { iata: 'text', name: 'text', latitude: 'number', longitude: 'number' },
    fields: { iata: 'text', latitude: 'latitude', longitude: 'longitude' },
    chart: 'map of latitude',
  },
  'sp500.csv': {
    rows: 123,
    columns: { date: 'month-name', price: 'number' },
    fields: { date: 'date', price: 'money' },
    chart: 'mean of price over date',
  },
  'seattle-weather.csv': {
    rows: 1461,
    columns: { date: 'iso', precipitation: 'number', temp_min: 'number', weather: 'text' },
    fields: { date: 'date', temp_max: 'number', temp_min: 'number' },
    chart: 'mean of precipitation over date',
  },
  'weather.csv': {
    rows: 2922,
    columns: { location: 'text', date: 'iso', precipitation: 'number', temp_min: 'number' },
    fields: { location: 'text', date: 'date', temp_min: 'number' },
    chart: 'mean of precipitation over date',
  },
  'unemployment.tsv': {
    rows: 3218,
    columns: { id: 'integer', rate: 'number' },
    fields: { id: 'number', rate: 'number' },
    chart: 'distribution of rate',
  },
  'flights-airport.csv': {
    rows: 5366,
    columns: { origin: 'text', destination: 'text', count: 'integer' },
    fields: { origin: 'text', count: 'number' },
    chart: 'distribution of count',
  },
  'github.csv': {
    rows: 955,
    columns: { time: 'year-month-day', count: 'integer' },
    fields: { time: 'dateTime', count: 'number' },
    chart: 'sum of count over time',
  },
  'birdstrikes.csv': {
    rows: 10_000,
    columns: { 'Flight Date': 'iso', 'Wildlife Size': 'text', 'Cost Total $': 'integer' },
    fields: { 'Flight Date': 'date', 'Cost Total $': 'money', 'Speed IAS in knots': 'number' },
    chart: 'mean of Speed IAS in knots over Flight Date',
  },
};

/** Reads all records as an import would, with the choices of the preview. */
const readRecords = async (path: string, { format, lists }: ImportPreview): Promise<unknown[]> => {
  if (format === 'known' || format === 'bank' || format === 'unknown') return [];
  const records: unknown[] = [];
  for await (const { elements } of readElements(createReadStream(path), format, { list: lists?.chosen }))
    records.push(...elements.map(({ text }): unknown => JSON.parse(text)));
  return records;
};

/** Returns the newest records and some of the others, from which the fields of an endpoint are inferred. */
const sampleOf = (records: readonly unknown[]): unknown[] => {
  const half = MAX_SAMPLED_RECORDS / 2;
  const step = Math.max(1, Math.floor(records.length / half));
  return records.filter((_, index) => index >= records.length - half || index % step === 0).toReversed();
};

const textOf = (chart: ChartSpec | undefined): string => {
  const field = chart?.field ?? '';
  switch (chart?.kind) {
    case 'time':
      return `${chart.aggregation} of ${field} over ${chart.time ?? 'the time of storing'}`;
    case 'values':
      return `records by ${field}`;
    case 'scatter':
      return `${chart.second ?? ''} against ${field}`;
    default:
      return `${chart?.kind ?? ''} of ${field}`;
  }
};

describe('the public data set', () => {
  /** Data sets of `npm test`: small ones with all kinds of first charts. */
  const QUICK_DATA_SETS = new Set([
    'world-110m.json',
    'miserables.json',
    'airports.csv',
    'seattle-weather.csv',
    'unemployment.tsv',
    'github.csv',
    'budget.json',
    'platformer-terrain.json',
  ]);
  const isIncluded = ([name]: [string, unknown]): boolean => IS_THOROUGH_RUN || QUICK_DATA_SETS.has(name);
  it.each(Object.entries(EXPECTATIONS).filter(isIncluded))(
    '%s needs no correction and gets the expected chart',
    async (name, expected) => {
      const path = join(DATA, name);
      const source = { path, name, start: 0, size: statSync(path).size };
      const summarise = () => Promise.reject(new Error('this is not an export'));
      // On a busy machine, large files would otherwise be counted only in part.
      const preview = await previewFiles([source], {}, summarise, { listsMaxMs: 600_000, countMaxMs: 600_000 });
      expect(preview).toMatchObject({
        format: expected.format ?? (name.endsWith('.json') ? 'json' : 'csv'),
        rows: { count: expected.rows, exact: true },
        error: null,
      });
      expect(preview.lists?.chosen).toEqual(expected.list);
      expect(Object.fromEntries(preview.columns.map((column) => [column.name, column.type]))).toMatchObject(
        expected.columns,
      );
      const records = await readRecords(path, preview);
      expect(records.length).toBe(expected.rows);
      const sample = sampleOf(records);
      const fields = [...inferFields(sample)].map(({ field }) => field);
      expect(Object.fromEntries(fields.map((field) => [field.path, field.type]))).toMatchObject(expected.fields);
      expect(textOf(suggestCharts(fields, { storedDays: 0, sampled: sample.length })[0])).toBe(expected.chart);
    },
  );
});
