import { digestJson } from '../../../../platform/json/canonical.ts';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { ChartBucket } from '../../../../wire/charts.ts';
import type { DatePart, Mapping } from '../../../../wire/query.ts';
import type { TimeFormat } from '../../../../wire/fields.ts';
import { type TimeFieldType, type TimeKey, timeKeyOf } from '../../../../wire/field-times.ts';
import { MICROS_PER_SECOND, parseDate, SECONDS_PER_DAY, signedSecondsOf } from '../../../../wire/iso-8601.ts';
import { normalizeTime } from '../../../../wire/time-formats.ts';
import { wordsOf } from '../../../core/words.ts';
import { centreOf, simplifyLines } from './geometry.ts';
import { RANK, rankOf } from '../../../../wire/value-order.ts';
import { containsJson, orderKey } from '../language/json-order.ts';
import { decodeEscapes, type Json, parseJson } from '../language/json.ts';
import { type Path, parsePath, resolvePath } from '../language/paths.ts';
import { compileTextMapping } from '../language/mapping.ts';
import { spend } from '../language/read-budget.ts';
import { datePart, parseTimestamp } from '../language/transformations.ts';
import { hasAllWords, wordsInJson } from '../language/tokenizer.ts';
import { bucketOf, localMinuteOf } from './time-buckets.ts';
import { createExcerpt } from '../search/rules.ts';

export { withReadBudget } from '../language/read-budget.ts';

/** Applies a mapping to a record. Both are JSON texts, as is the result. @throws ReadLimitError */
export const mapText = (text: string, mapping: string): string =>
  compileTextMapping(JSON.parse(mapping) as Mapping)(text);

/** The part of a better-sqlite3 database that registers functions. */
export interface FunctionRegistry {
  function(name: string, options: { deterministic: boolean }, implementation: (...values: never[]) => unknown): unknown;
}

/**
 * Version of the functions. Increment it when a function returns different results: indexes store results, and their
 * names depend on this version.
 */
export const FUNCTIONS_VERSION = 4;

/** Type names of `json_type`, by rank, except 'integer'. */
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
 * Registers the SQL functions of compiled queries and their indexes. Every connection that writes records needs them
 * too, because SQLite cannot update an index on an expression without its functions.
 *
 * All functions are deterministic, as SQLite requires of functions in indexes, except three: `pda_spend`, and
 * `pda_bucket` and `pda_local_minute`, which depend on the time zone of this computer. See FUNCTIONS_VERSION.
 */
export function registerQueryFunctions(db: FunctionRegistry): void {
  // Caches per connection: a query evaluates several expressions on each record and uses the same operands for all
  // records.
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
    if (value === undefined) return null;
    return Number.isSafeInteger(value) ? 'integer' : TYPE_NAMES[rankOf(value)];
  });
  db.function('pda_extract', deterministic, (data: string, path: string) => toSqlValue(resolve(data, path)));
  db.function('pda_order_key', deterministic, (json: string) => orderKey(parseJson(json)));
  db.function('pda_contains', deterministic, (outer: string, inner: string) =>
    Number(containsJson(parseContainer(outer), parseContained(inner))),
  );
  db.function('pda_date_part', deterministic, (text: string, part: DatePart) => {
    const moment = parseDate(text);
    return moment === undefined ? null : datePart(moment, part);
  });
  db.function('pda_timestamp_part', deterministic, (value: number | string, part: DatePart) => {
    const moment = parseTimestamp(value);
    return moment === undefined ? null : datePart(moment, part);
  });
  db.function('pda_has_words', deterministic, (text: string, searchWords: string) =>
    Number(hasAllWords(wordsOf(text), splitWords(searchWords))),
  );
  db.function('pda_json_has_words', deterministic, (json: string, searchWords: string) =>
    Number(hasAllWords(wordsInJson(json), splitWords(searchWords))),
  );
  db.function('pda_decode_escapes', deterministic, decodeEscapes);
  db.function('pda_contains_text', deterministic, (json: string, search: string) =>
    Number(decodeEscapes(json).toLowerCase().includes(search.toLowerCase())),
  );
  db.function('pda_time', deterministic, (text: string, format: TimeFormat) => normalizeTime(text, format) ?? null);
  db.function('pda_seconds', deterministic, (text: string) => {
    const moment = parseDate(text);
    return moment === undefined ? null : moment.days * SECONDS_PER_DAY + Math.floor(moment.micros / MICROS_PER_SECOND);
  });
  db.function('pda_bucket', { deterministic: false }, (key: string | number | null, per: ChartBucket) =>
    key === null ? null : bucketOf(key, per),
  );
  db.function('pda_local_minute', { deterministic: false }, (time: string | number | null) =>
    time === null ? null : (localMinuteOf(time) ?? null),
  );
  db.function('pda_longitude', deterministic, (json: string) => centre(json)?.[0] ?? null);
  db.function('pda_latitude', deterministic, (json: string) => centre(json)?.[1] ?? null);
  db.function('pda_lines', deterministic, (json: string, step: number) => {
    const lines = simplifyLines(json, step);
    return lines.length === 0 ? null : JSON.stringify(lines);
  });
  type TimeType = TimeFieldType['type'];
  /** The last converted time. Cached, because a query reads both the time of a value and whether it is local. */
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

function toSqlValue(value: Json | undefined): string | number | bigint | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  // better-sqlite3 converts every JavaScript number to a real number.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
}
