import type { DatePart, Filter } from '../../../../wire/query.ts';
import { compareJson, containerKey, ORDER_KEY_BYTES_MAX, RANK, rankOf } from '../language/json-order.ts';
import { datePartSql, type FieldSql, fieldSql, searchedSql, textKeySql, timestampPartSql } from './fields.ts';
import { asJson, isObject, isScalar, type Json } from '../language/json.ts';
import { wordsOf } from '../language/tokenizer.ts';

export type SqlParameter = string | number | Uint8Array;

/** A condition with its parameters, in the order of their question marks. */
export interface SqlFragment {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

export interface CompiledFilter {
  /** Conditions on a row of `records`, of which a matching row meets exactly one. None at all: no record can match. */
  readonly branches: readonly SqlFragment[];
  /** Columns of the index that turns each branch into a search, if one can. */
  readonly indexColumns: readonly string[] | undefined;
  /** How much an index narrows the search: with several indexed filters the highest one is used. */
  readonly selectivity: number;
}

const EQUALITY = 3;
const RANGE = 2;
const PART_OF_DATE = 1;
const NONE = 0;

const NEVER: CompiledFilter = { branches: [], indexColumns: undefined, selectivity: NONE };

/**
 * Compiles one filter of the interface.
 *
 * A field that is missing, or that the transformation can do nothing with, matches nothing and fails nothing. A filter that the wire
 * schema would refuse (`find` without `searchable`) matches nothing either: a mistake must never open a record.
 */
export function compileFilter(filter: Filter): CompiledFilter {
  const field = fieldSql(filter.field);
  const { operator } = filter;
  const transformation = filter.transformation ?? { transformation: 'identity' };
  if (operator.operator === 'find' || transformation.transformation === 'searchable') {
    const complete = operator.operator === 'find' && transformation.transformation === 'searchable';
    return complete ? find(field, operator.search) : NEVER;
  }
  const number = extractedNumber(field, transformation);
  switch (operator.operator) {
    case 'in':
      return number === undefined ? oneOf(field, asJson(operator.value)) : numberOneOf(number, asJson(operator.value));
    case 'contains':
      return number === undefined
        ? contains(field, asJson(operator.value))
        : // A number contains itself and nothing else.
          numberOneOf(number, [asJson(operator.value)]);
    case 'between': {
      const lower = asJson(operator.lower);
      const upper = asJson(operator.upper);
      if (compareJson(lower, upper) >= 0) return NEVER;
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

/** `in`: the value contains the field. */
function oneOf(field: FieldSql, value: Json): CompiledFilter {
  const branches = equalToOneOf(field, Array.isArray(value) ? value.filter(isScalar) : [value]);
  const indexable = branches.length > 0;
  if (Array.isArray(value)) branches.push(container(field, RANK.array, `pda_contains(?, ${field.raw})`, value));
  if (isObject(value)) branches.push(container(field, RANK.object, `pda_contains(?, ${field.raw})`, value));
  return equality(branches, field, indexable);
}

/** `contains`: the field contains the value. */
function contains(field: FieldSql, value: Json): CompiledFilter {
  const branches = equalToOneOf(field, [value]);
  const indexable = branches.length > 0;
  const rank = isObject(value) ? RANK.object : RANK.array;
  branches.push(container(field, rank, `pda_contains(${field.raw}, ?)`, value));
  return equality(branches, field, indexable);
}

function equality(branches: readonly SqlFragment[], field: FieldSql, indexable: boolean): CompiledFilter {
  if (!indexable) return { branches, indexColumns: undefined, selectivity: NONE };
  return { branches, indexColumns: [field.rank, field.scalarKey], selectivity: EQUALITY };
}

/** Arrays and objects have no scalar: saying so leaves them in the index in the order of creation, and reading can stop early. */
function container(field: FieldSql, rank: number, condition: string, value: Json): SqlFragment {
  return {
    sql: `${field.rank} = ${rank} AND ${field.scalarKey} IS NULL AND ${condition}`,
    parameters: [JSON.stringify(value)],
  };
}

/** Whether the key of a text is the text itself, so that comparing keys is comparing texts. */
function isWholeKey(value: Json): boolean {
  return typeof value !== 'string' || Buffer.byteLength(value) < ORDER_KEY_BYTES_MAX;
}

/**
 * One branch for each kind of value, so that each is a search in the index on (rank, key). The key alone would do, but for the index;
 * it comes first, so that without an index the rank of a row is asked for only when the rest holds.
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
 * A list goes in as one JSON parameter: any number of values, one statement text. Its whole numbers become doubles, as those of the field are:
 * past 2^53 the digits that JSON is written with are not those of the double, and an integer would be compared digit by digit.
 */
const VALUES = "SELECT CASE type WHEN 'integer' THEN CAST(value AS REAL) ELSE value END FROM json_each(?)";

function isOneOf(expression: string, values: readonly Json[]): SqlFragment {
  const [only] = values;
  if (values.length === 1 && (typeof only === 'string' || typeof only === 'number')) {
    return { sql: `${expression} = ?`, parameters: [only] };
  }
  return { sql: `${expression} IN (${VALUES})`, parameters: [JSON.stringify(values)] };
}

/** Both ends exclusive; `lower` is less than `upper`. */
function between(field: FieldSql, lower: Json, upper: Json): CompiledFilter {
  const { rank, scalar, scalarKey, sortKey } = field;
  const [from, to] = [rankOf(lower), rankOf(upper)];
  if (from === to) {
    const key = isScalar(lower) ? scalarKey : sortKey;
    const ofKind = ` AND ${rank} = ${from}`;
    const branch =
      isWholeKey(lower) && isWholeKey(upper)
        ? insideOf(key, bound(lower), bound(upper), ofKind)
        : narrowed(
            {
              sql: `${key} BETWEEN ${textKeySql('?')} AND ${textKeySql('?')}`,
              parameters: [bound(lower), bound(upper)],
            },
            insideOf(scalar, bound(lower), bound(upper), ofKind),
          );
    return { branches: [branch], indexColumns: [rank, key], selectivity: RANGE };
  }
  const conditions = [`${rank} >= ${from}`, `${rank} <= ${to}`];
  const parameters: SqlParameter[] = [];
  const keyFor = (value: Json): string => (isScalar(value) ? scalar : sortKey);
  // null, false and true are alone of their kind, so nothing of the same kind lies beyond them.
  if (isAlone(lower)) conditions.push(`${rank} > ${from}`);
  else {
    conditions.push(`(${rank} > ${from} OR ${keyFor(lower)} > ?)`);
    parameters.push(bound(lower));
  }
  if (isAlone(upper)) conditions.push(`${rank} < ${to}`);
  else {
    conditions.push(`(${rank} < ${to} OR ${keyFor(upper)} < ?)`);
    parameters.push(bound(upper));
  }
  return { branches: [{ sql: conditions.join(' AND '), parameters }], indexColumns: undefined, selectivity: NONE };
}

/** Two conditions, the one that an index can answer first. */
function narrowed(first: SqlFragment, second: SqlFragment): SqlFragment {
  return { sql: `${first.sql} AND ${second.sql}`, parameters: [...first.parameters, ...second.parameters] };
}

/** BETWEEN, which includes the ends, works the expression out once, where two comparisons would do so twice for each row. */
function insideOf(expression: string, lower: SqlParameter, upper: SqlParameter, condition = ''): SqlFragment {
  return {
    sql: `${expression} BETWEEN ? AND ?${condition} AND ${expression} NOT IN (?, ?)`,
    parameters: [lower, upper, lower, upper],
  };
}

function isAlone(value: Json): boolean {
  return value === null || typeof value === 'boolean';
}

function bound(value: Json): SqlParameter {
  return typeof value === 'string' || typeof value === 'number' ? value : containerKey(value);
}

function numberOneOf(expression: string, value: Json): CompiledFilter {
  const numbers = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'number');
  if (numbers.length === 0) return NEVER;
  return { branches: [isOneOf(expression, numbers)], indexColumns: [expression], selectivity: PART_OF_DATE };
}

function numberBetween(expression: string, lower: Json, upper: Json): CompiledFilter {
  if (rankOf(lower) > RANK.number || rankOf(upper) < RANK.number) return NEVER;
  const filter = { indexColumns: [expression], selectivity: PART_OF_DATE };
  if (typeof lower === 'number' && typeof upper === 'number')
    return { branches: [insideOf(expression, lower, upper)], ...filter };
  // A bound of another kind lies below or above all numbers.
  if (typeof lower === 'number') return { branches: [{ sql: `${expression} > ?`, parameters: [lower] }], ...filter };
  if (typeof upper === 'number') return { branches: [{ sql: `${expression} < ?`, parameters: [upper] }], ...filter };
  return { branches: [{ sql: `${expression} IS NOT NULL`, parameters: [] }], ...filter };
}

function find({ type, raw }: FieldSql, search: string): CompiledFilter {
  const words = [...new Set(wordsOf(search))];
  if (words.length === 0) return NEVER;
  const text = words.join(' ');
  const searched = searchedSql(raw);
  const sql = `CASE ${type} WHEN 'text' THEN pda_has_words(${searched}, ?) WHEN 'array' THEN pda_json_has_words(${searched}, ?) WHEN 'object' THEN pda_json_has_words(${searched}, ?) ELSE 0 END`;
  return { branches: [{ sql, parameters: [text, text, text] }], indexColumns: undefined, selectivity: NONE };
}
