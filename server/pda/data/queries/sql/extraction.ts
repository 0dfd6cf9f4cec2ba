import type { TimeFormat } from '../../../../wire/fields.ts';
import { CHARTED_RECORD_MAX_BYTES, MAX_RECORD_TITLE_CHARS } from '../../../../wire/limits.ts';
import { sqlInteger, sqlText, valueSql } from './fields.ts';

// SQL that charts, maps, calendars and timelines share. `extractSql` extracts fields once per record into a
// materialised table: SQLite would otherwise repeat the extraction wherever the value is used.

/** SQL condition with a leading AND that leaves out large records. */
export const CHARTED_CONDITION = `AND octet_length(data) <= ${CHARTED_RECORD_MAX_BYTES}`;
/** For the API descriptions of routes that read with `CHARTED_CONDITION`. */
export const CHARTED_DESCRIPTION = `Records above ${CHARTED_RECORD_MAX_BYTES / 1_000_000} MB are left out.`;

/** @param condition begins with AND */
export const extractSql = (columns: string, endpoint: number, condition = ''): string =>
  `WITH extracted AS MATERIALIZED (SELECT ${columns} FROM records
     WHERE endpoint = ${sqlInteger(endpoint)} ${CHARTED_CONDITION} ${condition})`;

/** Maximum length of a string that is parsed as a number or a duration, and in tables as a time. */
export const SHORT_TEXT_MAX_BYTES = 64;

/**
 * Returns SQL that is true if a string is a decimal number. CAST alone would read 2026 from a string such as
 * 2026-03-01, and 1.2 from 1.2.3.
 */
export const isNumberTextSql = (text: string): string =>
  `octet_length(${text}) <= ${SHORT_TEXT_MAX_BYTES} AND ${text} GLOB '*[0-9]*' AND ${text} NOT GLOB '*[^-+.0-9]*' AND ${text} NOT GLOB '?*[-+]*' AND ${text} NOT GLOB '*.*.*'`;

/** Returns SQL for a number, which may be stored as a string; NULL for other values. */
export const numberSql = (value: string): string =>
  `CASE typeof(${value}) WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value} WHEN 'text' THEN
    CASE WHEN ${isNumberTextSql(value)} THEN CAST(${value} AS REAL) END END`;

/** Returns SQL for 1 January of a year as `YYYY-MM-DD`; NULL if the value is not a year from 1 to 9999. */
export const yearSql = (value: string): string =>
  `CASE WHEN (${numberSql(value)}) BETWEEN 1 AND 9999 AND CAST(${value} AS INTEGER) = CAST(${value} AS REAL)
    THEN printf('%04d-01-01', CAST(${value} AS INTEGER)) END`;

export const isIsoTimeSql = (value: string): string =>
  `typeof(${value}) = 'text' AND ${value} GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'`;

/** The last six digits of a day without dashes, such as 20240303. */
const COMPACT_DAY_END = '[0-9][0-9][01][0-9][0-3][0-9]';

const compactDaySql = (value: string): string =>
  `substr(${value}, 1, 4) || '-' || substr(${value}, 5, 2) || '-' || substr(${value}, 7, 2)`;

/**
 * Returns the WHEN clause of a CASE expression for an extracted value that is a day without dashes, such as the string
 * or number 20240303.
 * @param resultOf returns SQL for the result, given SQL for the day as `YYYY-MM-DD`
 */
export const compactDayCaseSql = (value: string, resultOf: (day: string) => string): string =>
  `WHEN typeof(${value}) IN ('text', 'integer') AND (${value} GLOB '19${COMPACT_DAY_END}' OR ${value} GLOB '20${COMPACT_DAY_END}')
     THEN ${resultOf(compactDaySql(value))}`;

/** Date with hours and minutes in the basic format of ISO 8601, such as 20240303T1015. */
const BASIC_TIME = `[0-9][0-9]${COMPACT_DAY_END}[Tt][0-2][0-9][0-5][0-9]`;

const isBasicTimeSql = (value: string): string => `typeof(${value}) = 'text' AND ${value} GLOB '${BASIC_TIME}*'`;

/**
 * Returns the WHEN clause of a CASE expression for an extracted value that is a time in the basic format of ISO 8601,
 * such as 20240303T101500Z.
 * @param resultOf returns SQL for the result, given SQL for the hour as `YYYY-MM-DDTHH`, the minute, and whether the
 *   time ends in `Z`
 */
export const basicTimeCaseSql = (
  value: string,
  resultOf: (hour: string, minute: string, isUtc: string) => string,
): string => {
  const hour = `${compactDaySql(value)} || 'T' || substr(${value}, 10, 2)`;
  const result = resultOf(hour, `substr(${value}, 12, 2)`, `substr(${value}, -1) IN ('Z', 'z')`);
  return `WHEN ${isBasicTimeSql(value)} THEN ${result}`;
};

/** Returns SQL for the Unix seconds of a value; NULL if it is not a time. A time without a time zone counts as UTC. */
export const secondsSql = (value: string, format: TimeFormat): string => {
  switch (format) {
    case 'iso':
      // SQLite does not read the basic format, reads offsets only in the form +01:00, and accepts days such as
      // 30 February.
      return `CASE WHEN ${isIsoTimeSql(value)} THEN CASE WHEN substr(${value}, 9, 2) <= '28' THEN coalesce(unixepoch(${value}), pda_seconds(${value})) ELSE pda_seconds(${value}) END WHEN ${isBasicTimeSql(value)} THEN pda_seconds(${value}) ${compactDayCaseSql(value, (day) => `pda_seconds(${day})`)} END`;
    case 'seconds':
      return numberSql(value);
    case 'milliseconds':
      return `(${numberSql(value)}) / 1000`;
    case 'year':
      return `unixepoch(${yearSql(value)})`;
    default:
      return `CASE WHEN typeof(${value}) = 'text' THEN unixepoch(pda_time(${value}, ${sqlText(format)})) END`;
  }
};

/**
 * Returns SQL for the local time of a value as `YYYY-MM-DD` or `YYYY-MM-DD HH:MM`; NULL if the value is not a time.
 * Unix times and times that end in `Z` are converted to the local time of this computer. Others keep their digits.
 */
export const localTimeSql = (value: string, format: TimeFormat): string => {
  switch (format) {
    case 'iso':
      return `CASE WHEN ${isIsoTimeSql(value)} THEN
        CASE WHEN length(${value}) > 15 AND substr(${value}, -1) IN ('Z', 'z') THEN pda_local_minute(${value})
             ELSE replace(replace(substr(${value}, 1, 16), 'T', ' '), 't', ' ') END
        ${basicTimeCaseSql(
          value,
          (hour, minute, isUtc) =>
            `CASE WHEN ${isUtc} THEN pda_local_minute(${value})
                  ELSE replace(${hour}, 'T', ' ') || ':' || ${minute} END`,
        )} ${compactDayCaseSql(value, (day) => day)} END`;
    case 'seconds':
    case 'milliseconds':
      return `pda_local_minute((${secondsSql(value, format)}) * 1000)`;
    case 'year':
      return yearSql(value);
    default:
      return `CASE WHEN typeof(${value}) = 'text' THEN substr(pda_time(${value}, ${sqlText(format)}), 1, 16) END`;
  }
};

/**
 * Returns SQL for the title of a record, a number or the beginning of a string; NULL for other values.
 * @param path of the title field; undefined: NULL
 */
export const titleSql = (path: string | undefined): string => {
  if (path === undefined) return 'NULL';
  const { type, raw } = valueSql(path);
  return `CASE ${type} WHEN 'text' THEN substr(${raw}, 1, ${MAX_RECORD_TITLE_CHARS}) WHEN 'integer' THEN CAST(${raw} AS TEXT) WHEN 'real' THEN ${raw} END`;
};

/**
 * Returns the SQL literal of a real number. Whole numbers get a fraction, so that SQLite does not use integer division.
 * @throws Error for NaN and infinity
 */
export const sqlReal = (value: number): string => {
  if (!Number.isFinite(value)) throw new Error(`not a finite number: ${value}`);
  const text = String(value);
  return `(${/[.e]/u.test(text) ? text : `${text}.0`})`;
};
