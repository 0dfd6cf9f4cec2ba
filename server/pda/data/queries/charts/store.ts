import { CHARTED_RECORD_MAX_BYTES } from '../../../../wire/limits.ts';
import type { ChartBucket } from '../../../../wire/charts.ts';
import type { TimeFormat } from '../../../../wire/fields.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { fieldSql, sqlInteger, sqlText } from '../sql/fields.ts';

/** SQL of the aggregates for charts. All statements run in a reader thread. */

/** Returns the number in a field, also if it is written as text; NULL if there is none. */
const numberSql = (path: string): string => {
  const { type, raw } = fieldSql(path);
  // Leading digits of a text such as 2026-03-01 are not its number.
  return `CASE ${type} WHEN 'integer' THEN CAST(${raw} AS REAL) WHEN 'real' THEN ${raw} WHEN 'text' THEN
    CASE WHEN ltrim(${raw}, '+-') GLOB '*[^0-9.]*' OR ltrim(${raw}, '+-.') = '' THEN NULL ELSE CAST(${raw} AS REAL) END END`;
};

const WITH_ZONE = (raw: string): string =>
  `(substr(${raw}, -1) IN ('Z', 'z') OR substr(${raw}, -6) GLOB '[+-][0-9][0-9]:[0-9][0-9]')`;

/** Returns the time in a field as `YYYY-MM-DD HH:MM:SS` in the local time of the PDA; NULL if there is none. */
const momentSql = (path: string, format: TimeFormat): string => {
  const { type, raw } = fieldSql(path);
  switch (format) {
    case 'iso':
      // A time without a zone is local already.
      return `CASE WHEN ${type} = 'text' AND ${raw} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' THEN
        CASE WHEN length(${raw}) > 10 AND ${WITH_ZONE(raw)} THEN datetime(${raw}, 'localtime')
             ELSE replace(substr(${raw}, 1, 19), 'T', ' ') END END`;
    case 'seconds':
    case 'milliseconds':
      return `CASE WHEN ${type} IN ('integer', 'real') THEN
        datetime(${raw} / ${format === 'seconds' ? '1' : '1000'}, 'unixepoch', 'localtime') END`;
    case 'year':
      return `CASE WHEN ${type} IN ('integer', 'real', 'text') AND CAST(${raw} AS INTEGER) BETWEEN 1 AND 9999
        THEN printf('%04d-01-01 00:00:00', CAST(${raw} AS INTEGER)) END`;
    default:
      return `CASE WHEN ${type} = 'text' THEN pda_time(${raw}, ${sqlText(format)}) END`;
  }
};

const CREATED = "datetime(created / 1000, 'unixepoch', 'localtime')";

const BUCKETS: Readonly<Record<ChartBucket, (moment: string) => string>> = {
  hour: (moment) => `substr(${moment}, 1, 13)`,
  day: (moment) => `substr(${moment}, 1, 10)`,
  week: (moment) => `date(substr(${moment}, 1, 10), 'weekday 0', '-6 days')`,
  month: (moment) => `substr(${moment}, 1, 7)`,
  year: (moment) => `substr(${moment}, 1, 4)`,
};

/** Field that holds the time of a record; undefined: the time at which the record was stored. */
export type TimeField = { path: string; format: TimeFormat } | undefined;

export type BucketRow = {
  start: string | null;
  count: number;
  sum: number | null;
  min: number | null;
  max: number | null;
  records: number;
};

/** `distinct`, `counted`: number of different values, and of records that have one of them. */
export type ValueCountRow = { value: string | number | null; count: number; distinct: number; counted: number };

const RECORDS = (endpoint: number): string =>
  `FROM records WHERE endpoint = ${sqlInteger(endpoint)} AND octet_length(data) <= ${CHARTED_RECORD_MAX_BYTES}`;

export const createChartStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  /** Returns the lowest sequence number of the page of `records` records below `before`; undefined if there are fewer. */
  async pageStart(endpoint: number, before: number, records: number): Promise<number | undefined> {
    const [row] = await reader.all<{ seq: number }>(
      `SELECT seq FROM records WHERE endpoint = ${sqlInteger(endpoint)} AND seq < ${sqlInteger(before)}
       ORDER BY seq DESC LIMIT 1 OFFSET ${sqlInteger(records - 1)}`,
    );
    return row?.seq;
  },

  /** Returns the aggregate of each bucket. The row without a start counts records without a time or number. */
  series(parts: {
    endpoint: number;
    from: number;
    before: number;
    time: TimeField;
    value: string | undefined;
    per: ChartBucket;
  }): Promise<BucketRow[]> {
    const { endpoint, from, before, time, value, per } = parts;
    const moment = time === undefined ? CREATED : momentSql(time.path, time.format);
    const number = value === undefined ? '1' : numberSql(value);
    return reader.all<BucketRow>(
      `SELECT CASE WHEN number IS NULL THEN NULL ELSE bucket END AS start, count(*) AS records, count(number) AS count,
         sum(number) AS sum, min(number) AS min, max(number) AS max
       FROM (SELECT ${BUCKETS[per]('moment')} AS bucket, number
             FROM (SELECT ${moment} AS moment, ${number} AS number FROM records
                   WHERE endpoint = ${sqlInteger(endpoint)} AND seq >= ${sqlInteger(from)} AND seq < ${sqlInteger(before)}
                     AND octet_length(data) <= ${CHARTED_RECORD_MAX_BYTES}))
       GROUP BY 1 ORDER BY 1`,
    );
  },

  async range(
    endpoint: number,
    field: string,
  ): Promise<{ low: number | null; high: number | null; records: number; numbers: number }> {
    const [row] = await reader.all<{ low: number | null; high: number | null; records: number; numbers: number }>(
      `SELECT min(number) AS low, max(number) AS high, count(*) AS records, count(number) AS numbers
       FROM (SELECT ${numberSql(field)} AS number ${RECORDS(endpoint)})`,
    );
    return row ?? { low: null, high: null, records: 0, numbers: 0 };
  },

  /** Counts the numbers of a field in bins of equal width, which begin at `low`. */
  bins(
    endpoint: number,
    field: string,
    low: number,
    width: number,
    bins: number,
  ): Promise<{ bin: number; count: number }[]> {
    return reader.all<{ bin: number; count: number }>(
      `SELECT min(CAST((number - (${low})) / ${width} AS INTEGER), ${sqlInteger(bins - 1)}) AS bin, count(*) AS count
       FROM (SELECT ${numberSql(field)} AS number ${RECORDS(endpoint)}) WHERE number IS NOT NULL GROUP BY 1 ORDER BY 1`,
    );
  },

  /** Counts the values of a field, the most frequent first. */
  valueCounts(endpoint: number, field: string, limit: number): Promise<ValueCountRow[]> {
    const { type, scalarKey } = fieldSql(field);
    const scalar = `CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE ${scalarKey} END`;
    return reader.all<ValueCountRow>(
      `SELECT value, count(*) AS count, count(*) OVER () AS "distinct", sum(count(*)) OVER () AS counted
       FROM (SELECT ${scalar} AS value ${RECORDS(endpoint)} AND coalesce(${type}, 'null') NOT IN ('array', 'object'))
       GROUP BY value ORDER BY count DESC, value LIMIT ${sqlInteger(limit)}`,
    );
  },

  /** Returns pairs of numbers. Of more than `limit`, every n-th record is taken. */
  async points(
    endpoint: number,
    x: string,
    y: string,
    limit: number,
  ): Promise<{ points: [number, number][]; total: number; records: number }> {
    const pairs = `SELECT seq, ${numberSql(x)} AS x, ${numberSql(y)} AS y ${RECORDS(endpoint)}`;
    const [counted] = await reader.all<{ total: number; records: number }>(
      `SELECT count(*) AS records, count(CASE WHEN x IS NOT NULL AND y IS NOT NULL THEN 1 END) AS total FROM (${pairs})`,
    );
    const { total = 0, records = 0 } = counted ?? {};
    const every = Math.max(1, Math.ceil(total / limit));
    const rows = await reader.all<{ x: number; y: number }>(
      `SELECT x, y FROM (SELECT x, y, row_number() OVER (ORDER BY seq) AS n FROM (${pairs}) WHERE x IS NOT NULL AND y IS NOT NULL)
       WHERE n % ${sqlInteger(every)} = 0`,
    );
    return { points: rows.map((row) => [row.x, row.y]), total, records };
  },
});

export type ChartStore = ReturnType<typeof createChartStore>;
