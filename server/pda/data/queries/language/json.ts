import { refuseLargeParse } from './read-budget.ts';

/** A JSON value as `JSON.parse` gives it. Numbers are doubles: two stored numbers that are one double are one number to queries. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** Reads JSON text that was checked when it was stored or received. @throws SyntaxError for anything else; ReadLimitError */
export function parseJson(text: string): Json {
  refuseLargeParse(text);
  return JSON.parse(text) as Json;
}

/** What a wire schema let through as `unknown` came out of `JSON.parse`. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/** What TypeScript's library does not know of JSON yet: numbers as they were written. */
interface WrittenNumbers {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const writtenNumbers = JSON as unknown as WrittenNumbers;

/**
 * Sixteen digits and more are where a double may hold another number than the text. Spelled out, since that lets the search skip through a
 * text, ten times as fast as a counted repetition.
 */
const LONG_NUMBER = new RegExp('[0-9.]'.repeat(16), 'u');

/**
 * Reads JSON text so that `JSON.stringify` writes each number back unchanged, ids of twenty digits included. Such a number is opaque:
 * it can be passed on, not looked at or calculated with.
 */
export function parseJsonExactly(text: string): Json {
  if (!LONG_NUMBER.test(text)) return parseJson(text);
  refuseLargeParse(text, true);
  return writtenNumbers.parse(text, (_, value, { source }) => {
    const exact = typeof value !== 'number' || source === undefined || String(value) === source;
    return exact ? value : writtenNumbers.rawJSON(source);
  }) as Json;
}

/** The same of many texts at once. */
export function parseAllExactly(texts: readonly string[]): Json[] {
  const together = `[${texts.join(',')}]`;
  // One with long numbers makes only itself slow.
  return LONG_NUMBER.test(together) ? texts.map(parseJsonExactly) : (JSON.parse(together) as Json[]);
}

/** The one member of a number that is kept as it was written. */
export const RAW_NUMBER_KEY = 'rawJSON';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !writtenNumbers.isRawJSON(value);
}

export function isScalar(value: Json): value is null | boolean | number | string {
  return typeof value !== 'object' || value === null;
}
