import type { EventService, StoredEvent } from '../../core/events/service.ts';
import type { Endpoints, RecordReader } from '../../data/records/service.ts';
import { classifyChain, type Chain, type Cursor } from '../rules.ts';

export type PendingItem = {
  /** Causal chain of the run that made the change; empty if no function made it. */
  chain: Chain;
  cursor: Cursor;
} & (
  | { kind: 'record'; seq: number; endpoint: string }
  /** The function is part of the chain that stored these records, so it does not run for them. */
  | { kind: 'cycle'; records: number }
);

type FeedStep = {
  items: PendingItem[];
  /** Cursor after the last item and after skipped irrelevant changes. */
  cursor: Cursor;
  /** False if further changes up to the last requested event may remain. */
  isAtEnd: boolean;
};

export type FeedConsumer = {
  id: string;
  reads: ReadonlySet<string>;
};

export type ChangeFeedReader = {
  /** Reads changes after a cursor in order, up to an event: at most `count` records of a bounded number of events. */
  step(consumer: FeedConsumer, from: Cursor, upToEvent: number, count: number): FeedStep;
  /** Returns the distinct chains of the events for which the function runs, and input skipped because of a cycle. */
  collectCauses(
    consumer: FeedConsumer,
    from: Cursor,
    upToEvent: number,
  ): Promise<{ causes: Chain[]; stoppedInput: StoppedInput[] }>;
};

export type StoppedInput = { chain: Chain; records: number };

const EVENTS_PER_STEP = 500;

const cursorOfFirstRun = (
  from: Extract<Cursor, { kind: 'first' }>,
  newestSeq: number,
  newestEvent: number,
): Extract<Cursor, { kind: 'records' }> => ({
  kind: 'records',
  after: -1,
  upTo: newestSeq,
  events: Math.max(from.events, newestEvent),
});

/** Orders changes by the sequence numbers of events and records, not by time. */
export const createChangeFeedReader = (parts: {
  events: EventService;
  endpoints: Endpoints;
  records: RecordReader;
  chainOfOrigin: (origin: number) => Chain;
}): ChangeFeedReader => {
  const { events, endpoints, records, chainOfOrigin } = parts;

  const endpointIdsOf = (reads: ReadonlySet<string>): [number, string][] =>
    [...reads].flatMap((path) => {
      const id = endpoints.find(path);
      return id === undefined ? [] : [[id, path] satisfies [number, string]];
    });

  const stepThroughRecords = (
    { id, reads }: FeedConsumer,
    from: Extract<Cursor, { kind: 'records' }>,
    count: number,
  ): FeedStep => {
    const heads = endpointIdsOf(reads)
      .flatMap(([endpointId, endpoint]) =>
        records.listHeads(endpointId, from.after, from.upTo, count).map((head) => ({ ...head, endpoint })),
      )
      .toSorted((left, right) => left.seq - right.seq)
      .slice(0, count);
    const items: PendingItem[] = [];
    for (const { seq, origin, endpoint } of heads) {
      const chain = chainOfOrigin(origin);
      const cursor: Cursor = { ...from, after: seq };
      const relation = classifyChain(id, chain);
      if (relation === 'new') items.push({ kind: 'record', chain, cursor, seq, endpoint });
      if (relation === 'cycle') items.push({ kind: 'cycle', chain, cursor, records: 1 });
    }
    if (heads.length < count)
      return { items, cursor: { kind: 'events', after: from.events, within: null }, isAtEnd: false };
    return { items, cursor: { ...from, after: heads.at(-1)?.seq ?? from.after }, isAtEnd: false };
  };

  const headsOf = ({ endpoint, firstSeq, lastSeq, seqs }: StoredEvent, after: number, count: number) => {
    if (seqs === null) return records.listHeads(endpoint, Math.max(after, firstSeq - 1), lastSeq, count);
    // The event of a restored endpoint names only the last of its records.
    if (seqs === '[]') return records.listHeads(endpoint, after, lastSeq, count);
    const remaining = (JSON.parse(seqs) as number[]).filter((seq) => seq > after).toSorted((a, b) => a - b);
    const heads: { seq: number; origin: number }[] = [];
    for (const seq of remaining) {
      heads.push(...records.listHeads(endpoint, seq - 1, seq, 1));
      if (heads.length === count) break;
    }
    return heads;
  };

  const stepThroughEvents = (
    { id, reads }: FeedConsumer,
    from: Extract<Cursor, { kind: 'events' }>,
    upToEvent: number,
    count: number,
  ): FeedStep => {
    const items: PendingItem[] = [];
    let { after, within } = from;
    const rows = events.readAfter(after, EVENTS_PER_STEP);
    for (const row of rows) {
      if (row.seq > upToEvent) return { items, cursor: { kind: 'events', after, within }, isAtEnd: true };
      const endpoint = endpoints.pathOf(row.endpoint);
      const chain = chainOfOrigin(row.origin);
      const relation = endpoint !== undefined && reads.has(endpoint) ? classifyChain(id, chain) : 'own';
      if (relation === 'cycle')
        items.push({
          kind: 'cycle',
          chain,
          cursor: { kind: 'events', after: row.seq, within: null },
          records: row.count,
        });
      if (relation === 'new' && endpoint !== undefined) {
        // Events that are skipped because of a cycle are items too, so there can be more items than `count`.
        const capacity = Math.max(0, count - items.length);
        // One extra head shows whether the event has more records.
        const heads = headsOf(row, within?.event === row.seq ? within.place : -1, capacity + 1);
        for (const { seq, origin } of heads.slice(0, capacity)) {
          within = { event: row.seq, place: seq };
          // A function is not triggered by its own records, even when another principal changed or restored them.
          if (classifyChain(id, chainOfOrigin(origin)) === 'own') continue;
          items.push({ kind: 'record', chain, cursor: { kind: 'events', after, within }, seq, endpoint });
        }
        if (heads.length > capacity) return { items, cursor: { kind: 'events', after, within }, isAtEnd: false };
      }
      after = row.seq;
      within = null;
    }
    return { items, cursor: { kind: 'events', after, within }, isAtEnd: rows.length < EVENTS_PER_STEP };
  };

  const collectCauses: ChangeFeedReader['collectCauses'] = async ({ id, reads }, from, upToEvent) => {
    const chains = new Map<string, Chain>();
    const stoppedInput: StoppedInput[] = [];
    for (let after = from.kind === 'events' ? from.after : from.events; ;) {
      const rows = events.readAfter(after, EVENTS_PER_STEP);
      for (const { seq, endpoint, origin, count } of rows) {
        if (seq > upToEvent) break;
        if (!reads.has(endpoints.pathOf(endpoint) ?? '')) continue;
        const chain = chainOfOrigin(origin);
        const relation = classifyChain(id, chain);
        if (relation === 'new') chains.set(chain.join(' '), chain);
        if (relation === 'cycle') stoppedInput.push({ chain, records: count });
      }
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < EVENTS_PER_STEP || after >= upToEvent) return { causes: [...chains.values()], stoppedInput };
      await new Promise(setImmediate);
    }
  };

  return {
    collectCauses,
    step(consumer, from, upToEvent, count) {
      if (from.kind === 'events') return stepThroughEvents(consumer, from, upToEvent, count);
      const cursor =
        from.kind === 'records' ? from : cursorOfFirstRun(from, records.readNewestSeq(), events.readNewestSeq());
      return stepThroughRecords(consumer, cursor, count);
    },
  };
};
