import type { DatePart, Filter } from '../../../../wire/query.ts';
import { compareJson, containerKey, ORDER_KEY_BYTES_MAX, RANK, rankOf } from '../language/json-order.ts';
import { datePartSql, type FieldSql, fieldSql, searchedSql, textKeySql, timestampPartSql } from './fields.ts';
import { asJson, isObject, isScalar, type Json } from '../language/json.ts';
import { wordsOf } from '../language/tokenizer.ts';

export type SqlParameter = string | number | Uint8Array;

/** SQL condition with its parameters in the order of their placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

export interface CompiledFilter {
  /** Disjoint conditions on a row of `records`: a matching row meets exactly one. Empty if no record can match. */
  readonly branches: readonly SqlFragment[];
  /** Columns of the index that turns each branch into a search, if one can. */
  readonly indexColumns: readonly string[] | undefined;
  /** Rank of how much an index narrows the search. Of several indexed filters, the highest one is used. */
  readonly selectivity: number;
}

const EQUALITY = 3;
const RANGE = 2;
const PART_OF_DATE = 1;
const NOT_INDEXED = 0;

const MATCHES_NOTHING: CompiledFilter = { branches: [], indexColumns: undefined, selectivity: NOT_INDEXED };

/**
 * Compiles one filter of a combinator.
 *
 * A field that is missing or cannot be transformed does not match and causes no error. A filter that the wire schema would reject (`find`
 * without `searchable`) does not match either, so that a mistake never reveals a record.
 */
export function compileFilter(filter: Filter): CompiledFilter {
  const field = fieldSql(filter.field);
  const { operator } = filter;
  const transformation = filter.transformation ?? { transformation: 'identity' };
  if (operator.operator === 'find' || transformation.transformation === 'searchable') {
    const complete = operator.operator === 'find' && transformation.transformation === 'searchable';
    return complete ? find(field, operator.search) : MATCHES_NOTHING;
  }
  const number = extractedNumber(field, transformation);
  switch (operator.operator) {
    case 'in':
      return number === undefined ? oneOf(field, asJson(operator.value)) : numberOneOf(number, asJson(operator.value));
    case 'contains':
      return number === undefined
        ? contains(field, asJson(operator.value))
        : // A number contains only itself.
          numberOneOf(number, [asJson(operator.value)]);
    case 'between': {
      const lower = asJson(operator.lower);
      const upper = asJson(operator.upper);
      if (compareJson(lower, upper) >= 0) return MATCHES_NOTHING;
      return number === undefined ? between(field, lower, upper) : numberBetween(number, lower, upper);
    }
  }
}

function extractedNumber(
  field: FieldSql,
  transformation: { transformation: string; part?: DatePart },
): string | undefined {
  const { part } = transformation;
  if (part === undefined) return undefined;
  return transformation.transformation === 'datetimeExtract' ? datePartSql(field, part) : timestampPartSql(field, part);
}

/** Compiles `in`: the value contains the field. */
function oneOf(field: FieldSql, value: Json): CompiledFilter {
  const branches = equalToOneOf(field, Array.isArray(value) ? value.filter(isScalar) : [value]);
  const indexable = branches.length > 0;
  if (Array.isArray(value)) branches.push(container(field, RANK.array, `pda_contains(?, ${field.raw})`, value));
  if (isObject(value)) branches.push(container(field, RANK.object, `pda_contains(?, ${field.raw})`, value));
  return equality(branches, field, indexable);
}

/** Compiles `contains`: the field contains the value. */
function contains(field: FieldSql, value: Json): CompiledFilter {
  const branches = equalToOneOf(field, [value]);
  const indexable = branches.length > 0;
  const rank = isObject(value) ? RANK.object : RANK.array;
  branches.push(container(field, rank, `pda_contains(${field.raw}, ?)`, value));
  return equality(branches, field, indexable);
}

function equality(branches: readonly SqlFragment[], field: FieldSql, indexable: boolean): CompiledFilter {
  if (!indexable) return { branches, indexColumns: undefined, selectivity: NOT_INDEXED };
  return { branches, indexColumns: [field.rank, field.scalarKey], selectivity: EQUALITY };
}

/** Compiles a condition on arrays or objects. Their scalar key is NULL, so the index has them in the order of creation and reads can stop early. */
function container(field: FieldSql, rank: number, condition: string, value: Json): SqlFragment {
  return {
    sql: `${field.rank} = ${rank} AND ${field.scalarKey} IS NULL AND ${condition}`,
    parameters: [JSON.stringify(value)],
  };
}

/** Returns true if the key of a value is complete, so that comparing keys is the same as comparing values. */
function isWholeKey(value: Json): boolean {
  return typeof value !== 'string' || Buffer.byteLength(value) < ORDER_KEY_BYTES_MAX;
}

/**
 * Returns one branch per kind of value, so that each is a search in the index on (rank, key). Without an index the key would suffice; it
 * comes first, so that the rank of a row is only evaluated if the key matches.
 */
function equalToOneOf(field: FieldSql, values: readonly Json[]): SqlFragment[] {
  const branches: SqlFragment[] = [];
  for (const kind of [RANK.string, RANK.number]) {
    const ofKind = values.filter((value) => rankOf(value) === kind && isWholeKey(value));
    if (ofKind.length === 0) continue;
    const { sql, parameters } = isOneOf(field.scalarKey, ofKind);
    branches.push({ sql: `${sql} AND ${field.rank} = ${kind}`, parameters });
  }
  const long = values.filter((value) => !isWholeKey(value));
  if (long.length > 0) {
    const texts = isOneOf(field.scalar, long);
    const parameter = JSON.stringify(long);
    branches.push({
      sql: `${field.scalarKey} IN (SELECT ${textKeySql('value')} FROM json_each(?)) AND ${field.rank} = ${RANK.string} AND ${texts.sql}`,
      parameters: [parameter, ...texts.parameters],
    });
  }
  const bare = [RANK.null, RANK.false, RANK.true].filter((kind) => values.some((value) => rankOf(value) === kind));
  for (const kind of bare)
    branches.push({ sql: `${field.rank} = ${kind} AND ${field.scalarKey} IS NULL`, parameters: [] });
  return branches;
}

/**
 * Binds a list as one JSON parameter, so that the statement does not depend on its length. Whole numbers are cast to doubles like those of the
 * field: beyond 2^53 the digits in JSON differ from those of the double, and SQLite compares integers exactly.
 */
const VALUES = "SELECT CASE type WHEN 'integer' THEN CAST(value AS REAL) ELSE value END FROM json_each(?)";

function isOneOf(expression: string, values: readonly Json[]): SqlFragment {
  const [only] = values;
  if (values.length === 1 && (typeof only === 'string' || typeof only === 'number')) {
    return { sql: `${expression} = ?`, parameters: [only] };
  }
  return { sql: `${expression} IN (${VALUES})`, parameters: [JSON.stringify(values)] };
}

/** Compiles `between`, with both bounds exclusive and `lower` less than `upper`. */
function between(field: FieldSql, lower: Json, upper: Json): CompiledFilter {
  const { rank, scalar, scalarKey, sortKey } = field;
  const [from, to] = [rankOf(lower), rankOf(upper)];
  if (from === to) {
    const key = isScalar(lower) ? scalarKey : sortKey;
    const ofKind = ` AND ${rank} = ${from}`;
    const branch =
      isWholeKey(lower) && isWholeKey(upper)
        ? strictlyBetween(key, toParameter(lower), toParameter(upper), ofKind)
        : bothOf(
            {
              sql: `${key} BETWEEN ${textKeySql('?')} AND ${textKeySql('?')}`,
              parameters: [toParameter(lower), toParameter(upper)],
            },
            strictlyBetween(scalar, toParameter(lower), toParameter(upper), ofKind),
          );
    return { branches: [branch], indexColumns: [rank, key], selectivity: RANGE };
  }
  const conditions = [`${rank} >= ${from}`, `${rank} <= ${to}`];
  const parameters: SqlParameter[] = [];
  const keyFor = (value: Json): string => (isScalar(value) ? scalar : sortKey);
  // null, false and true are the only values of their rank.
  if (isSoleOfRank(lower)) conditions.push(`${rank} > ${from}`);
  else {
    conditions.push(`(${rank} > ${from} OR ${keyFor(lower)} > ?)`);
    parameters.push(toParameter(lower));
  }
  if (isSoleOfRank(upper)) conditions.push(`${rank} < ${to}`);
  else {
    conditions.push(`(${rank} < ${to} OR ${keyFor(upper)} < ?)`);
    parameters.push(toParameter(upper));
  }
  return {
    branches: [{ sql: conditions.join(' AND '), parameters }],
    indexColumns: undefined,
    selectivity: NOT_INDEXED,
  };
}

/** Combines two conditions with AND, the indexable one first. */
function bothOf(first: SqlFragment, second: SqlFragment): SqlFragment {
  return { sql: `${first.sql} AND ${second.sql}`, parameters: [...first.parameters, ...second.parameters] };
}

/** Compiles an exclusive range. BETWEEN evaluates the expression once per row, while two comparisons would evaluate it twice. */
function strictlyBetween(expression: string, lower: SqlParameter, upper: SqlParameter, condition = ''): SqlFragment {
  return {
    sql: `${expression} BETWEEN ? AND ?${condition} AND ${expression} NOT IN (?, ?)`,
    parameters: [lower, upper, lower, upper],
  };
}

function isSoleOfRank(value: Json): boolean {
  return value === null || typeof value === 'boolean';
}

function toParameter(value: Json): SqlParameter {
  return typeof value === 'string' || typeof value === 'number' ? value : containerKey(value);
}

function numberOneOf(expression: string, value: Json): CompiledFilter {
  const numbers = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'number');
  if (numbers.length === 0) return MATCHES_NOTHING;
  return { branches: [isOneOf(expression, numbers)], indexColumns: [expression], selectivity: PART_OF_DATE };
}

function numberBetween(expression: string, lower: Json, upper: Json): CompiledFilter {
  if (rankOf(lower) > RANK.number || rankOf(upper) < RANK.number) return MATCHES_NOTHING;
  const filter = { indexColumns: [expression], selectivity: PART_OF_DATE };
  if (typeof lower === 'number' && typeof upper === 'number')
    return { branches: [strictlyBetween(expression, lower, upper)], ...filter };
  // A bound of another kind is below or above all numbers.
  if (typeof lower === 'number') return { branches: [{ sql: `${expression} > ?`, parameters: [lower] }], ...filter };
  if (typeof upper === 'number') return { branches: [{ sql: `${expression} < ?`, parameters: [upper] }], ...filter };
  return { branches: [{ sql: `${expression} IS NOT NULL`, parameters: [] }], ...filter };
}

function find({ type, raw }: FieldSql, search: string): CompiledFilter {
  const words = [...new Set(wordsOf(search))];
  if (words.length === 0) return MATCHES_NOTHING;
  const text = words.join(' ');
  const searched = searchedSql(raw);
  const sql = `CASE ${type} WHEN 'text' THEN pda_has_words(${searched}, ?) WHEN 'array' THEN pda_json_has_words(${searched}, ?) WHEN 'object' THEN pda_json_has_words(${searched}, ?) ELSE 0 END`;
  return { branches: [{ sql, parameters: [text, text, text] }], indexColumns: undefined, selectivity: NOT_INDEXED };
}
