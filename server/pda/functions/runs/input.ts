import type { FunctionConfiguration } from '../../../wire/functions.ts';
import { MAX_FUNCTION_REQUEST_BYTES } from '../../../wire/limits.ts';
import type { Bundle, BundleProperty } from '../../../wire/query.ts';
import type { QueryService } from '../../data/queries/service.ts';
import type { Endpoints } from '../../data/records/service.ts';
import type { Pending, PendingItem, Stopped, Walker } from './change-feed-reader.ts';
import { sameChain, type Chain, type Cursor } from '../rules.ts';

/** What a function is handed: the records of its bundle, put together as text. */
export type Input = {
  text: string;
  bytes: number;
  records: number;
  /** Up to where events are done with when a run over this has succeeded. */
  cursor: Cursor;
  /** The chains of what was read. */
  causes: Chain[];
  /** What was not read, because the function itself was in its chain. */
  stopped: Stopped[];
  /** There is more, which did not fit. */
  more: boolean;
  /** Places by endpoint. */
  seen: Map<string, number[]>;
  /** What the owner should know of it. */
  notes: string[];
};

/** The input is larger than a request may be. */
export class InputTooLarge extends Error {
  constructor() {
    super(
      `What this function reads is more than ${MAX_FUNCTION_REQUEST_BYTES} bytes, the most that a request may have. ` +
        'Its bundle needs a limit, a mapping or a filter, or it has to read only what is new.',
    );
  }
}

export type InputParts = { queries: QueryService; pending: Pending; endpoints: Pick<Endpoints, 'summary'> };

export type InputRequest = {
  who: Walker;
  configuration: FunctionConfiguration;
  bundle: Bundle;
  /** Throws when there is no use in reading on: broken off, or it takes too long. */
  mayGoOn: () => void;
};

/** Records of one run: its caps are for what a function does with them, not for waiting in line. */
const MAX_RECORDS = 10_000;
/** Places that are looked at in one go; fewer of large records. */
const AT_ONCE = 500;
const AT_ONCE_BYTES = 2_000_000;
/** Comparisons of a place with an entry or a filter: a bundle may have thousands of them, and each can be a search. */
const AT_ONCE_COMPARISONS = 5000;
/** Bytes of what stands between and around properties, for each. */
const AROUND_PROPERTY = 8;

const headOf = (configuration: FunctionConfiguration): string =>
  `{"functionConfiguration":${JSON.stringify(configuration)},"request":{"data":`;
const TAIL = '}}';

const noteSeen = (seen: Map<string, number[]>, endpoint: string, places: Iterable<number>): void => {
  const known = seen.get(endpoint);
  if (known === undefined) seen.set(endpoint, [...places]);
  else for (const place of places) known.push(place);
};

/** The bundle as it is, whole. @throws InputTooLarge */
export const readAll = async (
  { queries }: InputParts,
  { configuration, bundle, mayGoOn }: InputRequest,
): Promise<Pick<Input, 'text' | 'bytes' | 'records' | 'seen'>> => {
  const head = headOf(configuration);
  const seen = new Map<string, number[]>();
  const guest = {
    recordReads: (endpoint: string, seqs: readonly number[] | Float64Array) => noteSeen(seen, endpoint, seqs),
    longRead: () => undefined,
  };
  const data = await queries.readBundle(bundle, guest);
  const pieces: string[] = [head];
  let bytes = Buffer.byteLength(head) + TAIL.length;
  for await (const piece of typeof data === 'string' ? [data] : data) {
    mayGoOn();
    bytes += Buffer.byteLength(piece);
    if (bytes > MAX_FUNCTION_REQUEST_BYTES) throw new InputTooLarge();
    pieces.push(piece);
  }
  pieces.push(TAIL);
  const records = [...seen.values()].reduce((sum, places) => sum + new Set(places).size, 0);
  return { text: pieces.join(''), bytes, records, seen };
};

const weightOf = ({ endpoints }: BundleProperty): number =>
  endpoints.reduce((sum, { filters }) => sum + 1 + (filters?.length ?? 0), 0);

const averageOf = (summary: { records: number; bytes: number } | undefined): number =>
  summary === undefined || summary.records === 0 ? 0 : summary.bytes / summary.records;

/** What of each property is taken, by place. */
class Batch {
  readonly texts: Map<string, Map<number, string[]>>;
  readonly seen = new Map<string, number[]>();
  readonly places = new Set<number>();
  bytes: number;
  #counts = new Map<string, number>();
  readonly #bundle: Bundle;

  constructor(bundle: Bundle, headBytes: number) {
    this.#bundle = bundle;
    this.texts = new Map(Object.keys(bundle).map((name) => [name, new Map()]));
    this.bytes = headBytes + TAIL.length + 2;
    for (const name of Object.keys(bundle)) this.bytes += Buffer.byteLength(JSON.stringify(name)) + AROUND_PROPERTY;
  }

  /** `full`: not any more; `never`: alone it is larger than a request may be. */
  take(place: number, endpoint: string, hits: readonly (readonly [string, string])[]): 'taken' | 'full' | 'never' {
    const own = hits.reduce((sum, [, text]) => sum + Buffer.byteLength(text) + 1, 0);
    const full =
      this.places.size >= MAX_RECORDS ||
      this.bytes + own > MAX_FUNCTION_REQUEST_BYTES ||
      hits.some(([name]) => (this.#counts.get(name) ?? 0) >= (this.#bundle[name]?.limit ?? Number.POSITIVE_INFINITY));
    if (full) return this.places.size === 0 ? 'never' : 'full';
    for (const [name, text] of hits) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      const texts = this.texts.get(name);
      const known = texts?.get(place);
      if (known === undefined) texts?.set(place, [text]);
      else known.push(text);
    }
    this.bytes += own;
    this.places.add(place);
    noteSeen(this.seen, endpoint, [place]);
    return 'taken';
  }
}

/**
 * What came since the last run that succeeded, oldest first, as much as fits; the rest is for the next run. `limit` of a property
 * bounds one run, and its order is that within a run.
 *
 * @param oneChain whatever came by other functions than the first record is left for the next run
 */
export const readNew = async (
  parts: InputParts,
  request: InputRequest & { from: Cursor; upToEvent: number; oneChain: boolean },
): Promise<Input> => {
  const { queries, pending, endpoints } = parts;
  const { who, configuration, bundle, upToEvent, oneChain, mayGoOn } = request;
  const largest = Math.max(1, ...[...who.reads].map((path) => averageOf(endpoints.summary(path))));
  const heaviest = Math.max(1, ...Object.values(bundle).map(weightOf));
  const atOnce = Math.max(
    1,
    Math.min(AT_ONCE, Math.floor(AT_ONCE_BYTES / largest), Math.floor(AT_ONCE_COMPARISONS / heaviest)),
  );
  const head = headOf(configuration);
  const batch = new Batch(bundle, Buffer.byteLength(head));
  const causes = new Map<string, Chain>();
  const stopped: Input['stopped'] = [];
  const notes: string[] = [];
  let cursor = request.from;
  let more = false;

  /** Goes through some items. False: this run has all that it can take. */
  const takeSome = async (items: readonly PendingItem[]): Promise<boolean> => {
    const places = [...new Set(items.flatMap((item) => (item.kind === 'record' ? [item.place] : [])))];
    const hits = await matches(queries, bundle, places, mayGoOn);
    for (const item of items) {
      if (item.kind === 'cycle') stopped.push({ chain: item.chain, records: item.records });
      else {
        const found = hits.get(item.place);
        if (found !== undefined && !batch.places.has(item.place)) {
          const [first] = causes.values();
          if (oneChain && first !== undefined && !sameChain(first, item.chain)) return false;
          const outcome = batch.take(item.place, item.endpoint, found);
          if (outcome === 'full') return false;
          if (outcome === 'never')
            notes.push(`A record of ${item.endpoint} was left out: alone it is larger than a request may be.`);
        }
        if (found !== undefined) causes.set(item.chain.join(' '), item.chain);
      }
      cursor = item.at;
    }
    return true;
  };

  for (;;) {
    mayGoOn();
    const step = pending.step(who, cursor, upToEvent, atOnce);
    if (!(await takeSome(step.items))) {
      more = true;
      break;
    }
    cursor = step.cursor;
    if (step.done) break;
    await new Promise(setImmediate);
  }

  const properties: string[] = [];
  for (const [name, property] of Object.entries(bundle))
    properties.push(`${JSON.stringify(name)}:${await propertyText(queries, property, batch.texts.get(name))}`);
  const text = `${head}{${properties.join(',')}}${TAIL}`;
  return {
    text,
    bytes: Buffer.byteLength(text),
    records: batch.places.size,
    cursor,
    causes: [...causes.values()],
    stopped,
    more,
    seen: batch.seen,
    notes,
  };
};

/** For each of these places that something matches: the property, and the text of the record in it. */
const matches = async (
  queries: QueryService,
  bundle: Bundle,
  places: readonly number[],
  mayGoOn: () => void,
): Promise<Map<number, [string, string][]>> => {
  const found = new Map<number, [string, string][]>();
  if (places.length === 0) return found;
  let first = true;
  for (const [name, { endpoints, limit }] of Object.entries(bundle)) {
    if (limit === 0) continue;
    mayGoOn();
    // Each entry is a separate query, and there can be a hundred.
    if (first) first = false;
    else await new Promise(setImmediate);
    for (const { seq, text } of await queries.matchesAmong(endpoints, places)) {
      const known = found.get(seq);
      if (known === undefined) found.set(seq, [[name, text]]);
      else known.push([name, text]);
    }
  }
  return found;
};

/** The records of a property in its order. */
const propertyText = async (
  queries: QueryService,
  { endpoints, orderBy, ordering }: BundleProperty,
  texts: ReadonlyMap<number, readonly string[]> | undefined,
): Promise<string> => {
  if (texts === undefined || texts.size === 0) return '[]';
  const places = [...texts.keys()].toSorted((a, b) => a - b);
  if (ordering === 'descending') places.reverse();
  const inOrder =
    orderBy === undefined || orderBy === null
      ? places
      : await queries.sortSeqs(endpoints, places, orderBy, ordering ?? 'ascending');
  return `[${inOrder.flatMap((place) => texts.get(place) ?? []).join(',')}]`;
};
