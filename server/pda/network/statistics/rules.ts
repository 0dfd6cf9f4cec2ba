import { isObject } from '../../../wire/values.ts';
/**
 * What is counted of data, and how it is named: counts of leaf values by the path of their field, never a value. What an owner's data is keyed by
 * (names, addresses, days) looks like fields too, so whatever does not look like a field somebody made up becomes `*`.
 */

/** Counts of one endpoint. */
export type EndpointCount = { records: number; properties: Map<string, number> };
/** Counts by endpoint. */
export type Counts = Map<string, EndpointCount>;
export type EndpointStats = { endpoint: string; records: number; propertyStats: Record<string, number> };

const MAX_DEPTH = 5;
const MAX_KEYS = 40;
const MAX_PATHS = 200;
/** As many as one count of a report can hold. */
const MAX_COUNT = 10_000_000;
const REST = '*';

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/u;
/** Names that are made of data: ids, dates, numbers, hashes. */
const LOOKS_LIKE_DATA = /\d{5}|^[0-9a-f]{8,}$|[0-9a-f]{8}-[0-9a-f]{4}|\d{1,4}[_-]\d{1,2}(?:[_-]|$)/iu;

const isFieldName = (key: string): boolean => FIELD_NAME.test(key) && !LOOKS_LIKE_DATA.test(key);

/** Values that are objects, all of one shape: entries of a list that is kept by name, `{ada: {…}, grace: {…}}`, rather than fields. */
const areEntries = (values: readonly unknown[]): boolean => {
  if (values.length < 2 || !values.every(isObject)) return false;
  const [first = '', ...others] = values.map((value) => Object.keys(value).toSorted().join(' '));
  return first !== '' && others.every((shape) => shape === first);
};

/** Whether the keys of an object are names of fields; else all of them are one. */
const hasFields = (value: Readonly<Record<string, unknown>>): boolean => {
  const keys = Object.keys(value);
  return keys.length <= MAX_KEYS && keys.every(isFieldName) && !areEntries(Object.values(value));
};

const add = (properties: Map<string, number>, path: string, count: number): void => {
  const known = properties.get(path);
  const name = known === undefined && properties.size >= MAX_PATHS - 1 ? REST : path;
  properties.set(name, Math.min(MAX_COUNT, (properties.get(name) ?? 0) + count));
};

const countLeaves = (value: unknown, path: string, depth: number, found: (path: string) => void): void => {
  if (value === null) return;
  if (Array.isArray(value)) {
    // An array of arrays is an array.
    const elements = path.endsWith('[]') || depth > MAX_DEPTH ? path : `${path}[]`;
    for (const element of value) countLeaves(element, elements, depth, found);
    return;
  }
  if (!isObject(value)) {
    found(path === '' ? REST : path);
    return;
  }
  const named = hasFields(value);
  for (const [key, member] of Object.entries(value)) {
    if (depth > MAX_DEPTH) countLeaves(member, path, depth, found);
    else {
      const name = named && depth < MAX_DEPTH ? key : REST;
      countLeaves(member, path === '' ? name : `${path}.${name}`, depth + 1, found);
    }
  }
};

/** Whether a field lies at or below one of these places; a `*` in it may be any name. */
const isWithin = (path: string, places: readonly (readonly string[])[]): boolean => {
  const steps = path.replaceAll('[]', '').split('.');
  return places.some((place) => place.every((step, at) => steps[at] === step || steps[at] === REST));
};

/** The names that a path in a mapping (`a.b`, `a[1].b`, `a.1.b`) leads through; with and without the `data.` that such paths begin with. */
export const placesOf = (path: string): string[][] => {
  const names = (text: string): string[] =>
    text
      .replaceAll(/\[\d*\]/gu, '')
      .split('.')
      .filter((name) => name !== '' && !/^\d+$/u.test(name));
  const places = [names(path)];
  if (path.startsWith('data.') && path.length > 5) places.push(names(path.slice(5)));
  return places.filter((place) => place.length > 0);
};

const endpointOf = (counts: Counts, endpoint: string): EndpointCount => {
  let entry = counts.get(endpoint);
  if (entry === undefined) counts.set(endpoint, (entry = { records: 0, properties: new Map() }));
  return entry;
};

/**
 * Counts one record. @param places of the fields that count; undefined: all of them
 * @param data undefined: it is too large to be looked into
 */
export const countRecord = (
  counts: Counts,
  endpoint: string,
  data: unknown,
  places?: readonly (readonly string[])[],
): void => {
  const entry = endpointOf(counts, endpoint);
  entry.records = Math.min(MAX_COUNT, entry.records + 1);
  if (data === undefined) return;
  countLeaves(data, '', 1, (path) => {
    if (places === undefined || isWithin(path, places)) add(entry.properties, path, 1);
  });
};

/** Adds what was counted elsewhere. */
export const addStats = (counts: Counts, stats: readonly EndpointStats[], times = 1): void => {
  for (const { endpoint, records, propertyStats } of stats) {
    const entry = endpointOf(counts, endpoint);
    entry.records = Math.min(MAX_COUNT, entry.records + records * times);
    for (const [path, count] of Object.entries(propertyStats)) add(entry.properties, path, count * times);
  }
};

export const statsOf = (counts: Counts): EndpointStats[] =>
  [...counts].map(([endpoint, { records, properties }]) => ({
    endpoint,
    records,
    propertyStats: Object.fromEntries(properties),
  }));

/** Endpoints of one event: one with a thousand would be megabytes. */
const MAX_ENDPOINTS = 50;

/** The same in parts of which each fits into one event. */
export const splitStats = (stats: readonly EndpointStats[]): EndpointStats[][] => {
  const parts: EndpointStats[][] = [];
  for (let from = 0; from < stats.length; from += MAX_ENDPOINTS) parts.push(stats.slice(from, from + MAX_ENDPOINTS));
  return parts;
};

const OPERATIONS: Readonly<Record<string, 'Create' | 'Change' | 'Enable' | 'Disable' | 'Remove'>> = {
  created: 'Create',
  updated: 'Change',
  enabled: 'Enable',
  disabled: 'Disable',
  ended: 'Disable',
  removed: 'Remove',
};

/** What the history of a Data Debit calls an operation that is reported; undefined: it is not. */
export const operationOf = (event: string): (typeof OPERATIONS)[string] | undefined =>
  Object.hasOwn(OPERATIONS, event) ? OPERATIONS[event] : undefined;
