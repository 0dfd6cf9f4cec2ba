import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMutex } from '../../../platform/async/mutex.ts';
import { Failure } from '../../../platform/failure.ts';
import type { EndpointDisplay } from '../../../wire/fields.ts';
import { MAX_TIMELINE_MONTHS } from '../../../wire/limits.ts';
import {
  NAMED_LEFT_OUT_MAX,
  type Timeline,
  type TimelineDays,
  type TimelineItems,
  type TimelineKind,
  type TimelineMatches,
  type TimelineSource,
} from '../../../wire/timeline.ts';
import type { EndpointRow, EndpointStore } from '../../core/endpoint-store.ts';
import type { EventService, Topic } from '../../core/events/service.ts';
import type { DayCount, EndpointTime, RecordTimeline } from '../../data/queries/timeline/service.ts';
import type { DayItems, ItemPage, OtherSource, Viewer } from './sources.ts';

/**
 * The timeline: everything that has a time, by day and source. Counts by day are kept in memory and counted again after
 * changes. All methods throw Failure query_limit_exceeded if a read exceeds its limits.
 */
export type TimelineService = {
  /** Returns the months with items, and the sources. @param source undefined for all sources */
  overview(source: string | undefined): Promise<Timeline>;
  /** Returns the days of a month, with the number of items of each source. */
  days(month: string, source: string | undefined): Promise<TimelineDays>;
  /** Returns the items of one source on one day; none for an unknown source. */
  items(source: string, day: string, page: ItemPage, viewer: Viewer): Promise<TimelineItems>;
  /** Searches the records. */
  search(text: string, source: string | undefined): Promise<TimelineMatches>;
  close(): void;
};

/** Endpoints and records that are counted, and days of all endpoints together, which are kept in memory. */
const MAX_ENDPOINTS = 200;
const MAX_RECORDS = 5_000_000;
const MAX_TOTAL_DAYS = 500_000;
/**
 * A count that takes longer than this, in milliseconds, is repeated at the earliest after FRESH_PER_COUNT times its
 * duration, so that an import into a large endpoint does not keep the reader thread busy.
 */
const LONG_COUNT_MS = 250;
const FRESH_PER_COUNT = 20;

/** Counts of an endpoint. `isReadable`: false if its records take too long to read or have too many days. */
type EndpointCount = EndpointTime & {
  state: string;
  corrections: number;
  days: ReadonlyMap<string, DayCount>;
  items: number;
  isReadable: boolean;
  /** Time of `performance.now` until which the counts are returned in spite of changes. */
  freshUntil: number;
};

type OtherCount = { days: ReadonlyMap<string, DayItems>; changes: number };

type CountedSource = {
  info: TimelineSource;
  days: ReadonlyMap<string, { items: number }>;
  onDay: (day: string, page: ItemPage, viewer: Viewer) => Promise<TimelineItems>;
};

type Snapshot = Pick<Timeline, 'leftOut' | 'counting'> & { sources: readonly CountedSource[] };

const NO_DAYS: ReadonlyMap<string, DayCount> = new Map();

const stateOf = ({ id, records, last_change: changed }: EndpointRow): string => `${id} ${records} ${changed}`;

const sumItems = (days: ReadonlyMap<string, { items: number }>): number => {
  let sum = 0;
  for (const { items } of days.values()) sum += items;
  return sum;
};

/** Position of a source on a day: pictures, feed items, other records, then what happened in the PDA. */
const rankOf = ({ kind, entries }: TimelineSource): number => {
  if (kind === 'pictures') return 0;
  if (kind === 'records') return entries ? 1 : 2;
  return 3;
};

const inOrder = (sources: readonly CountedSource[]): CountedSource[] =>
  sources.toSorted(
    ({ info: a }, { info: b }) => rankOf(a) - rankOf(b) || (a.kind === 'records' ? a.name.localeCompare(b.name) : 0),
  );

export const createTimelineService = (parts: {
  endpoints: Pick<EndpointStore, 'list'>;
  records: RecordTimeline;
  displayOf: (endpoint: string) => EndpointDisplay;
  others: readonly OtherSource[];
  events: Pick<EventService, 'onTopic'>;
}): TimelineService => {
  const { endpoints, records, displayOf, others, events } = parts;
  const counts = new Map<string, EndpointCount>();
  const otherCounts = new Map<TimelineKind, OtherCount>();
  /** Number of events by topic. */
  const changes = new Map<Topic, number>();
  const stopListening = events.onTopic((topic) => void changes.set(topic, (changes.get(topic) ?? 0) + 1));
  // One count at a time: concurrent requests for the same counts share them.
  const inTurn = createMutex();

  const countAgain = async (row: EndpointRow, previous: EndpointCount | undefined): Promise<EndpointCount> => {
    const [state, corrections, startedAt] = [stateOf(row), records.corrections(), performance.now()];
    try {
      const endpointTime = await records.timeOf(row.path);
      const isSameTime = JSON.stringify(previous?.time) === JSON.stringify(endpointTime.time);
      if (previous?.isReadable === true && isSameTime && (previous.state === state || startedAt < previous.freshUntil))
        return { ...previous, ...endpointTime, corrections };
      const days = await records.count(row.id, endpointTime.time);
      const ms = performance.now() - startedAt;
      const freshUntil = ms > LONG_COUNT_MS ? startedAt + ms * FRESH_PER_COUNT : 0;
      return { ...endpointTime, state, corrections, days, items: sumItems(days), isReadable: true, freshUntil };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const none = { time: undefined, isFeed: false, days: NO_DAYS, items: 0 };
      return { ...none, state, corrections, isReadable: false, freshUntil: 0 };
    }
  };

  const countOf = async (row: EndpointRow, maxDays: number): Promise<EndpointCount> => {
    const previous = counts.get(row.path);
    const isCurrent = previous?.state === stateOf(row) && previous.corrections === records.corrections();
    const count = previous !== undefined && isCurrent ? previous : await countAgain(row, previous);
    const kept = count.days.size > maxDays ? { ...count, days: NO_DAYS, items: 0, isReadable: false } : count;
    counts.set(row.path, kept);
    return kept;
  };

  const recordSource = (row: EndpointRow, { time, isFeed, days, items }: EndpointCount): CountedSource => ({
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
    async onDay(day, page) {
      const count = days.get(day);
      return count === undefined ? { items: [], more: false } : records.onDay(row.id, time, day, count, page);
    },
  });

  /** Counts the endpoints. Those that changed last come first, so that they are not left out. */
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
      if (count === undefined || !count.isReadable) {
        leftOut.push(row.path);
        continue;
      }
      recordsLeft -= row.records;
      daysLeft -= count.days.size;
      isCounting ||= count.state !== stateOf(row);
      sources.push(recordSource(row, count));
    }
    const first = leftOut.slice(0, NAMED_LEFT_OUT_MAX).map((path) => ({ source: path, name: displayOf(path).name }));
    return { sources, leftOut: { total: leftOut.length, first }, counting: isCounting };
  };

  const otherSource = async (other: OtherSource): Promise<CountedSource> => {
    const { kind, topic } = other;
    const currentChanges = topic === undefined ? 0 : (changes.get(topic) ?? 0);
    let count = otherCounts.get(kind);
    if (topic === undefined || count?.changes !== currentChanges) {
      const days = new Map((await other.days()).map((row) => [row.day, row]));
      count = { days, changes: currentChanges };
      otherCounts.set(kind, count);
    }
    const { days } = count ?? { days: new Map<string, DayItems>() };
    return {
      info: { source: kind, kind, name: '', items: sumItems(days), excluded: 0, time: 'stated', entries: false },
      days,
      onDay: other.onDay,
    };
  };

  const takeSnapshot = (): Promise<Snapshot> =>
    inTurn(async () => {
      const { sources, ...rest } = await countEndpoints();
      const otherSources: CountedSource[] = [];
      for (const other of others) otherSources.push(await otherSource(other));
      return { ...rest, sources: inOrder([...sources, ...otherSources.filter(({ days }) => days.size > 0)]) };
    });

  const select = (sources: readonly CountedSource[], source: string | undefined): readonly CountedSource[] =>
    source === undefined ? sources : sources.filter(({ info }) => info.source === source);

  return {
    async overview(source) {
      const { sources, ...rest } = await takeSnapshot();
      const months = new Map<string, { days: Set<string>; items: number }>();
      for (const { days } of select(sources, source)) {
        for (const [day, { items }] of days) {
          const name = day.slice(0, 7);
          const month = months.get(name) ?? { days: new Set(), items: 0 };
          month.days.add(day);
          month.items += items;
          months.set(name, month);
        }
        // Many days take milliseconds.
        await nextTurn();
      }
      const sorted = Array.from(months, ([month, { days, items }]) => ({ month, days: days.size, items })).toSorted(
        (a, b) => (a.month < b.month ? 1 : -1),
      );
      return {
        ...rest,
        months: sorted.slice(0, MAX_TIMELINE_MONTHS),
        earlier: sorted.slice(MAX_TIMELINE_MONTHS).reduce((sum, { items }) => sum + items, 0),
        sources: sources.map(({ info }) => info),
      };
    },

    async days(month, source) {
      const selected = select((await takeSnapshot()).sources, source);
      const days: TimelineDays['days'] = [];
      for (let date = 31; date >= 1; date -= 1) {
        const day = `${month}-${String(date).padStart(2, '0')}`;
        const groups = selected.flatMap(({ info, days: counted }) => {
          const count = counted.get(day);
          return count === undefined ? [] : [{ source: info.source, items: count.items }];
        });
        if (groups.length > 0) days.push({ day, groups });
      }
      return { days };
    },

    async items(source, day, page, viewer) {
      const [selected] = select((await takeSnapshot()).sources, source);
      return selected?.days.has(day) === true ? selected.onDay(day, page, viewer) : { items: [], more: false };
    },

    search: (text, source) => records.search(text, source),

    close: stopListening,
  };
};
