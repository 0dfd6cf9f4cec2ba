import type { Mapping, NestedMapping } from '../../../../wire/query.ts';
import { isObject, type Json, type JsonObject, parseJsonExactly } from './json.ts';
import { parsePath, resolvePath } from './paths.ts';
import { ReadLimitError } from './read-budget.ts';

type Map = (value: Json) => Json;

/** Characters of JSON that one record may become: a mapping can name one long value, or map each of a million elements, many times. */
const MAPPED_CHARS_MAX = 32_000_000;
/** Characters that the record which is mapped now has become so far. */
let mappedChars = 0;

const countChars = (chars: number): void => {
  mappedChars += chars;
  if (mappedChars > MAPPED_CHARS_MAX) throw new ReadLimitError('memory');
};

/** Counts about as many characters as a value has as JSON. @throws ReadLimitError */
function countValue(value: Json): void {
  if (typeof value === 'string') countChars(value.length + 3);
  else if (Array.isArray(value)) {
    countChars(3);
    for (const element of value) countValue(element);
  } else if (isObject(value)) {
    countChars(3);
    for (const name of Object.keys(value)) {
      countChars(name.length + 4);
      countValue(value[name] ?? null);
    }
  } else countChars(6);
}

/** Writes one output field into the result, or leaves it out when its source is missing. */
type FieldWriter = (source: Json, result: JsonObject) => void;

/**
 * Prepares a mapping (a combinator entry of the interface: output field -> path in the stored record).
 *
 * - Dotted destinations build nested objects; destinations with a common beginning merge, the later one winning where they clash.
 * - A missing source leaves its output field out; if all are missing, `{}` is the result.
 * - `{source, mappings}` maps the object at `source`; with `[]` at the end of its destination or source, each element of the array
 *   there. Elements that are neither object nor array have nothing to map and are left out; likewise a source of the wrong kind.
 *
 * The mapping must have passed `mappingSchema`. The result shares no container with its source that is written to later.
 */
export function compileMapping(mapping: Mapping): Map {
  const destinations = Object.keys(mapping).map(namesOf);
  const writers = Object.entries(mapping).map(([destination, source]) => {
    const names = namesOf(destination);
    const alone = destinations.filter((other) => isBelow(names, other)).length === 1;
    return compileField(destination, source, alone ? writeBelowOwn : writeAt);
  });
  return (value) => {
    const result: JsonObject = {};
    for (const write of writers) write(value, result);
    return result;
  };
}

/** Prepares a mapping for whole records. @returns a function that throws ReadLimitError when the result is larger than allowed */
export function compileRecordMapping(mapping: Mapping): Map {
  const map = compileMapping(mapping);
  return (value) => {
    mappedChars = 0;
    return map(value);
  };
}

/** The same from stored text to JSON text: what a read answers. Numbers keep their digits, however many they are. */
export function compileTextMapping(mapping: Mapping): (text: string) => string {
  const map = compileRecordMapping(mapping);
  return (text) => JSON.stringify(map(parseJsonExactly(text)));
}

type Write = (target: JsonObject, names: readonly string[], value: Json) => void;

function compileField(destination: string, source: string | NestedMapping, writeTo: Write): FieldWriter {
  const names = namesOf(destination);
  const read = typeof source === 'string' ? compileSource(source) : compileNested(destination, source);
  return (value, result) => {
    const found = read(value);
    if (found === undefined) return;
    countChars(destination.length + 4);
    // What a nested mapping makes is counted as it is made.
    if (typeof source === 'string') countValue(found);
    writeTo(result, names, found);
  };
}

function compileSource(source: string): (value: Json) => Json | undefined {
  const path = parsePath(source);
  return (value) => resolvePath(value, path);
}

function compileNested(destination: string, nested: NestedMapping): (value: Json) => Json | undefined {
  const read = compileSource(nested.source);
  const map = compileMapping(nested.mappings);
  const each = destination.endsWith('[]') || nested.source.endsWith('[]');
  return (value) => {
    const found = read(value);
    if (each) return Array.isArray(found) ? found.filter(isContainer).map(map) : undefined;
    return found !== undefined && isContainer(found) ? map(found) : undefined;
  };
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || isObject(value);
}

function withoutBrackets(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name;
}

function namesOf(destination: string): string[] {
  return destination.split('.').map(withoutBrackets);
}

/** Whether writing to the one place can meet what was written to the other: it is there, or above. */
function isBelow(names: readonly string[], above: readonly string[]): boolean {
  return above.length <= names.length && above.every((name, index) => name === names[index]);
}

/** No other destination is this one or above it: all that it can meet on its way are objects that were made on the way. */
function writeBelowOwn(target: JsonObject, names: readonly string[], value: Json): void {
  let inner = target;
  const last = names.length - 1;
  for (let index = 0; index < last; index += 1) {
    const name = names[index] ?? '';
    const before = Object.hasOwn(inner, name) ? inner[name] : undefined;
    const next: JsonObject = isObject(before) ? before : {};
    if (next !== before) setOwn(inner, name, next);
    inner = next;
  }
  const name = names[last] ?? '';
  const below = Object.hasOwn(inner, name) ? inner[name] : undefined;
  setOwn(inner, name, below === undefined ? value : merge(below, value));
}

function writeAt(target: JsonObject, names: readonly string[], value: Json): void {
  const [name = '', ...rest] = names;
  const before = Object.hasOwn(target, name) ? target[name] : undefined;
  if (rest.length === 0) {
    setOwn(target, name, before === undefined ? value : merge(before, value));
    return;
  }
  // A copy, since what is there may be part of the stored record.
  const inner: JsonObject = isObject(before) ? { ...before } : {};
  writeAt(inner, rest, value);
  setOwn(target, name, inner);
}

/** Objects merge member by member; of anything else the later one stays. */
function merge(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const merged: JsonObject = { ...before };
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(merged, name) ? merged[name] : undefined;
    setOwn(merged, name, old === undefined ? value : merge(old, value));
  }
  return merged;
}

/** Plain assignment of a member named `__proto__` would set the prototype; the schema refuses it, and this makes it harmless anyway. */
function setOwn(target: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * What `orderBy` means for one entry: an output name of its mapping stands for the path it is read from; anything else is a path in
 * the stored data.
 */
export function sourceOfOutput(name: string, mapping: Mapping | null | undefined): string {
  if (mapping === null || mapping === undefined) return name;
  for (const [destination, source] of Object.entries(mapping)) {
    if (destination === name || withoutBrackets(destination) === name)
      return typeof source === 'string' ? source : source.source;
  }
  return name;
}
