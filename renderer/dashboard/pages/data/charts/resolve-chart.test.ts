import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../server/wire/fields.ts';
import { parseChartView } from './chart-parameters.ts';
import { resolveChart } from './resolve-chart.ts';
import { suggestCharts } from './suggest.ts';

const field = (path: string, type: Field['type'], distinct: number): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  distinct,
  exceptions: 0,
  corrected: false,
});
const fields = [field('year', 'date', 15), field('age', 'number', 19), field('people', 'number', 385)];
const resolve = (stored: string) =>
  resolveChart(
    parseChartView(new URLSearchParams(stored)),
    fields,
    suggestCharts(fields, { storedDays: 0, sampled: 385 }),
  );

describe('resolveChart', () => {
  it('keeps the stored choice, whatever is suggested', () => {
    expect(resolve('chart=time&field=age&time=year&agg=mean')).toMatchObject({
      kind: 'time',
      field: { path: 'age' },
      time: { path: 'year' },
      aggregation: 'mean',
    });
    expect(resolve('chart=time&counts=1')).toMatchObject({ kind: 'time', field: undefined, aggregation: 'count' });
    expect(resolve('chart=distribution&field=age')).toMatchObject({ kind: 'distribution', field: { path: 'age' } });
    expect(resolve('chart=scatter&field=people&second=age')).toMatchObject({
      kind: 'scatter',
      field: { path: 'people' },
      second: { path: 'age' },
    });
  });

  it('returns the first suggestion by default, and completes a stored chart kind with its suggestion', () => {
    expect(resolve('')).toMatchObject({ kind: 'time', field: { path: 'people' }, aggregation: 'sum' });
    expect(resolve('chart=heat')).toMatchObject({ kind: 'heat', field: { path: 'people' }, time: { path: 'year' } });
  });
});
