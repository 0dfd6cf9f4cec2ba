import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type {
  LedgerConditions,
  LedgerDay,
  LedgerFilter,
  LedgerGroupFilter,
  LedgerGroupPage,
  LedgerPage,
  LedgerRecords,
  LedgerRow,
} from '../../../wire/ledger.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { sortUniqueInSlices } from './entries/cooperative-sort.ts';
import { createGrouping } from './entries/grouping.ts';
import { createInterning } from './entries/interning.ts';
import { createEntryListing, ROW_ID_LIMIT } from './entries/listing.ts';
import { createReaderTotals, type ReaderTotals } from './entries/reader-totals.ts';
import { createRecordNumbers, type RecordLookup } from './entries/record-lookup.ts';
import { createSearch } from './entries/search.ts';
import { createShapeSearch } from './entries/shape-search.ts';
import { createSummaries, type AccessSummary, type PrincipalSummary } from './entries/summaries.ts';
import { createTotals } from './entries/totals.ts';
import { createWireRows, timeOfRow } from './entries/wire-rows.ts';
import type { AccessLogEntry } from './entry.ts';
import type { AccessNames } from './names.ts';
import { createEntryNotifier } from './recording/notifier.ts';
import {
  countNumbers,
  pack,
  numbersIn,
  rowAt,
  toRuns,
  sortUnique,
  timeOf,
  unpack,
  type PackedNumbers,
} from './rules.ts';
import type { AccessLogRow, AccessLogStore } from './store.ts';

export type { AccessSummary, PrincipalSummary } from './entries/summaries.ts';
export type { RecordLookup } from './entries/record-lookup.ts';
export type { Consent, AccessLogEntry, LoggedPrincipal } from './entry.ts';

/** A read of a Data Debit's values. Reads of the same records have the same `recordsHash`. */
export type DebitRead = { row: number; debit: string; permission: string; records: number; recordsHash: string };

/** An entry that counts refused requests. Its details describe the first request. */
export type RefusedRow = Pick<AccessLogEntry, 'who' | 'action' | 'status' | 'consent' | 'address'> & {
  row: number;
  time: number;
  reason: string;
  endpoints: readonly string[];
};

export type AccessLogService = {
  /** Returns the entry's id. */
  record(tx: Transaction, entry: AccessLogEntry): number;
  /** Resolves with the entry's id when the entry is durable. */
  write(entry: AccessLogEntry): Promise<number>;
  /** Stores the number of sent bytes, which is known only after a streamed response or a download has ended. */
  complete(row: number, bytes: number): Promise<void>;
  /** @param last time of the last request in Unix milliseconds */
  addCount(tx: Transaction, row: number, count: number, last: number): void;
  /**
   * Returns rows that count refused requests of principals other than the owner: at most the newest
   * `MAX_REFUSED_ROWS_PER_GROUP` of each group.
   * @param from start, in Unix milliseconds
   */
  listRefusedSince(from: number): RefusedRow[];
  /**
   * Returns matching entries, newest first. A page can contain fewer entries than requested even though more follow,
   * because a search with few matches stops after a limited number of rows.
   */
  list(filter: LedgerFilter): Promise<LedgerPage>;
  groups(filter: LedgerGroupFilter): Promise<LedgerGroupPage>;
  /** Yields all matching entries, newest first, in batches. */
  streamAll(filter: LedgerConditions): AsyncGenerator<LedgerRow[]>;
  /** @throws Failure not_found */
  records(row: number, page: { skip: number; take: number }): LedgerRecords;
  /** Returns the totals of the last `days` days (UTC), including today. */
  days(days: number): LedgerDay[];
  summariseDebit(key: string): AccessSummary;
  /**
   * Returns the totals of all principals except the owner and the PDA itself within a time range. `isPartial` is true
   * if the range has too many rows to count them all.
   * @param from Unix milliseconds
   * @param to Unix milliseconds, exclusive
   */
  readersBetween(from: number, to: number): Promise<{ readers: ReaderTotals[]; isPartial: boolean }>;
  /** Returns the time of each application's and contract's last request in Unix milliseconds, by id. */
  lastRequests(): ReadonlyMap<string, number>;
  summarisePrincipal(kind: 'application' | 'contract', id: string): PrincipalSummary;
  /** Scans up to `count` entries after `after` for reads of Data Debit values. `upTo` is the last scanned entry. */
  debitReads(after: number, count: number): { upTo: number; reads: DebitRead[] };
  readNewestId(): number;
  seqsOf(row: number, page: { skip: number; take: number }): number[];
  close(): void;
};

const MAX_PAGE_ROWS = 100;
const BATCH_ROWS = 500;
const DAY_MS = 86_400_000;
/** Maximum number of rows per group that are loaded to continue their counts, for example after a restart. */
const MAX_REFUSED_ROWS_PER_GROUP = 1000;
const MAX_RECORDS_PER_TRANSACTION = 1000;

const seqsOf = ({ records }: AccessLogEntry): readonly number[] => {
  const [first = [], ...others] = records.values();
  return others.length === 0 ? first : [first, ...others].flat();
};

export const createAccessLogService = (parts: {
  store: AccessLogStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  records: RecordLookup;
  names: AccessNames;
}): AccessLogService => {
  const { store, writer, events, clock } = parts;
  const recordNumbers = createRecordNumbers(parts);
  const notifier = createEntryNotifier({ events, writer });
  let newestId = store.readNewestId();
  // Largest known delay between a request and its entry.
  let maxLagMs = store.maxLagMs();

  const shapes = createInterning(store);
  const totals = createTotals({ store, notify: notifier.notify });
  const wireRows = createWireRows({ store, shapes, recordNumbers });
  const listing = createEntryListing({
    ...parts,
    search: createSearch(store),
    shapes,
    shapeSearch: createShapeSearch(parts),
    recordNumbers,
    maxLagMs: () => maxLagMs,
  });
  const summaries = createSummaries({ store, rows: wireRows, clock });

  const insert = (tx: Transaction, entry: AccessLogEntry, packed: PackedNumbers | null, namedCount: number): number => {
    const time = entry.time ?? clock.now();
    const count = entry.count ?? 1;
    newestId = Math.max(newestId + 1, rowAt(clock.now()));
    const lagMs = Math.max(0, timeOf(newestId) - time);
    maxLagMs = Math.max(maxLagMs, lagMs);
    const grp = shapes.internGroup(tx, entry, packed !== null);
    const records = namedCount + (entry.unnamed ?? 0);
    const row: AccessLogRow = {
      id: newestId,
      grp,
      shape: shapes.internShape(tx, entry),
      lagMs,
      count,
      last: count > 1 ? (entry.last ?? null) : null,
      records,
      bytes: entry.bytes,
    };
    store.insert(tx, row, packed);
    tx.collect(totals, { day: Math.floor(time / DAY_MS), grp, calls: count, records, recordNumbers: packed });
    return row.id;
  };

  const record = (tx: Transaction, entry: AccessLogEntry): number => {
    // Sorted, so that new record numbers are assigned in the order in which the records were created.
    const seqs = sortUnique(seqsOf(entry));
    const packed = seqs.length === 0 ? null : recordNumbers.findOrCreatePacked(tx, seqs, entry.removedIds);
    return insert(tx, entry, packed, seqs.length);
  };

  /** Assigns record numbers in slices before it writes the entry, so that other requests are not delayed. */
  const writeLarge = async (entry: AccessLogEntry, unsortedSeqs: readonly number[]): Promise<number> => {
    const seqs = await sortUniqueInSlices(unsortedSeqs);
    const numbers: number[] = [];
    for (let offset = 0; offset < seqs.length; offset += MAX_RECORDS_PER_TRANSACTION) {
      const slice = seqs.slice(offset, offset + MAX_RECORDS_PER_TRANSACTION);
      for (const number of await writer.write((tx) => recordNumbers.findOrCreateAll(tx, slice, entry.removedIds)))
        numbers.push(number);
    }
    const packed = pack(toRuns(await sortUniqueInSlices(numbers)));
    return writer.write((tx) => insert(tx, entry, packed, numbers.length));
  };

  const rowsOf = (ids: readonly number[]): LedgerRow[] =>
    ids.flatMap((id) => store.row(id) ?? []).map((row) => wireRows.toWire(row));

  return {
    record,

    write(entry) {
      const seqs = seqsOf(entry);
      return seqs.length > MAX_RECORDS_PER_TRANSACTION
        ? writeLarge(entry, seqs)
        : writer.write((tx) => record(tx, entry));
    },

    complete: (row, bytes) =>
      writer.write((tx) => {
        store.setBytes(tx, row, bytes);
        notifier.notify(tx);
      }),

    addCount(tx, row, count, last) {
      const existing = store.row(row);
      if (existing === undefined) return;
      store.addCount(tx, row, count, last);
      const day = Math.floor((timeOf(row) - existing.lagMs) / DAY_MS);
      tx.collect(totals, { day, grp: existing.grp, calls: count, records: 0, recordNumbers: null });
    },

    listRefusedSince: (from) =>
      store
        .groups()
        .filter((group) => group.who_kind !== 'owner' && group.refused === 1)
        .flatMap((group) =>
          store.ids({ grp: group.id, after: rowAt(from) - 1, below: ROW_ID_LIMIT }, MAX_REFUSED_ROWS_PER_GROUP),
        )
        .flatMap((id) => {
          const row = store.row(id);
          if (row === undefined || timeOfRow(row) < from) return [];
          const time = timeOfRow(row);
          const { who, action, status, reason, consent, endpoints, address } = wireRows.requestOf(row);
          return [{ row: id, time, who, action, status, reason: reason ?? '', consent, endpoints, address }];
        }),

    async list(filter) {
      const take = Math.min(filter.take, MAX_PAGE_ROWS);
      const { ids, end } = await listing.find(filter, take + 1);
      return { rows: rowsOf(ids.slice(0, take)), next: ids.length > take ? (ids[take - 1] ?? null) : (end ?? null) };
    },

    groups: createGrouping({ store, shapes, listing, rows: wireRows }),

    async *streamAll(filter) {
      for (let before = ROW_ID_LIMIT; ;) {
        const { ids, end } = await listing.find({ ...filter, before }, BATCH_ROWS);
        if (ids.length > 0) yield rowsOf(ids);
        const next = end ?? (ids.length < BATCH_ROWS ? undefined : ids.at(-1));
        if (next === undefined) return;
        before = next;
      }
    },

    records(id, { skip, take }) {
      const row = store.row(id);
      if (row === undefined) throw new Failure('not_found', 'The access log has no such entry.');
      const packed = store.recordNumbersOf(id);
      if (packed === null) return { total: 0, records: [] };
      const [, , , , , , endpoints] = shapes.read(row.shape);
      const onlyEndpoint = endpoints.length === 1 ? endpoints[0] : undefined;
      const records = numbersIn(packed, skip, take).flatMap((number) => {
        const record = recordNumbers.describe(number);
        return record === undefined ? [] : [{ ...record, endpoint: record.endpoint ?? onlyEndpoint ?? null }];
      });
      return { total: countNumbers(unpack(packed)), records };
    },

    ...summaries,
    readersBetween: createReaderTotals({ store, rows: wireRows, maxLagMs: () => maxLagMs }),

    debitReads(after, count) {
      const groups = new Set(
        store
          .groups()
          .filter((group) => group.consent_kind === 'debit' && group.refused === 0 && group.reads === 1)
          .map(({ id }) => id),
      );
      const rows = store.rowsAfter(after, count);
      const reads = rows.flatMap(({ id, grp, shape, records }) => {
        if (!groups.has(grp) || records === 0) return [];
        const [, , , , , consent] = shapes.read(shape);
        if (consent === null) return [];
        const [, debit, permission] = consent;
        const recordsHash = hash('sha256', store.recordNumbersOf(id) ?? '', 'base64');
        return [{ row: id, debit, permission, records, recordsHash }];
      });
      return { upTo: rows.at(-1)?.id ?? after, reads };
    },
    readNewestId: () => store.readNewestId(),
    seqsOf(row, { skip, take }) {
      const packed = store.recordNumbersOf(row);
      if (packed === null) return [];
      return numbersIn(packed, skip, take).flatMap((number) => store.findByRecordNumber(number)?.seq ?? []);
    },

    close: () => notifier.close(),
  };
};
