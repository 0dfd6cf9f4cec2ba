import type { DatePart } from '../../../../wire/query.ts';
import {
  LARGE_ARRAY_KEY,
  LARGE_OBJECT_KEY,
  ORDER_KEY_BYTES_MAX,
  ORDERED_JSON_BYTES_MAX,
  RANK,
} from '../language/json-order.ts';
import { SEARCHED_CHARS_MAX } from '../language/tokenizer.ts';
import { parsePath, type Path, type Step } from '../language/paths.ts';

/** The expressions by which SQL sees one field of a record. All are built from literals: none holds a parameter. */
export interface FieldSql {
  /** `json_type`'s name of what is there; NULL when nothing is. */
  readonly type: string;
  /** Text and numbers as they are, arrays and objects as JSON text. */
  readonly raw: string;
  /** Place of the value's kind in the order of values (RANK); NULL when nothing is there. */
  readonly rank: string;
  /** Text as it is, numbers as doubles; NULL for all else. SQLite itself never takes a text for a number here. */
  readonly scalar: string;
  /** As `scalar`, but only the first ORDER_KEY_BYTES_MAX bytes of a text: what indexes on scalars hold. */
  readonly scalarKey: string;
  /** As `scalarKey`, with a BLOB for arrays and objects: orders values of one kind. */
  readonly sortKey: string;
  /** Whether SQLite reads the path by itself. Otherwise each expression parses the whole record in JavaScript. */
  readonly isNative: boolean;
}

/**
 * The beginning of a text as an index holds it. Bytes, since `substr` of a text ends at NUL; it may end in the middle of a character. Of
 * an empty BLOB `substr` is NULL.
 */
export function textKeySql(text: string): string {
  return `coalesce(CAST(substr(CAST(${text} AS BLOB), 1, ${ORDER_KEY_BYTES_MAX}) AS TEXT), '')`;
}

/** Above this many spellings of a path, parsing the record once is cheaper than asking SQLite for each of them. */
const MAX_SPELLINGS = 4;

/** The one place where text becomes part of a statement. @throws Error for NUL, which ends a statement */
export function sqlText(text: string): string {
  if (text.includes('\0')) throw new Error('NUL in SQL text');
  return `'${text.replaceAll("'", "''")}'`;
}

/** An endpoint's number as a literal, so that partial indexes are seen to apply. @throws Error for anything but a whole number */
export function sqlInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return String(value);
}

/** The expressions for a path of the interface: native where SQLite reads the path as we do, our own functions otherwise. */
export function fieldSql(pathText: string): FieldSql {
  const path = parsePath(pathText);
  const spellings = nativeSpellings(path);
  const { type, raw } = spellings === undefined ? foreign(path) : native(spellings);
  // The cast makes whole numbers beyond 2^53 the doubles that JSON.parse makes of them, in filters too: an id that a client
  // copies into a filter has been through the same rounding.
  const number = `WHEN 'integer' THEN CAST(${raw} AS REAL) WHEN 'real' THEN ${raw}`;
  const textKey = `WHEN 'text' THEN ${textKeySql(raw)}`;
  const keyOf = (largeKey: Buffer): string =>
    `CASE WHEN octet_length(${raw}) > ${ORDERED_JSON_BYTES_MAX} THEN x'${largeKey.toString('hex')}' ELSE pda_order_key(${raw}) END`;
  const container = `WHEN 'array' THEN ${keyOf(LARGE_ARRAY_KEY)} WHEN 'object' THEN ${keyOf(LARGE_OBJECT_KEY)}`;
  return {
    type,
    raw,
    rank: `CASE ${type} WHEN 'text' THEN ${RANK.string} WHEN 'integer' THEN ${RANK.number} WHEN 'real' THEN ${RANK.number} WHEN 'null' THEN ${RANK.null} WHEN 'false' THEN ${RANK.false} WHEN 'true' THEN ${RANK.true} WHEN 'array' THEN ${RANK.array} WHEN 'object' THEN ${RANK.object} END`,
    scalar: `CASE ${type} WHEN 'text' THEN ${raw} ${number} END`,
    scalarKey: `CASE ${type} ${textKey} ${number} END`,
    sortKey: `CASE ${type} ${textKey} ${number} ${container} END`,
    isNative: spellings !== undefined,
  };
}

/** A number out of an ISO 8601 date; NULL when there is none. */
export function datePartSql({ type, raw }: FieldSql, part: DatePart): string {
  return `CASE ${type} WHEN 'text' THEN pda_date_part(${raw}, ${sqlText(part)}) END`;
}

/** A number out of Unix seconds; NULL when there are none. */
export function timestampPartSql({ type, raw }: FieldSql, part: DatePart): string {
  const name = sqlText(part);
  return `CASE ${type} WHEN 'integer' THEN pda_timestamp_part(CAST(${raw} AS REAL), ${name}) WHEN 'real' THEN pda_timestamp_part(${raw}, ${name}) WHEN 'text' THEN pda_timestamp_part(${raw}, ${name}) END`;
}

/** UTF-8 bytes that hold SEARCHED_CHARS_MAX UTF-16 units, whatever they are, and one more character: it tells a name from a text. */
const SEARCHED_BYTES = 3 * SEARCHED_CHARS_MAX + 4;

/** The part of a text that `find` searches: to hand over all of it would make a string of ten megabytes for each record. */
export function searchedSql(raw: string): string {
  return `coalesce(CAST(substr(CAST(${raw} AS BLOB), 1, ${SEARCHED_BYTES}) AS TEXT), '')`;
}

/** The words of a field, joined by spaces, for a full-text index; NULL when there is no text. */
export function wordsSql({ type, raw }: FieldSql): string {
  const searched = searchedSql(raw);
  return `CASE ${type} WHEN 'text' THEN pda_words(${searched}) WHEN 'array' THEN pda_json_words(${searched}) WHEN 'object' THEN pda_json_words(${searched}) END`;
}

function foreign(path: Path): { type: string; raw: string } {
  // As JSON, so that control characters are escapes.
  const literal = sqlText(JSON.stringify(path.text));
  return { type: `pda_type(data, ${literal})`, raw: `pda_extract(data, ${literal})` };
}

/** The first spelling that leads anywhere is the one that is read. */
function native(spellings: readonly string[]): { type: string; raw: string } {
  const last = spellings.at(-1) ?? sqlText('$');
  const earlier = spellings.slice(0, -1);
  if (earlier.length === 0) return { type: `json_type(data, ${last})`, raw: `json_extract(data, ${last})` };
  const choice = earlier.map((spelling) => `WHEN json_type(data, ${spelling}) IS NOT NULL THEN ${spelling}`).join(' ');
  return {
    type: `COALESCE(${spellings.map((spelling) => `json_type(data, ${spelling})`).join(', ')})`,
    raw: `json_extract(data, CASE ${choice} ELSE ${last} END)`,
  };
}

/** SQLite's JSON paths for a path, as SQL literals, in the order in which they are tried; undefined when it has none for it. */
function nativeSpellings(path: Path): string[] | undefined {
  const spellings: string[] = [];
  for (const steps of path.alternatives) {
    let paths = ['$'];
    for (const step of steps) {
      const segments = nativeSegments(step);
      if (segments === undefined || paths.length * segments.length > MAX_SPELLINGS) return undefined;
      paths = segments.flatMap((segment) => paths.map((path) => path + segment));
    }
    spellings.push(...paths);
    if (spellings.length > MAX_SPELLINGS) return undefined;
  }
  return spellings.map(sqlText);
}

/** A number after a dot is two spellings, of which at most one can lead anywhere. */
function nativeSegments({ key, index }: Step): string[] | undefined {
  const segments = index === null ? [] : [`[${index}]`];
  if (key === null) return segments;
  // What SQLite would read as an escape or as the end of the name.
  if (/["\\\p{Cc}]/u.test(key)) return undefined;
  return [`."${key}"`, ...segments];
}
