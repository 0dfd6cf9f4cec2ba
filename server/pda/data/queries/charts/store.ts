import type { ChartBucket } from '../../../../wire/charts.ts';
import type { TimeFormat } from '../../../../wire/fields.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import {
  basicTimeCaseSql,
  CHARTED_CONDITION,
  compactDayCaseSql,
  extractSql,
  isIsoTimeSql,
  numberSql,
  SHORT_TEXT_MAX_BYTES,
  yearSql,
} from '../sql/extraction.ts';
import { sqlInteger, sqlText, valueSql } from '../sql/fields.ts';
import { defineQueryIndex, type QueryIndex } from '../sql/index-definitions.ts';
import { QUARTER_HOUR_MS } from '../sql/time-buckets.ts';

/** Limit of a JavaScript date, in milliseconds before and after 1970. */
const MAX_DATE_MS = '8.64e15';

const quarterSql = (minute: string): string => `printf('%02d', CAST(${minute} AS INTEGER) / 15 * 15)`;

/**
 * Returns SQL for the key by which records are grouped: Unix time in quarters of an hour; `Z` and a time in UTC,
 * rounded down to a quarter of an hour (`Z2026-03-01T14:30`); or the written day or hour (`2026-03-01T14`). NULL if the
 * value is not a time. See `bucketOf` in time-buckets.ts.
 */
const timeKeySql = (value: string, format: TimeFormat): string => {
  switch (format) {
    case 'iso':
      return `CASE WHEN ${isIsoTimeSql(value)} THEN
        CASE WHEN length(${value}) > 15 AND substr(${value}, -1) IN ('Z', 'z') THEN 'Z' || substr(${value}, 1, 14) || ${quarterSql(`substr(${value}, 15, 2)`)}
             ELSE substr(${value}, 1, 13) END
        ${basicTimeCaseSql(
          value,
          (hour, minute, isUtc) =>
            `CASE WHEN ${isUtc} THEN 'Z' || ${hour} || ':' || ${quarterSql(minute)} ELSE ${hour} END`,
        )} ${compactDayCaseSql(value, (day) => day)} END`;
    case 'seconds':
    case 'milliseconds': {
      const ms = format === 'seconds' ? `(${numberSql(value)}) * 1000` : `(${numberSql(value)})`;
      return `CASE WHEN ${ms} BETWEEN -${MAX_DATE_MS} AND ${MAX_DATE_MS} THEN CAST(floor(${ms} / ${QUARTER_HOUR_MS}.0) AS INTEGER) END`;
    }
    case 'year':
      return yearSql(value);
    default:
      return `CASE WHEN typeof(${value}) = 'text' THEN substr(pda_time(${value}, ${sqlText(format)}), 1, 13) END`;
  }
};

/** Returns SQL for a number, which may be stored as a string, or the seconds of an ISO 8601 duration; else NULL. */
const chartedNumberSql = (value: string): string =>
  `CASE WHEN typeof(${value}) = 'text' AND ltrim(${value}, '+-') GLOB 'P[0-9T]*' AND octet_length(${value}) <= ${SHORT_TEXT_MAX_BYTES}
     THEN pda_duration_seconds(${value}) ELSE ${numberSql(value)} END`;

/** Field with the time; undefined: the time at which the record was stored. */
type TimeField = { path: string; format: TimeFormat } | undefined;
/** `value`: path of the number to aggregate; undefined to count records. */
export type SeriesFields = { time?: TimeField; value?: string | undefined };

const indexedSeriesSql = ({ time, value }: SeriesFields): { key: string; number: string } => ({
  key: timeKeySql(time === undefined ? 'created' : valueSql(time.path).raw, time?.format ?? 'milliseconds'),
  number: value === undefined ? '1' : chartedNumberSql(valueSql(value).raw),
});

/** Defines an index in the order of the time keys. Aggregating a series from it neither sorts nor reads records. */
export const defineSeriesIndex = (endpoint: number, fields: SeriesFields): QueryIndex => {
  const { key, number } = indexedSeriesSql(fields);
  return defineQueryIndex(endpoint, fields.value === undefined ? [key] : [key, number], CHARTED_CONDITION);
};

/** Returns true if SQLite can evaluate the paths itself, so that the index does not slow down writes much. */
export const isNativeSeries = ({ time, value }: SeriesFields): boolean =>
  [time?.path, value].every((path) => path === undefined || valueSql(path).isNative);

/** `records` includes records without a number. `start` is null for records without a valid time. */
export type BucketRow = {
  start: string | null;
  records: number;
  count: number;
  sum: number | null;
  min: number | null;
  max: number | null;
};

/** Returns SQL that merges groups of records with the same time key into buckets. */
const bucketsSql = (groups: string, per: ChartBucket): string =>
  `SELECT pda_bucket(key, ${sqlText(per)}) AS start, sum(records) AS records, sum(count) AS count, sum(sum) AS sum,
     min(min) AS min, max(max) AS max
   FROM (${groups}) GROUP BY 1`;

/** `distinct`: number of different values. `counted`: number of records with any of these values. */
type ValueCountRow = { value: string | number | null; count: number; distinct: number; counted: number };

/** `total`: number of pairs. */
type PointRow = { seq: number; x: number; y: number; total: number };

/** Leaves out records above CHARTED_RECORD_MAX_BYTES. */
export const createChartStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  /** Returns the lowest sequence number of the last `records` records below `before`; undefined if there are fewer. */
  async pageStart(endpoint: number, before: number, records: number): Promise<number | undefined> {
    const [row] = await reader.all<{ seq: number }>(
      `SELECT seq FROM records WHERE endpoint = ${sqlInteger(endpoint)} AND seq < ${sqlInteger(before)}
       ORDER BY seq DESC LIMIT 1 OFFSET ${sqlInteger(records - 1)}`,
    );
    return row?.seq;
  },

  /** Aggregates all records from the index of `defineSeriesIndex`. */
  indexedBuckets(endpoint: number, fields: SeriesFields, per: ChartBucket): Promise<BucketRow[]> {
    const { key, number } = indexedSeriesSql(fields);
    // SQLite groups in the order of the index. Without min, it would read the record of each group.
    return reader.all<BucketRow>(
      bucketsSql(
        `SELECT min(${key}) AS key, count(*) AS records, count(${number}) AS count, sum(${number}) AS sum,
           min(${number}) AS min, max(${number}) AS max
         FROM records INDEXED BY ${defineSeriesIndex(endpoint, fields).name}
         WHERE endpoint = ${sqlInteger(endpoint)} ${CHARTED_CONDITION} GROUP BY ${key}`,
        per,
      ),
    );
  },

  /** Aggregates the records with a sequence number from `from` to below `before`. */
  buckets(
    parts: SeriesFields & { endpoint: number; per: ChartBucket; from: number; before: number },
  ): Promise<BucketRow[]> {
    const { endpoint, per, from, before, time, value } = parts;
    const columns = [
      time === undefined ? 'created AS t' : `${valueSql(time.path).raw} AS t`,
      value === undefined ? '1 AS v' : `${valueSql(value).raw} AS v`,
    ];
    const key = timeKeySql('t', time === undefined ? 'milliseconds' : time.format);
    const range = `AND seq >= ${sqlInteger(from)} AND seq < ${sqlInteger(before)}`;
    return reader.all<BucketRow>(
      `${extractSql(columns.join(), endpoint, range)}
       ${bucketsSql(
         `SELECT key, count(*) AS records, count(number) AS count, sum(number) AS sum, min(number) AS min,
            max(number) AS max
          FROM (SELECT ${key} AS key, ${chartedNumberSql('v')} AS number FROM extracted) GROUP BY 1`,
         per,
       )}`,
    );
  },

  /** Returns the lowest and the highest number of a field. `numbers`: number of records that have a number in it. */
  async range(endpoint: number, field: string) {
    const [row] = await reader.all<{ low: number | null; high: number | null; numbers: number }>(
      `${extractSql(`${valueSql(field).raw} AS v`, endpoint)}
       SELECT min(number) AS low, max(number) AS high, count(number) AS numbers FROM (SELECT ${chartedNumberSql('v')} AS number FROM extracted)`,
    );
    return row ?? { low: null, high: null, numbers: 0 };
  },

  /** Counts numbers by bin. The bins have equal width and begin at `low`. */
  bins(parts: {
    endpoint: number;
    field: string;
    low: number;
    width: number;
    binCount: number;
  }): Promise<{ bin: number; count: number }[]> {
    const { endpoint, field, low, width, binCount } = parts;
    return reader.all<{ bin: number; count: number }>(
      `${extractSql(`${valueSql(field).raw} AS v`, endpoint)}
       SELECT min(CAST((number - (${low})) / ${width} AS INTEGER), ${sqlInteger(binCount - 1)}) AS bin, count(*) AS count
       FROM (SELECT ${chartedNumberSql('v')} AS number FROM extracted) WHERE number IS NOT NULL GROUP BY 1 ORDER BY 1`,
    );
  },

  /** Returns the most frequent values first. Omits lists and objects, and cuts off long texts. */
  valueCounts(endpoint: number, field: string, limit: number): Promise<ValueCountRow[]> {
    const { type, scalarKey } = valueSql(field);
    const columns = `${type} AS type, CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE ${scalarKey} END AS value`;
    return reader.all<ValueCountRow>(
      `${extractSql(columns, endpoint)}
       SELECT value, count(*) AS count, count(*) OVER () AS "distinct", sum(count(*)) OVER () AS counted
       FROM extracted WHERE coalesce(type, 'null') NOT IN ('array', 'object')
       GROUP BY value ORDER BY count DESC, value LIMIT ${sqlInteger(limit)}`,
    );
  },

  /** Returns every n-th pair if there are more than `limit`. */
  points(endpoint: number, x: string, y: string, limit: number): Promise<PointRow[]> {
    return reader.all<PointRow>(
      `${extractSql(`seq, ${valueSql(x).raw} AS vx, ${valueSql(y).raw} AS vy`, endpoint)},
         pairs AS MATERIALIZED (
           SELECT seq, x, y, row_number() OVER () AS n
           FROM (SELECT seq, ${chartedNumberSql('vx')} AS x, ${chartedNumberSql('vy')} AS y FROM extracted) WHERE x IS NOT NULL AND y IS NOT NULL),
         counted AS (SELECT count(*) AS total FROM pairs)
       SELECT seq, x, y, total FROM pairs, counted WHERE n % max(1, (total + ${sqlInteger(limit - 1)}) / ${sqlInteger(limit)}) = 0`,
    );
  },
});

export type ChartStore = ReturnType<typeof createChartStore>;
