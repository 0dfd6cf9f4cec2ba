import type { FunctionConfiguration } from '../../../wire/functions.ts';
import { MAX_FUNCTION_REQUEST_BYTES } from '../../../wire/limits.ts';
import type { Bundle, BundleProperty } from '../../../wire/query.ts';
import type { QueryService } from '../../data/queries/service.ts';
import type { Endpoints } from '../../data/records/service.ts';
import type { ChangeFeedReader, PendingItem, StoppedInput, FeedConsumer } from './change-feed-reader.ts';
import { haveSameIds, type Chain, type Cursor } from '../rules.ts';

export type Input = {
  /** JSON text of the function's configuration and of the records of the bundle. */
  text: string;
  bytes: number;
  records: number;
  /** Cursor to store after a successful run. */
  cursor: Cursor;
  causes: Chain[];
  /** Records that were skipped because their chain contains the function. */
  stoppedInput: StoppedInput[];
  hasMore: boolean;
  /** Sequence numbers of the records, by endpoint. */
  recordSeqs: Map<string, number[]>;
  notes: string[];
};

export class InputTooLarge extends Error {
  constructor() {
    super(
      `The input of this function exceeds the limit of ${MAX_FUNCTION_REQUEST_BYTES} bytes. ` +
        'The bundle needs a limit, a mapping or a filter, or the function has to read only new records.',
    );
  }
}

export type InputParts = { queries: QueryService; changeFeed: ChangeFeedReader; endpoints: Pick<Endpoints, 'summary'> };

type InputRequest = {
  consumer: FeedConsumer;
  configuration: FunctionConfiguration;
  bundle: Bundle;
  /** Throws if the run was cancelled or reading takes too long. */
  throwIfStopped: () => void;
};

const MAX_RECORDS_PER_RUN = 10_000;
/** Maximum number of records per batch. The following limits reduce it for large records and complex bundles. */
const BATCH_RECORDS = 500;
/** Maximum number of bytes of records per batch, estimated from their average size. */
const BATCH_BYTES = 2_000_000;
/** Maximum number of comparisons of records with entries and filters per batch and property. */
const BATCH_COMPARISONS = 5000;
const PROPERTY_OVERHEAD_BYTES = 8;

const headOf = (configuration: FunctionConfiguration): string =>
  `{"functionConfiguration":${JSON.stringify(configuration)},"request":{"data":`;
const TAIL = '}}';

const addSeqs = (recordSeqs: Map<string, number[]>, endpoint: string, seqs: Iterable<number>): void => {
  const existing = recordSeqs.get(endpoint);
  if (existing === undefined) recordSeqs.set(endpoint, [...seqs]);
  else for (const seq of seqs) existing.push(seq);
};

/** Reads the whole bundle. @throws InputTooLarge, Failure query_limit_exceeded, and errors of `throwIfStopped` */
export const readAll = async (
  { queries }: InputParts,
  { configuration, bundle, throwIfStopped }: InputRequest,
): Promise<Pick<Input, 'text' | 'bytes' | 'records' | 'recordSeqs'>> => {
  const head = headOf(configuration);
  const recordSeqs = new Map<string, number[]>();
  const reader = {
    recordReads: (endpoint: string, seqs: readonly number[] | Float64Array) => addSeqs(recordSeqs, endpoint, seqs),
    admitLongRead: () => undefined,
  };
  const data = await queries.readBundle(bundle, reader);
  const chunks: string[] = [head];
  let bytes = Buffer.byteLength(head) + TAIL.length;
  for await (const chunk of typeof data === 'string' ? [data] : data) {
    throwIfStopped();
    bytes += Buffer.byteLength(chunk);
    if (bytes > MAX_FUNCTION_REQUEST_BYTES) throw new InputTooLarge();
    chunks.push(chunk);
  }
  chunks.push(TAIL);
  const records = [...recordSeqs.values()].reduce((sum, seqs) => sum + new Set(seqs).size, 0);
  return { text: chunks.join(''), bytes, records, recordSeqs };
};

const comparisonsOf = ({ endpoints }: BundleProperty): number =>
  endpoints.reduce((sum, { filters }) => sum + 1 + (filters?.length ?? 0), 0);

const averageBytesOf = (summary: { records: number; bytes: number } | undefined): number =>
  summary === undefined || summary.records === 0 ? 0 : summary.bytes / summary.records;

/** Name of a property, and the text of the record in it. */
type Match = readonly [string, string];

class InputRecords {
  readonly texts: Map<string, Map<number, string[]>>;
  readonly recordSeqs = new Map<string, number[]>();
  readonly seqs = new Set<number>();
  bytes: number;
  #counts = new Map<string, number>();
  readonly #bundle: Bundle;

  constructor(bundle: Bundle, headBytes: number) {
    this.#bundle = bundle;
    this.texts = new Map(Object.keys(bundle).map((name) => [name, new Map()]));
    this.bytes = headBytes + TAIL.length + 2;
    for (const name of Object.keys(bundle))
      this.bytes += Buffer.byteLength(JSON.stringify(name)) + PROPERTY_OVERHEAD_BYTES;
  }

  /**
   * Adds a record, unless the run has no capacity left (`full`) or the record alone is too large for a request
   * (`too-large`). A record that matches more entries of a property than its limit is added that many times.
   */
  add(seq: number, endpoint: string, allMatches: readonly Match[]): 'added' | 'full' | 'too-large' {
    const matchesByName = Map.groupBy(allMatches, ([name]) => name);
    const matches = [...matchesByName].flatMap(([name, group]) => group.slice(0, this.#limitOf(name)));
    const recordBytes = matches.reduce((sum, [, text]) => sum + Buffer.byteLength(text) + 1, 0);
    const counts = new Map(this.#counts);
    for (const [name] of matches) counts.set(name, (counts.get(name) ?? 0) + 1);
    const isFull =
      this.seqs.size >= MAX_RECORDS_PER_RUN ||
      this.bytes + recordBytes > MAX_FUNCTION_REQUEST_BYTES ||
      [...counts].some(([name, count]) => count > this.#limitOf(name));
    if (isFull) return this.seqs.size === 0 ? 'too-large' : 'full';
    this.#counts = counts;
    for (const [name, text] of matches) {
      const texts = this.texts.get(name);
      const existing = texts?.get(seq);
      if (existing === undefined) texts?.set(seq, [text]);
      else existing.push(text);
    }
    this.bytes += recordBytes;
    this.seqs.add(seq);
    addSeqs(this.recordSeqs, endpoint, [seq]);
    return 'added';
  }

  #limitOf(name: string): number {
    return this.#bundle[name]?.limit ?? Number.POSITIVE_INFINITY;
  }
}

/**
 * Reads the oldest changes after a cursor, as many as fit into a request. The `limit` and order of a property apply
 * within one run.
 * @param request.isSingleChain ends the input before the first record with a different chain
 */
export const readNew = async (
  parts: InputParts,
  request: InputRequest & { from: Cursor; upToEvent: number; isSingleChain: boolean },
): Promise<Input> => {
  const { queries, changeFeed, endpoints } = parts;
  const { consumer, configuration, bundle, upToEvent, isSingleChain, throwIfStopped } = request;
  const recordBytes = Math.max(1, ...[...consumer.reads].map((path) => averageBytesOf(endpoints.summary(path))));
  const comparisons = Math.max(1, ...Object.values(bundle).map(comparisonsOf));
  const batchSize = Math.max(
    1,
    Math.min(BATCH_RECORDS, Math.floor(BATCH_BYTES / recordBytes), Math.floor(BATCH_COMPARISONS / comparisons)),
  );
  const head = headOf(configuration);
  const inputRecords = new InputRecords(bundle, Buffer.byteLength(head));
  const causes = new Map<string, Chain>();
  const stoppedInput: Input['stoppedInput'] = [];
  const notes: string[] = [];
  let cursor = request.from;
  let hasMore = false;

  const addItems = async (items: readonly PendingItem[]): Promise<boolean> => {
    const seqs = [...new Set(items.flatMap((item) => (item.kind === 'record' ? [item.seq] : [])))];
    const matchesBySeq = await findMatches(queries, bundle, seqs, throwIfStopped);
    for (const item of items) {
      if (item.kind === 'cycle') stoppedInput.push({ chain: item.chain, records: item.records });
      else {
        const matches = matchesBySeq.get(item.seq);
        if (matches !== undefined && !inputRecords.seqs.has(item.seq)) {
          const [firstChain] = causes.values();
          if (isSingleChain && firstChain !== undefined && !haveSameIds(firstChain, item.chain)) return false;
          const outcome = inputRecords.add(item.seq, item.endpoint, matches);
          if (outcome === 'full') return false;
          if (outcome === 'too-large')
            notes.push(`A record of ${item.endpoint} was skipped: it exceeds the size limit of a request.`);
        }
        if (matches !== undefined) causes.set(item.chain.join(' '), item.chain);
      }
      cursor = item.cursor;
    }
    return true;
  };

  for (;;) {
    throwIfStopped();
    const step = changeFeed.step(consumer, cursor, upToEvent, batchSize);
    if (!(await addItems(step.items))) {
      hasMore = true;
      break;
    }
    cursor = step.cursor;
    if (step.isAtEnd) break;
    await new Promise(setImmediate);
  }

  const properties: string[] = [];
  for (const [name, property] of Object.entries(bundle))
    properties.push(`${JSON.stringify(name)}:${await propertyText(queries, property, inputRecords.texts.get(name))}`);
  const text = `${head}{${properties.join(',')}}${TAIL}`;
  return {
    text,
    bytes: Buffer.byteLength(text),
    records: inputRecords.seqs.size,
    cursor,
    causes: [...causes.values()],
    stoppedInput,
    hasMore,
    recordSeqs: inputRecords.recordSeqs,
    notes,
  };
};

const findMatches = async (
  queries: QueryService,
  bundle: Bundle,
  seqs: readonly number[],
  throwIfStopped: () => void,
): Promise<Map<number, [string, string][]>> => {
  const matches = new Map<number, [string, string][]>();
  if (seqs.length === 0) return matches;
  let isFirst = true;
  for (const [name, { endpoints, limit }] of Object.entries(bundle)) {
    if (limit === 0) continue;
    throwIfStopped();
    // A property may have a hundred entries, each a separate query, so yield to the event loop between properties.
    if (isFirst) isFirst = false;
    else await new Promise(setImmediate);
    for (const { seq, text } of await queries.matchesAmong(endpoints, seqs)) {
      const existing = matches.get(seq);
      if (existing === undefined) matches.set(seq, [[name, text]]);
      else existing.push([name, text]);
    }
  }
  return matches;
};

const propertyText = async (
  queries: QueryService,
  { endpoints, orderBy, ordering }: BundleProperty,
  texts: ReadonlyMap<number, readonly string[]> | undefined,
): Promise<string> => {
  if (texts === undefined || texts.size === 0) return '[]';
  const seqs = [...texts.keys()].toSorted((a, b) => a - b);
  if (ordering === 'descending') seqs.reverse();
  const sortedSeqs =
    orderBy === undefined || orderBy === null
      ? seqs
      : await queries.sortSeqs(endpoints, seqs, orderBy, ordering ?? 'ascending');
  return `[${sortedSeqs.flatMap((seq) => texts.get(seq) ?? []).join(',')}]`;
};
