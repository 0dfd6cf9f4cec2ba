import { isWholeValuePath } from '../../../wire/entire-records.ts';
import { sourcePathsOf, type Mapping } from '../../../wire/query.ts';
import { isObject } from '../../../wire/values.ts';

// Counts leaf values by field path. Object keys can be personal data (names, days), so keys become `*` unless all keys
// of the object look like field names. The keys of large and deep objects and of maps also become `*`.

export type EndpointCount = { records: number; properties: Map<string, number> };
export type EndpointCounts = Map<string, EndpointCount>;
export type EndpointStats = { endpoint: string; records: number; propertyStats: Record<string, number> };

const MAX_DEPTH = 5;
const MAX_OBJECT_KEYS = 40;
const MAX_PATHS_PER_ENDPOINT = 200;
const MAX_COUNT = 10_000_000;
const WILDCARD = '*';
const DATA_PREFIX = 'data.';

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/u;
/** Ids, dates, numbers and hashes are data, not field names. */
const LOOKS_LIKE_DATA = /\d{5}|^[0-9a-f]{8,}$|[0-9a-f]{8}-[0-9a-f]{4}|\d{1,4}[_-]\d{1,2}(?:[_-]|$)/iu;

const isFieldName = (key: string): boolean => FIELD_NAME.test(key) && !LOOKS_LIKE_DATA.test(key);

/** Returns true for objects of equal shape: they are entries of a map like `{ada: {…}, grace: {…}}`, not fields. */
const areEntries = (values: readonly unknown[]): boolean => {
  if (values.length < 2 || !values.every(isObject)) return false;
  const [first = '', ...others] = values.map((value) => Object.keys(value).toSorted().join(' '));
  return first !== '' && others.every((shape) => shape === first);
};

const hasFields = (value: Readonly<Record<string, unknown>>): boolean => {
  const keys = Object.keys(value);
  return keys.length <= MAX_OBJECT_KEYS && keys.every(isFieldName) && !areEntries(Object.values(value));
};

const addCount = (properties: Map<string, number>, path: string, count: number): void => {
  const name = !properties.has(path) && properties.size >= MAX_PATHS_PER_ENDPOINT - 1 ? WILDCARD : path;
  properties.set(name, Math.min(MAX_COUNT, (properties.get(name) ?? 0) + count));
};

const countLeaves = (value: unknown, path: string, depth: number, onLeaf: (path: string) => void): void => {
  if (value === null) return;
  if (Array.isArray(value)) {
    // Nested arrays count as one array.
    const elements = path.endsWith('[]') || depth > MAX_DEPTH ? path : `${path}[]`;
    for (const element of value) countLeaves(element, elements, depth, onLeaf);
    return;
  }
  if (!isObject(value)) {
    onLeaf(path === '' ? WILDCARD : path);
    return;
  }
  const hasNames = hasFields(value);
  for (const [key, member] of Object.entries(value)) {
    if (depth > MAX_DEPTH) countLeaves(member, path, depth, onLeaf);
    else {
      const name = hasNames && depth < MAX_DEPTH ? key : WILDCARD;
      countLeaves(member, path === '' ? name : `${path}.${name}`, depth + 1, onLeaf);
    }
  }
};

/**
 * Path of a mapped value: the field names of each source path, from the outermost mapping to the innermost, with the
 * alternatives of a source path with the prefix `data.`.
 */
export type MappedPath = readonly (readonly (readonly string[])[])[];

const beginsWith = (steps: readonly string[], [alternatives, ...innerPath]: MappedPath): boolean =>
  alternatives === undefined ||
  alternatives.some(
    (names) =>
      names.every((name, index) => steps[index] === name || steps[index] === WILDCARD) &&
      beginsWith(steps.slice(names.length), innerPath),
  );

/** Returns true if a counted path is at or below one of the mapped paths. `*` in the counted path matches any name. */
const isWithin = (path: string, mappedPaths: readonly MappedPath[]): boolean => {
  const steps = path.replaceAll('[]', '').split('.');
  return mappedPaths.some((mappedPath) => beginsWith(steps, mappedPath));
};

/**
 * Splits a source path (`a.b`, `a[1].b`, `a.1.b`) into field names. For a path with the prefix `data.`, also returns
 * the names without the prefix. The path of the entire value has no names.
 */
const fieldPathsOf = (path: string): string[][] => {
  if (isWholeValuePath(path)) return [[]];
  const namesIn = (text: string): string[] =>
    text
      .replaceAll(/\[\d*\]/gu, '')
      .split('.')
      .filter((name) => name !== '' && !/^\d+$/u.test(name));
  const fieldPaths = [namesIn(path)];
  if (path.startsWith(DATA_PREFIX) && path.length > DATA_PREFIX.length)
    fieldPaths.push(namesIn(path.slice(DATA_PREFIX.length)));
  return fieldPaths.filter((fieldPath) => fieldPath.length > 0);
};

/** Returns the paths of the values that a mapping contains. */
export const mappedPathsOf = (mapping: Mapping): MappedPath[] =>
  sourcePathsOf(mapping).map((sources) => sources.map(fieldPathsOf));

const getOrCreateEntry = (counts: EndpointCounts, endpoint: string): EndpointCount => {
  let entry = counts.get(endpoint);
  if (entry === undefined) counts.set(endpoint, (entry = { records: 0, properties: new Map() }));
  return entry;
};

/**
 * Adds a record to the counts of its endpoint.
 * @param data undefined if it is too large to count its fields
 * @param mappedPaths values to count; undefined: all
 */
export const countRecord = (
  counts: EndpointCounts,
  endpoint: string,
  data: unknown,
  mappedPaths?: readonly MappedPath[],
): void => {
  const entry = getOrCreateEntry(counts, endpoint);
  entry.records = Math.min(MAX_COUNT, entry.records + 1);
  if (data === undefined) return;
  countLeaves(data, '', 1, (path) => {
    if (mappedPaths === undefined || isWithin(path, mappedPaths)) addCount(entry.properties, path, 1);
  });
};

export const addStats = (counts: EndpointCounts, stats: readonly EndpointStats[]): void => {
  for (const { endpoint, records, propertyStats } of stats) {
    const entry = getOrCreateEntry(counts, endpoint);
    entry.records = Math.min(MAX_COUNT, entry.records + records);
    for (const [path, count] of Object.entries(propertyStats)) addCount(entry.properties, path, count);
  }
};

export const statsOf = (counts: EndpointCounts): EndpointStats[] =>
  [...counts].map(([endpoint, { records, properties }]) => ({
    endpoint,
    records,
    propertyStats: Object.fromEntries(properties),
  }));

/** An event with a thousand endpoints would be several megabytes in size. */
const MAX_ENDPOINTS_PER_EVENT = 50;

export const splitStats = (stats: readonly EndpointStats[]): EndpointStats[][] => {
  const batches: EndpointStats[][] = [];
  for (let from = 0; from < stats.length; from += MAX_ENDPOINTS_PER_EVENT)
    batches.push(stats.slice(from, from + MAX_ENDPOINTS_PER_EVENT));
  return batches;
};

const OPERATIONS: Readonly<Record<string, 'Create' | 'Change' | 'Enable' | 'Disable' | 'Remove'>> = {
  created: 'Create',
  updated: 'Change',
  enabled: 'Enable',
  disabled: 'Disable',
  ended: 'Disable',
  removed: 'Remove',
};

export const operationOf = (event: string): (typeof OPERATIONS)[string] | undefined =>
  Object.hasOwn(OPERATIONS, event) ? OPERATIONS[event] : undefined;
