import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { EndpointDisplay } from '../../../wire/fields.ts';
import {
  NAMED_LEFT_OUT_MAX,
  type Timeline,
  type TimelineDays,
  type TimelineItems,
  type TimelineKind,
  type TimelineMatches,
  type TimelineSource,
} from '../../../wire/timeline.ts';
import { FIELD_RESAMPLE_INTERVAL_MS } from '../../../wire/work-limits.ts';
import type { EndpointRow, EndpointStore } from '../../core/endpoint-store.ts';
import type { EventService, Topic } from '../../core/events/service.ts';
import type { DayCount, EndpointTime, RecordTimeline } from '../../data/queries/timeline/service.ts';
import { createMonthSums } from './months.ts';
import type { DayItems, ItemPage, ActivitySource, Viewer } from './sources.ts';

/**
 * The timeline lists everything that has a time, by day and source. Its reading methods throw Failure
 * query_limit_exceeded if a read exceeds its limits. Endpoints that cannot be counted are left out without an error.
 */
export type TimelineService = {
  /**
   * Returns the counted sources, and the latest months with items.
   * @param source limits the months to the items of this source
   */
  readOverview(source: string | undefined): Promise<Timeline>;
  listDays(month: string, source: string | undefined): Promise<TimelineDays>;
  /** Returns the items of a source on a day; none for a source that is unknown or not counted. */
  listItems(source: string, day: string, page: ItemPage, viewer: Viewer): Promise<TimelineItems>;
  /**
   * Returns the newest records that match a search, from one endpoint or from all.
   * @throws Failure not_found if the endpoint of a match is deleted during the search
   */
  search(text: string, source: string | undefined): Promise<TimelineMatches>;
  close(): void;
};

/** Limits of the counted endpoints: their number, their total records, and the total of their days in the cache. */
const MAX_ENDPOINTS = 200;
const MAX_RECORDS = 5_000_000;
const MAX_TOTAL_DAYS = 100_000;
/** Milliseconds without a request for counts after which the cached counts are dropped. */
const IDLE_MS = 5 * 60_000;
/**
 * A count that takes longer than LONG_COUNT_MS is repeated at the earliest after RECOUNT_DELAY_FACTOR times its
 * duration, so that an import into a large endpoint does not keep the reader thread busy.
 */
const LONG_COUNT_MS = 250;
const RECOUNT_DELAY_FACTOR = 20;

type EndpointCount = EndpointTime & {
  /** State of the endpoint that was counted, as returned by `stateOf`. */
  state: string;
  correctionCount: number;
  /** Undefined if the endpoint is not readable, or has more days than the cache can hold. */
  days: ReadonlyMap<string, DayCount> | undefined;
  dayCount: number;
  items: number;
  /** False if the records could not be read, for example because that takes too long. */
  isReadable: boolean;
  /** Unix milliseconds at which the time field was determined. */
  timeReadAt: number;
  /** Time of `performance.now()` until which the counts are returned in spite of changes. */
  freshUntil: number;
};

type ActivityCount = { days: ReadonlyMap<string, DayItems>; changes: number };

type CountedSource = {
  info: TimelineSource;
  days: ReadonlyMap<string, { items: number }>;
};

type Snapshot = Pick<Timeline, 'leftOut' | 'counting'> & { sources: readonly CountedSource[] };

const NO_ITEMS: TimelineItems = { items: [], more: false };

const stateOf = ({ id, records, last_change: changed }: EndpointRow): string => `${id} ${records} ${changed}`;

const sumItems = (days: ReadonlyMap<string, { items: number }>): number => {
  let sum = 0;
  for (const { items } of days.values()) sum += items;
  return sum;
};

const rankOf = ({ kind, entries }: TimelineSource): number => {
  if (kind === 'pictures') return 0;
  if (kind === 'records') return entries ? 1 : 2;
  return 3;
};

const sortSources = (sources: readonly CountedSource[]): CountedSource[] =>
  sources.toSorted(
    ({ info: a }, { info: b }) => rankOf(a) - rankOf(b) || (a.kind === 'records' ? a.name.localeCompare(b.name) : 0),
  );

export const createTimelineService = (parts: {
  endpoints: Pick<EndpointStore, 'list' | 'summary'>;
  records: RecordTimeline;
  displayOf: (endpoint: string) => EndpointDisplay;
  activitySources: readonly ActivitySource[];
  events: Pick<EventService, 'onTopic'>;
  clock: Clock;
}): TimelineService => {
  const { endpoints, records, displayOf, activitySources, events, clock } = parts;
  const counts = new Map<string, EndpointCount>();
  const activityCounts = new Map<TimelineKind, ActivityCount>();
  const changes = new Map<Topic, number>();
  const unsubscribe = events.onTopic((topic) => void changes.set(topic, (changes.get(topic) ?? 0) + 1));
  const mutex = createMutex();
  let nextSnapshot: Promise<Snapshot> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const restartIdleTimer = (): void => {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      counts.clear();
      activityCounts.clear();
    }, IDLE_MS).unref();
  };

  const refreshCount = async (
    row: EndpointRow,
    previous: EndpointCount | undefined,
    maxDays: number,
  ): Promise<EndpointCount> => {
    let startedAt = performance.now();
    const timeReadAt = clock.now();
    const basis = { state: stateOf(row), correctionCount: records.correctionCount(), timeReadAt };
    const freshUntil = (): number => {
      const ms = performance.now() - startedAt;
      return ms > LONG_COUNT_MS ? performance.now() + ms * RECOUNT_DELAY_FACTOR : 0;
    };
    try {
      const endpointTime = await records.timeOf(row.path);
      startedAt = performance.now();
      const isSameTime = JSON.stringify(previous?.time) === JSON.stringify(endpointTime.time);
      if (previous?.isReadable === true && isSameTime && (previous.days !== undefined || previous.dayCount > maxDays)) {
        if (previous.state === basis.state || startedAt < previous.freshUntil)
          return { ...previous, ...endpointTime, correctionCount: basis.correctionCount, timeReadAt };
      }
      const days = await records.count(row.id, endpointTime.time);
      const sums = { days, dayCount: days.size, items: sumItems(days) };
      return { ...endpointTime, ...basis, ...sums, isReadable: true, freshUntil: freshUntil() };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const noCounts = { time: undefined, isFeed: false, days: undefined, dayCount: 0, items: 0 };
      return { ...noCounts, ...basis, isReadable: false, freshUntil: freshUntil() };
    }
  };

  /** Returns the cached count; undefined if there is none, or if the time field or the counts may have changed. */
  const currentCountOf = (row: EndpointRow, maxDays: number): EndpointCount | undefined => {
    const count = counts.get(row.path);
    if (count === undefined || count.correctionCount !== records.correctionCount()) return undefined;
    if (!count.isReadable)
      return count.state === stateOf(row) || performance.now() < count.freshUntil ? count : undefined;
    const isSettled = count.timeReadAt >= (row.last_change ?? 0) + FIELD_RESAMPLE_INTERVAL_MS;
    const isUsable = count.days !== undefined || count.dayCount > maxDays;
    return isSettled && isUsable && count.state === stateOf(row) ? count : undefined;
  };

  const countOf = async (row: EndpointRow, maxDays: number): Promise<EndpointCount> => {
    const count = currentCountOf(row, maxDays) ?? (await refreshCount(row, counts.get(row.path), maxDays));
    const cachedCount = count.dayCount > maxDays ? { ...count, days: undefined } : count;
    counts.set(row.path, cachedCount);
    return cachedCount;
  };

  const daysLeftFor = (path: string): number => {
    let remainingDays = MAX_TOTAL_DAYS;
    for (const [other, { days }] of counts) if (other !== path) remainingDays -= days?.size ?? 0;
    return remainingDays;
  };

  const toRecordSource = (
    row: EndpointRow,
    { time, isFeed, items }: EndpointCount,
    days: ReadonlyMap<string, DayCount>,
  ): CountedSource => ({
    info: {
      source: row.path,
      kind: 'records',
      ...displayOf(row.path),
      items,
      excluded: Math.max(0, row.records - items),
      time: time === undefined ? 'stored' : 'stated',
      entries: isFeed,
    },
    days,
  });

  /** Counts the most recently changed endpoints first, so that the limits omit the others. */
  const countEndpoints = async (): Promise<Snapshot> => {
    const rows = endpoints.list();
    const paths = new Set(rows.map(({ path }) => path));
    for (const path of counts.keys()) if (!paths.has(path)) counts.delete(path);
    const sources: CountedSource[] = [];
    const leftOut: string[] = [];
    let [recordsLeft, daysLeft] = [MAX_RECORDS, MAX_TOTAL_DAYS];
    let isCounting = false;
    for (const row of rows.toSorted((a, b) => (b.last_change ?? 0) - (a.last_change ?? 0))) {
      const isWithinLimits = sources.length < MAX_ENDPOINTS && row.records <= recordsLeft;
      const count = isWithinLimits ? await countOf(row, daysLeft) : undefined;
      if (count?.days === undefined) {
        leftOut.push(row.path);
        continue;
      }
      recordsLeft -= row.records;
      daysLeft -= count.days.size;
      isCounting ||= count.state !== stateOf(row);
      sources.push(toRecordSource(row, count, count.days));
    }
    const namedSources = leftOut
      .slice(0, NAMED_LEFT_OUT_MAX)
      .map((path) => ({ source: path, name: displayOf(path).name }));
    return { sources, leftOut: { total: leftOut.length, first: namedSources }, counting: isCounting };
  };

  const countActivity = async (activitySource: ActivitySource): Promise<CountedSource> => {
    const { kind, topic } = activitySource;
    const currentChanges = topic === undefined ? 0 : (changes.get(topic) ?? 0);
    const cachedCount = activityCounts.get(kind);
    const isCurrent = topic !== undefined && cachedCount?.changes === currentChanges;
    const days = isCurrent
      ? cachedCount.days
      : new Map((await activitySource.countByDay()).map((row) => [row.day, row]));
    activityCounts.set(kind, { days, changes: currentChanges });
    return {
      info: { source: kind, kind, name: '', items: sumItems(days), excluded: 0, time: 'stated', entries: false },
      days,
    };
  };

  /** Requests that arrive before the count starts share one snapshot. */
  const takeSnapshot = (): Promise<Snapshot> => {
    restartIdleTimer();
    nextSnapshot ??= mutex(async () => {
      nextSnapshot = undefined;
      const { sources, ...status } = await countEndpoints();
      const countedActivities: CountedSource[] = [];
      for (const activitySource of activitySources) countedActivities.push(await countActivity(activitySource));
      return {
        ...status,
        sources: sortSources([...sources, ...countedActivities.filter(({ days }) => days.size > 0)]),
      };
    });
    return nextSnapshot;
  };

  const select = (sources: readonly CountedSource[], source: string | undefined): readonly CountedSource[] =>
    source === undefined ? sources : sources.filter(({ info }) => info.source === source);

  return {
    async readOverview(source) {
      const { sources, ...status } = await takeSnapshot();
      const sums = createMonthSums();
      for (const { days } of select(sources, source)) {
        sums.add(days);
        // Yields to other requests, because adding many days takes milliseconds.
        await nextTurn();
      }
      return { ...status, ...sums.summarise(), sources: sources.map(({ info }) => info) };
    },

    async listDays(month, source) {
      const selectedSources = select((await takeSnapshot()).sources, source);
      const days: TimelineDays['days'] = [];
      for (let date = 31; date >= 1; date -= 1) {
        const day = `${month}-${String(date).padStart(2, '0')}`;
        const groups = selectedSources.flatMap(({ info, days: countsByDay }) => {
          const count = countsByDay.get(day);
          return count === undefined ? [] : [{ source: info.source, items: count.items }];
        });
        if (groups.length > 0) days.push({ day, groups });
      }
      return { days };
    },

    async listItems(source, day, page, viewer) {
      const activitySource = activitySources.find(({ kind }) => kind === source);
      if (activitySource !== undefined) return activitySource.listOnDay(day, page, viewer);
      const row = endpoints.summary(source);
      if (row === undefined || row.records > MAX_RECORDS) return NO_ITEMS;
      restartIdleTimer();
      const { time, days } =
        currentCountOf(row, daysLeftFor(source)) ?? (await mutex(() => countOf(row, daysLeftFor(source))));
      const count = days?.get(day);
      return count === undefined ? NO_ITEMS : records.listOnDay(row.id, time, day, count, page);
    },

    search: (text, source) => records.search(text, source),

    close() {
      unsubscribe();
      clearTimeout(idleTimer);
    },
  };
};
