import type { Database, Transaction } from '../storage/index.ts';
import { equalJson, fingerprint } from './fingerprint.ts';
import type { RecordRow, RecordStore } from './store.ts';

/**
 * Finds records that are equal as JSON values. Nobody pays for it who does not ask: fingerprints of an endpoint are made when
 * they are first needed, kept up from then on by catching up before each use, and hold up to a seq that the endpoint remembers.
 */
export type FingerprintStore = ReturnType<typeof createFingerprintStore>;

export const createFingerprintStore = (db: Database, records: RecordStore) => {
  const reached = db.prepare<[number], number | null>('SELECT fingerprinted_to FROM endpoints WHERE id = ?').pluck();
  const setReached = db.prepare('UPDATE endpoints SET fingerprinted_to = ? WHERE id = ?');
  const add = db.prepare('INSERT OR IGNORE INTO fingerprints (endpoint, fingerprint, seq) VALUES (?, ?, ?)');
  const drop = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq = ?');
  const candidates = db
    .prepare<[number, number, number], number>(
      'SELECT seq FROM fingerprints WHERE endpoint = ? AND fingerprint = ? AND seq <= ?',
    )
    .pluck();
  const candidatesOf = db
    .prepare<[number, number, number, number], number>(
      `SELECT seq FROM fingerprints JOIN records USING (seq)
       WHERE fingerprints.endpoint = ? AND fingerprint = ? AND seq <= ? AND records.origin = ?`,
    )
    .pluck();

  const covers = (endpoint: number, seq: number): boolean => seq <= (reached.get(endpoint) ?? -1);

  return {
    /** Makes the next `count` fingerprints. Returns whether more are missing. */
    catchUp(tx: Transaction, endpoint: number, count: number): boolean {
      void tx;
      const rows = records.chunk(endpoint, reached.get(endpoint) ?? -1, count);
      const last = rows.at(-1);
      if (last === undefined) {
        if ((reached.get(endpoint) ?? null) === null) setReached.run(0, endpoint);
        return false;
      }
      for (const row of rows) add.run(endpoint, fingerprint(row.data), row.seq);
      setReached.run(last.seq, endpoint);
      return rows.length === count;
    },

    /**
     * Whether a record equal to this one, and of this origin if one is named, is at the endpoint, at or before `upTo`. Caught up
     * first, within the same transaction.
     */
    hasEqual(endpoint: number, data: string, upTo: number, origin?: number): boolean {
      const print = fingerprint(data);
      const found =
        origin === undefined
          ? candidates.iterate(endpoint, print, upTo)
          : candidatesOf.iterate(endpoint, print, upTo, origin);
      for (const seq of found) {
        const row = records.bySeq(seq);
        if (row !== undefined && equalJson(row.data, data)) return true;
      }
      return false;
    },

    changed(tx: Transaction, before: RecordRow, data: string): void {
      void tx;
      if (!covers(before.endpoint, before.seq)) return;
      drop.run(before.endpoint, fingerprint(before.data), before.seq);
      add.run(before.endpoint, fingerprint(data), before.seq);
    },

    removed(tx: Transaction, row: RecordRow): void {
      void tx;
      if (covers(row.endpoint, row.seq)) drop.run(row.endpoint, fingerprint(row.data), row.seq);
    },

    /** A record came back to a place that may lie before what is covered. */
    restored(tx: Transaction, row: RecordRow): void {
      void tx;
      if (covers(row.endpoint, row.seq)) add.run(row.endpoint, fingerprint(row.data), row.seq);
    },
  };
};
