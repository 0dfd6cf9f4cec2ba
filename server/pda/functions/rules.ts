import type { OwnerFunction } from '../../wire/functions.ts';
import type { Bundle, CombinatorEntry, Mapping } from '../../wire/query.ts';

/** Pure decisions about functions: what may be read, what goes round in a circle, when it is tried again. */

/** Up to where the events have been worked through. Places and events are numbers that only grow; no clock is in it. */
export type Cursor =
  /** It never ran: it will read all that is here. `events`: what came up to then does not start it. */
  | { kind: 'first'; events: number }
  /** In the middle of its first run: records after the place `after` up to the place `upTo` are left, then events after `events`. */
  | { kind: 'records'; after: number; upTo: number; events: number }
  /** All events up to `after` are done, and of the event `within.event`, which is later, the places up to `within.place`. */
  | { kind: 'events'; after: number; within: { event: number; place: number } | null };

/** A function's chain: the ids of those whose output led to it, in order, itself last. */
export type Chain = readonly string[];

/** What a run of `id` does with what another run, with this chain, has stored. Its own output is no news to it. */
export const standingOf = (id: string, chain: Chain): 'new' | 'own' | 'cycle' => {
  if (chain.at(-1) === id) return 'own';
  return chain.includes(id) ? 'cycle' : 'new';
};

/** The chain of a run over what these chains led to. The order is that of the first, the longest cause last. */
export const chainOfRun = (id: string, causes: readonly Chain[]): string[] => {
  const all = new Set(causes.flat());
  all.delete(id);
  return [...all, id];
};

export const sameChain = (left: Chain, right: Chain): boolean =>
  left.length === right.length && left.every((id) => right.includes(id));

/** What is read by which function, and where it writes. */
export type Wiring = ReadonlyMap<string, { reads: ReadonlySet<string>; writes: string }>;

/** Whether what this function stores can come back to it through others. */
export const isOnCycle = (id: string, wiring: Wiring): boolean => {
  const seen = new Set<string>();
  const left = [id];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const writes = wiring.get(at)?.writes;
    if (writes === undefined) continue;
    for (const [reader, { reads }] of wiring) {
      if (!reads.has(writes)) continue;
      if (reader === id && at !== id) return true;
      if (reader !== id && !seen.has(reader)) {
        seen.add(reader);
        left.push(reader);
      }
    }
  }
  return false;
};

/** Milliseconds before a failed run is tried again: after the first failure, the second, the third; then no more. */
export const BACKOFF_MS = [5000, 30_000, 180_000] as const;

/** @returns undefined: not again by itself */
export const backoffOf = (failures: number, backoff: readonly number[] = BACKOFF_MS): number | undefined =>
  backoff[failures - 1];

/** The endpoints that a bundle reads. */
export const endpointsOf = (bundle: Bundle): Set<string> =>
  new Set(Object.values(bundle).flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)));

/** Output fields of what a bundle reads; null: entire records. */
export const outputFieldsOf = (bundle: Bundle): string[] | null => {
  const entries = Object.values(bundle).flatMap(({ endpoints }) => endpoints);
  if (entries.some(({ mapping }) => mapping === undefined || mapping === null)) return null;
  return [...new Set(entries.flatMap(({ mapping }) => Object.keys(mapping ?? {})))];
};

/** Fields that a mapping lets out, each by its steps: a name may hold any sign that could be put between them. */
const sourcesOf = (mapping: Mapping, base: readonly string[] = []): string[][] =>
  Object.values(mapping).flatMap((source) =>
    typeof source === 'string' ? [[...base, source]] : sourcesOf(source.mappings, [...base, source.source]),
  );

const keyOf = (steps: readonly string[]): string => JSON.stringify(steps);

/** Fields by which an entry is picked or ordered; the order by a field that it lets out is no more than that field. */
const criteriaOf = ({ mapping, filters }: CombinatorEntry, orderBy: string | null | undefined): string[] => {
  const fields = (filters ?? []).map(({ field }) => field);
  if (orderBy === undefined || orderBy === null) return fields;
  // As queries take it: the first output of that name, and of an array the whole of it.
  const output = Object.entries(mapping ?? {}).find(
    ([name]) => name === orderBy || name.replace(/\[\]$/u, '') === orderBy,
  );
  const source = output?.[1] ?? orderBy;
  return [...fields, typeof source === 'string' ? source : source.source];
};

/** Fields of an endpoint that a bundle lets out, and those that it looks at beside them; undefined: entire records. */
const fieldsAt = (bundle: Bundle, endpoint: string): { out: Set<string>; looked: Set<string> } | undefined => {
  const out = new Set<string>();
  const looked = new Set<string>();
  for (const { endpoints, orderBy } of Object.values(bundle)) {
    for (const entry of endpoints) {
      if (entry.endpoint !== endpoint) continue;
      if (entry.mapping === undefined || entry.mapping === null) return undefined;
      for (const source of sourcesOf(entry.mapping)) out.add(keyOf(source));
      for (const field of criteriaOf(entry, orderBy)) looked.add(keyOf([field]));
    }
  }
  return { out, looked };
};

const entryProblem = (
  entry: CombinatorEntry,
  orderBy: string | null | undefined,
  approved: Bundle,
  known: ReadonlySet<string>,
): string | undefined => {
  const { endpoint, mapping } = entry;
  if (!known.has(endpoint)) return endpoint;
  const fields = fieldsAt(approved, endpoint);
  if (fields === undefined) return undefined;
  if (mapping === undefined || mapping === null) return `entire records of ${endpoint}`;
  const more = sourcesOf(mapping).find((source) => !fields.out.has(keyOf(source)));
  if (more !== undefined) return `${more.join('.')} of ${endpoint}`;
  // Which records come, and in what order, tells what is in a field: a hundred filters on it read it to the letter.
  const by = criteriaOf(entry, orderBy).find(
    (field) => !fields.out.has(keyOf([field])) && !fields.looked.has(keyOf([field])),
  );
  return by === undefined ? undefined : `${by} of ${endpoint}`;
};

/**
 * Returns what a bundle reads beyond an approved one; undefined if nothing. The function chooses the records for each window;
 * the owner approved endpoints and fields, including those used in filters.
 */
export const beyondApproval = (asked: Bundle, approved: Bundle): string | undefined => {
  const known = endpointsOf(approved);
  for (const { endpoints, orderBy } of Object.values(asked)) {
    for (const entry of endpoints) {
      const problem = entryProblem(entry, orderBy, approved, known);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
};

/** Where a function runs. To move elsewhere is more than the owner agreed to. */
export const placeOfLocation = (location: string): OwnerFunction['place'] =>
  location.startsWith('sandbox:')
    ? { kind: 'here', package: true }
    : { kind: 'elsewhere', host: URL.parse(location)?.host ?? location };
