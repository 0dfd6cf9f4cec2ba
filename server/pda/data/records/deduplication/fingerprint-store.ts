import type { Database, Transaction } from '../../../storage/index.ts';
import { workOfBytes } from './time-slices.ts';
import { equalJson, fingerprint } from './fingerprint.ts';
import type { RecordRow, RecordStore } from '../store.ts';

/**
 * Index of records by the fingerprint of their JSON value. It is built for an endpoint when it is first needed. It covers records up to a
 * sequence number that is stored with the endpoint, and has to catch up with newer ones before each use.
 */
export type FingerprintStore = ReturnType<typeof createFingerprintStore>;

/** Characters of the records that are added to the index in one step. A step ends with the record that reaches this limit. */
const CATCH_UP_MAX_CHARS = 200_000;
/** Records that are added to the index in one step. */
const CATCH_UP_MAX_RECORDS = 500;
/** Index entries that a search reads in one step. */
const SEARCH_PAGE_ENTRIES = 100;

/** Records that a search takes into account: those of one endpoint, and of one origin unless it is undefined. */
export type SearchScope = { endpoint: number; origin: number | undefined };

/** Tracks which fingerprints of a set were added to an index, or removed from it, since the watch began. */
export type FingerprintWatch = {
  readonly scope: SearchScope;
  /** Fingerprints that were added or removed. The caller deletes those that it has processed. */
  readonly changed: Set<number>;
  /** True if the endpoint was deleted or restored as a whole, which is not in `changed`. */
  readonly isStale: boolean;
  stop(): void;
};

export const createFingerprintStore = (db: Database, records: RecordStore) => {
  const coveredUpTo = db
    .prepare<[number], number | null>('SELECT fingerprinted_to FROM endpoints WHERE id = ?')
    .pluck();
  const setCoveredUpTo = db.prepare('UPDATE endpoints SET fingerprinted_to = ? WHERE id = ?');
  const add = db.prepare('INSERT OR IGNORE INTO fingerprints (endpoint, fingerprint, seq) VALUES (?, ?, ?)');
  const drop = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq = ?');
  const candidates = db
    .prepare<[number, number, number], number>(
      'SELECT seq FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq <= ?',
    )
    .pluck();
  const newestCandidates = db.prepare<[number, number, number, number], { seq: number; origin: number | null }>(
    `SELECT seq, (SELECT origin FROM records WHERE records.seq = fingerprints.seq) AS origin FROM fingerprints
     WHERE endpoint = ? AND fingerprint = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );

  type Watch = FingerprintWatch & { fingerprints: { has(fingerprint: number): boolean }; isStale: boolean };
  const watches = new Set<Watch>();

  const reportChange = ({ endpoint, origin }: RecordRow, hash: number): void => {
    for (const { scope, fingerprints, changed } of watches) {
      const inScope = scope.endpoint === endpoint && (scope.origin === undefined || scope.origin === origin);
      if (inScope && fingerprints.has(hash)) changed.add(hash);
    }
  };

  const addEntry = (row: RecordRow, data: string): void => {
    const hash = fingerprint(data);
    add.run(row.endpoint, hash, row.seq);
    reportChange(row, hash);
  };

  const removeEntry = (row: RecordRow): void => {
    const hash = fingerprint(row.data);
    drop.run(row.endpoint, hash, row.seq);
    reportChange(row, hash);
  };

  const covers = (endpoint: number, seq: number): boolean => seq <= (coveredUpTo.get(endpoint) ?? -1);

  return {
    /** Returns true if the index of an endpoint was ever built. */
    isBuilt: (endpoint: number): boolean => (coveredUpTo.get(endpoint) ?? null) !== null,

    /** Returns true if the index includes the records of an endpoint up to a sequence number. */
    covers,

    /** Adds the next records to the index. Returns the units of work; 0 if the index is complete. */
    catchUp(tx: Transaction, endpoint: number): number {
      void tx;
      const after = coveredUpTo.get(endpoint) ?? -1;
      const rows = records.chunk(endpoint, after, CATCH_UP_MAX_RECORDS, CATCH_UP_MAX_CHARS);
      const last = rows.at(-1);
      if (last === undefined) {
        if (after === -1) setCoveredUpTo.run(0, endpoint);
        return 0;
      }
      for (const row of rows) addEntry(row, row.data);
      setCoveredUpTo.run(last.seq, endpoint);
      return rows.reduce((work, row) => work + workOfBytes(row.data.length), 0);
    },

    /**
     * Returns true if a record with an equal value exists at the endpoint, at or before the sequence number `upTo`. The index must cover the
     * records up to `upTo`.
     */
    hasEqual(endpoint: number, data: string, upTo: number): boolean {
      for (const seq of candidates.iterate(endpoint, fingerprint(data), upTo)) {
        const row = records.bySeq(seq);
        if (row !== undefined && equalJson(row.data, data)) return true;
      }
      return false;
    },

    /**
     * Searches the index for a record with an equal value, newest first. Yields the units of work of each step, so that the caller can pause
     * between steps. Returns true if there is such a record.
     */
    *search({ endpoint, origin }: SearchScope, hash: number, data: string): Generator<number, boolean, undefined> {
      let before = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const page = newestCandidates.all(endpoint, hash, before, SEARCH_PAGE_ENTRIES);
        for (const candidate of page) {
          if (origin !== undefined && candidate.origin !== origin) continue;
          const row = records.bySeq(candidate.seq);
          if (row === undefined) continue;
          yield workOfBytes(row.data.length + data.length);
          if (equalJson(row.data, data)) return true;
        }
        yield page.length + 1;
        const last = page.at(-1);
        if (last === undefined || page.length < SEARCH_PAGE_ENTRIES) return false;
        before = last.seq;
      }
    },

    /** Watches the index for changes of some fingerprints. May also report changes of a transaction that is rolled back. */
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

    /** Updates the index after the data of a record was replaced. */
    recordChanged(tx: Transaction, before: RecordRow, data: string): void {
      void tx;
      if (!covers(before.endpoint, before.seq)) return;
      removeEntry(before);
      addEntry(before, data);
    },

    /** Updates the index after a record was deleted. */
    recordRemoved(tx: Transaction, row: RecordRow): void {
      void tx;
      if (covers(row.endpoint, row.seq)) removeEntry(row);
    },

    /** Updates the index after a record was restored, maybe at a sequence number that the index has already passed. */
    recordRestored(tx: Transaction, row: RecordRow): void {
      void tx;
      if (covers(row.endpoint, row.seq)) addEntry(row, row.data);
    },

    /** Invalidates watches after an endpoint was deleted or restored as a whole. */
    endpointReplaced(tx: Transaction, endpoint: number): void {
      void tx;
      for (const watch of watches) if (watch.scope.endpoint === endpoint) watch.isStale = true;
    },
  };
};
