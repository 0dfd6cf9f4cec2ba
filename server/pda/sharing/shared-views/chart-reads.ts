import type { Clock } from '../../../platform/clock.ts';
import { createLocalDateFormat } from '../../../platform/local-date.ts';
import type { CalendarDays } from '../../../wire/calendar.ts';
import type { ChartBucket, ChartDistribution, ChartPoints, ChartValueCounts } from '../../../wire/charts.ts';
import type { EndpointFields, TimeFormat } from '../../../wire/fields.ts';
import { MAX_SHARED_CHART_POINTS, MAX_SHARED_DAY_RECORDS } from '../../../wire/limits.ts';
import type { MapClusters, MapLines } from '../../../wire/maps.ts';
import { fitView, type MapView } from '../../../wire/mercator.ts';
import { lastDayOf, parseMonth, nearestMonth } from '../../../wire/months.ts';
import type { ChartSettings } from '../../../wire/pinned-charts.ts';
import { seqOfId } from '../../core/sequence.ts';
import type { CalendarService } from '../../data/queries/calendar/service.ts';
import type { ChartService } from '../../data/queries/charts/service.ts';
import type { MapService } from '../../data/queries/maps/service.ts';
import { bucketValue, lastDaysOf, type DayRange } from './rules.ts';

/** One value per bucket, in order of time. Buckets without a value are omitted. */
type TimePoints = { start: string; value: number }[];

/** `isComplete` is false if the oldest records of a large endpoint or some lines are omitted. */
export type SharedChartValues =
  | { kind: 'time'; per: ChartBucket; points: TimePoints; isComplete: boolean }
  | { kind: 'heat'; year: string; points: TimePoints; isComplete: boolean }
  | { kind: 'distribution'; bins: ChartDistribution['bins'] }
  | { kind: 'values'; values: ChartValueCounts['values']; others: number }
  /** `names`: names of the horizontal and the vertical field; `total` counts all points, shown or not. */
  | { kind: 'scatter'; names: readonly [string, string]; points: ChartPoints['points']; total: number }
  /** `months`: the shown month, and the months of the first and the last record; absent without records. */
  | { kind: 'calendar'; months?: { shown: string; first: string; last: string }; days: CalendarDays['days'] }
  /** `view` is the part of the map with all positions of the shared interval; absent without positions. */
  | {
      kind: 'map';
      view?: MapView;
      clusters: MapClusters['clusters'];
      lines: MapLines['lines'];
      isComplete: boolean;
    };

/** `seqs`: sequence numbers of the records of points, calendar entries and single positions on a map. */
export type SharedChart = { values: SharedChartValues; seqs: readonly number[] };

/** Size of a shared map in drawing units. */
const MAP_SIZE = { width: 800, height: 500, padding: 40 } as const;
/** Maximum zoom level of a shared map. The bundled outlines are too coarse for closer views. */
const MAX_ZOOM = 11;

export type ChartReadParts = {
  charts: Pick<ChartService, 'wholeSeries' | 'distribution' | 'valueCounts' | 'points'>;
  calendar: Pick<CalendarService, 'extent' | 'days'>;
  maps: Pick<MapService, 'extent' | 'clusters' | 'lines'>;
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  clock: Clock;
  timeZone: () => string;
};

type Settings<Kind extends ChartSettings['kind']> = Extract<ChartSettings, { kind: Kind }>;

const seqsOf = (recordIds: Iterable<string>): number[] => [...new Set(recordIds)].flatMap((id) => seqOfId(id) ?? []);

export const createSharedChartReader = ({ charts, calendar, maps, fieldsOf, clock, timeZone }: ChartReadParts) => {
  const timeFieldOf = async (endpoint: string, path: string): Promise<{ path: string; format: TimeFormat }> => {
    const { fields } = await fieldsOf(endpoint);
    return { path, format: fields.find((field) => field.path === path)?.timeFormat ?? 'iso' };
  };

  const readPointsOverTime = async (
    endpoint: string,
    { time, field, aggregation }: Settings<'time' | 'heat'>,
    per: ChartBucket,
    days?: DayRange,
  ): Promise<{ points: TimePoints; isComplete: boolean }> => {
    const timeField = time === undefined ? undefined : await timeFieldOf(endpoint, time);
    const { buckets, isComplete } = await charts.wholeSeries({ endpoint, time: timeField, value: field, per }, days);
    const points = buckets.flatMap((bucket) => {
      const value = bucketValue(bucket, aggregation);
      return value === null ? [] : { start: bucket.start, value };
    });
    return { points, isComplete };
  };

  const readHeat = async (endpoint: string, settings: Settings<'heat'>): Promise<SharedChart> => {
    const { points, isComplete } = await readPointsOverTime(endpoint, settings, 'day');
    const year = settings.year ?? points.at(-1)?.start.slice(0, 4) ?? '';
    const pointsOfYear = points.filter(({ start }) => start.startsWith(year));
    return { values: { kind: 'heat', year, points: pointsOfYear, isComplete }, seqs: [] };
  };

  const readScatter = async (endpoint: string, { field, second }: Settings<'scatter'>): Promise<SharedChart> => {
    const { fields } = await fieldsOf(endpoint);
    const nameOf = (path: string): string => fields.find((candidate) => candidate.path === path)?.name ?? path;
    const { points, total, seqs } = await charts.points(endpoint, field, second, MAX_SHARED_CHART_POINTS);
    return { values: { kind: 'scatter', names: [nameOf(field), nameOf(second)], points, total }, seqs };
  };

  const readMonth = async (
    endpoint: string,
    { time, second, field }: Settings<'calendar'>,
    requestedMonth: string | undefined,
  ): Promise<SharedChart> => {
    const start = await timeFieldOf(endpoint, time);
    const end = second === undefined ? undefined : await timeFieldOf(endpoint, second);
    const selection = { endpoint, start, end };
    const { first, last } = await calendar.extent(selection);
    if (first === null || last === null) return { values: { kind: 'calendar', days: [] }, seqs: [] };
    const today = createLocalDateFormat(timeZone())(clock.now());
    const shown = nearestMonth(parseMonth(requestedMonth) ?? today, first, last);
    const { days } = await calendar.days(selection, {
      from: `${shown}-01`,
      to: lastDayOf(shown),
      title: field,
      perDay: MAX_SHARED_DAY_RECORDS,
    });
    const months = { shown, first: first.slice(0, 7), last: last.slice(0, 7) };
    const recordIds = days.flatMap((day) => day.first.map(({ recordId }) => recordId));
    return { values: { kind: 'calendar', months, days }, seqs: seqsOf(recordIds) };
  };

  const readMap = async (endpoint: string, settings: Settings<'map'>): Promise<SharedChart> => {
    const { field, second, time, connect, from, to } = settings;
    const selection = {
      endpoint,
      position: second === undefined ? { geometry: field } : { latitude: field, longitude: second },
      time: time === undefined ? undefined : { ...(await timeFieldOf(endpoint, time)), from, to },
    };
    // Bounds of the shared interval only. The bounds of all records would reveal positions outside the interval.
    const { bounds } = await maps.extent(selection);
    if (bounds === null) return { values: { kind: 'map', clusters: [], lines: [], isComplete: true }, seqs: [] };
    const view = fitView(bounds, MAP_SIZE, MAX_ZOOM);
    const zoom = Math.max(0, Math.round(view.zoom));
    const { clusters } = await maps.clusters(selection, bounds, zoom, undefined);
    const hasLines = second === undefined || (connect && time !== undefined);
    const { lines, isComplete } = hasLines
      ? await maps.lines(selection, bounds, zoom)
      : { lines: [], isComplete: true };
    const recordIds = clusters.flatMap(({ recordId }) => recordId ?? []);
    return { values: { kind: 'map', view, clusters, lines, isComplete }, seqs: seqsOf(recordIds) };
  };

  return {
    /** @param requestedMonth month of a calendar, moved into the range of its records. Default: the current month */
    async chart(endpoint: string, settings: ChartSettings, requestedMonth?: string): Promise<SharedChart> {
      switch (settings.kind) {
        case 'time': {
          const { per, lastDays } = settings;
          const days = lastDays === undefined ? undefined : lastDaysOf(lastDays, clock.now(), timeZone());
          const series = await readPointsOverTime(endpoint, settings, per, days);
          return { values: { kind: 'time', per, ...series }, seqs: [] };
        }
        case 'heat':
          return readHeat(endpoint, settings);
        case 'distribution': {
          const { bins } = await charts.distribution(endpoint, settings.field);
          return { values: { kind: 'distribution', bins }, seqs: [] };
        }
        case 'values': {
          const { values, distinct } = await charts.valueCounts(endpoint, settings.field);
          return { values: { kind: 'values', values, others: Math.max(0, distinct - values.length) }, seqs: [] };
        }
        case 'scatter':
          return readScatter(endpoint, settings);
        case 'calendar':
          return readMonth(endpoint, settings, requestedMonth);
        case 'map':
          return readMap(endpoint, settings);
      }
    },
  };
};
