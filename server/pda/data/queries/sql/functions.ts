import { digestJson } from '../../../../platform/json/canonical.ts';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import { DATE_PARTS, type DatePart } from '../../../../wire/date-parts.ts';
import type { Mapping } from '../../../../wire/query.ts';
import type { TimeFormat } from '../../../../wire/fields.ts';
import { type TimeFieldType, type TimeKey, timeKeyOf } from '../../../../wire/field-times.ts';
import { parseDate, signedSecondsOf } from '../../../../wire/iso-8601.ts';
import { normalizeTime } from '../../../../wire/time-formats.ts';
import { wordsOf } from '../../../core/words.ts';
import { centreOf, simplifyLines } from './geometry.ts';
import { containsJson, orderKey, rankOf, RANK } from '../language/json-order.ts';
import { type Json, parseJson } from '../language/json.ts';
import { type Path, parsePath, resolvePath } from '../language/paths.ts';
import { compileTextMapping } from '../language/mapping.ts';
import { spend } from '../language/read-budget.ts';
import { datePart, parseTimestamp } from '../language/transformations.ts';
import { hasAllWords, wordsInJson } from '../language/tokenizer.ts';
import { createExcerpt } from '../search/rules.ts';

export { withReadBudget } from '../language/read-budget.ts';

/** @param mapping JSON text of the mapping @throws ReadLimitError */
export const mapText = (text: string, mapping: string): string =>
  compileTextMapping(JSON.parse(mapping) as Mapping)(text);

/** The part of a better-sqlite3 database that registers functions. */
export interface FunctionRegistry {
  function(name: string, options: { deterministic: boolean }, implementation: (...values: never[]) => unknown): unknown;
}

/**
 * Version of the functions. Increment it when a function returns different results: indexes store results, and their
 * names contain this version.
 */
export const FUNCTIONS_VERSION = 3;

/** Names of `json_type`, by rank. SQLite also has 'integer', which queries treat like 'real'. */
const TYPE_NAMES: Record<number, string> = {
  [RANK.null]: 'null',
  [RANK.string]: 'text',
  [RANK.number]: 'real',
  [RANK.false]: 'false',
  [RANK.true]: 'true',
  [RANK.array]: 'array',
  [RANK.object]: 'object',
};

const MAX_CACHED_PATHS = 1000;

/**
 * Registers the SQL functions of compiled queries and their indexes. Every connection that reads or writes records
 * needs them, because SQLite cannot update an index on an expression without its functions.
 *
 * All functions except `pda_spend` are deterministic, because their results are stored in indexes. See
 * FUNCTIONS_VERSION.
 *
 * - `pda_type(data, path)`, `pda_extract(data, path)`: like `json_type` and `json_extract`, for paths that SQLite
 *   cannot express
 * - `pda_order_key(json)`: a BLOB that sorts as the value does
 * - `pda_contains(container, contained)`: JSON containment, 1 or 0
 * - `pda_date_part(text, part)`, `pda_timestamp_part(number or text, part)`: a number, or NULL if the value is not a
 *   time
 * - `pda_has_words(text, words)`, `pda_json_has_words(json, words)`: 1 if all words (from `wordsOf`, joined by spaces)
 *   occur, else 0
 * - `pda_spend(bytes, times, select)`: 1, or an error if the budget of the statement is exhausted (read-budget.ts)
 * - `pda_time(text, format)`: a time in another format than ISO 8601 as `YYYY-MM-DD HH:MM:SS`, or NULL
 * - `pda_longitude(geojson)`, `pda_latitude(geojson)`: the centre of a geometry in degrees, or NULL
 * - `pda_lines(geojson, step)`: the simplified lines of a geometry as JSON, or NULL
 * - `pda_time_key(value, type, format)`: a time as Unix milliseconds (see `TimeKey`), or NULL if the value is not a
 *   time; `pda_time_is_local` with the same arguments: 1 if it has no time zone, 0 if it has one, or NULL
 * - `pda_duration_seconds(text)`: the seconds of an ISO 8601 duration, or NULL
 * - `pda_words(text)`, `pda_json_words(json)`: the words, joined by spaces, for a full-text index
 * - `pda_excerpt(text, search)`: the part of a text with several lines that begins near a word of the search
 * - `pda_json_digest(json)`: the SHA-256 of the canonical text in hexadecimal digits, which is equal for equal values
 */
export function registerQueryFunctions(db: FunctionRegistry): void {
  // Caches per connection: a query evaluates several expressions on each record, and the same operands on all records.
  const parseRecord = memoizeLast(parseJson);
  const parseContainer = memoizeLast(parseJson);
  const parseContained = memoizeLast(parseJson);
  const splitWords = memoizeLast((text: string) => text.split(' ').filter((word) => word !== ''));
  const centre = memoizeLast(centreOf);
  const paths = new Map<string, Path>();
  const pathOf = (text: string): Path => {
    let path = paths.get(text);
    if (path === undefined) {
      const decodedPath = parseJson(text);
      path = parsePath(typeof decodedPath === 'string' ? decodedPath : text);
      setBounded(paths, text, path, MAX_CACHED_PATHS);
    }
    return path;
  };
  const resolve = (data: string, path: string): Json | undefined => resolvePath(parseRecord(data), pathOf(path));

  db.function('pda_spend', { deterministic: false }, (bytes: number, times: number, select: number) => {
    spend(bytes, times, select);
    return 1;
  });
  const deterministic = { deterministic: true };
  db.function('pda_type', deterministic, (data: string, path: string) => {
    const value = resolve(data, path);
    return value === undefined ? null : TYPE_NAMES[rankOf(value)];
  });
  db.function('pda_extract', deterministic, (data: string, path: string) => toSqlValue(resolve(data, path)));
  db.function('pda_order_key', deterministic, (json: string) => orderKey(parseJson(json)));
  db.function('pda_contains', deterministic, (outer: string, inner: string) =>
    Number(containsJson(parseContainer(outer), parseContained(inner))),
  );
  db.function('pda_date_part', deterministic, (text: string, part: string) => {
    const moment = parseDate(text);
    return moment === undefined ? null : datePart(moment, partOf(part));
  });
  db.function('pda_timestamp_part', deterministic, (value: number | string, part: string) => {
    const moment = parseTimestamp(value);
    return moment === undefined ? null : datePart(moment, partOf(part));
  });
  db.function('pda_has_words', deterministic, (text: string, required: string) =>
    Number(hasAllWords(wordsOf(text), splitWords(required))),
  );
  db.function('pda_json_has_words', deterministic, (json: string, required: string) =>
    Number(hasAllWords(wordsInJson(json), splitWords(required))),
  );
  db.function('pda_time', deterministic, (text: string, format: TimeFormat) => normalizeTime(text, format) ?? null);
  db.function('pda_longitude', deterministic, (json: string) => centre(json)?.[0] ?? null);
  db.function('pda_latitude', deterministic, (json: string) => centre(json)?.[1] ?? null);
  db.function('pda_lines', deterministic, (json: string, step: number) => {
    const lines = simplifyLines(json, step);
    return lines.length === 0 ? null : JSON.stringify(lines);
  });
  type TimeType = TimeFieldType['type'];
  /** The last converted time, because a query reads both the time and the time zone of a value. */
  let lastTime: { value: string | number; type: TimeType; format: string; key: TimeKey | undefined } | undefined;
  const timeKey = (value: string | number, type: TimeType, format: TimeFormat | ''): TimeKey | undefined => {
    if (lastTime?.value !== value || lastTime.type !== type || lastTime.format !== format) {
      const key = timeKeyOf(value, format === '' ? { type } : { type, timeFormat: format });
      lastTime = { value, type, format, key };
    }
    return lastTime.key;
  };
  db.function('pda_time_key', deterministic, (value: string | number, type: TimeType, format: TimeFormat | '') => {
    return timeKey(value, type, format)?.ms ?? null;
  });
  db.function('pda_time_is_local', deterministic, (value: string | number, type: TimeType, format: TimeFormat | '') => {
    const key = timeKey(value, type, format);
    return key === undefined ? null : Number(key.isLocal);
  });
  db.function('pda_duration_seconds', deterministic, (text: string) => signedSecondsOf(text) ?? null);
  db.function('pda_words', deterministic, (text: string) => wordsOf(text).join(' '));
  db.function('pda_json_words', deterministic, (json: string) => wordsInJson(json).join(' '));
  db.function('pda_excerpt', deterministic, (text: string, search: string) => createExcerpt(text, search, '\n'));
  db.function('pda_json_digest', deterministic, digestJson);
}

const MEMOIZED_MAX_CHARS = 1_000_000;

function memoizeLast<Result>(compute: (text: string) => Result): (text: string) => Result {
  let cached: { text: string; result: Result } | undefined;
  return (text) => {
    if (text.length > MEMOIZED_MAX_CHARS) return compute(text);
    if (cached === undefined || cached.text !== text) cached = { text, result: compute(text) };
    return cached.result;
  };
}

function toSqlValue(value: Json | undefined): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function partOf(name: string): DatePart {
  const part = DATE_PARTS.find((candidate) => candidate === name);
  if (part === undefined) throw new Error(`unknown part of a date: ${name}`);
  return part;
}
