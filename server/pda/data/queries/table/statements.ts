import type { Field } from '../../../../wire/fields.ts';
import { MAX_FACET_VALUES } from '../../../../wire/limits.ts';
import type { TableSelection, TableSort } from '../../../../wire/table.ts';
import { seqOfId } from '../../../core/sequence.ts';
import { ORDER_KEY_BYTES_MAX } from '../language/json-order.ts';
import { sqlInteger } from '../sql/fields.ts';
import type { CompiledQuery } from '../sql/compiler.ts';
import type { SqlParameter } from '../sql/filters.ts';
import { defineQueryIndex, type QueryIndex } from '../sql/index-definitions.ts';
import { compileSearch, compileTableFilter, fieldKeyOf, type SqlOf, type TableCondition } from './conditions.ts';
import {
  columnSql,
  LOWEST_EXCEPTION_SQL,
  isIndexColumn,
  isNativeColumn,
  type KeyColumn,
  type ReadColumn,
  type TableColumn,
} from './keys.ts';

export type RecordSelection = TableSelection & {
  /** Ids of the only records that may be selected, in lower case; undefined: all records of the endpoint. */
  records?: readonly string[] | undefined;
};

/**
 * Subset of an endpoint's records: a list of sequence numbers, ids in lower case, or a range of sequence numbers that
 * includes `upTo` but not `after`.
 */
export type RecordSubset = readonly number[] | { ids: readonly string[] } | { after: number; upTo: number };

export type TableQuery = {
  endpoint: number;
  /** Sorted by ACCESS_ORDER. */
  conditions: readonly TableCondition[];
  search: string;
  sorts: readonly { column: KeyColumn; descending: boolean }[];
  oldestFirst: boolean;
  /** Only these records are read, without an index; undefined: all records of the endpoint. */
  subset?: RecordSubset;
};

export type ReadyIndex = { name: string; columns: readonly string[] };

const ACCESS_ORDER = { equality: 0, range: 1, scan: 2 } as const;

export const resolveSelection = (parts: {
  endpoint: number;
  selection: RecordSelection;
  fields: readonly Field[];
  now: number;
}): TableQuery => {
  const { endpoint, selection, now } = parts;
  const fields = new Map(parts.fields.map((field) => [field.path, field]));
  const [first] = selection.sorts;
  const resolveSort = ({ field, descending }: TableSort): TableQuery['sorts'][number] => ({
    // The index begins in ascending order. SQLite reads it backwards if the first order is descending.
    column: { of: 'key', key: fieldKeyOf(field, fields), descending: descending !== first?.descending },
    descending,
  });
  return {
    endpoint,
    conditions: selection.filters
      .map((filter) => compileTableFilter(filter, fields, now))
      .toSorted((a, b) => ACCESS_ORDER[a.access] - ACCESS_ORDER[b.access]),
    search: selection.search,
    sorts: selection.sorts.map(resolveSort),
    oldestFirst: selection.oldestFirst,
    ...(selection.records === undefined ? {} : { subset: { ids: selection.records } }),
  };
};

const uniqueColumns = <Column extends ReadColumn>(columns: readonly Column[]): Column[] => [
  ...new Map(columns.map((column) => [columnSql(column), column])).values(),
];

/**
 * Returns the columns of the index that supports a query: filters by single values first, then ranges, other filters
 * and the order, so that SQLite finds the records of a page without reading any, except those whose long strings a
 * filter compares. Returns undefined if no index can support the query: it has no columns, or SQLite cannot evaluate
 * one of them itself; a search and a filter by list element read every record, and a subset is read directly.
 * @param facetColumn key of a facet, which replaces the order
 */
export const indexColumnsOf = (query: TableQuery, facetColumn?: KeyColumn): TableColumn[] | undefined => {
  if (query.subset !== undefined || query.search !== '') return undefined;
  if (query.conditions.some(({ columns }) => columns.some(({ of }) => of === 'elements'))) return undefined;
  const columns = uniqueColumns([
    ...query.conditions.flatMap((condition) => condition.columns.filter(isIndexColumn)),
    ...(facetColumn === undefined ? query.sorts.map(({ column }) => column) : [facetColumn]),
  ]);
  return columns.length > 0 && columns.every(isNativeColumn) ? columns : undefined;
};

const directedSql = (column: TableColumn): string =>
  column.of === 'key' && column.descending ? `${columnSql(column)} DESC` : columnSql(column);

export const defineTableIndex = (endpoint: number, columns: readonly TableColumn[]): QueryIndex =>
  defineQueryIndex(endpoint, columns.map(directedSql));

/** Returns the name of the index on the columns, or of another one that contains them all; undefined if none does. */
const chooseIndex = (
  { endpoint }: TableQuery,
  columns: readonly TableColumn[] | undefined,
  indexes: readonly ReadyIndex[],
): string | undefined => {
  if (columns === undefined) return undefined;
  const exactName = defineTableIndex(endpoint, columns).name;
  if (indexes.some(({ name }) => name === exactName)) return exactName;
  const requiredColumns = columns.map(columnSql);
  return indexes.find((index) => requiredColumns.every((sql) => index.columns.includes(sql)))?.name;
};

const isList = (subset: RecordSubset): subset is readonly number[] => Array.isArray(subset);

/** Returns a condition with a leading AND. */
export const subsetSql = (subset: RecordSubset | undefined): { sql: string; parameters: readonly SqlParameter[] } => {
  if (subset === undefined) return { sql: '', parameters: [] };
  if (isList(subset))
    return { sql: ' AND seq IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(subset)] };
  if ('ids' in subset) {
    const bySeq = subsetSql(subset.ids.flatMap((id) => seqOfId(id) ?? []));
    // If the clock was set back, a new record can get the sequence number of one that was deleted permanently.
    return {
      sql: `${bySeq.sql} AND id IN (SELECT value FROM json_each(?))`,
      parameters: [...bySeq.parameters, JSON.stringify(subset.ids)],
    };
  }
  return { sql: ' AND seq > ? AND seq <= ?', parameters: [subset.after, subset.upTo] };
};

type Source = { from: string; parameters: readonly SqlParameter[]; sqlOf: SqlOf };

/**
 * Returns SQL for the records of the endpoint, with or without an index. Without an index, a subquery evaluates each
 * column once per record. Its LIMIT keeps SQLite from merging it into the statement, which would evaluate a column
 * wherever it is used.
 */
const sourceOf = (query: TableQuery, columns: readonly ReadColumn[], index: string | undefined): Source => {
  const endpointCondition = `endpoint = ${sqlInteger(query.endpoint)}`;
  if (index !== undefined)
    return { from: `FROM records INDEXED BY ${index} WHERE ${endpointCondition}`, parameters: [], sqlOf: columnSql };
  const names = new Map(uniqueColumns(columns).map((column, number) => [columnSql(column), `k${number}`]));
  const selectedColumns = ['seq', ...[...names].map(([sql, name]) => `${sql} AS ${name}`)].join(', ');
  const search = compileSearch(query.search);
  const budget = `pda_spend(octet_length(data), ${names.size + 1}, 0)`;
  const subset = subsetSql(query.subset);
  return {
    from: `FROM (SELECT ${selectedColumns} FROM records WHERE ${endpointCondition}${subset.sql} AND ${budget}${search.sql} LIMIT -1) WHERE 1`,
    parameters: [...subset.parameters, ...search.parameters],
    sqlOf: (column) => names.get(columnSql(column)) ?? columnSql(column),
  };
};

const conditionsSql = ({ conditions }: TableQuery, sqlOf: SqlOf): string =>
  conditions.map(({ sql }) => ` AND (${sql(sqlOf)})`).join('');

const parametersOf = ({ conditions }: TableQuery): SqlParameter[] => conditions.flatMap(({ parameters }) => parameters);

const readColumnsOf = ({ conditions, sorts }: TableQuery): ReadColumn[] => [
  ...conditions.flatMap(({ columns }) => columns),
  ...sorts.map(({ column }) => column),
];

const orderSql = ({ sorts, oldestFirst }: TableQuery, sqlOf: SqlOf): string => {
  const [first] = sorts;
  const terms = sorts.map(({ column, descending }) => `${sqlOf(column)} ${descending ? 'DESC' : 'ASC NULLS LAST'}`);
  const isDescending = first === undefined ? !oldestFirst : first.descending;
  return [...terms, `seq ${isDescending ? 'DESC' : 'ASC'}`].join(', ');
};

/** Selects the sequence numbers of matching records, in order. Empty values come last. @param take null: all */
export const compilePage = (
  query: TableQuery,
  { skip, take }: { skip: number; take: number | null },
  indexes: readonly ReadyIndex[],
): CompiledQuery => {
  const index = chooseIndex(query, indexColumnsOf(query), indexes);
  const { from, parameters, sqlOf } = sourceOf(query, readColumnsOf(query), index);
  return {
    sql: `SELECT seq ${from}${conditionsSql(query, sqlOf)} ORDER BY ${orderSql(query, sqlOf)} LIMIT ? OFFSET ?`,
    parameters: [...parameters, ...parametersOf(query), take ?? -1, skip],
  };
};

/** Returns SQL that is true if the filter cannot compare the value because of its type. */
const isExceptionSql = ({ exceptionKey }: TableCondition, sqlOf: SqlOf): string =>
  exceptionKey === undefined ? '0' : `${sqlOf(exceptionKey)} >= ${LOWEST_EXCEPTION_SQL}`;

/**
 * Returns a condition for records that each filter either matches or cannot compare, where the filter at `filterIndex`
 * is the first that cannot compare them. The conditions of all filters are disjoint, so their counts can be added.
 */
const compileLeftOut = (
  { conditions }: TableQuery,
  filterIndex: number,
  sqlOf: SqlOf,
): { sql: string; parameters: SqlParameter[] } => {
  const terms = conditions.map((condition, position) => {
    if (position < filterIndex) return condition.sql(sqlOf);
    const exception = isExceptionSql(condition, sqlOf);
    return position === filterIndex ? exception : `(${condition.sql(sqlOf)}) OR ${exception}`;
  });
  return {
    sql: terms.map((sql) => ` AND (${sql})`).join(''),
    parameters: conditions.flatMap(({ parameters }, position) => (position === filterIndex ? [] : parameters)),
  };
};

/** Selects one row: the numbers of records that match and of records that are left out. */
export const compileCounts = (query: TableQuery, indexes: readonly ReadyIndex[]): CompiledQuery => {
  const unsortedQuery = { ...query, sorts: [] };
  const index = chooseIndex(unsortedQuery, indexColumnsOf(unsortedQuery), indexes);
  const { from, parameters, sqlOf } = sourceOf(unsortedQuery, readColumnsOf(unsortedQuery), index);
  const leftOutConditions = query.conditions.flatMap(({ exceptionKey }, filterIndex) =>
    exceptionKey === undefined ? [] : [compileLeftOut(query, filterIndex, sqlOf)],
  );
  const matchingCondition = { sql: conditionsSql(query, sqlOf), parameters: parametersOf(query) };
  // With an index, each count is a subquery, which reads its own range of the index.
  const count = ({ sql }: { sql: string }): string =>
    index === undefined ? `count(*) FILTER (WHERE 1${sql})` : `(SELECT count(*) ${from}${sql})`;
  const leftOut = leftOutConditions.length === 0 ? '0' : leftOutConditions.map(count).join(' + ');
  const countsSql = `SELECT ${count(matchingCondition)} AS matching, ${leftOut} AS left_out`;
  return {
    sql: index === undefined ? `${countsSql} ${from}` : countsSql,
    parameters: [
      ...[matchingCondition, ...leftOutConditions].flatMap((condition) => condition.parameters),
      ...parameters,
    ],
  };
};

export type FacetRow = { value: string | number | null; count: number | null; total: number; empty: number };

/**
 * Counts the matching records by the value of a field, the most frequent first, up to MAX_FACET_VALUES. Omits values of
 * another type and strings that may be longer than their keys. Each row also has the number of all matching records and
 * of those without a value.
 */
export const compileFacet = (query: TableQuery, column: KeyColumn, indexes: readonly ReadyIndex[]): CompiledQuery => {
  const unsortedQuery = { ...query, sorts: [] };
  const index = chooseIndex(unsortedQuery, indexColumnsOf(unsortedQuery, column), indexes);
  const { from, parameters, sqlOf } = sourceOf(unsortedQuery, [...readColumnsOf(unsortedQuery), column], index);
  return {
    sql: `WITH counted AS MATERIALIZED (SELECT ${sqlOf(column)} AS value, count(*) AS count ${from}${conditionsSql(query, sqlOf)} GROUP BY 1)
      SELECT top.value, top.count, totals.total, totals.empty
      FROM (SELECT coalesce(sum(count), 0) AS total, coalesce(sum(count) FILTER (WHERE value IS NULL), 0) AS empty FROM counted) AS totals
      LEFT JOIN (SELECT value, count FROM counted
        WHERE typeof(value) IN ('real', 'integer') OR (typeof(value) = 'text' AND octet_length(value) < ${ORDER_KEY_BYTES_MAX})
        ORDER BY count DESC, value LIMIT ${MAX_FACET_VALUES}) AS top
      ORDER BY top.count DESC, top.value`,
    parameters: [...parameters, ...parametersOf(query)],
  };
};
