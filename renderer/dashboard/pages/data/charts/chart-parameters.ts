import {
  AGGREGATIONS,
  type Aggregation,
  CHART_BUCKETS,
  CHART_KINDS,
  type ChartKind,
  CHART_MARKS,
  CHART_RANGE_DAYS,
} from '../../../../../server/wire/chart-choices.ts';

/** Chart choices for an endpoint, stored in the URL and by the PDA. Undefined means the suggestion or the default. */
export interface ChartView {
  kind: ChartKind | undefined;
  field: string | undefined;
  /** True to count records even if the endpoint has numeric fields. */
  countsRecords: boolean;
  /** Field path for the vertical axis of a scatter chart, the longitude of a map, or the end of an event. */
  second: string | undefined;
  time: string | undefined;
  /** True to use the records' storage times even if the endpoint has time fields. */
  usesStorageTime: boolean;
  aggregation: Aggregation | undefined;
  per: (typeof CHART_BUCKETS)[number] | undefined;
  lastDays: (typeof CHART_RANGE_DAYS)[number] | undefined;
  mark: (typeof CHART_MARKS)[number] | undefined;
  compare: boolean;
  year: string | undefined;
  /** Such as `2026-03`. */
  month: string | undefined;
  /** True if a map connects positions in chronological order. */
  connect: boolean;
  /** Time interval of a map, in Unix seconds. */
  from: number | undefined;
  to: number | undefined;
  isTableShown: boolean;
}

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
  'month',
  'connect',
  'from',
  'to',
  'as',
] as const;

const findChoice = <Choice extends string>(choices: readonly Choice[], text: string | null): Choice | undefined =>
  choices.find((choice) => choice === text);

/** Returns Unix seconds; undefined if the parameter is not an integer. */
const parseUnixSeconds = (text: string | null): number | undefined => {
  const seconds = Number(text ?? '');
  return text !== null && text !== '' && Number.isSafeInteger(seconds) ? seconds : undefined;
};

/** Ignores unknown choices and invalid numbers. */
export function parseChartView(query: URLSearchParams): ChartView {
  const last = Number(query.get('last'));
  return {
    kind: findChoice(CHART_KINDS, query.get('chart')),
    field: query.get('field') ?? undefined,
    countsRecords: query.get('counts') === '1',
    second: query.get('second') ?? undefined,
    time: query.get('time') ?? undefined,
    usesStorageTime: query.get('stored') === '1',
    aggregation: findChoice(AGGREGATIONS, query.get('agg')),
    per: findChoice(CHART_BUCKETS, query.get('per')),
    lastDays: CHART_RANGE_DAYS.find((days) => days === last),
    mark: findChoice(CHART_MARKS, query.get('mark')),
    compare: query.get('compare') === '1',
    year: query.get('year') ?? undefined,
    month: query.get('month') ?? undefined,
    connect: query.get('connect') === '1',
    from: parseUnixSeconds(query.get('from')),
    to: parseUnixSeconds(query.get('to')),
    isTableShown: query.get('as') === 'table',
  };
}

/** Changes and returns the URL query. Removes parameters without a value. */
export function setChartParameters(view: ChartView, query: URLSearchParams): URLSearchParams {
  const values: Record<(typeof CHART_PARAMETERS)[number], string | undefined> = {
    chart: view.kind,
    field: view.field,
    counts: view.countsRecords ? '1' : undefined,
    second: view.second,
    time: view.time,
    stored: view.usesStorageTime ? '1' : undefined,
    agg: view.aggregation,
    per: view.per,
    last: view.lastDays?.toString(),
    mark: view.mark,
    compare: view.compare ? '1' : undefined,
    year: view.year,
    month: view.month,
    connect: view.connect ? '1' : undefined,
    from: view.from?.toString(),
    to: view.to?.toString(),
    as: view.isTableShown ? 'table' : undefined,
  };
  for (const name of CHART_PARAMETERS) {
    const value = values[name];
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return query;
}
