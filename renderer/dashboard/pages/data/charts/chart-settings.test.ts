import { describe, expect, it } from 'vitest';
import type { PinnedChartSettings } from '../../../../../server/wire/pinned-charts.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { chartPath, hasFields, isSameChart, viewOfSettings } from './chart-settings.ts';
import { resolveChart } from './resolve-chart.ts';

const field = (path: string, type: Field['type']): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  distinct: 9,
  exceptions: 0,
  corrected: false,
});
const fields = [field('day', 'date'), field('steps', 'number'), field('pulse', 'number'), field('mood', 'text')];
const steps: PinnedChartSettings = {
  kind: 'time',
  field: 'steps',
  time: 'day',
  aggregation: 'sum',
  per: 'week',
  mark: 'area',
  lastDays: 90,
  compare: true,
};
const counts: PinnedChartSettings = { kind: 'heat', aggregation: 'count', year: '2025' };
const fieldsOfPlaces = [
  ...fields,
  field('lat', 'latitude'),
  field('lon', 'longitude'),
  field('start', 'dateTime'),
  field('end', 'dateTime'),
];
const map: PinnedChartSettings = {
  kind: 'map',
  field: 'lat',
  second: 'lon',
  time: 'start',
  connect: true,
  from: 5,
};
const calendar: PinnedChartSettings = { kind: 'calendar', time: 'start', second: 'end', field: 'mood' };
const fieldsOfPhotos = [...fields, field('photo', 'image')];
const gallery: PinnedChartSettings = { kind: 'gallery', field: 'photo', time: 'day' };
const scatter: PinnedChartSettings = { kind: 'scatter', field: 'steps', second: 'pulse' };

describe('chartPath', () => {
  it('contains all settings of the chart', () => {
    expect(chartPath('watch/steps', steps)).toBe(
      '/data/endpoint/watch/steps?view=chart&chart=time&field=steps&time=day&agg=sum&per=week&last=90&mark=area&compare=1',
    );
    expect(chartPath('watch/steps', counts)).toBe(
      '/data/endpoint/watch/steps?view=chart&chart=heat&counts=1&stored=1&agg=count&year=2025',
    );
    expect(chartPath('phone/places', map)).toBe(
      '/data/endpoint/phone/places?view=chart&chart=map&field=lat&second=lon&time=start&connect=1&from=5',
    );
    expect(chartPath('phone/photos', gallery)).toBe(
      '/data/endpoint/phone/photos?view=chart&chart=gallery&field=photo&time=day',
    );
  });
});

describe('hasFields', () => {
  const resolve = (settings: PinnedChartSettings, endpointFields = fields) =>
    resolveChart(viewOfSettings(settings), endpointFields, []);

  it.each([steps, counts, scatter, { kind: 'values', field: 'mood' }] as const)('is true for %j', (settings) => {
    expect(hasFields(resolve(settings), settings)).toBe(true);
  });

  it.each([map, calendar])('is true for %j, and false without its fields', (settings) => {
    expect(hasFields(resolve(settings, fieldsOfPlaces), settings)).toBe(true);
    expect(hasFields(resolve(settings), settings)).toBe(false);
  });

  it('is true for a gallery, and false without its pictures or its time', () => {
    expect(hasFields(resolve(gallery, fieldsOfPhotos), gallery)).toBe(true);
    expect(hasFields(resolve(gallery), gallery)).toBe(false);
    expect(hasFields(resolve(gallery, fieldsOfPhotos.slice(1)), gallery)).toBe(false);
  });

  it('is false without the field, the time field or the second field', () => {
    const fieldsWithout = (path: string) => fields.filter((candidate) => candidate.path !== path);
    expect(hasFields(resolve(steps, fieldsWithout('steps')), steps)).toBe(false);
    expect(hasFields(resolve(steps, fieldsWithout('day')), steps)).toBe(false);
    expect(hasFields(resolve(scatter, fieldsWithout('pulse')), scatter)).toBe(false);
  });

  it('is false if the field no longer has numbers', () => {
    expect(hasFields(resolve(steps, [...fields.slice(0, 1), field('steps', 'text')]), steps)).toBe(false);
  });
});

describe('isSameChart', () => {
  it('ignores the order of the settings and undefined settings', () => {
    const { kind, ...otherSettings } = scatter;
    expect(isSameChart(scatter, { ...otherSettings, kind })).toBe(true);
    expect(isSameChart(steps, { ...steps, lastDays: undefined })).toBe(false);
    expect(isSameChart(counts, { ...counts, field: undefined })).toBe(true);
  });
});
