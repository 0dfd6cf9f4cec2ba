import { useState } from 'react';
import {
  AGGREGATIONS,
  type Aggregation,
  BUCKETS,
  CHART_KINDS,
  type ChartKind,
  MARKS,
  RANGES,
} from '../../../../../server/wire/chart-choices.ts';
import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';

/** Choices of the chart of an endpoint, stored in the URL and remembered on this device. Undefined: the suggested one. */

export interface ChartView {
  kind: ChartKind | undefined;
  field: string | undefined;
  /** Records are counted, although fields have numbers. */
  counts: boolean;
  second: string | undefined;
  time: string | undefined;
  /** The time of storing is used, although fields have times. */
  stored: boolean;
  aggregation: Aggregation | undefined;
  per: (typeof BUCKETS)[number] | undefined;
  lastDays: (typeof RANGES)[number] | undefined;
  mark: (typeof MARKS)[number] | undefined;
  compare: boolean;
  year: string | undefined;
  asTable: boolean;
}

/** Names of the parameters in the URL. */
export const CHART_PARAMETERS = [
  'chart',
  'field',
  'counts',
  'second',
  'time',
  'stored',
  'agg',
  'per',
  'last',
  'mark',
  'compare',
  'year',
  'as',
] as const;

const oneOf = <Choice extends string>(choices: readonly Choice[], text: string | null): Choice | undefined =>
  choices.find((choice) => choice === text);

function readChartView(query: URLSearchParams): ChartView {
  const last = Number(query.get('last'));
  return {
    kind: oneOf(CHART_KINDS, query.get('chart')),
    field: query.get('field') ?? undefined,
    counts: query.get('counts') === '1',
    second: query.get('second') ?? undefined,
    time: query.get('time') ?? undefined,
    stored: query.get('stored') === '1',
    aggregation: oneOf(AGGREGATIONS, query.get('agg')),
    per: oneOf(BUCKETS, query.get('per')),
    lastDays: RANGES.find((days) => days === last),
    mark: oneOf(MARKS, query.get('mark')),
    compare: query.get('compare') === '1',
    year: query.get('year') ?? undefined,
    asTable: query.get('as') === 'table',
  };
}

export function writeChartView(view: ChartView, query: URLSearchParams): URLSearchParams {
  const values: Record<(typeof CHART_PARAMETERS)[number], string | undefined> = {
    chart: view.kind,
    field: view.field,
    counts: view.counts ? '1' : undefined,
    second: view.second,
    time: view.time,
    stored: view.stored ? '1' : undefined,
    agg: view.aggregation,
    per: view.per,
    last: view.lastDays?.toString(),
    mark: view.mark,
    compare: view.compare ? '1' : undefined,
    year: view.year,
    as: view.asTable ? 'table' : undefined,
  };
  for (const name of CHART_PARAMETERS) {
    const value = values[name];
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return query;
}

const storageKey = (endpoint: string): string => `pda-chart ${endpoint}`;

function readRemembered(endpoint: string): URLSearchParams {
  try {
    return new URLSearchParams(localStorage.getItem(storageKey(endpoint)) ?? '');
  } catch {
    // Storage can be disabled; the suggested chart is shown then.
    return new URLSearchParams();
  }
}

function remember(endpoint: string, view: ChartView): void {
  try {
    localStorage.setItem(storageKey(endpoint), writeChartView(view, new URLSearchParams()).toString());
  } catch {
    // Storage can be disabled or full.
  }
}

/** A change names the kind of the shown chart, so that the URL describes a chart even if all else is the default. */
export type ChartChange = Partial<ChartView> & { kind: ChartKind };

export function useChartView(endpoint: string): [ChartView, (change: ChartChange) => void] {
  const [query, setQuery] = useUrlQuery();
  // Read once: Back returns to the chart that was shown on arrival, not to the latest choice.
  const [remembered] = useState(() => readRemembered(endpoint));
  const viewIn = (current: URLSearchParams): ChartView =>
    readChartView(CHART_PARAMETERS.some((name) => current.has(name)) ? current : remembered);
  const change = (changes: ChartChange) =>
    setQuery(
      (current) => {
        const next = { ...viewIn(current), ...changes };
        remember(endpoint, next);
        return writeChartView(next, current);
      },
      { preventScrollReset: true },
    );
  return [viewIn(query), change];
}
