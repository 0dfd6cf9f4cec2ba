import type { DatePart, Filter } from '../../../../wire/query.ts';
import { wordsOf } from '../../../core/words.ts';
import { RANK, rankOf } from '../../../../wire/value-order.ts';
import { compareJson, containerKey, ORDER_KEY_BYTES_MAX } from '../language/json-order.ts';
import { datePartSql, type FieldSql, fieldSql, searchTextSql, textKeySql, timestampPartSql } from './fields.ts';
import { asJson, isJsonObject, isScalar, type Json } from '../language/json.ts';

export type SqlParameter = string | number | Uint8Array;

/** Part of a statement. `parameters` are in the order of their placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

interface CompiledFilter {
  /** Disjoint conditions on a row of `records`: a matching row meets exactly one. Empty if no record can match. */
  readonly branches: readonly SqlFragment[];
  /** Columns of the index that turns each branch into a search, if one can. */
  readonly indexColumns: readonly string[] | undefined;
  /** Of several filters with an index, the one with the highest selectivity uses its index. */
  readonly selectivity: number;
}

const EQUALITY_SELECTIVITY = 3;
const RANGE_SELECTIVITY = 2;
const DATE_PART_SELECTIVITY = 1;
const NO_SELECTIVITY = 0;

const MATCHES_NOTHING: CompiledFilter = { branches: [], indexColumns: undefined, selectivity: NO_SELECTIVITY };

/**
 * Compiles a filter. A field that is missing or cannot be transformed does not match and causes no error. A filter that
 * the wire schema rejects, such as `find` without `searchable`, matches no record either: a mistake must never reveal a
 * record.
 */
export function compileFilter(filter: Filter): CompiledFilter {
  const field = fieldSql(filter.field);
  const { operator } = filter;
  const transformation = filter.transformation ?? { transformation: 'identity' };
  if (operator.operator === 'find' || transformation.transformation === 'searchable') {
    const isValid = operator.operator === 'find' && transformation.transformation === 'searchable';
    return isValid ? compileFind(field, operator.search) : MATCHES_NOTHING;
  }
  const number = extractedNumberSql(field, transformation);
  switch (operator.operator) {
    case 'in':
      return number === undefined
        ? compileIn(field, asJson(operator.value))
        : compileNumberIn(number, asJson(operator.value));
    case 'contains':
      return number === undefined
        ? compileContains(field, asJson(operator.value))
        : // A number contains only itself.
          compileNumberIn(number, [asJson(operator.value)]);
    case 'between': {
      const lower = asJson(operator.lower);
      const upper = asJson(operator.upper);
      if (compareJson(lower, upper) >= 0) return MATCHES_NOTHING;
      return number === undefined ? compileBetween(field, lower, upper) : compileNumberBetween(number, lower, upper);
    }
  }
}

function extractedNumberSql(
  field: FieldSql,
  transformation: { transformation: string; part?: DatePart },
): string | undefined {
  const { part } = transformation;
  if (part === undefined) return undefined;
  return transformation.transformation === 'datetimeExtract' ? datePartSql(field, part) : timestampPartSql(field, part);
}

/** Compiles `in`: the value contains the field. */
function compileIn(field: FieldSql, value: Json): CompiledFilter {
  const branches = compileEqualities(field, Array.isArray(value) ? value.filter(isScalar) : [value]);
  const isIndexable = branches.length > 0;
  if (!isScalar(value)) branches.push(containerCondition(field, rankOf(value), `pda_contains(?, ${field.raw})`, value));
  return toEqualityFilter(branches, field, isIndexable);
}

/** Compiles `contains`: the field contains the value. */
function compileContains(field: FieldSql, value: Json): CompiledFilter {
  const branches = compileEqualities(field, [value]);
  const isIndexable = branches.length > 0;
  const rank = isJsonObject(value) ? RANK.object : RANK.array;
  branches.push(containerCondition(field, rank, `pda_contains(${field.raw}, ?)`, value));
  return toEqualityFilter(branches, field, isIndexable);
}

function toEqualityFilter(branches: readonly SqlFragment[], field: FieldSql, isIndexable: boolean): CompiledFilter {
  if (!isIndexable) return { branches, indexColumns: undefined, selectivity: NO_SELECTIVITY };
  return { branches, indexColumns: [field.rank, field.scalarKey], selectivity: EQUALITY_SELECTIVITY };
}

/**
 * Compiles a condition on arrays or objects. Their scalar key is NULL, so the index lists them in the order of
 * creation.
 */
function containerCondition(field: FieldSql, rank: number, condition: string, value: Json): SqlFragment {
  return {
    sql: `${field.rank} = ${rank} AND ${field.scalarKey} IS NULL AND ${condition}`,
    parameters: [JSON.stringify(value)],
  };
}

/** Returns true if comparing the key of a value is equivalent to comparing the value. */
function isWholeKey(value: Json): boolean {
  return typeof value !== 'string' || Buffer.byteLength(value) < ORDER_KEY_BYTES_MAX;
}

/**
 * Returns one branch per kind of value, and one for long strings, so that each is a search in the index on (rank, key).
 * For strings and numbers, the condition on the key comes first, so that without an index the rank of a row is only
 * evaluated if the key matches.
 */
function compileEqualities(field: FieldSql, values: readonly Json[]): SqlFragment[] {
  const branches: SqlFragment[] = [];
  for (const kind of [RANK.string, RANK.number]) {
    const valuesOfKind = values.filter((value) => rankOf(value) === kind && isWholeKey(value));
    if (valuesOfKind.length === 0) continue;
    const { sql, parameters } = compileOneOf(field.scalarKey, valuesOfKind);
    branches.push({ sql: `${sql} AND ${field.rank} = ${kind}`, parameters });
  }
  const longTexts = values.filter((value) => !isWholeKey(value));
  if (longTexts.length > 0) {
    const texts = compileOneOf(field.scalar, longTexts);
    const parameter = JSON.stringify(longTexts);
    branches.push({
      sql: `${field.scalarKey} IN (SELECT ${textKeySql('value')} FROM json_each(?)) AND ${field.rank} = ${RANK.string} AND ${texts.sql}`,
      parameters: [parameter, ...texts.parameters],
    });
  }
  const kindsWithoutKey = [RANK.null, RANK.false, RANK.true].filter((kind) =>
    values.some((value) => rankOf(value) === kind),
  );
  for (const kind of kindsWithoutKey)
    branches.push({ sql: `${field.rank} = ${kind} AND ${field.scalarKey} IS NULL`, parameters: [] });
  return branches;
}

/**
 * Binds a list as one JSON parameter, so that the statement does not depend on its length. Integers are cast to
 * doubles, as the field's values are: beyond 2^53, an integer in JSON can differ from its double, and SQLite compares
 * integers exactly.
 */
const VALUES_SQL = "SELECT CASE type WHEN 'integer' THEN CAST(value AS REAL) ELSE value END FROM json_each(?)";

function compileOneOf(expression: string, values: readonly Json[]): SqlFragment {
  const [value] = values;
  if (values.length === 1 && (typeof value === 'string' || typeof value === 'number')) {
    return { sql: `${expression} = ?`, parameters: [value] };
  }
  return { sql: `${expression} IN (${VALUES_SQL})`, parameters: [JSON.stringify(values)] };
}

/** Compiles `between`, with both bounds exclusive and `lower` less than `upper`. */
function compileBetween(field: FieldSql, lower: Json, upper: Json): CompiledFilter {
  const { rank, scalar, scalarKey, sortKey } = field;
  const [lowerRank, upperRank] = [rankOf(lower), rankOf(upper)];
  if (lowerRank === upperRank) {
    const key = isScalar(lower) ? scalarKey : sortKey;
    const bounds = [toParameter(lower), toParameter(upper)] as const;
    const hasWholeKeys = isWholeKey(lower) && isWholeKey(upper);
    const range = compileExclusiveRange(hasWholeKeys ? key : scalar, ...bounds, ` AND ${rank} = ${lowerRank}`);
    // The first condition can use the index.
    const branch = hasWholeKeys
      ? range
      : {
          sql: `${key} BETWEEN ${textKeySql('?')} AND ${textKeySql('?')} AND ${range.sql}`,
          parameters: [...bounds, ...range.parameters],
        };
    return { branches: [branch], indexColumns: [rank, key], selectivity: RANGE_SELECTIVITY };
  }
  const boundSql = (bound: Json, comparison: '>' | '<'): string => {
    const byRank = `${rank} ${comparison} ${rankOf(bound)}`;
    if (isOnlyValueOfRank(bound)) return byRank;
    return `(${byRank} OR ${isScalar(bound) ? scalar : sortKey} ${comparison} ?)`;
  };
  const sql = `${rank} >= ${lowerRank} AND ${rank} <= ${upperRank} AND ${boundSql(lower, '>')} AND ${boundSql(upper, '<')}`;
  const parameters = [lower, upper].filter((bound) => !isOnlyValueOfRank(bound)).map(toParameter);
  return { branches: [{ sql, parameters }], indexColumns: undefined, selectivity: NO_SELECTIVITY };
}

/**
 * Compiles a range with exclusive bounds. BETWEEN evaluates the expression once for a row outside the range, while two
 * comparisons could evaluate it twice.
 */
function compileExclusiveRange(
  expression: string,
  lower: SqlParameter,
  upper: SqlParameter,
  condition = '',
): SqlFragment {
  return {
    sql: `${expression} BETWEEN ? AND ?${condition} AND ${expression} NOT IN (?, ?)`,
    parameters: [lower, upper, lower, upper],
  };
}

function isOnlyValueOfRank(value: Json): boolean {
  return value === null || typeof value === 'boolean';
}

function toParameter(value: Json): SqlParameter {
  return typeof value === 'string' || typeof value === 'number' ? value : containerKey(value);
}

function compileNumberIn(expression: string, value: Json): CompiledFilter {
  const numbers = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'number');
  if (numbers.length === 0) return MATCHES_NOTHING;
  return {
    branches: [compileOneOf(expression, numbers)],
    indexColumns: [expression],
    selectivity: DATE_PART_SELECTIVITY,
  };
}

function compileNumberBetween(expression: string, lower: Json, upper: Json): CompiledFilter {
  if (rankOf(lower) > RANK.number || rankOf(upper) < RANK.number) return MATCHES_NOTHING;
  const filter = { indexColumns: [expression], selectivity: DATE_PART_SELECTIVITY };
  if (typeof lower === 'number' && typeof upper === 'number')
    return { branches: [compileExclusiveRange(expression, lower, upper)], ...filter };
  // A bound of another kind is below or above all numbers.
  if (typeof lower === 'number') return { branches: [{ sql: `${expression} > ?`, parameters: [lower] }], ...filter };
  if (typeof upper === 'number') return { branches: [{ sql: `${expression} < ?`, parameters: [upper] }], ...filter };
  return { branches: [{ sql: `${expression} IS NOT NULL`, parameters: [] }], ...filter };
}

function compileFind({ type, raw }: FieldSql, search: string): CompiledFilter {
  const words = [...new Set(wordsOf(search))];
  if (words.length === 0) return MATCHES_NOTHING;
  const text = words.join(' ');
  const searchText = searchTextSql(raw);
  const sql = `CASE ${type} WHEN 'text' THEN pda_has_words(${searchText}, ?) WHEN 'array' THEN pda_json_has_words(${searchText}, ?) WHEN 'object' THEN pda_json_has_words(${searchText}, ?) ELSE 0 END`;
  return { branches: [{ sql, parameters: [text, text, text] }], indexColumns: undefined, selectivity: NO_SELECTIVITY };
}
