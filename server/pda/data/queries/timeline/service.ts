import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import { feedItemSchema } from '../../../../wire/feed.ts';
import type { EndpointFields } from '../../../../wire/fields.ts';
import { MAX_TIMELINE_DAYS, MAX_TIMELINE_MATCHES, SERIES_PAGE_RECORDS } from '../../../../wire/limits.ts';
import type { TimelineMatches, TimelineRecord } from '../../../../wire/timeline.ts';
import type { ChartStore } from '../charts/store.ts';
import { toMatchExpression } from '../search/rules.ts';
import type { SearchStore } from '../search/store.ts';
import { areFeedItems, recordTimeOf, type RecordTime } from './rules.ts';
import type { DatedRecordRow, RecordDayRow, RecordTimelineStore } from './store.ts';

export type { RecordTime } from './rules.ts';

/** Where the time of the records of an endpoint is. `time` is undefined if the time of storing counts. */
export type EndpointTime = { time: RecordTime | undefined; isFeed: boolean };
/** Records of one day: their number, and the lowest and the highest sequence number. */
export type DayCount = Omit<RecordDayRow, 'day'>;

/**
 * Records by the day of their time, for the timeline. All methods throw Failure query_limit_exceeded if a read exceeds
 * its limits, and not_found for an unknown endpoint.
 */
export type RecordTimeline = {
  /** Returns where the time of the records of an endpoint is, with the owner's corrections. */
  timeOf(endpoint: string): Promise<EndpointTime>;
  /** Returns a number that changes when the owner corrects fields. */
  corrections(): number;
  /**
   * Counts the records of an endpoint by day, page by page, so that other reads are not delayed. Days beyond
   * MAX_TIMELINE_DAYS are left out.
   * @param endpoint id of the endpoint
   */
  count(endpoint: number, time: RecordTime | undefined): Promise<Map<string, DayCount>>;
  /** Returns the records of a day, the latest first. @param count of this day, as returned by `count` */
  onDay(
    endpoint: number,
    time: RecordTime | undefined,
    day: string,
    count: DayCount,
    page: { skip: number; take: number },
  ): Promise<{ items: TimelineRecord[]; more: boolean }>;
  /** Returns the newest records that match a search. @param endpoint undefined for all endpoints */
  search(text: string, endpoint: string | undefined): Promise<TimelineMatches>;
};

const toRecord = ({ recordId, time, data }: DatedRecordRow): TimelineRecord => {
  const content: unknown = data === null ? null : JSON.parse(data);
  const entry = feedItemSchema.safeParse(content);
  return { kind: 'record', recordId, time, data: entry.success ? null : content, entry: entry.data ?? null };
};

export const createRecordTimeline = (parts: {
  store: RecordTimelineStore;
  charts: Pick<ChartStore, 'pageStart'>;
  searchStore: Pick<SearchStore, 'settings' | 'isComplete'>;
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  corrections: () => number;
}): RecordTimeline => {
  const { store, charts, searchStore, fieldsOf } = parts;

  const timeOf = async (endpoint: string): Promise<EndpointTime> => {
    const { fields } = await mapReadErrors(fieldsOf(endpoint));
    return { time: recordTimeOf(fields), isFeed: areFeedItems(fields) };
  };

  return {
    timeOf,
    corrections: parts.corrections,

    async count(endpoint, time) {
      const days = new Map<string, DayCount>();
      let before = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const start = await mapReadErrors(charts.pageStart(endpoint, before, SERIES_PAGE_RECORDS));
        for (const { day, items, first, last } of await mapReadErrors(store.days(endpoint, time, start ?? 0, before))) {
          const count = days.get(day);
          if (count === undefined) {
            if (days.size < MAX_TIMELINE_DAYS) days.set(day, { items, first, last });
            continue;
          }
          count.items += items;
          count.first = Math.min(count.first, first);
          count.last = Math.max(count.last, last);
        }
        if (start === undefined) return days;
        before = start;
      }
    },

    async onDay(endpoint, time, day, { first, last }, { skip, take }) {
      const rows = await mapReadErrors(store.onDay(endpoint, time, { day, first, last }, { skip, take: take + 1 }));
      return { items: rows.slice(0, take).map(toRecord), more: rows.length > take };
    },

    async search(text, endpoint) {
      const match = toMatchExpression(text);
      const isComplete = searchStore.settings().enabled && searchStore.isComplete();
      if (match === undefined) return { matches: [], more: false, complete: isComplete };
      const rows = await mapReadErrors(store.matches(match, endpoint, MAX_TIMELINE_MATCHES + 1));
      const seqsByEndpoint = Map.groupBy(rows.slice(0, MAX_TIMELINE_MATCHES), ({ path }) => path);
      const matches: TimelineMatches['matches'] = [];
      for (const [path, found] of seqsByEndpoint) {
        const [{ id } = { id: -1 }] = found;
        const { time } = await timeOf(path);
        const records = await mapReadErrors(
          store.bySeqs(
            id,
            time,
            found.map(({ seq }) => seq),
          ),
        );
        for (const record of records) matches.push({ source: path, item: toRecord(record) });
      }
      return {
        matches: matches.toSorted((a, b) => (a.item.time < b.item.time ? 1 : -1)),
        more: rows.length > MAX_TIMELINE_MATCHES,
        complete: isComplete,
      };
    },
  };
};
