import type { TimeFormat } from '../../../../wire/fields.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { extractSql, localTimeSql, titleSql } from '../sql/extraction.ts';
import { sqlInteger, sqlText, valueSql } from '../sql/fields.ts';

type TimePath = { path: string; format: TimeFormat };

export type EventSelection = { endpoint: number; start: TimePath; end: TimePath | undefined };

/**
 * Returns SQL for the table `events`: the first and the last day of each record with a start. An end that is not a
 * date, or is before the start, is ignored. A record whose end has no time of day, or is at midnight, ends on the day
 * before.
 */
const eventsSql = ({ endpoint, start, end }: EventSelection): string => {
  const columns = [
    'seq',
    `${valueSql(start.path).raw} AS raw_start`,
    `${end === undefined ? 'NULL' : valueSql(end.path).raw} AS raw_end`,
  ];
  return `${extractSql(columns.join(), endpoint)},
    times AS MATERIALIZED (SELECT seq, ${localTimeSql('raw_start', start.format)} AS start,
      ${end === undefined ? 'NULL' : localTimeSql('raw_end', end.format)} AS "end" FROM extracted),
    events AS MATERIALIZED (SELECT seq, start, substr(start, 1, 10) AS first_day,
      max(substr(start, 1, 10), coalesce(CASE WHEN date(substr("end", 1, 10)) = substr("end", 1, 10) THEN
        CASE WHEN length("end") = 10 OR substr("end", 12) = '00:00'
          THEN date(substr("end", 1, 10), '-1 day') ELSE substr("end", 1, 10) END END, '')) AS last_day
      FROM times WHERE date(substr(start, 1, 10)) = substr(start, 1, 10))`;
};

/** `from` and `to`: first and last day. `title`: path of the title field. `perDay`: maximum records per day. */
export type DayListOptions = { from: string; to: string; title?: string | undefined; perDay: number };

/** `records`: number of records on the day. */
type DayRow = { day: string; records: number; recordId: string; title: string | number | null; start: string };

/** Leaves out records above CHARTED_RECORD_MAX_BYTES. */
export const createCalendarStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  async extent(selection: EventSelection) {
    const [row] = await reader.all<{ records: number; first: string | null; last: string | null }>(
      `${eventsSql(selection)}
       SELECT count(*) AS records, min(first_day) AS first, max(last_day) AS last FROM events`,
    );
    return row;
  },

  days(selection: EventSelection, { from, to, title, perDay }: DayListOptions): Promise<DayRow[]> {
    // Each day is read separately. A join of days and records would sort a row for each day of each record.
    return reader.all<DayRow>(
      `${eventsSql(selection)},
         inside AS MATERIALIZED (SELECT * FROM events WHERE first_day <= ${sqlText(to)} AND last_day >= ${sqlText(from)}),
         days (day) AS (SELECT ${sqlText(from)} UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < ${sqlText(to)}),
         counted AS MATERIALIZED (SELECT day,
           (SELECT count(*) FROM inside WHERE day BETWEEN first_day AND last_day) AS records,
           (SELECT json_group_array(seq) FROM (SELECT seq FROM inside WHERE day BETWEEN first_day AND last_day
             ORDER BY start, seq LIMIT ${sqlInteger(perDay)})) AS list
         FROM days)
       SELECT day, counted.records, records.id AS recordId, ${titleSql(title)} AS title, inside.start
       FROM counted, json_each(list) AS item
         JOIN records ON records.seq = item.value JOIN inside ON inside.seq = item.value
       ORDER BY day, item.key`,
    );
  },
});

export type CalendarStore = ReturnType<typeof createCalendarStore>;
