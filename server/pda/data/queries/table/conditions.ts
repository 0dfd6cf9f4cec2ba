import { addDays, createLocalDateFormat } from '../../../../platform/local-date.ts';
import type { Field } from '../../../../wire/fields.ts';
import type { TableFilter, TableValue } from '../../../../wire/table.ts';
import { NUMBER_TEXT } from '../../../../wire/value-patterns.ts';
import { likePattern, likeSpellings, likeWholePattern } from '../../../core/like.ts';
import { ORDER_KEY_BYTES_MAX } from '../language/json-order.ts';
import type { SqlFragment, SqlParameter } from '../sql/filters.ts';
import {
  LOWEST_EXCEPTION_SQL,
  type FieldKey,
  isNumericKind,
  type KeyColumn,
  keyKindOf,
  type ReadColumn,
} from './keys.ts';

/** Returns SQL for a column: its expression, or the name under which a subquery has evaluated it. */
export type SqlOf = (column: ReadColumn) => string;

export type TableCondition = {
  /** Reads all `columns`, and is never a constant: SQLite rejects INDEXED BY if a condition is always false. */
  sql: (sqlOf: SqlOf) => string;
  parameters: readonly SqlParameter[];
  columns: readonly ReadColumn[];
  /** How an index finds the matching records: by one key, in a range or list of keys, or by testing each key. */
  access: 'equality' | 'range' | 'scan';
  /** Key for which the filter excludes values of another type, because it cannot compare them. */
  exceptionKey: KeyColumn | undefined;
};

type FieldsByPath = ReadonlyMap<string, Pick<Field, 'type' | 'timeFormat'>>;

export const fieldKeyOf = (path: string, fields: FieldsByPath): FieldKey => {
  const field = fields.get(path);
  return { path, kind: keyKindOf(field?.type), timeFormat: field?.timeFormat };
};

const keyColumn = (key: FieldKey): KeyColumn => ({ of: 'key', key, descending: false });

/** Returns SQL that is true if a key is within the bounds and has the type of the field. */
const withinSql = (sql: string, lowest: number | undefined, highest: number | undefined): string =>
  [
    ...(lowest === undefined ? [] : [`${sql} >= ?`]),
    highest === undefined ? `${sql} < ${LOWEST_EXCEPTION_SQL}` : `${sql} <= ?`,
  ].join(' AND ');

const definedBounds = (...bounds: readonly (number | undefined)[]): number[] =>
  bounds.filter((bound) => bound !== undefined);

const compileRange = (key: FieldKey, lowest: number | undefined, highest: number | undefined): TableCondition => {
  const column = keyColumn(key);
  return {
    sql: (sqlOf) => withinSql(sqlOf(column), lowest, highest),
    parameters: definedBounds(lowest, highest),
    columns: [column],
    access: 'range',
    exceptionKey: column,
  };
};

/** Bounds of a range of days in the time zone of this computer, and for times without a time zone (`local`). */
type DayBounds = { instants: Bounds; local: Bounds };
/** First and last millisecond. */
type Bounds = { first: number | undefined; last: number | undefined };

const dayStart = (day: string, addedDays: number): { instant: number; local: number } => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const instant = new Date(2000, 0, 1);
  instant.setFullYear(year, month - 1, date + addedDays);
  const local = new Date(Date.UTC(2000, 0, 1));
  local.setUTCFullYear(year, month - 1, date + addedDays);
  return { instant: instant.getTime(), local: local.getTime() };
};

const boundsOf = (from: string | undefined, to: string | undefined): DayBounds => {
  const start = from === undefined ? undefined : dayStart(from, 0);
  const end = to === undefined ? undefined : dayStart(to, 1);
  return {
    instants: { first: start?.instant, last: end === undefined ? undefined : end.instant - 1 },
    local: { first: start?.local, last: end === undefined ? undefined : end.local - 1 },
  };
};

/** Returns the date `addedDays` days after a time, in the time zone of this computer. */
const localDate = (ms: number, addedDays: number): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return addDays(createLocalDateFormat(timeZone)(ms), addedDays);
};

/** Returns the lower of two bounds; undefined if one of them is open. */
const lowerBound = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.min(a, b);
const higherBound = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);

/** Compiles a range of days. Times with and without a time zone have different bounds. */
const compileDays = (key: FieldKey, { instants, local }: DayBounds): TableCondition => {
  const { timeFormat } = key;
  if (timeFormat === 'seconds' || timeFormat === 'milliseconds')
    return compileRange(key, instants.first, instants.last);
  if (timeFormat !== undefined && (timeFormat !== 'iso' || key.kind === 'day'))
    return compileRange(key, local.first, local.last);
  const column = keyColumn(key);
  const isLocal = { of: 'isLocal', key } as const;
  // The outer bounds are a range of the index. The inner ones are exact.
  const outerBounds: Bounds = {
    first: lowerBound(instants.first, local.first),
    last: higherBound(instants.last, local.last),
  };
  const innerSql = (sqlOf: SqlOf, comparison: string): string =>
    ` AND ${sqlOf(column)} ${comparison} CASE ${sqlOf(isLocal)} WHEN 1 THEN ? ELSE ? END`;
  return {
    sql: (sqlOf) =>
      withinSql(sqlOf(column), outerBounds.first, outerBounds.last) +
      (outerBounds.first === undefined ? '' : innerSql(sqlOf, '>=')) +
      (outerBounds.last === undefined ? '' : innerSql(sqlOf, '<=')),
    parameters: definedBounds(
      outerBounds.first,
      outerBounds.last,
      local.first,
      instants.first,
      local.last,
      instants.last,
    ),
    columns: [column, isLocal],
    access: 'range',
    exceptionKey: column,
  };
};

const compileCreated = ({ instants: { first, last } }: DayBounds): TableCondition => ({
  sql: (sqlOf) =>
    [
      ...(first === undefined ? [] : [`${sqlOf({ of: 'created' })} >= ?`]),
      ...(last === undefined ? [] : [`${sqlOf({ of: 'created' })} <= ?`]),
    ].join(' AND '),
  parameters: definedBounds(first, last),
  columns: [{ of: 'created' }],
  access: 'range',
  exceptionKey: undefined,
});

/** Returns SQL that is true if a key may be only the beginning of a string. */
const isCutSql = (sql: string): string => `octet_length(${sql}) = ${ORDER_KEY_BYTES_MAX}`;

const likeAny = (sql: string, patterns: readonly string[]): string =>
  patterns.map(() => `${sql} LIKE ? ESCAPE '\\'`).join(' OR ');

/**
 * Compiles the search in whole records: a condition with a leading AND; empty without a search. A record matches if its
 * JSON text contains the search, as stored or with its escapes decoded: some clients store `Müller` as `M\u00fcller`,
 * and quotation marks, backslashes and line breaks are always escaped.
 */
export const compileSearch = (search: string): SqlFragment => {
  if (search === '') return { sql: '', parameters: [] };
  const patterns = likeSpellings(search).map(likePattern);
  // Most records have no escapes, and SQLite searches them several times faster than JavaScript.
  return {
    sql: String.raw` AND (${likeAny('data', patterns)} OR (instr(data, '\') > 0 AND pda_contains_text(data, ?)))`,
    parameters: [...patterns, search],
  };
};

const compileContains = (path: string, text: string): TableCondition => {
  const column = keyColumn({ path, kind: 'text' });
  const wholeText = { of: 'wholeText', path } as const;
  const patterns = likeSpellings(text).map(likePattern);
  return {
    sql: (sqlOf) => {
      const sql = sqlOf(column);
      return `${sql} < ${LOWEST_EXCEPTION_SQL} AND (${likeAny(sql, patterns)} OR (${isCutSql(sql)} AND (${likeAny(sqlOf(wholeText), patterns)})))`;
    },
    parameters: [...patterns, ...patterns],
    columns: [column, wholeText],
    access: 'scan',
    exceptionKey: column,
  };
};

/**
 * Matches a string that equals the text, ignoring case, and a number that equals the number that the text represents.
 * Also matches a list that contains such a string or number.
 */
const compileContainsElement = (path: string, text: string): TableCondition => {
  const elements = { of: 'elements', path } as const;
  const patterns = likeSpellings(text).map(likeWholePattern);
  const numbers = NUMBER_TEXT.test(text) ? [Number(text)] : [];
  const terms = [
    ...patterns.map(() => "(type = 'text' AND atom LIKE ? ESCAPE '\\')"),
    ...numbers.map(() => "(type IN ('integer', 'real') AND CAST(atom AS REAL) = ?)"),
  ];
  return {
    sql: (sqlOf) => `EXISTS (SELECT 1 FROM json_each(${sqlOf(elements)}) WHERE ${terms.join(' OR ')})`,
    parameters: [...patterns, ...numbers],
    columns: [elements],
    access: 'scan',
    exceptionKey: undefined,
  };
};

/** Returns values as numbers. Omits strings that are not numbers. */
const numbersOf = (values: readonly TableValue[]): number[] =>
  values.flatMap((value) => {
    if (typeof value !== 'string') return [Number(value)];
    return NUMBER_TEXT.test(value) ? [Number(value)] : [];
  });

const compileOneOf = (path: string, values: readonly TableValue[], fields: FieldsByPath): TableCondition => {
  const fieldKey = fieldKeyOf(path, fields);
  const isNumeric = isNumericKind(fieldKey.kind);
  const column = keyColumn(isNumeric ? fieldKey : { path, kind: 'text' });
  const keys: SqlParameter[] = isNumeric ? numbersOf(values) : values.map(String);
  const isLong = (value: SqlParameter): boolean =>
    typeof value === 'string' && Buffer.byteLength(value) >= ORDER_KEY_BYTES_MAX;
  const shortKeys = keys.filter((value) => !isLong(value));
  const longKeys = keys.filter(isLong);
  const inListSql = (sql: string, list: readonly unknown[]): string => `${sql} IN (${list.map(() => '?').join(', ')})`;
  const condition = { columns: [column], exceptionKey: column };
  // The condition is never true, because no value can match.
  if (keys.length === 0)
    return { ...condition, sql: (sqlOf) => `${sqlOf(column)} = NULL`, parameters: [], access: 'scan' };
  if (longKeys.length === 0) {
    const isSingle = shortKeys.length === 1;
    return {
      ...condition,
      sql: (sqlOf) => (isSingle ? `${sqlOf(column)} = ?` : inListSql(sqlOf(column), shortKeys)),
      parameters: shortKeys,
      access: isSingle ? 'equality' : 'range',
    };
  }
  const wholeText = { of: 'wholeText', path } as const;
  return {
    ...condition,
    sql: (sqlOf) => {
      const sql = sqlOf(column);
      const longKeyCondition = `(${isCutSql(sql)} AND ${inListSql(sqlOf(wholeText), longKeys)})`;
      return shortKeys.length === 0 ? longKeyCondition : `(${inListSql(sql, shortKeys)} OR ${longKeyCondition})`;
    },
    parameters: [...shortKeys, ...longKeys],
    columns: [column, wholeText],
    access: 'scan',
  };
};

/** @param now Unix milliseconds */
export const compileTableFilter = (filter: TableFilter, fields: FieldsByPath, now: number): TableCondition => {
  switch (filter.is) {
    case 'range': {
      const kind = fields.get(filter.field)?.type === 'duration' ? 'duration' : 'number';
      return compileRange({ path: filter.field, kind }, filter.min, filter.max);
    }
    case 'days':
    case 'lastDays': {
      const bounds =
        filter.is === 'days'
          ? boundsOf(filter.from, filter.to)
          : boundsOf(localDate(now, 1 - filter.days), localDate(now, 0));
      if (filter.field === undefined) return compileCreated(bounds);
      const key = fieldKeyOf(filter.field, fields);
      return compileDays(key.kind === 'day' || key.kind === 'time' ? key : { path: key.path, kind: 'time' }, bounds);
    }
    case 'contains':
      return compileContains(filter.field, filter.text);
    case 'containsElement':
      return compileContainsElement(filter.field, filter.text);
    case 'oneOf':
      return compileOneOf(filter.field, filter.values, fields);
    case 'empty':
    case 'filled': {
      const column = keyColumn(fieldKeyOf(filter.field, fields));
      const isEmpty = filter.is === 'empty';
      return {
        sql: (sqlOf) => `${sqlOf(column)} IS ${isEmpty ? '' : 'NOT '}NULL`,
        parameters: [],
        columns: [column],
        access: isEmpty ? 'equality' : 'scan',
        exceptionKey: undefined,
      };
    }
  }
};
