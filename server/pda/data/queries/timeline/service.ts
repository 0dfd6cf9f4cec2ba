import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import { feedItemSchema } from '../../../../wire/feed.ts';
import type { EndpointFields } from '../../../../wire/fields.ts';
import { MAX_TIMELINE_DAYS, MAX_TIMELINE_MATCHES, SERIES_PAGE_RECORDS } from '../../../../wire/limits.ts';
import type { TimelineMatches, TimelineRecord } from '../../../../wire/timeline.ts';
import type { ChartStore } from '../charts/store.ts';
import { toMatchExpression } from '../search/rules.ts';
import type { SearchStore } from '../search/store.ts';
import { areFeedItems, recordTimeOf, type RecordTime } from './rules.ts';
import { EXAMINED_MATCHES_MAX, type DatedRecordRow, type RecordDayRow, type RecordTimelineStore } from './store.ts';

export type { RecordTime } from './rules.ts';

/** `time`: field with the time of the records; undefined if the time at which they were stored is used. */
export type EndpointTime = { time: RecordTime | undefined; isFeed: boolean };
export type DayCount = Omit<RecordDayRow, 'day'>;

/**
 * Reads records by day, without records above CHARTED_RECORD_MAX_BYTES. The asynchronous methods throw Failure
 * query_limit_exceeded if a read exceeds its limits.
 */
export type RecordTimeline = {
  /**
   * Returns which field has the time of the records. Takes the owner's corrections into account.
   * @throws Failure not_found for an unknown endpoint
   */
  timeOf(endpoint: string): Promise<EndpointTime>;
  /** Returns a number that changes when the owner corrects fields. */
  correctionCount(): number;
  /**
   * Counts the records of an endpoint by day. Reads page by page, so that other reads are not delayed. Days beyond
   * MAX_TIMELINE_DAYS are left out.
   */
  count(endpoint: number, time: RecordTime | undefined): Promise<Map<string, DayCount>>;
  /**
   * Returns records of a day, the latest first. Reads page by page, like `count`.
   * @param count result of `count` for this day
   */
  listOnDay(
    endpoint: number,
    time: RecordTime | undefined,
    day: string,
    count: DayCount,
    page: { skip: number; take: number },
  ): Promise<{ items: TimelineRecord[]; more: boolean }>;
  /**
   * Searches records. Returns the newest matches that have a time, the latest first, and counts the others (`undated`).
   * @param endpoint undefined for all endpoints
   */
  search(text: string, endpoint: string | undefined): Promise<TimelineMatches>;
};

const DAY_AND_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d$/u;

type DatedSeq = { seq: number; time: string };

const compareLatestFirst = (a: DatedSeq, b: DatedSeq): number => {
  if (a.time === b.time) return b.seq - a.seq;
  return a.time < b.time ? 1 : -1;
};

const toRecord = ({ recordId, time, data }: DatedRecordRow): TimelineRecord => {
  const content: unknown = data === null ? null : JSON.parse(data);
  const entry = feedItemSchema.safeParse(content);
  const shownTime = DAY_AND_TIME.test(time) ? time : time.slice(0, '2026-03-01'.length);
  return { kind: 'record', recordId, time: shownTime, data: entry.success ? null : content, entry: entry.data ?? null };
};

export const createRecordTimeline = (parts: {
  store: RecordTimelineStore;
  charts: Pick<ChartStore, 'pageStart'>;
  searchStore: Pick<SearchStore, 'settings' | 'isComplete'>;
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  correctionCount: () => number;
}): RecordTimeline => {
  const { store, charts, searchStore, fieldsOf } = parts;

  const timeOf = async (endpoint: string): Promise<EndpointTime> => {
    const { fields } = await fieldsOf(endpoint);
    return { time: recordTimeOf(fields), isFeed: areFeedItems(fields) };
  };

  return {
    timeOf,
    correctionCount: parts.correctionCount,

    async count(endpoint, time) {
      const days = new Map<string, DayCount>();
      let before = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const start = await mapReadErrors(charts.pageStart(endpoint, before, SERIES_PAGE_RECORDS));
        for (const { day, items, first, last } of await mapReadErrors(
          store.countByDay(endpoint, time, start ?? 0, before),
        )) {
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

    async listOnDay(endpoint, time, day, { items, first, last }, { skip, take }) {
      if (skip >= items) return { items: [], more: false };
      const limit = skip + take + 1;
      let latestRows: DatedSeq[] = [];
      for (let before = last + 1; before > first;) {
        const start = await mapReadErrors(charts.pageStart(endpoint, before, SERIES_PAGE_RECORDS));
        const from = Math.max(first, start ?? first);
        const rows = await mapReadErrors(store.readLatestOnDay(endpoint, time, { day, from, before, take: limit }));
        latestRows = [...latestRows, ...rows].toSorted(compareLatestFirst).slice(0, limit);
        before = from;
      }
      const seqs = latestRows.slice(skip, skip + take).map(({ seq }) => seq);
      const records = await mapReadErrors(store.readBySeqs(endpoint, time, seqs));
      return { items: records.toSorted(compareLatestFirst).map(toRecord), more: latestRows.length === limit };
    },

    async search(text, endpoint) {
      const match = toMatchExpression(text);
      const { enabled, excludedSources } = searchStore.settings();
      const index = { enabled, complete: searchStore.isComplete() };
      if (match === undefined) return { matches: [], undated: 0, more: false, ...index };
      const { rows, examined } = await mapReadErrors(
        store.findMatches(match, { endpoint, take: MAX_TIMELINE_MATCHES + 1, excludedSources }),
      );
      const seqsByEndpoint = Map.groupBy(rows.slice(0, MAX_TIMELINE_MATCHES), ({ path }) => path);
      const matches: { source: string; row: DatedRecordRow }[] = [];
      let undated = 0;
      for (const [path, matchRows] of seqsByEndpoint) {
        const [{ id } = { id: -1 }] = matchRows;
        const { time } = await timeOf(path);
        const seqs = matchRows.map(({ seq }) => seq);
        const records = await mapReadErrors(store.readBySeqs(id, time, seqs));
        undated += matchRows.length - records.length;
        for (const row of records) matches.push({ source: path, row });
      }
      return {
        matches: matches
          .toSorted((a, b) => compareLatestFirst(a.row, b.row))
          .map(({ source, row }) => ({ source, item: toRecord(row) })),
        undated,
        more: rows.length > MAX_TIMELINE_MATCHES || examined === EXAMINED_MATCHES_MAX,
        ...index,
      };
    },
  };
};
