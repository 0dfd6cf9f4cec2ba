import { refuseLargeParse } from './read-budget.ts';

/** A JSON value. Numbers are doubles: stored numbers with the same double are equal in queries. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** Parses JSON text that was validated when it was stored or received. @throws SyntaxError | ReadLimitError */
export function parseJson(text: string): Json {
  refuseLargeParse(text);
  return JSON.parse(text) as Json;
}

/** Casts a value of `JSON.parse` that a wire schema types as `unknown`. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/** Access to the source text in JSON.parse, which TypeScript's library does not declare yet. */
interface JsonWithSource {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const jsonWithSource = JSON as unknown as JsonWithSource;

/**
 * Matches at least the numbers of 16 digits or more, whose double may differ from the text. Without a quantifier, the
 * search is ten times as fast.
 */
const LONG_NUMBER = new RegExp('[0-9.]'.repeat(16), 'u');

/**
 * Parses JSON text so that `JSON.stringify` keeps all digits of long numbers, such as ids. A number that would be
 * written with other digits becomes an opaque object, which can be written again but not read.
 */
export function parseJsonExactly(text: string): Json {
  if (!LONG_NUMBER.test(text)) return parseJson(text);
  refuseLargeParse(text, true);
  return jsonWithSource.parse(text, (_, value, { source }) => {
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact ? value : jsonWithSource.rawJSON(source);
  }) as Json;
}

export function parseAllExactly(texts: readonly string[]): Json[] {
  const arrayText = `[${texts.join(',')}]`;
  // Only texts with long numbers take the slow path.
  return LONG_NUMBER.test(arrayText) ? texts.map(parseJsonExactly) : (JSON.parse(arrayText) as Json[]);
}

/** Consecutive escapes, which are decoded at once. A pattern without an upper bound would overflow the stack. */
const ESCAPES = /(?:\\(?:u[\da-f]{4}|["\\/bfnrt])){1,1000}/giu;

/**
 * Returns JSON text, or the beginning of it, with its escapes decoded, so that it can be searched. The result is no
 * longer JSON. Leaves an incomplete escape at the end unchanged.
 */
export function decodeEscapes(json: string): string {
  return json.replaceAll(ESCAPES, (escapes) => String(JSON.parse(`"${escapes}"`)));
}

/** The only member of an opaque number. */
export const RAW_NUMBER_KEY = 'rawJSON';

/** Returns true for objects, except opaque numbers. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !jsonWithSource.isRawJSON(value);
}

export function isScalar(value: Json): value is null | boolean | number | string {
  return typeof value !== 'object' || value === null;
}
