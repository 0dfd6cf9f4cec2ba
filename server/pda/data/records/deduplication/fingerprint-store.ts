import { digestJson } from '../../../../platform/json/canonical.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../../wire/work-limits.ts';
import type { Database, Transaction } from '../../../storage/index.ts';
import { fingerprintOf, isLargeJson, toComparedValue, type ComparedValue } from './fingerprint.ts';
import { workOfChars } from './time-slices.ts';
import { takeUpTo } from '../rules.ts';
import type { RecordRow } from '../store.ts';

/**
 * Index of records by the fingerprint of their JSON value. The index of an endpoint is built when it is first needed.
 * It covers records up to a sequence number that is stored with the endpoint, and must catch up with newer records
 * before each use.
 *
 * Threads compute the digests of large records (index-builder.ts). A digest is stored until its record changes or is
 * deleted. A large record without a digest is pending if the index covers it, or after `addPending`. It must get its
 * digest before the index is used.
 */
export type FingerprintStore = ReturnType<typeof createFingerprintStore>;

/** Characters of small records that one step adds to the index. The record that reaches the limit is included. */
const CATCH_UP_MAX_CHARS = 100_000;
const CATCH_UP_MAX_RECORDS = 500;
const SEARCH_PAGE_ENTRIES = 100;
const PENDING_PAGE_RECORDS = 100;

export type SearchScope = {
  endpoint: number;
  /** Only records of this origin; undefined: all records of the endpoint. */
  origin: number | undefined;
};

export type UndigestedRecord = { seq: number; bytes: number };

export type ComputedDigest = {
  /** Row of `record_digests` that was read together with the record's data. */
  id: number;
  digest: string;
};

type PendingRange = SearchScope & { after: number; upTo: number };

/** Tracks which fingerprints of a set were added to an index, or removed from it, since the watch began. */
export type FingerprintWatch = {
  readonly scope: SearchScope;
  /** Fingerprints that were added or removed. The caller deletes the fingerprints that it has processed. */
  readonly changed: Set<number>;
  /** True if the whole endpoint was deleted, restored or merged. `changed` does not contain this change. */
  readonly isStale: boolean;
  stop(): void;
};

type RecordEntry = Pick<RecordRow, 'seq' | 'endpoint' | 'origin'>;

/** `data` is NULL if the record is large. */
const SMALL_DATA = `CASE WHEN octet_length(data) <= ${COMPARED_ON_MAIN_THREAD_MAX_BYTES} THEN data END AS data`;

export const createFingerprintStore = (db: Database) => {
  const selectCoveredUpTo = db
    .prepare<[number], number | null>('SELECT fingerprinted_to FROM endpoints WHERE id = ?')
    .pluck();
  const setCoveredUpTo = db.prepare('UPDATE endpoints SET fingerprinted_to = ? WHERE id = ?');
  const insertEntry = db.prepare('INSERT OR IGNORE INTO fingerprints (endpoint, fingerprint, seq) VALUES (?, ?, ?)');
  const deleteEntry = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq = ?');
  const selectCandidates = db
    .prepare<[number, number, number], number>(
      'SELECT seq FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq <= ?',
    )
    .pluck();
  const selectNewestCandidates = db.prepare<[number, number, number, number], { seq: number; origin: number | null }>(
    `SELECT seq, (SELECT origin FROM records WHERE records.seq = fingerprints.seq) AS origin FROM fingerprints
     WHERE endpoint = ? AND fingerprint = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const selectRowsAfter = db.prepare<[number, number, number], RecordEntry & { data: string | null }>(
    `SELECT seq, endpoint, origin, ${SMALL_DATA} FROM records WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const selectUncovered = db
    .prepare<[number, number, number], number>(
      'SELECT 1 FROM records WHERE endpoint = ? AND seq > ? AND seq <= ? LIMIT 1',
    )
    .pluck();
  const selectData = db.prepare<[number, number], { data: string | null }>(
    `SELECT ${SMALL_DATA} FROM records WHERE seq = ? AND endpoint = ?`,
  );
  const selectRecord = db.prepare<[number], RecordEntry>('SELECT seq, endpoint, origin FROM records WHERE seq = ?');
  const selectDigest = db.prepare<[number], string | null>('SELECT digest FROM record_digests WHERE seq = ?').pluck();
  const insertPending = db.prepare('INSERT OR IGNORE INTO record_digests (seq, endpoint, origin) VALUES (?, ?, ?)');
  const insertAllPending = db.prepare(
    `INSERT OR IGNORE INTO record_digests (seq, endpoint, origin)
     SELECT seq, endpoint, origin FROM records WHERE seq IN (SELECT value FROM json_each(?))`,
  );
  const setDigest = db
    .prepare<[string, number], number>(
      'UPDATE record_digests SET digest = ? WHERE id = ? AND digest IS NULL RETURNING seq',
    )
    .pluck();
  const deleteDigest = db.prepare('DELETE FROM record_digests WHERE seq = ?');
  const selectPendingIn = (scope: string) =>
    db.prepare<[PendingRange & { take: number }], UndigestedRecord>(
      `SELECT pending.seq, octet_length(data) AS bytes FROM record_digests AS pending
       JOIN records ON records.seq = pending.seq
       WHERE ${scope} AND digest IS NULL AND pending.seq > :after AND pending.seq <= :upTo
       ORDER BY pending.seq LIMIT :take`,
    );
  const selectPending = selectPendingIn('pending.endpoint = :endpoint');
  const selectPendingOfOrigin = selectPendingIn('pending.endpoint = :endpoint AND pending.origin = :origin');
  const selectUndigested = db.prepare<[string], UndigestedRecord>(
    `SELECT records.seq, octet_length(data) AS bytes FROM records
     LEFT JOIN record_digests ON record_digests.seq = records.seq
     WHERE records.seq IN (SELECT value FROM json_each(?)) AND digest IS NULL
       AND octet_length(data) > ${COMPARED_ON_MAIN_THREAD_MAX_BYTES}`,
  );

  type Watch = FingerprintWatch & { fingerprints: { has(fingerprint: number): boolean }; isStale: boolean };
  const watches = new Set<Watch>();

  const pendingIn = (range: PendingRange, take: number): UndigestedRecord[] =>
    (range.origin === undefined ? selectPending : selectPendingOfOrigin).all({ ...range, take });

  const reportChange = ({ endpoint, origin }: RecordEntry, fingerprint: number): void => {
    for (const { scope, fingerprints, changed } of watches) {
      const isInScope = scope.endpoint === endpoint && (scope.origin === undefined || scope.origin === origin);
      if (isInScope && fingerprints.has(fingerprint)) changed.add(fingerprint);
    }
  };

  const addEntry = (row: RecordEntry, digest: string): void => {
    const fingerprint = fingerprintOf(digest);
    insertEntry.run(row.endpoint, fingerprint, row.seq);
    reportChange(row, fingerprint);
  };

  /** A large record without a digest becomes pending. @param data null if the record is large */
  const addRecord = (row: RecordEntry, data: string | null): void => {
    const digest = data === null ? (selectDigest.get(row.seq) ?? null) : digestJson(data);
    if (digest === null) insertPending.run(row.seq, row.endpoint, row.origin);
    else addEntry(row, digest);
  };

  const smallDataOf = (data: string): string | null => (isLargeJson(data) ? null : data);

  /** Returns undefined if the record is large and its digest is missing. */
  const valueOf = ({ seq, data }: Pick<RecordRow, 'seq' | 'data'>): ComparedValue | undefined => {
    if (!isLargeJson(data)) return toComparedValue(data);
    const digest = selectDigest.get(seq) ?? undefined;
    return digest === undefined ? undefined : { digest, text: undefined };
  };

  const removeEntry = (row: RecordRow): void => {
    const value = valueOf(row);
    // A pending record has no entry.
    if (value === undefined) return;
    const fingerprint = fingerprintOf(value.digest);
    deleteEntry.run(row.endpoint, fingerprint, row.seq);
    reportChange(row, fingerprint);
  };

  const isEqual = (seq: number, data: string | null, { digest, text }: ComparedValue): boolean =>
    data === null ? selectDigest.get(seq) === digest : data === text || digestJson(data) === digest;

  const covers = (endpoint: number, seq: number): boolean => seq <= (selectCoveredUpTo.get(endpoint) ?? -1);

  return {
    hasIndex: (endpoint: number): boolean => (selectCoveredUpTo.get(endpoint) ?? null) !== null,

    covers,

    valueOf,

    /** Adds the next records to the index. Returns the units of work; 0 if the index lacks only pending records. */
    catchUp(_tx: Transaction, endpoint: number): number {
      const coveredUpTo = selectCoveredUpTo.get(endpoint) ?? -1;
      const nextRows = selectRowsAfter.iterate(endpoint, coveredUpTo, CATCH_UP_MAX_RECORDS);
      const rows = takeUpTo(nextRows, ({ data }) => data?.length ?? 0, CATCH_UP_MAX_CHARS);
      const last = rows.at(-1);
      if (last === undefined) {
        if (coveredUpTo === -1) setCoveredUpTo.run(0, endpoint);
        return 0;
      }
      for (const row of rows) addRecord(row, row.data);
      setCoveredUpTo.run(last.seq, endpoint);
      return rows.reduce((work, { data }) => work + workOfChars(data?.length ?? 0), 0);
    },

    hasPending: (scope: SearchScope): boolean =>
      pendingIn({ ...scope, after: -1, upTo: Number.MAX_SAFE_INTEGER }, 1).length > 0,

    isComplete: (endpoint: number, upTo: number): boolean =>
      selectUncovered.get(endpoint, selectCoveredUpTo.get(endpoint) ?? -1, upTo) === undefined &&
      pendingIn({ endpoint, origin: undefined, after: -1, upTo }, 1).length === 0,

    pendingRecords: (range: PendingRange): UndigestedRecord[] => pendingIn(range, PENDING_PAGE_RECORDS),

    undigestedRecords: (seqs: readonly number[]): UndigestedRecord[] => selectUndigested.all(JSON.stringify(seqs)),

    /** Makes large records pending, whether or not an index covers them. */
    addPending: (_tx: Transaction, seqs: readonly number[]) => void insertAllPending.run(JSON.stringify(seqs)),

    /**
     * Stores the digest of a large record. Returns false, and stores nothing, if the record has been changed, deleted
     * or given its digest since it was read.
     */
    storeDigest(_tx: Transaction, { id, digest }: ComputedDigest): boolean {
      const seq = setDigest.get(digest, id);
      const row = seq === undefined ? undefined : selectRecord.get(seq);
      if (row !== undefined && covers(row.endpoint, row.seq)) addEntry(row, digest);
      return seq !== undefined;
    },

    /**
     * Returns the sequence number of a record with an equal value. The index must cover the records up to the sequence
     * number `upTo`, and none of them may be pending.
     */
    findEqual(endpoint: number, value: ComparedValue, upTo: number): number | undefined {
      for (const seq of selectCandidates.iterate(endpoint, fingerprintOf(value.digest), upTo)) {
        const row = selectData.get(seq, endpoint);
        if (row !== undefined && isEqual(seq, row.data, value)) return seq;
      }
      return undefined;
    },

    /**
     * Returns true if there is a record with an equal value. Searches the newest first, and yields the units of work of
     * each step.
     */
    *search({ endpoint, origin }: SearchScope, value: ComparedValue): Generator<number, boolean, undefined> {
      const fingerprint = fingerprintOf(value.digest);
      let beforeSeq = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const page = selectNewestCandidates.all(endpoint, fingerprint, beforeSeq, SEARCH_PAGE_ENTRIES);
        for (const candidate of page) {
          if (origin !== undefined && candidate.origin !== origin) continue;
          const row = selectData.get(candidate.seq, endpoint);
          if (row === undefined) continue;
          yield workOfChars((row.data?.length ?? 0) + (value.text?.length ?? 0));
          if (isEqual(candidate.seq, row.data, value)) return true;
        }
        yield page.length + 1;
        const last = page.at(-1);
        if (last === undefined || page.length < SEARCH_PAGE_ENTRIES) return false;
        beforeSeq = last.seq;
      }
    },

    /** Starts a watch, which also reports changes of a transaction that is later rolled back. */
    watch(scope: SearchScope, fingerprints: { has(fingerprint: number): boolean }): FingerprintWatch {
      const watch: Watch = {
        scope,
        fingerprints,
        changed: new Set(),
        isStale: false,
        stop: () => watches.delete(watch),
      };
      watches.add(watch);
      return watch;
    },

    replaceRecord(_tx: Transaction, previous: RecordRow, data: string): void {
      const isCovered = covers(previous.endpoint, previous.seq);
      if (isCovered) removeEntry(previous);
      deleteDigest.run(previous.seq);
      if (isCovered) addRecord(previous, smallDataOf(data));
    },

    /**
     * Removes a record from the index of the endpoint in `row`. Call this after the record has been moved to
     * another endpoint, or before it is deleted, because its digest is deleted with it.
     */
    removeRecord(_tx: Transaction, row: RecordRow): void {
      if (covers(row.endpoint, row.seq)) removeEntry(row);
    },

    /** Adds a restored, moved or merged record if the index already covers its sequence number. */
    restoreRecord(_tx: Transaction, row: RecordRow): void {
      if (covers(row.endpoint, row.seq)) addRecord(row, smallDataOf(row.data));
    },

    /** Call this after an endpoint has been deleted, restored or merged as a whole. */
    invalidateWatches(_tx: Transaction, endpoint: number): void {
      for (const watch of watches) if (watch.scope.endpoint === endpoint) watch.isStale = true;
    },
  };
};
