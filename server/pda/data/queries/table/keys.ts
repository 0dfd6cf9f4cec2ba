import type { Field, TimeFormat } from '../../../../wire/fields.ts';
import { ORDER_KEY_BYTES_MAX } from '../language/json-order.ts';
import { isNumberTextSql, SHORT_TEXT_MAX_BYTES } from '../sql/extraction.ts';
import { type FieldSql, sqlText, textKeySql, valueSql } from '../sql/fields.ts';

// Keys by which the table filters, sorts and counts the values of a field. A key is NULL if the value is empty. It is a
// BLOB if the value does not have the type of the field (an exception). SQLite orders BLOBs above all numbers and
// strings, so a range never matches them.

/**
 * Kind of a key. `any`: values of all types, for lists, objects and fields without a known type. It has no exceptions:
 * BLOBs are the sort keys of arrays and objects.
 */
export type KeyKind = 'number' | 'duration' | 'time' | 'day' | 'boolean' | 'text' | 'any';

export type FieldKey = { path: string; kind: KeyKind; timeFormat?: TimeFormat | undefined };

/**
 * A column of a table index. `created`: time at which a record was stored; `isLocal`: 1 for times without a time zone.
 */
export type TableColumn =
  | { of: 'key'; key: FieldKey; descending: boolean }
  | { of: 'isLocal'; key: FieldKey }
  | { of: 'created' };

export type KeyColumn = TableColumn & { of: 'key' };

/**
 * A value that a condition reads: a column of an index, or a value that no index contains. `wholeText`: a string that
 * can be longer than its key. `elements`: a JSON array with the elements of a list, or with a single string or number.
 */
export type ReadColumn = TableColumn | { of: 'wholeText' | 'elements'; path: string };

export const isIndexColumn = (column: ReadColumn): column is TableColumn =>
  column.of !== 'wholeText' && column.of !== 'elements';

/** SQL literal of the smallest BLOB. Keys that are not below it are exceptions. */
export const LOWEST_EXCEPTION_SQL = "x''";

export const keyKindOf = (type: Field['type'] | undefined): KeyKind => {
  switch (type) {
    case 'number':
    case 'money':
    case 'latitude':
    case 'longitude':
      return 'number';
    case 'duration':
    case 'boolean':
      return type;
    case 'date':
      return 'day';
    case 'dateTime':
      return 'time';
    case 'text':
    case 'link':
    case 'email':
    case 'colour':
    case 'image':
      return 'text';
    case 'list':
    case 'object':
    case 'geoJson':
    case undefined:
      return 'any';
  }
};

/** Returns true for kinds with numeric keys, except times and days, whose values are selected and counted as text. */
export const isNumericKind = (kind: KeyKind): boolean => kind === 'number' || kind === 'duration' || kind === 'boolean';

/**
 * Returns SQL for the beginning of a value as a BLOB; NULL for an empty value, because `substr` of an empty BLOB is
 * NULL.
 */
const exceptionSql = (raw: string): string => `substr(CAST(${raw} AS BLOB), 1, ${ORDER_KEY_BYTES_MAX})`;

const numberCasesSql = (raw: string): string => `WHEN 'integer' THEN CAST(${raw} AS REAL) WHEN 'real' THEN ${raw}`;

/** Returns SQL that calls a function with a value and its time format; NULL if the value cannot be a time. */
const timeCallSql = (name: string, { type, raw }: FieldSql, { kind, timeFormat }: FieldKey): string =>
  `CASE WHEN ${type} IN ('integer', 'real') OR (${type} = 'text' AND octet_length(${raw}) <= ${SHORT_TEXT_MAX_BYTES}) THEN ${name}(${raw}, '${kind === 'day' ? 'date' : 'dateTime'}', ${sqlText(timeFormat ?? '')}) END`;

const keySql = (key: FieldKey): string => {
  const field = valueSql(key.path);
  const { type, raw, sortKey } = field;
  const exception = exceptionSql(raw);
  switch (key.kind) {
    case 'number':
      return `CASE ${type} ${numberCasesSql(raw)} WHEN 'text' THEN CASE WHEN ${isNumberTextSql(raw)} THEN CAST(${raw} AS REAL) ELSE ${exception} END ELSE ${exception} END`;
    case 'duration':
      return `CASE ${type} ${numberCasesSql(raw)} WHEN 'text' THEN CASE WHEN ${isNumberTextSql(raw)} THEN CAST(${raw} AS REAL) WHEN octet_length(${raw}) <= ${SHORT_TEXT_MAX_BYTES} THEN coalesce(pda_duration_seconds(${raw}), ${exception}) ELSE ${exception} END ELSE ${exception} END`;
    case 'time':
    case 'day':
      return `coalesce(${timeCallSql('pda_time_key', field, key)}, ${exception})`;
    case 'boolean':
      return `CASE WHEN ${type} = 'true' THEN 1 WHEN ${type} = 'false' THEN 0 WHEN ${type} IN ('text', 'integer') AND lower(substr(${raw}, 1, 6)) IN ('true', 'yes', '1') THEN 1 WHEN ${type} IN ('text', 'integer') AND lower(substr(${raw}, 1, 6)) IN ('false', 'no', '0') THEN 0 ELSE ${exception} END`;
    case 'text':
      return `CASE ${type} WHEN 'text' THEN nullif(${textKeySql(raw)}, '') WHEN 'integer' THEN CAST(${raw} AS TEXT) WHEN 'real' THEN CAST(${raw} AS TEXT) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE ${exception} END`;
    case 'any':
      return `CASE ${type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE nullif(${sortKey}, '') END`;
  }
};

/** Returns SQL for a JSON array: a list, or a string or number as its only element. NULL for any other value. */
const elementsSql = ({ type, raw }: FieldSql): string =>
  `CASE WHEN ${type} = 'array' THEN ${raw} WHEN ${type} IN ('text', 'integer', 'real') THEN json_array(${raw}) END`;

export const columnSql = (column: ReadColumn): string => {
  switch (column.of) {
    case 'created':
      return 'created';
    case 'isLocal':
      return timeCallSql('pda_time_is_local', valueSql(column.key.path), column.key);
    case 'key':
      return keySql(column.key);
    case 'wholeText':
      return valueSql(column.path).raw;
    case 'elements':
      return elementsSql(valueSql(column.path));
  }
};

/**
 * Returns true if SQLite can evaluate a column itself. An index on any other column would parse each stored record in
 * JavaScript.
 */
export const isNativeColumn = (column: TableColumn): boolean =>
  column.of === 'created' || valueSql(column.key.path).isNative;
