import { outputsEntireRecords } from '../../wire/entire-records.ts';
import type { OwnerFunction } from '../../wire/functions.ts';
import { type Bundle, type CombinatorEntry, sourcePathsOf } from '../../wire/query.ts';

/** Position up to which a function has processed changes, in sequence numbers of records and events. */
export type Cursor =
  /** No run has succeeded; the first one reads all records. Events up to `events` do not start a run. */
  | { kind: 'first'; events: number }
  /** The first run is incomplete: records in (`after`, `upTo`] remain, followed by events after `events`. */
  | { kind: 'records'; after: number; upTo: number; events: number }
  /** Events up to `after` are processed, and records up to `within.place` of the later event `within.event`. */
  | { kind: 'events'; after: number; within: { event: number; place: number } | null };

/** Causal chain of a run: ids of the functions whose output led to it, in order, ending with the function itself. */
export type Chain = readonly string[];

/**
 * Classifies output of a run with this chain as input of the function `id`. A function ignores its own output and never
 * runs for output it caused.
 */
export const classifyChain = (id: string, chain: Chain): 'new' | 'own' | 'cycle' => {
  if (chain.at(-1) === id) return 'own';
  return chain.includes(id) ? 'cycle' : 'new';
};

/** Returns the chain of a run with input of these chains: the ids in order of their first occurrence, then `id`. */
export const chainOfRun = (id: string, causes: readonly Chain[]): string[] => {
  const ids = new Set(causes.flat());
  ids.delete(id);
  return [...ids, id];
};

/** Returns true if both chains contain the same ids, in any order. */
export const haveSameIds = (left: Chain, right: Chain): boolean =>
  left.length === right.length && left.every((id) => right.includes(id));

export type Wiring = ReadonlyMap<string, { reads: ReadonlySet<string>; writes: string }>;

/** Returns true if the output of the function `id` can lead to input of the same function through other functions. */
export const isOnCycle = (id: string, wiring: Wiring): boolean => {
  const visited = new Set<string>();
  const stack = [id];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    const writes = wiring.get(current)?.writes;
    if (writes === undefined) continue;
    for (const [reader, { reads }] of wiring) {
      if (!reads.has(writes)) continue;
      if (reader === id && current !== id) return true;
      if (reader !== id && !visited.has(reader)) {
        visited.add(reader);
        stack.push(reader);
      }
    }
  }
  return false;
};

/** Milliseconds before the first, second and third retry of a failed run. There is no fourth retry. */
export const BACKOFF_MS = [5000, 30_000, 180_000] as const;

export const backoffOf = (failures: number, backoff: readonly number[] = BACKOFF_MS): number | undefined =>
  backoff[failures - 1];

export const endpointsOf = (bundle: Bundle): Set<string> =>
  new Set(Object.values(bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)));

/** Returns the names of the output fields; null if the bundle outputs entire records of an endpoint. */
export const outputFieldsOf = (bundle: Bundle): string[] | null => {
  const entries = Object.values(bundle).flatMap(({ endpoints }) => endpoints);
  if (entries.some(({ mapping }) => outputsEntireRecords(mapping))) return null;
  return [...new Set(entries.flatMap(({ mapping }) => Object.keys(mapping ?? {})))];
};

const keyOf = (steps: readonly string[]): string => JSON.stringify(steps);

/** Returns the fields that filters and ordering use. An output field in `orderBy` is replaced by its source field. */
const criteriaOf = ({ mapping, filters }: CombinatorEntry, orderBy: string | null | undefined): string[] => {
  const fields = (filters ?? []).map(({ field }) => field);
  if (orderBy === undefined || orderBy === null) return fields;
  // The field is resolved as in queries: the first output with that name; for an array output, the whole array.
  const output = Object.entries(mapping ?? {}).find(
    ([name]) => name === orderBy || name.replace(/\[\]$/u, '') === orderBy,
  );
  const source = output?.[1] ?? orderBy;
  return [...fields, typeof source === 'string' ? source : source.source];
};

/** Returns undefined if an entry for the endpoint has no mapping, which approves all fields. */
const fieldsAt = (bundle: Bundle, endpoint: string): { output: Set<string>; criteria: Set<string> } | undefined => {
  const output = new Set<string>();
  const criteria = new Set<string>();
  for (const { endpoints, orderBy } of Object.values(bundle)) {
    for (const entry of endpoints) {
      if (entry.endpoint !== endpoint) continue;
      if (entry.mapping === undefined || entry.mapping === null) return undefined;
      for (const source of sourcePathsOf(entry.mapping)) output.add(keyOf(source));
      for (const field of criteriaOf(entry, orderBy)) criteria.add(keyOf([field]));
    }
  }
  return { output, criteria };
};

const findUnapprovedReadOf = (
  entry: CombinatorEntry,
  orderBy: string | null | undefined,
  approved: Bundle,
  approvedEndpoints: ReadonlySet<string>,
): string | undefined => {
  const { endpoint, mapping } = entry;
  if (!approvedEndpoints.has(endpoint)) return endpoint;
  const fields = fieldsAt(approved, endpoint);
  if (fields === undefined) return undefined;
  if (mapping === undefined || mapping === null) return `entire records of ${endpoint}`;
  const unapproved = sourcePathsOf(mapping).find((source) => !fields.output.has(keyOf(source)));
  if (unapproved !== undefined) return `${unapproved.join('.')} of ${endpoint}`;
  // Filters and ordering leak field values: enough filters on a field reveal its exact content.
  const criterion = criteriaOf(entry, orderBy).find(
    (field) => !fields.output.has(keyOf([field])) && !fields.criteria.has(keyOf([field])),
  );
  return criterion === undefined ? undefined : `${criterion} of ${endpoint}`;
};

/**
 * Returns the first endpoint or field that a bundle reads without approval; undefined if there is none. A function may
 * request different records in each run, but only approved fields of approved endpoints.
 */
export const findUnapprovedRead = (requested: Bundle, approved: Bundle): string | undefined => {
  const approvedEndpoints = endpointsOf(approved);
  for (const { endpoints, orderBy } of Object.values(requested)) {
    for (const entry of endpoints) {
      const unapprovedRead = findUnapprovedReadOf(entry, orderBy, approved, approvedEndpoints);
      if (unapprovedRead !== undefined) return unapprovedRead;
    }
  }
  return undefined;
};

export const executionPlaceOf = (location: string): OwnerFunction['place'] =>
  location.startsWith('sandbox:')
    ? { kind: 'here', package: true }
    : { kind: 'elsewhere', host: URL.parse(location)?.host ?? location };
