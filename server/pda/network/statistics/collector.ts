import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService, StoredEvent } from '../../core/events/service.ts';
import type { DebitRead, AccessLogService } from '../../sharing/access-log/service.ts';
import type { Endpoints, RecordReader } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import {
  addStats,
  countRecord,
  mappedPathsOf,
  operationOf,
  splitStats,
  statsOf,
  type EndpointCounts,
  type EndpointStats,
  type MappedPath,
} from './rules.ts';
import type { ReportRow, StateRow, StatisticsStore } from './store.ts';

// Counts stored and read records, and collects changes of Data Debits. Cursors and counts are stored in the same
// transaction, so that a crash neither loses nor repeats counts.

export type CollectorParts = {
  store: StatisticsStore;
  writer: Writer;
  events: Pick<EventService, 'readAfter' | 'readNewestSeq'>;
  ledger: Pick<AccessLogService, 'debitReads' | 'readNewestId' | 'seqsOf'>;
  debits: Pick<DebitService, 'historyAfter' | 'readNewestHistorySeq' | 'bundleOfPermission'>;
  endpoints: Pick<Endpoints, 'pathOf' | 'originOf'>;
  records: Pick<RecordReader, 'findBySeq' | 'chunk'>;
  areStatisticsAllowed: () => boolean;
  isClaimed: (key: string) => boolean;
  clock: Clock;
};

/** Cursor while the owner does not allow statistics. Once they are allowed, counting starts at the newest entry. */
const NOT_COUNTED = -1;

const EVENTS_PER_CHUNK = 500;
const READS_PER_CHUNK = 500;
const HISTORY_ENTRIES_PER_CHUNK = 500;
const RECORDS_PER_CHUNK = 50;
const RECORDS_PER_CALL = 50_000;
const TURN_WORK_MS = 5;
/** The fields of longer records are not counted, because parsing must not take long. */
const PARSED_RECORD_MAX_CHARACTERS = 200_000;
/**
 * If more reports than this are pending, and more than twice as many as after the last merge, their counts are merged
 * by subject and day, or only by subject if they are older than `DAILY_COUNTS_DAYS`.
 */
const MERGE_ABOVE_REPORTS = 500;
const DAILY_COUNTS_DAYS = 35;
const DAY_MS = 86_400_000;

/** Returns the name of an application or a contract; undefined for other origins, whose data is not reported. */
const reportedOriginOf = ({ kind, name }: { kind: string; name: string }): string | undefined =>
  kind === 'application' || kind === 'contract' ? name : undefined;

type Draft = Omit<ReportRow, 'seq' | 'tried'>;
type Cursors = Pick<StateRow, 'events_to' | 'ledger_to' | 'debits_to'>;
type Progress = { upTo: number; counts: Map<string, EndpointCounts>; hasMore: boolean };

/** The body was written by this module, so it needs no validation. */
const parseStats = (row: ReportRow): EndpointStats[] => (JSON.parse(row.body) as { stats: EndpointStats[] }).stats;

export const createCollector = (parts: CollectorParts) => {
  const { store, writer, events, ledger, debits, endpoints, records, clock } = parts;
  let mergeThreshold = MERGE_ABOVE_REPORTS;

  const parseData = (text: string): unknown =>
    text.length > PARSED_RECORD_MAX_CHARACTERS ? undefined : JSON.parse(text);

  let turnStart = 0;
  const yieldIfDue = async (): Promise<void> => {
    if (performance.now() - turnStart < TURN_WORK_MS) return;
    await nextTurn();
    turnStart = performance.now();
  };

  async function* readRecords(event: StoredEvent): AsyncGenerator<string> {
    const { endpoint, firstSeq, lastSeq, seqs } = event;
    if (seqs !== null) {
      for (const seq of JSON.parse(seqs) as number[]) {
        await yieldIfDue();
        const record = records.findBySeq(seq);
        if (record !== undefined) yield record.data;
      }
      return;
    }
    for (let after = firstSeq - 1; after < lastSeq;) {
      const chunk = records.chunk(endpoint, after, RECORDS_PER_CHUNK).filter(({ seq }) => seq <= lastSeq);
      for (const { data } of chunk) {
        await yieldIfDue();
        yield data;
      }
      const last = chunk.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  const countInbound = async (from: number): Promise<Progress> => {
    const counts = new Map<string, EndpointCounts>();
    let upTo = from;
    let remaining = RECORDS_PER_CALL;
    const chunk = events.readAfter(from, EVENTS_PER_CHUNK);
    for (const event of chunk) {
      if (remaining <= 0) return { upTo, counts, hasMore: true };
      upTo = event.seq;
      await yieldIfDue();
      const subject = reportedOriginOf(endpoints.originOf(event.origin));
      const endpoint = endpoints.pathOf(event.endpoint);
      if (subject === undefined || endpoint === undefined || event.kind === 'restored') continue;
      let subjectCounts = counts.get(subject);
      if (subjectCounts === undefined) counts.set(subject, (subjectCounts = new Map()));
      for await (const data of readRecords(event)) countRecord(subjectCounts, endpoint, parseData(data));
      remaining -= event.count;
    }
    return { upTo, counts, hasMore: chunk.length === EVENTS_PER_CHUNK };
  };

  /** Returns the paths of shared fields by endpoint; an endpoint whose records are shared whole maps to undefined. */
  const sharedFieldsOf = ({ debit, permission }: DebitRead): Map<string, MappedPath[] | undefined> => {
    const fields = new Map<string, MappedPath[] | undefined>();
    for (const { endpoints: entries } of Object.values(debits.bundleOfPermission(debit, permission) ?? {})) {
      for (const { endpoint, mapping } of entries) {
        const previousPaths = fields.get(endpoint);
        const isWhole =
          mapping === null || mapping === undefined || (fields.has(endpoint) && previousPaths === undefined);
        fields.set(endpoint, isWhole ? undefined : [...(previousPaths ?? []), ...mappedPathsOf(mapping)]);
      }
    }
    return fields;
  };

  const countRead = async (read: DebitRead): Promise<EndpointStats[]> => {
    const fields = sharedFieldsOf(read);
    const counts: EndpointCounts = new Map();
    for (let skip = 0; skip < read.records; skip += RECORDS_PER_CHUNK) {
      for (const seq of ledger.seqsOf(read.row, { skip, take: RECORDS_PER_CHUNK })) {
        await yieldIfDue();
        const record = records.findBySeq(seq);
        const endpoint = record === undefined ? undefined : endpoints.pathOf(record.endpoint);
        if (record === undefined || endpoint === undefined || !fields.has(endpoint)) continue;
        countRecord(counts, endpoint, parseData(record.data), fields.get(endpoint));
      }
    }
    return statsOf(counts);
  };

  const countOutbound = async (from: number): Promise<Progress> => {
    const counts = new Map<string, EndpointCounts>();
    const { upTo, reads } = ledger.debitReads(from, READS_PER_CHUNK);
    /** Counts by permission and set of records. Requesters often repeat a read. */
    const cache = new Map<string, EndpointStats[]>();
    let remaining = RECORDS_PER_CALL;
    let lastRow = from;
    for (const read of reads) {
      const key = `${read.permission} ${read.recordsHash}`;
      let stats = cache.get(key);
      if (stats === undefined) {
        if (remaining <= 0) return { upTo: lastRow, counts, hasMore: true };
        stats = await countRead(read);
        cache.set(key, stats);
        remaining -= read.records;
      }
      let debitCounts = counts.get(read.debit);
      if (debitCounts === undefined) counts.set(read.debit, (debitCounts = new Map()));
      addStats(debitCounts, stats);
      lastRow = read.row;
    }
    return { upTo, counts, hasMore: upTo !== from && ledger.readNewestId() > upTo };
  };

  /**
   * Counts new entries. If counting is off, sets the cursors to NOT_COUNTED; if it has just been turned on, to the
   * newest entries.
   */
  const countNew = async (state: StateRow, isOn: boolean) => {
    const empty = { counts: new Map<string, EndpointCounts>(), hasMore: false };
    if (!isOn || state.events_to === NOT_COUNTED) {
      const [eventCursor, ledgerCursor] = isOn
        ? [events.readNewestSeq(), ledger.readNewestId()]
        : [NOT_COUNTED, NOT_COUNTED];
      return [
        { ...empty, upTo: eventCursor },
        { ...empty, upTo: ledgerCursor },
      ] as const;
    }
    return [await countInbound(state.events_to), await countOutbound(state.ledger_to)] as const;
  };

  const draftsOf = (
    kind: 'inbound' | 'outbound',
    countsBySubject: Map<string, EndpointCounts>,
    time: number,
  ): Draft[] =>
    [...countsBySubject].flatMap(([subject, counts]) =>
      splitStats(statsOf(counts)).map((stats) => ({
        id: randomUUID(),
        kind,
        subject,
        time,
        body: JSON.stringify({ stats }),
      })),
    );

  const merge = (tx: Transaction, now: number): void => {
    const groups = new Map<string, ReportRow[]>();
    for (const row of store.mergeableReports()) {
      const day = now - row.time > DAILY_COUNTS_DAYS * DAY_MS ? 'old' : String(Math.floor(row.time / DAY_MS));
      const key = JSON.stringify([row.kind, row.subject, day]);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    for (const rows of groups.values()) {
      if (rows.length < 2) continue;
      const counts: EndpointCounts = new Map();
      for (const row of rows) addStats(counts, parseStats(row));
      const bodies = splitStats(statsOf(counts)).map((stats) => JSON.stringify({ stats }));
      for (const [index, { seq }] of rows.entries()) {
        const body = bodies[index];
        if (body === undefined) store.remove(tx, [seq]);
        else store.rewrite(tx, seq, body);
      }
    }
  };

  return {
    initialCursors: (): Cursors => ({
      events_to: events.readNewestSeq(),
      ledger_to: ledger.readNewestId(),
      debits_to: debits.readNewestHistorySeq(),
    }),

    /** Counts new entries and stores reports of them. Returns true if there are more entries. */
    async collect(state: StateRow): Promise<boolean> {
      const history = debits.historyAfter(state.debits_to, HISTORY_ENTRIES_PER_CHUNK);
      const isOn = parts.areStatisticsAllowed();
      const [inbound, outbound] = await countNew(state, isOn);
      const now = clock.now();
      const drafts: Draft[] = [
        ...history.flatMap(({ key, time, event }): Draft[] => {
          const operation = operationOf(event);
          if (operation === undefined || !(isOn || parts.isClaimed(key))) return [];
          return [{ id: randomUUID(), kind: 'datadebit', subject: key, time, body: JSON.stringify({ operation }) }];
        }),
        ...draftsOf('inbound', inbound.counts, now),
        ...draftsOf('outbound', outbound.counts, now),
      ];
      const cursors: Cursors = {
        events_to: inbound.upTo,
        ledger_to: outbound.upTo,
        debits_to: history.at(-1)?.seq ?? state.debits_to,
      };
      const hasMoved =
        cursors.events_to !== state.events_to ||
        cursors.ledger_to !== state.ledger_to ||
        cursors.debits_to !== state.debits_to;
      if (hasMoved) {
        await writer.write((tx) => {
          // The owner may have turned statistics on or off, or chosen another exchange, during the count.
          if (store.state()?.service !== state.service || parts.areStatisticsAllowed() !== isOn) return;
          for (const draft of drafts) store.insert(tx, draft);
          store.setProgress(tx, cursors);
          if (store.pendingCount() <= mergeThreshold) return;
          merge(tx, now);
          mergeThreshold = Math.max(MERGE_ABOVE_REPORTS, 2 * store.pendingCount());
        });
      }
      return inbound.hasMore || outbound.hasMore || history.length === HISTORY_ENTRIES_PER_CHUNK;
    },
  };
};
