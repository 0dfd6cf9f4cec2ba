import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService, KeptEvent } from '../../core/events/service.ts';
import type { DebitRead, LedgerService } from '../../sharing/access-log/service.ts';
import type { Endpoints, RecordReader } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import {
  addStats,
  countRecord,
  operationOf,
  placesOf,
  splitStats,
  statsOf,
  type Counts,
  type EndpointStats,
} from './rules.ts';
import type { EventRow, StateRow, StatisticsStore } from './store.ts';

/**
 * Counts what happened since the last time, from what the other rooms have written down anyway: data events, the ledger, and the history of Data
 * Debits. How far it got is kept in the transaction of what it counted, so nothing is lost or counted twice, whenever the machine stops; and whoever
 * writes or reads pays for none of it.
 */

export type CollectorParts = {
  store: StatisticsStore;
  writer: Writer;
  events: Pick<EventService, 'after' | 'newest'>;
  ledger: Pick<LedgerService, 'debitReads' | 'newest' | 'seqsOf'>;
  debits: Pick<DebitService, 'historyAfter' | 'newestHistory' | 'sharedBy'>;
  endpoints: Pick<Endpoints, 'pathOf' | 'originOf'>;
  records: Pick<RecordReader, 'bySeq' | 'chunk'>;
  /** Whether the owner lets all of it be told. */
  reportsOn: () => boolean;
  /** Whether a Data Debit came of an Offer that was claimed at this exchange. */
  isClaimed: (key: string) => boolean;
  clock: Clock;
};

/** In place of how far was counted, while the owner lets nothing be: afterwards counting begins anew, and what was meanwhile is not reported. */
const NOT_COUNTED = -1;

const EVENTS_AT_ONCE = 500;
const ROWS_AT_ONCE = 500;
const DEBITS_AT_ONCE = 500;
/** Records that are read together, and in one go; what is beyond waits for the next go. */
const RECORDS_AT_ONCE = 50;
const RECORDS_IN_A_GO = 50_000;
/** Milliseconds of work in one turn of the event loop. */
const TURN_MS = 5;
/** Characters of the longest record that is looked into: to read it must not take long. */
const MAX_CHARS = 200_000;
/** Above so many events that wait, counts of the same are put together: by day, and what is older than this all in one. */
const FOLD_ABOVE = 500;
const KEEP_DAYS = 35;
const DAY_MS = 86_400_000;

/** Who wrote: the Data Plug, application or contract. What the owner and functions store is nobody's to know. */
const writerOf = ({ kind, name }: { kind: string; name: string }): string | undefined =>
  kind === 'application' || kind === 'contract' ? name : undefined;

type Draft = Omit<EventRow, 'seq' | 'tried'>;
type Progress = Pick<StateRow, 'events_to' | 'ledger_to' | 'debits_to'>;

/** The body is what was written by this room. */
const statsIn = (row: EventRow): EndpointStats[] => (JSON.parse(row.body) as { stats: EndpointStats[] }).stats;

export const createCollector = (parts: CollectorParts) => {
  const { store, writer, events, ledger, debits, endpoints, records, clock } = parts;
  let foldAbove = FOLD_ABOVE;

  const dataOf = (text: string): unknown => (text.length > MAX_CHARS ? undefined : JSON.parse(text));

  let since = 0;
  /** Lets others have their turn. */
  const breathe = async (): Promise<void> => {
    if (performance.now() - since < TURN_MS) return;
    await turn();
    since = performance.now();
  };

  /** Looks into the records of one event, a few at a time. */
  async function* written(event: KeptEvent): AsyncGenerator<string> {
    const { endpoint, firstSeq, lastSeq, seqs } = event;
    if (seqs !== null) {
      for (const place of JSON.parse(seqs) as number[]) {
        await breathe();
        const record = records.bySeq(place);
        if (record !== undefined) yield record.data;
      }
      return;
    }
    for (let after = firstSeq - 1; after < lastSeq;) {
      const chunk = records.chunk(endpoint, after, RECORDS_AT_ONCE).filter(({ seq }) => seq <= lastSeq);
      for (const { data } of chunk) {
        await breathe();
        yield data;
      }
      const last = chunk.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  const inbound = async (from: number): Promise<{ upTo: number; counts: Map<string, Counts>; more: boolean }> => {
    const counts = new Map<string, Counts>();
    let upTo = from;
    let left = RECORDS_IN_A_GO;
    const some = events.after(from, EVENTS_AT_ONCE);
    for (const event of some) {
      if (left <= 0) return { upTo, counts, more: true };
      upTo = event.seq;
      await breathe();
      const application = writerOf(endpoints.originOf(event.origin));
      const endpoint = endpoints.pathOf(event.endpoint);
      if (application === undefined || endpoint === undefined || event.kind === 'restored') continue;
      let known = counts.get(application);
      if (known === undefined) counts.set(application, (known = new Map()));
      for await (const data of written(event)) countRecord(known, endpoint, dataOf(data));
      left -= event.count;
    }
    return { upTo, counts, more: some.length === EVENTS_AT_ONCE };
  };

  /** Fields that a permission shares, by endpoint; undefined for an endpoint: entire records. */
  const sharedPlaces = ({ debit, permission }: DebitRead): Map<string, string[][] | undefined> => {
    const places = new Map<string, string[][] | undefined>();
    for (const { endpoints: entries } of Object.values(debits.sharedBy(debit, permission) ?? {})) {
      for (const { endpoint, mapping } of entries) {
        const known = places.get(endpoint);
        const whole = mapping === null || mapping === undefined || (places.has(endpoint) && known === undefined);
        const sources = Object.values(mapping ?? {}).map((source) =>
          typeof source === 'string' ? source : source.source,
        );
        places.set(endpoint, whole ? undefined : [...(known ?? []), ...sources.flatMap(placesOf)]);
      }
    }
    return places;
  };

  const statsOfRead = async (read: DebitRead): Promise<EndpointStats[]> => {
    const places = sharedPlaces(read);
    const counts: Counts = new Map();
    for (let skip = 0; skip < read.records; skip += RECORDS_AT_ONCE) {
      for (const seq of ledger.seqsOf(read.row, { skip, take: RECORDS_AT_ONCE })) {
        await breathe();
        const record = records.bySeq(seq);
        const endpoint = record === undefined ? undefined : endpoints.pathOf(record.endpoint);
        if (record === undefined || endpoint === undefined || !places.has(endpoint)) continue;
        countRecord(counts, endpoint, dataOf(record.data), places.get(endpoint));
      }
    }
    return statsOf(counts);
  };

  const outbound = async (from: number): Promise<{ upTo: number; counts: Map<string, Counts>; more: boolean }> => {
    const counts = new Map<string, Counts>();
    const { upTo, reads } = ledger.debitReads(from, ROWS_AT_ONCE);
    /** A program that asks again and again mostly gets the same records. */
    const known = new Map<string, EndpointStats[]>();
    let left = RECORDS_IN_A_GO;
    let before = from;
    for (const read of reads) {
      const key = `${read.permission} ${read.same}`;
      let stats = known.get(key);
      if (stats === undefined) {
        if (left <= 0) return { upTo: before, counts, more: true };
        stats = await statsOfRead(read);
        known.set(key, stats);
        left -= read.records;
      }
      let ofDebit = counts.get(read.debit);
      if (ofDebit === undefined) counts.set(read.debit, (ofDebit = new Map()));
      addStats(ofDebit, stats);
      before = read.row;
    }
    return { upTo, counts, more: upTo !== from && ledger.newest() > upTo };
  };

  /** How far counting is: at what is newest where it begins, and nowhere where the owner does not want it. */
  const countNew = async (state: StateRow, isOn: boolean) => {
    const nothing = { counts: new Map<string, Counts>(), more: false };
    if (!isOn || state.events_to === NOT_COUNTED) {
      const [event, row] = isOn ? [events.newest(), ledger.newest()] : [NOT_COUNTED, NOT_COUNTED];
      return [
        { ...nothing, upTo: event },
        { ...nothing, upTo: row },
      ] as const;
    }
    return [await inbound(state.events_to), await outbound(state.ledger_to)] as const;
  };

  const draftsOf = (kind: 'inbound' | 'outbound', counted: Map<string, Counts>, time: number): Draft[] =>
    [...counted].flatMap(([subject, counts]) =>
      splitStats(statsOf(counts)).map((stats) => ({
        id: randomUUID(),
        kind,
        subject,
        time,
        body: JSON.stringify({ stats }),
      })),
    );

  /** While nothing can be delivered, a day of one application is one event, and what is older than five weeks one altogether. */
  const fold = (tx: Transaction, now: number): void => {
    const groups = new Map<string, EventRow[]>();
    for (const row of store.foldable()) {
      const day = now - row.time > KEEP_DAYS * DAY_MS ? 'old' : String(Math.floor(row.time / DAY_MS));
      const key = JSON.stringify([row.kind, row.subject, day]);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    for (const rows of groups.values()) {
      if (rows.length < 2) continue;
      const counts: Counts = new Map();
      for (const row of rows) addStats(counts, statsIn(row));
      const bodies = splitStats(statsOf(counts)).map((stats) => JSON.stringify({ stats }));
      for (const [index, { seq }] of rows.entries()) {
        const body = bodies[index];
        if (body === undefined) store.remove(tx, [seq]);
        else store.rewrite(tx, seq, body);
      }
    }
  };

  return {
    /** Where counting begins for who has just come to it: what was before is not reported. */
    start: (): Progress => ({
      events_to: events.newest(),
      ledger_to: ledger.newest(),
      debits_to: debits.newestHistory(),
    }),

    /** Counts some of what is new, and writes it down as events. True when there is more. */
    async collect(state: StateRow): Promise<boolean> {
      const told = debits.historyAfter(state.debits_to, DEBITS_AT_ONCE);
      const isOn = parts.reportsOn();
      const [wrote, read] = await countNew(state, isOn);
      const now = clock.now();
      const drafts: Draft[] = [
        ...told.flatMap(({ key, time, event }): Draft[] => {
          const operation = operationOf(event);
          if (operation === undefined || !(isOn || parts.isClaimed(key))) return [];
          return [{ id: randomUUID(), kind: 'datadebit', subject: key, time, body: JSON.stringify({ operation }) }];
        }),
        ...draftsOf('inbound', wrote.counts, now),
        ...draftsOf('outbound', read.counts, now),
      ];
      const progress = { events_to: wrote.upTo, ledger_to: read.upTo, debits_to: told.at(-1)?.seq ?? state.debits_to };
      const moved =
        progress.events_to !== state.events_to ||
        progress.ledger_to !== state.ledger_to ||
        progress.debits_to !== state.debits_to;
      if (moved) {
        await writer.write((tx) => {
          // The owner may have turned reports off meanwhile, or to another exchange.
          if (store.state()?.service !== state.service || parts.reportsOn() !== isOn) return;
          for (const draft of drafts) store.insert(tx, draft);
          store.counted(tx, progress);
          if (store.waiting() <= foldAbove) return;
          fold(tx, now);
          foldAbove = Math.max(FOLD_ABOVE, 2 * store.waiting());
        });
      }
      return wrote.more || read.more || told.length === DEBITS_AT_ONCE;
    },
  };
};

export type Collector = ReturnType<typeof createCollector>;
