import type { DatePart } from '../../../../wire/query.ts';
import { RANK } from '../../../../wire/value-order.ts';
import { SEARCHED_CHARS_MAX } from '../../../core/words.ts';
import {
  LARGE_ARRAY_KEY,
  LARGE_OBJECT_KEY,
  ORDER_KEY_BYTES_MAX,
  ORDERED_JSON_BYTES_MAX,
} from '../language/json-order.ts';
import { parsePath, type Path, type PathStep } from '../language/paths.ts';

/** SQL expressions for one field of a record. They contain only literals and no parameters. */
export interface FieldSql {
  /** Type of the value as named by `json_type`; NULL if the field is missing. */
  readonly type: string;
  /** Text and numbers unchanged, booleans as 0 or 1, arrays and objects as JSON text; NULL for null or if missing. */
  readonly raw: string;
  /** Rank of the value's kind in the order of values (RANK); NULL if the field is missing. */
  readonly rank: string;
  /** Strings unchanged, numbers as doubles, NULL for anything else. SQLite never converts a string to a number here. */
  readonly scalar: string;
  /** Like `scalar`, but only the first ORDER_KEY_BYTES_MAX bytes of a string, as in indexes on scalars. */
  readonly scalarKey: string;
  /** Like `scalarKey`, with a BLOB for arrays and objects. Sorts values of one kind. */
  readonly sortKey: string;
  /** True if SQLite can evaluate the path itself. Otherwise functions parse the whole record in JavaScript. */
  readonly isNative: boolean;
}

/**
 * Returns SQL for the prefix of a string that serves as its index key. The prefix is counted in bytes, because `substr`
 * of text ends at NUL. Its end may therefore split a character. The key of an empty string is empty, although `substr`
 * of an empty BLOB is NULL.
 */
export function textKeySql(text: string): string {
  return `coalesce(CAST(substr(CAST(${text} AS BLOB), 1, ${ORDER_KEY_BYTES_MAX}) AS TEXT), '')`;
}

/** Maximum number of SQLite paths for one path. Beyond it, parsing the record once is cheaper. */
const MAX_SQLITE_PATHS = 4;

/**
 * Quotes text as an SQL literal. All text in statements must pass through it.
 * @throws Error for NUL, at which SQLite would stop reading the statement
 */
export function sqlText(text: string): string {
  if (text.includes('\0')) throw new Error('an SQL literal cannot contain NUL');
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns an SQL literal, not a parameter, so that partial indexes are used.
 * @throws Error unless the number is a safe integer
 */
export function sqlInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`not a safe integer: ${value}`);
  return String(value);
}

/**
 * Returns the expressions for a path. They use SQLite's JSON functions if these evaluate the path as `resolvePath`
 * does, otherwise registered functions.
 */
export function fieldSql(pathText: string): FieldSql {
  const path = parsePath(pathText);
  const sqlitePaths = sqlitePathsOf(path);
  const expressions = sqlitePaths === undefined ? customExpressions(path) : nativeExpressions(sqlitePaths);
  return toFieldSql(expressions, sqlitePaths !== undefined);
}

/** Returns the expressions for a path from the list of fields, in which an empty path means the record itself. */
export function valueSql(path: string): FieldSql {
  return path === '' ? toFieldSql(nativeExpressions([sqlText('$')]), true) : fieldSql(path);
}

/** `binary`: the value as JSONB, which SQLite extracts without writing JSON text. */
type Expressions = Pick<FieldSql, 'type' | 'raw'> & { readonly binary?: string };

/** The JSONB of a value has at most this number of bytes per byte of its JSON text. */
const JSONB_BYTES_PER_TEXT_BYTE = 8;

function toFieldSql({ type, raw, binary }: Expressions, isNative: boolean): FieldSql {
  // The cast rounds whole numbers beyond 2^53 to doubles as JSON.parse does, because an id that a client copies into a
  // filter was rounded in the same way.
  const numberCases = `WHEN 'integer' THEN CAST(${raw} AS REAL) WHEN 'real' THEN ${raw}`;
  const textKeyCase = `WHEN 'text' THEN ${textKeySql(raw)}`;
  const keyOf = (largeKey: Buffer): string => {
    const key = `x'${largeKey.toString('hex')}'`;
    // Measures the JSONB first: writing the text of millions of elements takes much longer than copying their JSONB.
    const veryLargeCase =
      binary === undefined
        ? ''
        : `WHEN octet_length(${binary}) > ${ORDERED_JSON_BYTES_MAX * JSONB_BYTES_PER_TEXT_BYTE} THEN ${key} `;
    return `CASE ${veryLargeCase}WHEN octet_length(${raw}) > ${ORDERED_JSON_BYTES_MAX} THEN ${key} ELSE pda_order_key(${raw}) END`;
  };
  const containerCases = `WHEN 'array' THEN ${keyOf(LARGE_ARRAY_KEY)} WHEN 'object' THEN ${keyOf(LARGE_OBJECT_KEY)}`;
  return {
    type,
    raw,
    rank: `CASE ${type} WHEN 'text' THEN ${RANK.string} WHEN 'integer' THEN ${RANK.number} WHEN 'real' THEN ${RANK.number} WHEN 'null' THEN ${RANK.null} WHEN 'false' THEN ${RANK.false} WHEN 'true' THEN ${RANK.true} WHEN 'array' THEN ${RANK.array} WHEN 'object' THEN ${RANK.object} END`,
    scalar: `CASE ${type} WHEN 'text' THEN ${raw} ${numberCases} END`,
    scalarKey: `CASE ${type} ${textKeyCase} ${numberCases} END`,
    sortKey: `CASE ${type} ${textKeyCase} ${numberCases} ${containerCases} END`,
    isNative,
  };
}

/**
 * Returns SQL for a part of a date; NULL if the field is not a date. The prefix of the string is sufficient, because no
 * valid date is longer than ORDER_KEY_BYTES_MAX.
 */
export function datePartSql({ type, raw }: FieldSql, part: DatePart): string {
  return `CASE ${type} WHEN 'text' THEN pda_date_part(${textKeySql(raw)}, ${sqlText(part)}) END`;
}

/** Returns SQL for a part of a time; NULL if the field is not a time in Unix seconds. */
export function timestampPartSql({ type, raw }: FieldSql, part: DatePart): string {
  const name = sqlText(part);
  return `CASE ${type} WHEN 'integer' THEN pda_timestamp_part(CAST(${raw} AS REAL), ${name}) WHEN 'real' THEN pda_timestamp_part(${raw}, ${name}) WHEN 'text' THEN pda_timestamp_part(${textKeySql(raw)}, ${name}) END`;
}

/**
 * Number of UTF-8 bytes that is enough for SEARCHED_CHARS_MAX UTF-16 units and the next character. In JSON, a colon as
 * the next character shows that a string is the name of a member.
 */
const SEARCHED_BYTES = 3 * SEARCHED_CHARS_MAX + 4;

/** Returns SQL for the beginning of a string that `find` searches. The whole string could take 10 MB per record. */
export function searchTextSql(raw: string): string {
  return `coalesce(CAST(substr(CAST(${raw} AS BLOB), 1, ${SEARCHED_BYTES}) AS TEXT), '')`;
}

/** Returns SQL for the words of a field, joined by spaces; NULL unless it is a string, array or object. */
export function wordsSql({ type, raw }: FieldSql): string {
  const searchText = searchTextSql(raw);
  return `CASE ${type} WHEN 'text' THEN pda_words(${searchText}) WHEN 'array' THEN pda_json_words(${searchText}) WHEN 'object' THEN pda_json_words(${searchText}) END`;
}

function customExpressions(path: Path): Expressions {
  // Encoded as JSON, so that control characters are escaped.
  const pathLiteral = sqlText(JSON.stringify(path.text));
  return { type: `pda_type(data, ${pathLiteral})`, raw: `pda_extract(data, ${pathLiteral})` };
}

/** Returns native expressions, which use the first path with a value. */
function nativeExpressions(sqlitePaths: readonly string[]): Expressions {
  const lastPath = sqlitePaths.at(-1) ?? sqlText('$');
  const otherPaths = sqlitePaths.slice(0, -1);
  const extract = (path: string) => ({ raw: `json_extract(data, ${path})`, binary: `jsonb_extract(data, ${path})` });
  if (otherPaths.length === 0) return { type: `json_type(data, ${lastPath})`, ...extract(lastPath) };
  const choice = otherPaths
    .map((sqlitePath) => `WHEN json_type(data, ${sqlitePath}) IS NOT NULL THEN ${sqlitePath}`)
    .join(' ');
  return {
    type: `COALESCE(${sqlitePaths.map((sqlitePath) => `json_type(data, ${sqlitePath})`).join(', ')})`,
    ...extract(`CASE ${choice} ELSE ${lastPath} END`),
  };
}

/** Returns SQLite's paths as SQL literals in the order of evaluation; undefined if SQLite cannot express the path. */
function sqlitePathsOf(path: Path): string[] | undefined {
  const sqlitePaths: string[] = [];
  for (const steps of path.alternatives) {
    let paths = ['$'];
    for (const step of steps) {
      const segments = nativeSegments(step);
      if (segments === undefined || paths.length * segments.length > MAX_SQLITE_PATHS) return undefined;
      paths = segments.flatMap((segment) => paths.map((path) => path + segment));
    }
    sqlitePaths.push(...paths);
    if (sqlitePaths.length > MAX_SQLITE_PATHS) return undefined;
  }
  return sqlitePaths.map(sqlText);
}

/**
 * Returns the path segments for a step; undefined if SQLite cannot express its name. A number without brackets
 * has two segments, of which at most one can match.
 */
function nativeSegments({ key, index }: PathStep): string[] | undefined {
  const segments = index === null ? [] : [`[${index}]`];
  if (key === null) return segments;
  // SQLite would read these characters as an escape or the end of the name.
  if (/["\\\p{Cc}]/u.test(key)) return undefined;
  return [`."${key}"`, ...segments];
}
