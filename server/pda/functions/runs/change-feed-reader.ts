import type { EventService, StoredEvent } from '../../core/events/service.ts';
import type { Endpoints, RecordReader } from '../../data/records/service.ts';
import { standingOf, type Chain, type Cursor } from '../rules.ts';

/** Something that a function has not been run for. */
export type PendingItem = {
  /** The runs that it came from. */
  chain: Chain;
  /** Up to where everything is done with once this one is. */
  at: Cursor;
} & (
  | { kind: 'record'; place: number; endpoint: string }
  /** The function is part of the chain that stored these records, so it does not run for them. */
  | { kind: 'cycle'; records: number }
);

export type FeedStep = {
  items: PendingItem[];
  /** Up to where was looked: past the last item, and past whatever is nothing to this function. */
  cursor: Cursor;
  /** There is nothing after this. */
  done: boolean;
};

export type Walker = { id: string; reads: ReadonlySet<string> };

export type Pending = {
  /** Reads changes after a cursor, in order, and bounds the work of one step. */
  step(who: Walker, from: Cursor, upToEvent: number, count: number): FeedStep;
  /** Whence everything after a cursor came, without a look at the records. */
  causes(who: Walker, from: Cursor, upToEvent: number): Promise<{ causes: Chain[]; stopped: Stopped[] }>;
};

/** Records that a function is not run for, because it is in their chain itself. */
export type Stopped = { chain: Chain; records: number };

/** Events that are looked through in one step. */
const EVENTS_AT_ONCE = 500;

/** How a first run begins: everything that is here now, then what happens from now on. */
const firstRecords = (
  from: Extract<Cursor, { kind: 'first' }>,
  newestPlace: number,
  newestEvent: number,
): Extract<Cursor, { kind: 'records' }> => ({
  kind: 'records',
  after: -1,
  upTo: newestPlace,
  events: Math.max(from.events, newestEvent),
});

/** Walks through what happened to records, by the numbers of events and places. No clock is asked. */
export const createPending = (parts: {
  events: EventService;
  endpoints: Endpoints;
  records: RecordReader;
  /** The chain of what an origin stored. */
  chainOf: (origin: number) => Chain;
}): Pending => {
  const { events, endpoints, records, chainOf } = parts;

  const numbersOf = (reads: ReadonlySet<string>): [number, string][] =>
    [...reads].flatMap((path) => {
      const id = endpoints.find(path);
      return id === undefined ? [] : [[id, path] satisfies [number, string]];
    });

  const recordsStep = ({ id, reads }: Walker, from: Extract<Cursor, { kind: 'records' }>, count: number): FeedStep => {
    const heads = numbersOf(reads)
      .flatMap(([number, endpoint]) =>
        records.headsIn(number, from.after, from.upTo, count).map((head) => ({ ...head, endpoint })),
      )
      .toSorted((left, right) => left.seq - right.seq)
      .slice(0, count);
    const items: PendingItem[] = [];
    for (const { seq, origin, endpoint } of heads) {
      const chain = chainOf(origin);
      const at: Cursor = { ...from, after: seq };
      const standing = standingOf(id, chain);
      if (standing === 'new') items.push({ kind: 'record', chain, at, place: seq, endpoint });
      if (standing === 'cycle') items.push({ kind: 'cycle', chain, at, records: 1 });
    }
    if (heads.length < count)
      return { items, cursor: { kind: 'events', after: from.events, within: null }, done: false };
    return { items, cursor: { ...from, after: heads.at(-1)?.seq ?? from.after }, done: false };
  };

  /** Sequence numbers of an event after a given one. */
  const headsOf = ({ endpoint, firstSeq, lastSeq, seqs }: StoredEvent, after: number, count: number) => {
    if (seqs === null) return records.headsIn(endpoint, Math.max(after, firstSeq - 1), lastSeq, count);
    // An endpoint that came back as a whole names none of its records, but the last.
    if (seqs === '[]') return records.headsIn(endpoint, after, lastSeq, count);
    const places = (JSON.parse(seqs) as number[]).filter((place) => place > after).toSorted((a, b) => a - b);
    const heads: { seq: number; origin: number }[] = [];
    for (const place of places) {
      heads.push(...records.headsIn(endpoint, place - 1, place, 1));
      if (heads.length === count) break;
    }
    return heads;
  };

  const eventsStep = (
    { id, reads }: Walker,
    from: Extract<Cursor, { kind: 'events' }>,
    upToEvent: number,
    count: number,
  ): FeedStep => {
    const items: PendingItem[] = [];
    let { after, within } = from;
    const rows = events.after(after, EVENTS_AT_ONCE);
    for (const row of rows) {
      if (row.seq > upToEvent) return { items, cursor: { kind: 'events', after, within }, done: true };
      const endpoint = endpoints.pathOf(row.endpoint);
      const chain = chainOf(row.origin);
      const standing = endpoint !== undefined && reads.has(endpoint) ? standingOf(id, chain) : 'own';
      if (standing === 'cycle')
        items.push({ kind: 'cycle', chain, at: { kind: 'events', after: row.seq, within: null }, records: row.count });
      if (standing === 'new' && endpoint !== undefined) {
        const room = count - items.length;
        // One more than there is room for tells whether that is all.
        const heads = headsOf(row, within?.event === row.seq ? within.place : -1, room + 1);
        for (const { seq, origin } of heads.slice(0, room)) {
          within = { event: row.seq, place: seq };
          // A function is not triggered by its own records, even when another principal changed or restored them.
          if (standingOf(id, chainOf(origin)) === 'own') continue;
          items.push({ kind: 'record', chain, at: { kind: 'events', after, within }, place: seq, endpoint });
        }
        if (heads.length > room) return { items, cursor: { kind: 'events', after, within }, done: false };
      }
      after = row.seq;
      within = null;
    }
    return { items, cursor: { kind: 'events', after, within }, done: rows.length < EVENTS_AT_ONCE };
  };

  const causes: Pending['causes'] = async ({ id, reads }, from, upToEvent) => {
    const found = new Map<string, Chain>();
    const stopped: Stopped[] = [];
    for (let after = from.kind === 'events' ? from.after : from.events; ;) {
      const rows = events.after(after, EVENTS_AT_ONCE);
      for (const { seq, endpoint, origin, count } of rows) {
        if (seq > upToEvent) break;
        if (!reads.has(endpoints.pathOf(endpoint) ?? '')) continue;
        const chain = chainOf(origin);
        const standing = standingOf(id, chain);
        if (standing === 'new') found.set(chain.join(' '), chain);
        if (standing === 'cycle') stopped.push({ chain, records: count });
      }
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < EVENTS_AT_ONCE || after >= upToEvent) return { causes: [...found.values()], stopped };
      await new Promise(setImmediate);
    }
  };

  return {
    causes,
    step(who, from, upToEvent, count) {
      if (from.kind === 'events') return eventsStep(who, from, upToEvent, count);
      const begun = from.kind === 'records' ? from : firstRecords(from, records.newestSeq(), events.newest());
      return recordsStep(who, begun, count);
    },
  };
};
