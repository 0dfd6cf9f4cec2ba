import { hash } from 'node:crypto';
import type { Filter, Mapping } from '../../../../wire/query.ts';
import type { FieldEquality } from '../../records/service.ts';
import { fieldSql, sqlInteger } from './fields.ts';
import { compileFilter } from './filters.ts';
import { sourceOfOutput } from '../language/mapping.ts';
import { FUNCTIONS_VERSION } from './functions.ts';

export interface SelectEntry {
  /** Id of the endpoint in `records`; null if the endpoint does not exist. */
  readonly endpoint: number | null;
  readonly mapping?: Mapping | null | undefined;
  readonly filters?: readonly Filter[] | null | undefined;
  readonly equal?: readonly FieldEquality[] | undefined;
}

export interface QueryIndex {
  /** Name derived from endpoint and expressions, so that equal requirements share one index. */
  readonly name: string;
  readonly endpoint: number;
  readonly expressionSql: string;
  readonly createSql: string;
}

export const hashExpression = (expressionSql: string): string =>
  hash('sha256', `${FUNCTIONS_VERSION} ${expressionSql}`, 'hex').slice(0, 16);

/** @param condition begins with AND; only records that meet it are in the index */
export function defineQueryIndex(endpoint: number, columns: readonly string[], condition = ''): QueryIndex {
  const expressionSql = columns.join(', ');
  const name = `query_${sqlInteger(endpoint)}_${hashExpression(`${expressionSql}${condition}`)}`;
  const createSql =
    `CREATE INDEX IF NOT EXISTS ${name} ON records(${expressionSql}) WHERE endpoint = ${sqlInteger(endpoint)} ${condition}`.trimEnd();
  return { name, endpoint, expressionSql, createSql };
}

export function orderColumns(
  orderBy: string,
  mapping: Mapping | null | undefined,
): readonly [rank: string, value: string] {
  const { rank, sortKey } = fieldSql(sourceOfOutput(orderBy, mapping));
  return [rank, sortKey];
}

export function indexesFor(entries: readonly SelectEntry[], orderBy?: string | null): QueryIndex[] {
  const indexes = new Map<string, QueryIndex>();
  const add = (index: QueryIndex): unknown => indexes.set(index.name, index);
  for (const { endpoint, mapping, filters } of entries) {
    if (endpoint === null) continue;
    for (const filter of filters ?? []) {
      // An index on a path that is not native would parse each record in JavaScript when it is written.
      if (!fieldSql(filter.field).isNative) continue;
      const { indexColumns } = compileFilter(filter);
      if (indexColumns !== undefined) add(defineQueryIndex(endpoint, indexColumns));
    }
    if (typeof orderBy === 'string' && fieldSql(sourceOfOutput(orderBy, mapping)).isNative)
      add(defineQueryIndex(endpoint, orderColumns(orderBy, mapping)));
  }
  return [...indexes.values()];
}

/** Returns the paths that a `find` searches and SQLite can evaluate. */
export function textIndexPaths({ filters }: Pick<SelectEntry, 'filters'>): string[] {
  return (filters ?? []).flatMap(({ field, operator }) =>
    operator.operator === 'find' && fieldSql(field).isNative ? [field] : [],
  );
}
