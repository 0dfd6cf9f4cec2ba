import type { Database, Transaction } from '../../../storage/index.ts';
import { workOfBytes } from './time-slices.ts';
import { equalJson, fingerprint } from './fingerprint.ts';
import type { RecordRow, RecordStore } from '../store.ts';

/**
 * Index of records by the fingerprint of their JSON value. The index of an endpoint is built when it is first needed.
 * It covers records up to a sequence number that is stored with the endpoint, and must catch up with newer records
 * before each use.
 */
export type FingerprintStore = ReturnType<typeof createFingerprintStore>;

/** Characters of the records that are added to the index in one step. The record that reaches the limit ends a step. */
const CATCH_UP_MAX_CHARS = 200_000;
/** Maximum records that are added to the index in one step. */
const CATCH_UP_MAX_RECORDS = 500;
/** Index entries that a search reads in one step. */
const SEARCH_PAGE_ENTRIES = 100;

/** Records that a search compares: the records of one endpoint, and only of one origin if it is defined. */
export type SearchScope = { endpoint: number; origin: number | undefined };

/** Tracks which fingerprints of a set were added to an index, or removed from it, since the watch began. */
export type FingerprintWatch = {
  readonly scope: SearchScope;
  /** Fingerprints that were added or removed. The caller deletes the fingerprints that it has processed. */
  readonly changed: Set<number>;
  /** True if the whole endpoint was deleted or restored. `changed` does not contain this change. */
  readonly isStale: boolean;
  /** Ends the watch. */
  stop(): void;
};

export const createFingerprintStore = (db: Database, records: RecordStore) => {
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

  type Watch = FingerprintWatch & { fingerprints: { has(fingerprint: number): boolean }; isStale: boolean };
  const watches = new Set<Watch>();

  const reportChange = ({ endpoint, origin }: RecordRow, hash: number): void => {
    for (const { scope, fingerprints, changed } of watches) {
      const isInScope = scope.endpoint === endpoint && (scope.origin === undefined || scope.origin === origin);
      if (isInScope && fingerprints.has(hash)) changed.add(hash);
    }
  };

  const addEntry = (row: RecordRow, data: string): void => {
    const hash = fingerprint(data);
    insertEntry.run(row.endpoint, hash, row.seq);
    reportChange(row, hash);
  };

  const removeEntry = (row: RecordRow): void => {
    const hash = fingerprint(row.data);
    deleteEntry.run(row.endpoint, hash, row.seq);
    reportChange(row, hash);
  };

  const covers = (endpoint: number, seq: number): boolean => seq <= (selectCoveredUpTo.get(endpoint) ?? -1);

  return {
    /** Returns true if the index of an endpoint has been built. */
    isBuilt: (endpoint: number): boolean => (selectCoveredUpTo.get(endpoint) ?? null) !== null,

    /** Returns true if the index includes the records of an endpoint up to a sequence number. */
    covers,

    /** Adds the next records to the index. Returns the units of work; 0 if the index is complete. */
    catchUp(tx: Transaction, endpoint: number): number {
      void tx;
      const after = selectCoveredUpTo.get(endpoint) ?? -1;
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
     * Returns true if a record with an equal value exists at the endpoint, at or before the sequence number `upTo`. The
     * index must cover the records up to `upTo`.
     */
    hasEqual(endpoint: number, data: string, upTo: number): boolean {
      for (const seq of selectCandidates.iterate(endpoint, fingerprint(data), upTo)) {
        const row = records.bySeq(seq);
        if (row !== undefined && equalJson(row.data, data)) return true;
      }
      return false;
    },

    /**
     * Searches the index for a record with an equal value, newest first. Yields the units of work of each step, so that
     * the caller can pause between steps. Returns true if there is such a record.
     */
    *search({ endpoint, origin }: SearchScope, hash: number, data: string): Generator<number, boolean, undefined> {
      let before = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const page = selectNewestCandidates.all(endpoint, hash, before, SEARCH_PAGE_ENTRIES);
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

    /**
     * Watches the index for changes of these fingerprints. Also reports changes of a transaction that is later rolled
     * back.
     */
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
    recordChanged(tx: Transaction, previous: RecordRow, data: string): void {
      void tx;
      if (!covers(previous.endpoint, previous.seq)) return;
      removeEntry(previous);
      addEntry(previous, data);
    },

    /** Updates the index after a record was deleted. */
    recordRemoved(tx: Transaction, row: RecordRow): void {
      void tx;
      if (covers(row.endpoint, row.seq)) removeEntry(row);
    },

    /** Updates the index after a record was restored, whose sequence number the index may already cover. */
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
