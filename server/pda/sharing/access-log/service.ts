import { hash } from 'node:crypto';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { LedgerDay, LedgerFilter, LedgerPage, LedgerRecords, LedgerRow } from '../../../wire/ledger.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createAnnouncer } from './recording/notifier.ts';
import { createPlaces, type KnownRecords } from './entries/record-lookup.ts';
import { ascending, countRuns, pack, placesIn, rowAt, runsOf, timeOf, unpack, type Packed } from './rules.ts';
import { createSearch } from './entries/search.ts';
import { createShapes } from './entries/interning.ts';
import type { LedgerEntry, Party } from './entry.ts';
import type { GroupRow, LedgerStore, Row } from './store.ts';
import { ascendingInTurns } from './entries/cooperative-sort.ts';
import { createTotals } from './entries/totals.ts';

export type { KnownRecords } from './entries/record-lookup.ts';
export type { Consent, LedgerEntry, Party } from './entry.ts';

/** What the ledger says of one consent or application. Times are Unix milliseconds. */
export type LedgerSummary = { lastRead: number | null; reads: number; records: number; refused: number };

/** What the ledger says of the calls of a contract. Times are Unix milliseconds. */
export type ContractCalls = { lastUsed: number | null; reads: number; writes: number; refused: number };

/** A call that read values of a Data Debit: by which permission, and how many records. `same` is equal for calls that read the same records. */
export type DebitRead = { row: number; debit: string; permission: string; records: number; same: string };

/** The first of some refused calls that are counted together. */
export type RefusedRow = Pick<LedgerEntry, 'who' | 'action' | 'status' | 'consent' | 'address'> & {
  row: number;
  time: number;
  reason: string;
  endpoints: readonly string[];
};

export type LedgerService = {
  /** Writes a row within a transaction that another room leads. Returns its id. */
  record(tx: Transaction, entry: LedgerEntry): number;
  /** The same in the next transaction; resolves when it is on the disk. */
  write(entry: LedgerEntry): Promise<number>;
  /** Bytes of an answer that streamed, once it is over. */
  complete(row: number, bytes: number): Promise<void>;
  /** One row stands for more calls than it did, the last of them at that time. */
  addCount(tx: Transaction, row: number, count: number, last: number): void;
  /** Refused calls since a time, but for the owner's own. */
  refusedSince(time: number): RefusedRow[];
  list(filter: LedgerFilter): Promise<LedgerPage>;
  /** The records of one row. @throws Failure not_found */
  records(row: number, page: { skip: number; take: number }): LedgerRecords;
  /** Who called how often, for the last `days` days, today included. */
  days(days: number): LedgerDay[];
  /** Of the calls of `values` of a Data Debit. */
  ofDebit(key: string): LedgerSummary;
  ofApplication(id: string): LedgerSummary;
  ofContract(id: string): ContractCalls;
  /** Calls by which Data Debits were read after a row, in order, and up to which row was looked: `count` of all kinds at most. */
  debitReads(after: number, count: number): { upTo: number; reads: DebitRead[] };
  /** The newest row; 0 before the first. */
  newest(): number;
  /** Places (seq) of some of the records of a row. */
  seqsOf(row: number, page: { skip: number; take: number }): number[];
  close(): void;
};

export type LedgerParts = {
  store: LedgerStore;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  clock: Clock;
  records: KnownRecords;
};

/** Rows of one page, however many are asked for: a page must not take long. */
const MAX_PAGE = 100;
/** Above every row. */
const NO_ROW = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;
/** Records that get their numbers in one transaction. */
const NUMBERED_AT_ONCE = 1000;

const toParty = (kind: Party['kind'], name: string, person = ''): Party =>
  kind === 'user' ? { kind, name, person } : { kind, name };

/** The records of a call, in any order. */
const seqsOf = ({ records }: LedgerEntry): readonly number[] => {
  const [first = [], ...others] = records.values();
  return others.length === 0 ? first : [first, ...others].flat();
};

export const createLedgerService = (parts: LedgerParts): LedgerService => {
  const { store, writer, events, clock } = parts;
  const places = createPlaces(parts);
  const search = createSearch(store);
  const announcer = createAnnouncer({ events, writer });
  let newest = store.newest();
  let furthestBehind = store.furthestBehind();

  const shapes = createShapes(store);
  const totals = createTotals({ store, announce: announcer.news });

  const insert = (tx: Transaction, entry: LedgerEntry, packed: Packed | null, named: number): number => {
    const time = entry.time ?? clock.now();
    const count = entry.count ?? 1;
    newest = Math.max(newest + 1, rowAt(clock.now()));
    const behind = Math.max(0, timeOf(newest) - time);
    furthestBehind = Math.max(furthestBehind, behind);
    const grp = shapes.groupOf(tx, entry, packed !== null);
    const records = named + (entry.unnamed ?? 0);
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

  // In the order of creation new records get their numbers.
  const record = (tx: Transaction, entry: LedgerEntry): number => {
    const seqs = ascending(seqsOf(entry));
    return insert(tx, entry, seqs.length === 0 ? null : places.packed(tx, seqs, entry.gone), seqs.length);
  };

  /** Assigns numbers to a large set in slices, so that other requests are not delayed, then writes the row. */
  const writeLarge = async (entry: LedgerEntry, given: readonly number[]): Promise<number> => {
    const seqs = await ascendingInTurns(given);
    const numbers: number[] = [];
    for (let at = 0; at < seqs.length; at += NUMBERED_AT_ONCE) {
      const some = seqs.slice(at, at + NUMBERED_AT_ONCE);
      for (const number of await writer.write((tx) => places.numbers(tx, some, entry.gone))) numbers.push(number);
    }
    const packed = pack(runsOf(await ascendingInTurns(numbers)));
    return writer.write((tx) => insert(tx, entry, packed, numbers.length));
  };

  const matches = (group: GroupRow, filter: LedgerFilter): boolean => {
    const { application, debit, contract, user, outcome } = filter;
    if (filter.function !== undefined && !(group.who_kind === 'function' && group.who_name === filter.function))
      return false;
    if (application !== undefined && !(group.who_kind === 'application' && group.who_name === application))
      return false;
    if (user !== undefined && !(group.who_kind === 'user' && group.who_name === user)) return false;
    if (debit !== undefined && !(group.consent_kind === 'debit' && group.consent_name === debit)) return false;
    if (
      contract !== undefined &&
      !(group.who_kind === 'contract' && group.who_name === contract) &&
      !(group.consent_kind === 'contract' && group.consent_name === contract)
    )
      return false;
    if (filter.record !== undefined && group.holds === 0) return false;
    return outcome === undefined || (outcome === 'refused') === (group.refused === 1);
  };

  const callOf = (row: Row) => {
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
    const { who, action, status, reason, consent, endpoints, fields, address } = callOf(row);
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

  /** Of a user, what they were called last. */
  const partyOf = ({ who_kind, who_name }: GroupRow): Party => {
    if (who_kind !== 'user') return toParty(who_kind as Party['kind'], who_name);
    const theirs = store.groups().filter((group) => group.who_kind === who_kind && group.who_name === who_name);
    const ids = theirs.flatMap(({ id }) => store.ids({ grp: id, after: 0, below: NO_ROW }, 1));
    const row = store.row(Math.max(...ids));
    return row === undefined ? toParty(who_kind, who_name) : callOf(row).who;
  };

  const summary = (groups: readonly GroupRow[]): LedgerSummary => {
    const found: LedgerSummary = { lastRead: null, reads: 0, records: 0, refused: 0 };
    for (const group of groups) {
      if (group.refused === 1) found.refused += group.calls;
      if (group.refused === 1 || group.reads === 0) continue;
      found.reads += group.calls;
      found.records += group.records;
      const [id] = store.ids({ grp: group.id, after: 0, below: NO_ROW }, 1);
      const row = id === undefined ? undefined : store.row(id);
      if (row !== undefined) found.lastRead = Math.max(found.lastRead ?? 0, timeOf(row.id) - row.behind);
    }
    return found;
  };

  return {
    record,

    write(entry) {
      const seqs = seqsOf(entry);
      return seqs.length > NUMBERED_AT_ONCE ? writeLarge(entry, seqs) : writer.write((tx) => record(tx, entry));
    },

    complete: (row, bytes) =>
      writer.write((tx) => {
        store.setBytes(tx, row, bytes);
        announcer.news(tx);
      }),

    addCount(tx, row, count, last) {
      const known = store.row(row);
      if (known === undefined) return;
      store.addCount(tx, row, count, last);
      const day = Math.floor((timeOf(row) - known.behind) / DAY_MS);
      tx.collect(totals, { day, grp: known.grp, calls: count, records: 0, places: null });
    },

    refusedSince: (time) =>
      store
        .groups()
        .filter((group) => group.who_kind !== 'owner' && group.refused === 1)
        .flatMap((group) => store.ids({ grp: group.id, after: rowAt(time) - 1, below: NO_ROW }, 1000))
        .flatMap((id) => {
          const row = store.row(id);
          const since = row === undefined ? undefined : timeOf(id) - row.behind;
          if (row === undefined || since === undefined || since < time) return [];
          const { who, action, status, reason, consent, endpoints, address } = callOf(row);
          return [{ row: id, time: since, who, action, status, reason: reason ?? '', consent, endpoints, address }];
        }),

    async list(filter) {
      const place = filter.record === undefined ? undefined : places.find(filter.record);
      if (filter.record !== undefined && place === undefined) return { rows: [], next: null };
      const take = Math.min(filter.take, MAX_PAGE);
      const from = filter.from ?? 0;
      const to = filter.to ?? Number.MAX_SAFE_INTEGER;
      // A row is never before its time; by how much it can be after, is known.
      const range = {
        after: Math.max(0, rowAt(from) - 1),
        below: Math.min(filter.before ?? NO_ROW, filter.to === undefined ? NO_ROW : rowAt(to + 1 + furthestBehind)),
      };
      const groups = store.groups().filter((group) => matches(group, filter));
      const timeOfRow = (row: Row): number => timeOf(row.id) - row.behind;
      const fits = (id: number): boolean => {
        // Where the clock never went back, the stretch of rows is the stretch of time.
        if (furthestBehind === 0 || (filter.from ?? filter.to) === undefined) return true;
        const row = store.row(id);
        return row !== undefined && from <= timeOfRow(row) && timeOfRow(row) <= to;
      };
      const ids = await search.newest(
        groups.map((group) => group.id),
        range,
        { count: take + 1, place, fits },
      );
      const rows = ids.slice(0, take).flatMap((id) => {
        const row = store.row(id);
        return row === undefined ? [] : [toWire(row)];
      });
      return { rows, next: ids.length > take ? (rows.at(-1)?.id ?? null) : null };
    },

    records(id, { skip, take }) {
      const row = store.row(id);
      if (row === undefined) throw new Failure('not_found', 'The ledger has no such row.');
      const packed = store.placesOf(id);
      if (packed === null) return { total: 0, records: [] };
      const [, , , , , , endpoints] = shapes.read(row.shape);
      const only = endpoints.length === 1 ? endpoints[0] : undefined;
      const records = placesIn(packed, skip, take).flatMap((place) => {
        const found = places.describe(place);
        return found === undefined ? [] : [{ ...found, endpoint: found.endpoint ?? only ?? null }];
      });
      return { total: countRuns(unpack(packed)), records };
    },

    days(count) {
      const groups = new Map(store.groups().map((group) => [group.id, group]));
      const found = new Map<string, LedgerDay>();
      for (const { day, grp, calls, records } of store.days(Math.floor(clock.now() / DAY_MS) - count + 1)) {
        const group = groups.get(grp);
        if (group === undefined) continue;
        const key = `${day} ${group.who_kind} ${group.who_name}`;
        const entry = found.get(key) ?? {
          day: isoTime(day * DAY_MS).slice(0, 10),
          who: partyOf(group),
          calls: 0,
          refused: 0,
          records: 0,
        };
        found.set(key, entry);
        entry.calls += calls;
        if (group.refused === 1) entry.refused += calls;
        else if (group.reads === 1) entry.records += records;
      }
      return [...found.values()];
    },

    ofDebit: (key) =>
      summary(store.groups().filter((group) => group.consent_kind === 'debit' && group.consent_name === key)),
    ofApplication: (id) =>
      summary(store.groups().filter((group) => group.who_kind === 'application' && group.who_name === id)),

    ofContract(id) {
      const found: ContractCalls = { lastUsed: null, reads: 0, writes: 0, refused: 0 };
      for (const group of store.groups()) {
        if (group.who_kind !== 'contract' || group.who_name !== id) continue;
        found[group.refused === 1 ? 'refused' : group.reads === 1 ? 'reads' : 'writes'] += group.calls;
        const [newest] = group.refused === 1 ? [] : store.ids({ grp: group.id, after: 0, below: NO_ROW }, 1);
        const row = newest === undefined ? undefined : store.row(newest);
        if (row !== undefined) found.lastUsed = Math.max(found.lastUsed ?? 0, timeOf(row.id) - row.behind);
      }
      return found;
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
        const same = hash('sha256', store.placesOf(id) ?? '', 'base64');
        return [{ row: id, debit, permission, records, same }];
      });
      return { upTo: rows.at(-1)?.id ?? after, reads };
    },
    newest: () => store.newest(),
    seqsOf(row, { skip, take }) {
      const packed = store.placesOf(row);
      if (packed === null) return [];
      return placesIn(packed, skip, take).flatMap((place) => store.byPlace(place)?.seq ?? []);
    },

    close: () => announcer.close(),
  };
};
