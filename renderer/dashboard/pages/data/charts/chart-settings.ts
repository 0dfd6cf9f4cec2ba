import { hashKey } from '@tanstack/react-query';
import type { PinnedChartSettings } from '../../../../../server/wire/pinned-charts.ts';
import { endpointPath } from '../../../navigation.ts';
import type { ResolvedChart } from './resolve-chart.ts';
import { type ChartView, setChartParameters } from './chart-parameters.ts';

export function viewOfSettings(settings: PinnedChartSettings): ChartView {
  const isOverTime = settings.kind === 'time' || settings.kind === 'heat';
  const isMap = settings.kind === 'map';
  return {
    kind: settings.kind,
    field: settings.field,
    countsRecords: isOverTime && settings.field === undefined,
    second: 'second' in settings ? settings.second : undefined,
    time: 'time' in settings ? settings.time : undefined,
    usesStorageTime: isOverTime && settings.time === undefined,
    aggregation: isOverTime ? settings.aggregation : undefined,
    per: settings.kind === 'time' ? settings.per : undefined,
    lastDays: settings.kind === 'time' ? settings.lastDays : undefined,
    mark: settings.kind === 'time' ? settings.mark : undefined,
    compare: settings.kind === 'time' && settings.compare,
    year: settings.kind === 'heat' ? settings.year : undefined,
    month: undefined,
    connect: isMap && settings.connect,
    from: isMap ? settings.from : undefined,
    to: isMap ? settings.to : undefined,
    isTableShown: false,
  };
}

export function chartPath(endpoint: string, settings: PinnedChartSettings): string {
  const query = setChartParameters(viewOfSettings(settings), new URLSearchParams({ view: 'chart' }));
  return `${endpointPath(endpoint)}?${query.toString()}`;
}

export function isSameChart(a: PinnedChartSettings, b: PinnedChartSettings): boolean {
  return hashKey([a]) === hashKey([b]);
}

/** Returns true if the endpoint still has all fields of the chart, with suitable types. */
export function hasFields(chart: ResolvedChart, settings: PinnedChartSettings): boolean {
  const { field, second, time, kind } = viewOfSettings(settings);
  return (
    chart.kind === kind &&
    chart.field?.path === field &&
    (second === undefined || chart.second?.path === second) &&
    (time === undefined || chart.time?.path === time)
  );
}
