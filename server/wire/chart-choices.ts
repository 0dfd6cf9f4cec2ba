// Options of charts. This file contains no schemas, so that the dashboard can import it without bundling Zod.

export const CHART_KINDS = ['time', 'heat', 'distribution', 'values', 'scatter', 'map', 'calendar', 'gallery'] as const;
export const AGGREGATIONS = ['sum', 'mean', 'min', 'max', 'count'] as const;

export type ChartKind = (typeof CHART_KINDS)[number];
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Bucket sizes of charts over time, the finest first. */
export const CHART_BUCKETS = ['hour', 'day', 'week', 'month', 'year'] as const;

export const CHART_MARKS = ['line', 'bar', 'area'] as const;

/** Numbers of days to which a chart over time can be limited. */
export const CHART_RANGE_DAYS = [7, 30, 90, 365] as const;
