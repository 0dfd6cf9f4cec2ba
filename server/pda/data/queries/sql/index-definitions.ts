import { hash } from 'node:crypto';
import type { Filter, Mapping } from '../../../../wire/query.ts';
import type { FieldEquality } from '../../records/service.ts';
import { fieldSql, sqlInteger, wordsSql } from './fields.ts';
import { compileFilter } from './filters.ts';
import { sourceOfOutput } from '../language/mapping.ts';
import { FUNCTIONS_VERSION } from './functions.ts';

/** One entry of a query. `endpoint` is its number in `records`, or null when nothing was ever stored there. */
export interface SelectEntry {
  readonly endpoint: number | null;
  readonly mapping?: Mapping | null | undefined;
  readonly filters?: readonly Filter[] | null | undefined;
  readonly equal?: readonly FieldEquality[] | undefined;
}

/** An index on expressions over the records of one endpoint. */
export interface QueryIndex {
  /** Derived from endpoint and expressions, so that equal requirements share one index. */
  readonly name: string;
  readonly endpoint: number;
  /** Comma-separated indexed expressions. */
  readonly expressionSql: string;
  /** `CREATE INDEX IF NOT EXISTS …` */
  readonly createSql: string;
}

/** Text of one field of one endpoint, for a full-text index. */
export interface TextNeed {
  readonly endpoint: number;
  /** The path as the filter has it. */
  readonly path: string;
  /** Expression over a row of `records`: the field's words, joined by spaces (NULL: no text). */
  readonly wordsSql: string;
}

/** Part of an index's name: another expression, or other functions in it, make another index. */
export const expressionHash = (expressionSql: string): string =>
  hash('sha256', `${FUNCTIONS_VERSION} ${expressionSql}`, 'hex').slice(0, 16);

/** The index with which a search for, or an order by, these expressions is a walk in a B-tree. */
export function queryIndex(endpoint: number, columns: readonly string[]): QueryIndex {
  const expressionSql = columns.join(', ');
  const name = `query_${sqlInteger(endpoint)}_${expressionHash(expressionSql)}`;
  const createSql = `CREATE INDEX IF NOT EXISTS ${name} ON records(${expressionSql}) WHERE endpoint = ${sqlInteger(endpoint)}`;
  return { name, endpoint, expressionSql, createSql };
}

/** The columns that put the records of an entry in the order of a field. */
export function orderColumns(
  orderBy: string,
  mapping: Mapping | null | undefined,
): readonly [rank: string, value: string] {
  const { rank, sortKey } = fieldSql(sourceOfOutput(orderBy, mapping));
  return [rank, sortKey];
}

/** The indexes worth having for a query: one for each filter that can be a search, and one for the order. Each is named once. */
export function indexesFor(entries: readonly SelectEntry[], orderBy?: string | null): QueryIndex[] {
  const indexes = new Map<string, QueryIndex>();
  const add = (index: QueryIndex): unknown => indexes.set(index.name, index);
  for (const { endpoint, mapping, filters } of entries) {
    if (endpoint === null) continue;
    for (const filter of filters ?? []) {
      // A path that only our functions can read would have every write parse the whole record in JavaScript, several times.
      if (!fieldSql(filter.field).isNative) continue;
      const { indexColumns } = compileFilter(filter);
      if (indexColumns !== undefined) add(queryIndex(endpoint, indexColumns));
    }
    if (typeof orderBy === 'string' && fieldSql(sourceOfOutput(orderBy, mapping)).isNative)
      add(queryIndex(endpoint, orderColumns(orderBy, mapping)));
  }
  return [...indexes.values()];
}

/** The fields that the `find` filters of a query search. */
export function textNeedsFor(entries: readonly SelectEntry[]): TextNeed[] {
  const needs = new Map<string, TextNeed>();
  for (const { endpoint, filters } of entries) {
    if (endpoint === null) continue;
    for (const { field: path, operator } of filters ?? []) {
      if (operator.operator !== 'find' || !fieldSql(path).isNative) continue;
      needs.set(`${endpoint} ${path}`, { endpoint, path, wordsSql: wordsSql(fieldSql(path)) });
    }
  }
  return [...needs.values()];
}
