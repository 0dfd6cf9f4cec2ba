import type { Mapping, NestedMapping } from '../../../../wire/query.ts';
import { isJsonObject, type Json, type JsonObject, parseJsonExactly } from './json.ts';
import { parsePath, resolvePath } from './paths.ts';
import { ReadLimitError } from './read-budget.ts';

type MapFunction = (value: Json) => Json;

/** Limit of the mapped JSON of a record. A mapping can repeat a long value, or a list of a million elements. */
const MAPPED_CHARS_MAX = 32_000_000;
/** Characters of the current record's mapped JSON so far. */
let mappedChars = 0;

const countChars = (chars: number): void => {
  mappedChars += chars;
  if (mappedChars > MAPPED_CHARS_MAX) throw new ReadLimitError('memory');
};

/** Adds the estimated JSON length of a value. @throws ReadLimitError */
function countValue(value: Json): void {
  if (typeof value === 'string') countChars(value.length + 3);
  else if (Array.isArray(value)) {
    countChars(3);
    for (const element of value) countValue(element);
  } else if (isJsonObject(value)) {
    countChars(3);
    for (const name of Object.keys(value)) {
      countChars(name.length + 4);
      countValue(value[name] ?? null);
    }
  } else countChars(6);
}

type FieldWriter = (source: Json, result: JsonObject) => void;

/**
 * Compiles a mapping of a combinator entry, which maps output fields to paths in the stored record.
 *
 * - Dotted destinations build nested objects; destinations with a common prefix are merged, and the later one wins a
 *   conflict.
 * - An output field is omitted if its source is missing; if all are missing, the result is `{}`.
 * - `{source, mappings}` maps the object or array at `source`; with `[]` at the end of its destination or source, each
 *   element of the array. Elements that are neither objects nor arrays are omitted, and so is a source of the wrong
 *   type.
 *
 * The mapping must have passed `mappingSchema`. No container that is shared with the source is modified.
 */
export function compileMapping(mapping: Mapping): MapFunction {
  const tree = createPathTree(Object.keys(mapping).map(namesOf));
  const writers = Object.entries(mapping).map(([destination, source]) => {
    const isUnshared = countAtOrAbove(tree, namesOf(destination)) === 1;
    return compileField(destination, source, isUnshared ? writeWithoutCopy : writeCopying);
  });
  return (value) => {
    const result: JsonObject = {};
    for (const write of writers) write(value, result);
    return result;
  };
}

/** Compiles a mapping of whole records. The returned function throws ReadLimitError if its result is too large. */
export function compileRecordMapping(mapping: Mapping): MapFunction {
  const map = compileMapping(mapping);
  return (value) => {
    mappedChars = 0;
    return map(value);
  };
}

/** Compiles a mapping of JSON texts, in which long numbers keep all of their digits. */
export function compileTextMapping(mapping: Mapping): (text: string) => string {
  const map = compileRecordMapping(mapping);
  return (text) => JSON.stringify(map(parseJsonExactly(text)));
}

type DestinationWriter = (target: JsonObject, names: readonly string[], value: Json) => void;

function compileField(destination: string, source: string | NestedMapping, writeTo: DestinationWriter): FieldWriter {
  const names = namesOf(destination);
  const read = typeof source === 'string' ? compileSource(source) : compileNested(destination, source);
  return (value, result) => {
    const output = read(value);
    if (output === undefined) return;
    countChars(destination.length + 4);
    // The output of a nested mapping is counted while it is created.
    if (typeof source === 'string') countValue(output);
    writeTo(result, names, output);
  };
}

function compileSource(source: string): (value: Json) => Json | undefined {
  const path = parsePath(source);
  return (value) => resolvePath(value, path);
}

function compileNested(destination: string, nested: NestedMapping): (value: Json) => Json | undefined {
  const read = compileSource(nested.source);
  const map = compileMapping(nested.mappings);
  const mapsElements = destination.endsWith('[]') || nested.source.endsWith('[]');
  return (value) => {
    const container = read(value);
    if (mapsElements) return Array.isArray(container) ? container.filter(isContainer).map(map) : undefined;
    return container !== undefined && isContainer(container) ? map(container) : undefined;
  };
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

function removeBrackets(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name;
}

function namesOf(destination: string): string[] {
  return destination.split('.').map(removeBrackets);
}

/** Node of a path: number of destinations that end there, and nodes of the longer paths by their next name. */
type PathNode = { count: number; children: Map<string, PathNode> };

function createPathTree(destinations: readonly (readonly string[])[]): PathNode {
  const root: PathNode = { count: 0, children: new Map() };
  for (const names of destinations) {
    let node = root;
    for (const name of names) {
      const child = node.children.get(name) ?? { count: 0, children: new Map<string, PathNode>() };
      node.children.set(name, child);
      node = child;
    }
    node.count += 1;
  }
  return root;
}

function countAtOrAbove(tree: PathNode, names: readonly string[]): number {
  let count = 0;
  let node: PathNode | undefined = tree;
  for (const name of names) {
    node = node?.children.get(name);
    count += node?.count ?? 0;
  }
  return count;
}

/**
 * Writes to a destination that has no other destination at or above it. The existing objects on its path were created
 * by this mapping and are not part of the record, so they need not be copied.
 */
function writeWithoutCopy(target: JsonObject, names: readonly string[], value: Json): void {
  let inner = target;
  const lastIndex = names.length - 1;
  for (let index = 0; index < lastIndex; index += 1) {
    const name = names[index] ?? '';
    const existing = Object.hasOwn(inner, name) ? inner[name] : undefined;
    const next: JsonObject = isJsonObject(existing) ? existing : {};
    if (next !== existing) setOwn(inner, name, next);
    inner = next;
  }
  const name = names[lastIndex] ?? '';
  const existing = Object.hasOwn(inner, name) ? inner[name] : undefined;
  setOwn(inner, name, existing === undefined ? value : merge(existing, value));
}

function writeCopying(target: JsonObject, names: readonly string[], value: Json): void {
  const [name = '', ...innerNames] = names;
  const existing = Object.hasOwn(target, name) ? target[name] : undefined;
  if (innerNames.length === 0) {
    setOwn(target, name, existing === undefined ? value : merge(existing, value));
    return;
  }
  // Copies the object, because it may be part of the stored record.
  const inner: JsonObject = isJsonObject(existing) ? { ...existing } : {};
  writeCopying(inner, innerNames, value);
  setOwn(target, name, inner);
}

function merge(earlier: Json, later: Json): Json {
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  const mergedObject: JsonObject = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    const existing = Object.hasOwn(mergedObject, name) ? mergedObject[name] : undefined;
    setOwn(mergedObject, name, existing === undefined ? value : merge(existing, value));
  }
  return mergedObject;
}

/** Sets an own member. An assignment to `__proto__` would set the prototype. */
function setOwn(target: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Resolves `orderBy` for one entry: an output name of its mapping refers to its source path; any other name is a path
 * in the stored data.
 */
export function sourceOfOutput(name: string, mapping: Mapping | null | undefined): string {
  if (mapping === null || mapping === undefined) return name;
  for (const [destination, source] of Object.entries(mapping)) {
    if (destination === name || removeBrackets(destination) === name)
      return typeof source === 'string' ? source : source.source;
  }
  return name;
}
