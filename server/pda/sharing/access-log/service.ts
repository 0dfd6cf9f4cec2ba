import { hash } from 'node:crypto';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { LedgerDay, LedgerFilter, LedgerPage, LedgerRecords, LedgerRow } from '../../../wire/ledger.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createEntryNotifier } from './recording/notifier.ts';
import { createRecordNumbers, type RecordLookup } from './entries/record-lookup.ts';
import {
  countNumbers,
  pack,
  numbersIn,
  rowAt,
  runsOf,
  sortUnique,
  timeOf,
  unpack,
  type PackedNumbers,
} from './rules.ts';
import { createSearch } from './entries/search.ts';
import { createInterning } from './entries/interning.ts';
import type { LedgerEntry, Party } from './entry.ts';
import type { GroupRow, LedgerStore, Row } from './store.ts';
import { sortUniqueInSlices } from './entries/cooperative-sort.ts';
import { createTotals } from './entries/totals.ts';

export type { RecordLookup } from './entries/record-lookup.ts';
export type { Consent, LedgerEntry, Party } from './entry.ts';

/** Totals of one consent or application. Times are Unix milliseconds. */
export type LedgerSummary = { lastRead: number | null; reads: number; records: number; refused: number };

/** Totals of the requests of a contract. Times are Unix milliseconds. */
export type ContractCalls = { lastUsed: number | null; reads: number; writes: number; refused: number };

/** One read of the values of a Data Debit under a permission. `recordsHash` is equal for reads of the same records. */
export type DebitRead = { row: number; debit: string; permission: string; records: number; recordsHash: string };

/** An entry that counts refused requests. Its details are those of the first request. */
export type RefusedRow = Pick<LedgerEntry, 'who' | 'action' | 'status' | 'consent' | 'address'> & {
  row: number;
  time: number;
  reason: string;
  endpoints: readonly string[];
};

export type LedgerService = {
  /** Writes an entry within the given transaction. Returns its id. */
  record(tx: Transaction, entry: LedgerEntry): number;
  /** Writes an entry in the next transaction. Resolves with its id when the entry is durable. */
  write(entry: LedgerEntry): Promise<number>;
  /** Stores the size of a streamed response after it has ended. */
  complete(row: number, bytes: number): Promise<void>;
  /** Adds requests to the count of an entry. `last` is the time of the last request in Unix milliseconds. */
  addCount(tx: Transaction, row: number, count: number, last: number): void;
  /** Returns refused requests since a time, without those of the owner. */
  refusedSince(time: number): RefusedRow[];
  /** Returns a page of the entries that match the filter, newest first. */
  list(filter: LedgerFilter): Promise<LedgerPage>;
  /** Returns the records of one entry. @throws Failure not_found */
  records(row: number, page: { skip: number; take: number }): LedgerRecords;
  /** Returns requests per caller and day, for the last `days` days including today. */
  days(days: number): LedgerDay[];
  /** Returns the totals of the `values` requests of a Data Debit. */
  ofDebit(key: string): LedgerSummary;
  /** Returns the totals of the requests of an application. */
  ofApplication(id: string): LedgerSummary;
  /** Returns the totals of the requests under a contract. */
  ofContract(id: string): ContractCalls;
  /**
   * Scans at most `count` entries after an entry. Returns the reads of values of Data Debits, and the last scanned
   * entry.
   */
  debitReads(after: number, count: number): { upTo: number; reads: DebitRead[] };
  /** Returns the id of the newest entry; 0 if there is none. */
  newest(): number;
  /** Returns one page of the sequence numbers of the records of an entry. */
  seqsOf(row: number, page: { skip: number; take: number }): number[];
  close(): void;
};

export type LedgerParts = {
  store: LedgerStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  records: RecordLookup;
};

/** Upper bound of `take`, so that a page is read quickly. */
const MAX_PAGE_ROWS = 100;
/** Exclusive upper bound that is greater than every row id. */
const ROW_ID_LIMIT = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;
/** Rows of one group that are loaded to continue the counts of refused requests. */
const MAX_REFUSED_ROWS_PER_GROUP = 1000;
/** Maximum number of records that get a record number in one transaction. */
const MAX_NUMBERED_PER_TRANSACTION = 1000;

const toParty = (kind: Party['kind'], name: string, person = ''): Party =>
  kind === 'user' ? { kind, name, person } : { kind, name };

/** Returns the sequence numbers of the records of an entry, in no particular order. */
const seqsOf = ({ records }: LedgerEntry): readonly number[] => {
  const [first = [], ...others] = records.values();
  return others.length === 0 ? first : [first, ...others].flat();
};

export const createLedgerService = (parts: LedgerParts): LedgerService => {
  const { store, writer, events, clock } = parts;
  const recordNumbers = createRecordNumbers(parts);
  const search = createSearch(store);
  const notifier = createEntryNotifier({ events, writer });
  let newest = store.newest();
  let maxClockLag = store.maxClockLag();

  const shapes = createInterning(store);
  const totals = createTotals({ store, notify: notifier.notify });

  const insert = (tx: Transaction, entry: LedgerEntry, packed: PackedNumbers | null, namedCount: number): number => {
    const time = entry.time ?? clock.now();
    const count = entry.count ?? 1;
    newest = Math.max(newest + 1, rowAt(clock.now()));
    const behind = Math.max(0, timeOf(newest) - time);
    maxClockLag = Math.max(maxClockLag, behind);
    const grp = shapes.groupOf(tx, entry, packed !== null);
    const records = namedCount + (entry.unnamed ?? 0);
    const { bytes } = entry;
    const row: Row = {
      id: newest,
      grp,
      shape: shapes.shapeOf(tx, entry),
      behind,
      count,
      last: count > 1 ? (entry.last ?? null) : null,
      records,
      bytes,
    };
    store.insert(tx, row, packed);
    tx.collect(totals, { day: Math.floor(time / DAY_MS), grp, calls: count, records, places: packed });
    return row.id;
  };

  // Sorted, because new record numbers are assigned in the order of creation.
  const record = (tx: Transaction, entry: LedgerEntry): number => {
    const seqs = sortUnique(seqsOf(entry));
    return insert(
      tx,
      entry,
      seqs.length === 0 ? null : recordNumbers.packedNumbersOf(tx, seqs, entry.removedIds),
      seqs.length,
    );
  };

  /** Assigns record numbers to a large set in slices, so that other requests are not delayed, then writes the entry. */
  const writeLarge = async (entry: LedgerEntry, unsorted: readonly number[]): Promise<number> => {
    const seqs = await sortUniqueInSlices(unsorted);
    const numbers: number[] = [];
    for (let offset = 0; offset < seqs.length; offset += MAX_NUMBERED_PER_TRANSACTION) {
      const slice = seqs.slice(offset, offset + MAX_NUMBERED_PER_TRANSACTION);
      for (const number of await writer.write((tx) => recordNumbers.numbersOf(tx, slice, entry.removedIds)))
        numbers.push(number);
    }
    const packed = pack(runsOf(await sortUniqueInSlices(numbers)));
    return writer.write((tx) => insert(tx, entry, packed, numbers.length));
  };

  const matches = (group: GroupRow, filter: LedgerFilter): boolean => {
    const { application, debit, contract, user, link, outcome } = filter;
    if (filter.function !== undefined && !(group.who_kind === 'function' && group.who_name === filter.function))
      return false;
    if (application !== undefined && !(group.who_kind === 'application' && group.who_name === application))
      return false;
    if (user !== undefined && !(group.who_kind === 'user' && group.who_name === user)) return false;
    if (debit !== undefined && !(group.consent_kind === 'debit' && group.consent_name === debit)) return false;
    if (link !== undefined && !(group.consent_kind === 'link' && group.consent_name === link)) return false;
    if (
      contract !== undefined &&
      !(group.who_kind === 'contract' && group.who_name === contract) &&
      !(group.consent_kind === 'contract' && group.consent_name === contract)
    )
      return false;
    if (filter.record !== undefined && group.holds === 0) return false;
    return outcome === undefined || (outcome === 'refused') === (group.refused === 1);
  };

  const requestOf = (row: Row) => {
    const [kind, name, action, status, reason, consent, endpoints, fields, address, person] = shapes.read(row.shape);
    return {
      who: toParty(kind, name, person),
      action,
      status,
      reason,
      consent: consent === null ? null : { kind: consent[0], name: consent[1], detail: consent[2] },
      endpoints,
      fields,
      address,
    };
  };

  const toWire = (row: Row): LedgerRow => {
    const { who, action, status, reason, consent, endpoints, fields, address } = requestOf(row);
    return {
      id: row.id,
      time: isoTime(timeOf(row.id) - row.behind),
      who,
      action,
      outcome: reason === null ? 'allowed' : 'refused',
      status,
      reason,
      consent,
      endpoints,
      records: row.records,
      fields: fields === null ? null : [...fields],
      bytes: row.bytes,
      address,
      count: row.count,
      last: row.last === null ? null : isoTime(row.last),
    };
  };

  /** Returns the caller of a group. A user has the name of their newest entry. */
  const partyOf = ({ who_kind, who_name }: GroupRow): Party => {
    if (who_kind !== 'user') return toParty(who_kind as Party['kind'], who_name);
    const userGroups = store.groups().filter((group) => group.who_kind === who_kind && group.who_name === who_name);
    const ids = userGroups.flatMap(({ id }) => store.ids({ grp: id, after: 0, below: ROW_ID_LIMIT }, 1));
    const row = store.row(Math.max(...ids));
    return row === undefined ? toParty(who_kind, who_name) : requestOf(row).who;
  };

  const summary = (groups: readonly GroupRow[]): LedgerSummary => {
    const totals: LedgerSummary = { lastRead: null, reads: 0, records: 0, refused: 0 };
    for (const group of groups) {
      if (group.refused === 1) totals.refused += group.calls;
      if (group.refused === 1 || group.reads === 0) continue;
      totals.reads += group.calls;
      totals.records += group.records;
      const [id] = store.ids({ grp: group.id, after: 0, below: ROW_ID_LIMIT }, 1);
      const row = id === undefined ? undefined : store.row(id);
      if (row !== undefined) totals.lastRead = Math.max(totals.lastRead ?? 0, timeOf(row.id) - row.behind);
    }
    return totals;
  };

  return {
    record,

    write(entry) {
      const seqs = seqsOf(entry);
      return seqs.length > MAX_NUMBERED_PER_TRANSACTION
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
      const day = Math.floor((timeOf(row) - existing.behind) / DAY_MS);
      tx.collect(totals, { day, grp: existing.grp, calls: count, records: 0, places: null });
    },

    refusedSince: (time) =>
      store
        .groups()
        .filter((group) => group.who_kind !== 'owner' && group.refused === 1)
        .flatMap((group) =>
          store.ids({ grp: group.id, after: rowAt(time) - 1, below: ROW_ID_LIMIT }, MAX_REFUSED_ROWS_PER_GROUP),
        )
        .flatMap((id) => {
          const row = store.row(id);
          const rowTime = row === undefined ? undefined : timeOf(id) - row.behind;
          if (row === undefined || rowTime === undefined || rowTime < time) return [];
          const { who, action, status, reason, consent, endpoints, address } = requestOf(row);
          return [{ row: id, time: rowTime, who, action, status, reason: reason ?? '', consent, endpoints, address }];
        }),

    async list(filter) {
      const recordNumber = filter.record === undefined ? undefined : recordNumbers.find(filter.record);
      if (filter.record !== undefined && recordNumber === undefined) return { rows: [], next: null };
      const take = Math.min(filter.take, MAX_PAGE_ROWS);
      const from = filter.from ?? 0;
      const to = filter.to ?? Number.MAX_SAFE_INTEGER;
      // A row id never encodes a time before that of its request. It can be later, by at most `maxClockLag`.
      const range = {
        after: Math.max(0, rowAt(from) - 1),
        below: Math.min(
          filter.before ?? ROW_ID_LIMIT,
          filter.to === undefined ? ROW_ID_LIMIT : rowAt(to + 1 + maxClockLag),
        ),
      };
      const groups = store.groups().filter((group) => matches(group, filter));
      const timeOfRow = (row: Row): number => timeOf(row.id) - row.behind;
      const isInTimeRange = (id: number): boolean => {
        // If the clock never went back, the range of row ids is exactly the time range.
        if (maxClockLag === 0 || (filter.from ?? filter.to) === undefined) return true;
        const row = store.row(id);
        return row !== undefined && from <= timeOfRow(row) && timeOfRow(row) <= to;
      };
      const ids = await search.newest(
        groups.map((group) => group.id),
        range,
        { count: take + 1, recordNumber, isMatch: isInTimeRange },
      );
      const rows = ids.slice(0, take).flatMap((id) => {
        const row = store.row(id);
        return row === undefined ? [] : [toWire(row)];
      });
      return { rows, next: ids.length > take ? (rows.at(-1)?.id ?? null) : null };
    },

    records(id, { skip, take }) {
      const row = store.row(id);
      if (row === undefined) throw new Failure('not_found', 'The access log has no such entry.');
      const packed = store.placesOf(id);
      if (packed === null) return { total: 0, records: [] };
      const [, , , , , , endpoints] = shapes.read(row.shape);
      const onlyEndpoint = endpoints.length === 1 ? endpoints[0] : undefined;
      const records = numbersIn(packed, skip, take).flatMap((number) => {
        const record = recordNumbers.describe(number);
        return record === undefined ? [] : [{ ...record, endpoint: record.endpoint ?? onlyEndpoint ?? null }];
      });
      return { total: countNumbers(unpack(packed)), records };
    },

    days(count) {
      const groups = new Map(store.groups().map((group) => [group.id, group]));
      const daysByCaller = new Map<string, LedgerDay>();
      for (const { day, grp, calls, records } of store.days(Math.floor(clock.now() / DAY_MS) - count + 1)) {
        const group = groups.get(grp);
        if (group === undefined) continue;
        const key = `${day} ${group.who_kind} ${group.who_name}`;
        const entry = daysByCaller.get(key) ?? {
          day: isoTime(day * DAY_MS).slice(0, 10),
          who: partyOf(group),
          calls: 0,
          refused: 0,
          records: 0,
        };
        daysByCaller.set(key, entry);
        entry.calls += calls;
        if (group.refused === 1) entry.refused += calls;
        else if (group.reads === 1) entry.records += records;
      }
      return [...daysByCaller.values()];
    },

    ofDebit: (key) =>
      summary(store.groups().filter((group) => group.consent_kind === 'debit' && group.consent_name === key)),
    ofApplication: (id) =>
      summary(store.groups().filter((group) => group.who_kind === 'application' && group.who_name === id)),

    ofContract(id) {
      const totals: ContractCalls = { lastUsed: null, reads: 0, writes: 0, refused: 0 };
      for (const group of store.groups()) {
        if (group.who_kind !== 'contract' || group.who_name !== id) continue;
        totals[group.refused === 1 ? 'refused' : group.reads === 1 ? 'reads' : 'writes'] += group.calls;
        const [newest] = group.refused === 1 ? [] : store.ids({ grp: group.id, after: 0, below: ROW_ID_LIMIT }, 1);
        const row = newest === undefined ? undefined : store.row(newest);
        if (row !== undefined) totals.lastUsed = Math.max(totals.lastUsed ?? 0, timeOf(row.id) - row.behind);
      }
      return totals;
    },

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
        const recordsHash = hash('sha256', store.placesOf(id) ?? '', 'base64');
        return [{ row: id, debit, permission, records, recordsHash }];
      });
      return { upTo: rows.at(-1)?.id ?? after, reads };
    },
    newest: () => store.newest(),
    seqsOf(row, { skip, take }) {
      const packed = store.placesOf(row);
      if (packed === null) return [];
      return numbersIn(packed, skip, take).flatMap((number) => store.byRecordNumber(number)?.seq ?? []);
    },

    close: () => notifier.close(),
  };
};
