import { MIN_UNIX_MILLISECONDS } from '../../../../wire/field-times.ts';
import type { TimeFormat } from '../../../../wire/fields.ts';
import { MAX_TIMELINE_DAYS } from '../../../../wire/limits.ts';
import { TIMELINE_RECORD_MAX_BYTES } from '../../../../wire/timeline.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { INCLUDED_SOURCE_SQL } from '../search/store.ts';
import { extractSql, localTimeSql } from '../sql/extraction.ts';
import { sqlInteger, sqlText, valueSql } from '../sql/fields.ts';
import type { RecordTime } from './rules.ts';

/** `items`: number of records on the day. `first` and `last`: lowest and highest sequence number of these records. */
export type RecordDayRow = { day: string; items: number; first: number; last: number };
/** Record with its local time. `data` is null above TIMELINE_RECORD_MAX_BYTES. */
export type DatedRecordRow = { seq: number; recordId: string; time: string; data: string | null };
/** `id` and `path` of the record's endpoint. */
export type TimelineMatchRow = { seq: number; id: number; path: string };

type MatchOptions = { endpoint: string | undefined; take: number; excludedSources: readonly string[] };

/** Maximum number of matches that a search examines, newest first. */
export const EXAMINED_MATCHES_MAX = 10_000;

const localSql = (format: TimeFormat | undefined): string =>
  format !== undefined
    ? localTimeSql('t', format)
    : `CASE WHEN typeof(t) = 'text' THEN ${localTimeSql('t', 'iso')}
         WHEN t > -${MIN_UNIX_MILLISECONDS} AND t < ${MIN_UNIX_MILLISECONDS} THEN ${localTimeSql('t', 'seconds')} ELSE ${localTimeSql('t', 'milliseconds')} END`;

/**
 * Returns a WITH clause for the table `dated`: sequence number and local time of records of an endpoint. Omits records
 * above CHARTED_RECORD_MAX_BYTES.
 * @param time undefined for the time at which a record was stored
 */
const datedSql = (endpoint: number, time: RecordTime | undefined, condition: string): string => {
  const column = time === undefined ? 'created' : valueSql(time.path).raw;
  const local = time === undefined ? localTimeSql('t', 'milliseconds') : localSql(time.format);
  return `${extractSql(`seq, ${column} AS t`, endpoint, condition)},
    dated AS MATERIALIZED (SELECT seq, substr(${local}, 1, 16) AS time FROM extracted)`;
};

const rangeSql = (from: number, before: number): string =>
  `AND seq >= ${sqlInteger(from)} AND seq < ${sqlInteger(before)}`;

const RECORD_COLUMNS = `chosen.seq, records.id AS recordId, chosen.time,
  CASE WHEN octet_length(records.data) <= ${TIMELINE_RECORD_MAX_BYTES} THEN records.data END AS data`;

export const createRecordTimelineStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  /** Counts the records with sequence numbers in [from, before) by day, at most the newest MAX_TIMELINE_DAYS days. */
  countByDay(endpoint: number, time: RecordTime | undefined, from: number, before: number): Promise<RecordDayRow[]> {
    return reader.all<RecordDayRow>(
      `${datedSql(endpoint, time, rangeSql(from, before))}
       SELECT day, items, first, last
       FROM (SELECT substr(time, 1, 10) AS day, count(*) AS items, min(seq) AS first, max(seq) AS last FROM dated GROUP BY 1)
       WHERE date(day) = day ORDER BY day DESC LIMIT ${sqlInteger(MAX_TIMELINE_DAYS)}`,
    );
  },

  /** Returns the latest records of a day with sequence numbers in [from, before), the latest first. */
  readLatestOnDay(
    endpoint: number,
    time: RecordTime | undefined,
    { day, from, before, take }: { day: string; from: number; before: number; take: number },
  ): Promise<{ seq: number; time: string }[]> {
    return reader.all<{ seq: number; time: string }>(
      `${datedSql(endpoint, time, rangeSql(from, before))}
       SELECT seq, time FROM dated WHERE substr(time, 1, 10) = ${sqlText(day)}
       ORDER BY time DESC, seq DESC LIMIT ${sqlInteger(take)}`,
    );
  },

  /** Returns only the records that have a time. Omits records above CHARTED_RECORD_MAX_BYTES. */
  readBySeqs(endpoint: number, time: RecordTime | undefined, seqs: readonly number[]): Promise<DatedRecordRow[]> {
    return reader.all<DatedRecordRow>(
      `${datedSql(endpoint, time, `AND seq IN (${seqs.map(sqlInteger).join()})`)}
       SELECT ${RECORD_COLUMNS} FROM dated AS chosen JOIN records ON records.seq = chosen.seq
       WHERE date(substr(chosen.time, 1, 10)) = substr(chosen.time, 1, 10)`,
    );
  },

  /**
   * Returns the newest records that match a search. `examined`: number of examined matches in all endpoints, at most
   * EXAMINED_MATCHES_MAX.
   * @param match FTS5 expression
   */
  async findMatches(
    match: string,
    { endpoint, take, excludedSources }: MatchOptions,
  ): Promise<{ rows: TimelineMatchRow[]; examined: number }> {
    const rows = await reader.all<{ examined: number } & (TimelineMatchRow | { seq: null })>(
      `WITH newest AS MATERIALIZED (SELECT rowid AS seq FROM record_search
         WHERE record_search MATCH ? ORDER BY rowid DESC LIMIT ${EXAMINED_MATCHES_MAX})
       SELECT total.examined, matches.*
       FROM (SELECT count(*) AS examined FROM newest) AS total
         LEFT JOIN (SELECT records.seq, endpoints.id, endpoints.path
           FROM newest JOIN records USING (seq) JOIN endpoints ON endpoints.id = records.endpoint
           WHERE endpoints.path IS NOT NULL AND ${INCLUDED_SOURCE_SQL} ${endpoint === undefined ? '' : 'AND endpoints.path = ?'}
           ORDER BY records.seq DESC LIMIT ${sqlInteger(take)}) AS matches ON true
       ORDER BY matches.seq DESC`,
      [match, JSON.stringify(excludedSources), ...(endpoint === undefined ? [] : [endpoint])],
    );
    return {
      rows: rows.flatMap((row) => (row.seq === null ? [] : [{ seq: row.seq, id: row.id, path: row.path }])),
      examined: rows[0]?.examined ?? 0,
    };
  },
});

export type RecordTimelineStore = ReturnType<typeof createRecordTimelineStore>;
