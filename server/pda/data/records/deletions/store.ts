import type { Database, Transaction } from '../../../storage/index.ts';
import { EXCERPT_SOURCE_MAX_BYTES } from '../../../../wire/limits.ts';
import type { RecordRow } from '../store.ts';
import { createUsageStore } from '../../../core/usage-store.ts';

/** A row of the table `deletions`. `path` and `endpoint` are null for a deletion of single records. */
export type DeletionRow = { id: string; path: string | null; endpoint: number | null; records: number; time: number };
/** A deleted record that can be restored. */
export type DeletedRow = Omit<RecordRow, 'endpoint'> & { path: string };

/** Value of the column `deletion` of an endpoint that cannot be restored. Its rows are purged as soon as possible. */
export const PERMANENT = 'for good';

export type DeletionStore = ReturnType<typeof createDeletionStore>;

/** A deleted record in a list, without its data. `excerptSource` is null for a large record. */
export type DeletedHead = {
  seq: number;
  id: string;
  path: string;
  created: number;
  bytes: number;
  excerptSource: string | null;
};

export const createDeletionStore = (db: Database) => {
  const usage = createUsageStore(db);
  const insert = db.prepare('INSERT INTO deletions (id, path, endpoint, records, time) VALUES (?, ?, ?, ?, ?)');
  const addRecord = db.prepare(
    'INSERT INTO deleted_records (deletion, seq, id, path, origin, created, updated, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const find = db.prepare<[string], DeletionRow>(
    'SELECT id, path, endpoint, records, time FROM deletions WHERE id = ?',
  );
  const list = db.prepare<[{ since: number; skip: number; take: number }], DeletionRow>(
    'SELECT id, path, endpoint, records, time FROM deletions WHERE time >= :since ORDER BY time DESC, id LIMIT :take OFFSET :skip',
  );
  // octet_length only reads the header of a row. length would load the text of a large record.
  const head = `octet_length(data) AS bytes, CASE WHEN octet_length(data) <= ${EXCERPT_SOURCE_MAX_BYTES} THEN data END AS excerptSource`;
  const recordHeads = db.prepare<[string, number, number], DeletedHead>(
    `SELECT seq, id, path, created, ${head} FROM deleted_records WHERE deletion = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const endpointHeads = db.prepare<[string, number, number, number], DeletedHead>(
    `SELECT seq, id, ? AS path, created, ${head} FROM records WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const findDeleted = db.prepare<[string, number], DeletedRow>(
    'SELECT seq, id, path, origin, created, updated, data FROM deleted_records WHERE deletion = ? AND seq = ?',
  );
  const findHidden = db.prepare<[string, number, number], DeletedRow>(
    'SELECT seq, id, ? AS path, origin, created, updated, data FROM records WHERE endpoint = ? AND seq = ?',
  );
  const removeDeleted = db.prepare('DELETE FROM deleted_records WHERE deletion = ? AND seq = ?');
  const moveRecord = db.prepare('UPDATE records SET endpoint = ? WHERE seq = ?');
  const removeFingerprint = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND seq = ?');
  const subtractCounts = db.prepare('UPDATE endpoints SET records = records - 1, bytes = bytes - ? WHERE id = ?');
  const moveSomeKeys = db.prepare(
    'UPDATE OR REPLACE import_keys SET endpoint = :into WHERE endpoint = :from AND seq IN (SELECT value FROM json_each(:seqs))',
  );
  const setLeft = db.prepare('UPDATE deletions SET records = ? WHERE id = ?');
  const deletedSeqs = db
    .prepare<[string], number>('SELECT seq FROM deleted_records WHERE deletion = ? ORDER BY seq')
    .pluck();
  const forget = db.prepare('DELETE FROM deletions WHERE id = ?');
  const removeAllDeleted = db.prepare('DELETE FROM deleted_records WHERE deletion = ?');
  const expired = db.prepare<[number], DeletionRow>(
    'SELECT id, path, endpoint, records, time FROM deletions WHERE time < ? LIMIT 50',
  );
  const markPermanent = db.prepare(`UPDATE endpoints SET deletion = '${PERMANENT}' WHERE id = ?`);
  const purgeableEndpoints = db
    .prepare<[], number>(`SELECT id FROM endpoints WHERE path IS NULL AND deletion = '${PERMANENT}' LIMIT 10`)
    .pluck();
  const purge = db.prepare('DELETE FROM records WHERE seq IN (SELECT seq FROM records WHERE endpoint = ? LIMIT ?)');
  const purgeFingerprints = db.prepare(
    `DELETE FROM fingerprints WHERE endpoint = :endpoint AND (fingerprint, seq) IN
      (SELECT fingerprint, seq FROM fingerprints WHERE endpoint = :endpoint LIMIT :count)`,
  );
  const purgeKeys = db.prepare(
    `DELETE FROM import_keys WHERE endpoint = :endpoint AND key IN
      (SELECT key FROM import_keys WHERE endpoint = :endpoint LIMIT :count)`,
  );
  const heads = db.prepare<[number], { seq: number; id: string }>('SELECT seq, id FROM records WHERE endpoint = ?');
  const newestIn = db.prepare<[number], number | null>('SELECT max(seq) FROM records WHERE endpoint = ?').pluck();
  const dropEndpoint = db.prepare('DELETE FROM endpoints WHERE id = ?');
  const moveRecords = db.prepare('UPDATE records SET endpoint = ? WHERE endpoint = ?');
  const mergeCounts = db.prepare(
    `UPDATE endpoints SET records = endpoints.records + other.records, bytes = endpoints.bytes + other.bytes,
       last_created = coalesce(other.last_created, endpoints.last_created), last_change = other.last_change, fingerprinted_to = NULL
     FROM (SELECT * FROM endpoints WHERE id = :from) AS other WHERE endpoints.id = :into`,
  );
  const moveKeys = db.prepare('UPDATE OR REPLACE import_keys SET endpoint = ? WHERE endpoint = ?');
  const clearFingerprints = db.prepare('DELETE FROM fingerprints WHERE endpoint IN (?, ?)');

  return {
    insert(tx: Transaction, row: DeletionRow): void {
      void tx;
      insert.run(row.id, row.path, row.endpoint, row.records, row.time);
    },
    addRecord(tx: Transaction, deletion: string, row: DeletedRow): void {
      void tx;
      addRecord.run(deletion, row.seq, row.id, row.path, row.origin, row.created, row.updated, row.data);
    },
    find: (id: string): DeletionRow | undefined => find.get(id),
    /** Returns a page of the deletions since a time (milliseconds), newest first. */
    list: (page: { since: number; skip: number; take: number }): DeletionRow[] => list.all(page),
    /** Returns records of a deletion, after a sequence number. */
    recordsAfter: ({ id, path, endpoint }: DeletionRow, after: number, take: number): DeletedHead[] =>
      endpoint === null || path === null
        ? recordHeads.all(id, after, take)
        : endpointHeads.all(path, endpoint, after, take),
    /** Returns one record of a deletion; undefined if the deletion does not contain it. */
    findRecord: ({ id, path, endpoint }: DeletionRow, seq: number): DeletedRow | undefined =>
      endpoint === null || path === null ? findDeleted.get(id, seq) : findHidden.get(path, endpoint, seq),
    /** Removes a record from a deletion of single records. Its versions remain if the record was inserted again. */
    removeRecord(tx: Transaction, id: string, seq: number): void {
      void tx;
      removeDeleted.run(id, seq);
    },
    /** Moves a record from the deleted endpoint `from` to an endpoint with a path. */
    moveHidden(
      tx: Transaction,
      { seq, origin, data }: Pick<DeletedRow, 'seq' | 'origin' | 'data'>,
      { from, into }: { from: number; into: number },
    ): void {
      moveRecord.run(into, seq);
      removeFingerprint.run(from, seq);
      const bytes = Buffer.byteLength(data);
      subtractCounts.run(bytes, from);
      usage.addToDeleted(tx, { endpoint: from, origin, bytes: -bytes });
    },
    /** Moves the import keys of restored records to their new endpoint. */
    moveImportKeys(tx: Transaction, from: number, into: number, seqs: readonly number[]): void {
      void tx;
      moveSomeKeys.run({ from, into, seqs: JSON.stringify(seqs) });
    },
    /** Sets the number of records that can still be restored. */
    setLeft(tx: Transaction, id: string, records: number): void {
      void tx;
      setLeft.run(records, id);
    },
    /** Returns the sequence numbers of the records of a deletion of single records. */
    deletedSeqs: (id: string): number[] => deletedSeqs.all(id),
    /** Removes a deletion and its restorable records from the tables. */
    forget(tx: Transaction, id: string): void {
      void tx;
      removeAllDeleted.run(id);
      forget.run(id);
    },
    /** Returns some deletions from before a time (milliseconds). */
    expired: (time: number): DeletionRow[] => expired.all(time),
    /** Marks a deleted endpoint as not restorable. */
    markPermanent(tx: Transaction, endpoint: number): void {
      void tx;
      markPermanent.run(endpoint);
    },
    /** Returns all records of an endpoint, without their data. */
    heads: (endpoint: number): { seq: number; id: string }[] => heads.all(endpoint),
    /** Returns the highest sequence number at an endpoint; 0 if it has no records. */
    newestIn: (endpoint: number): number => newestIn.get(endpoint) ?? 0,
    /** Returns ids of some permanently deleted endpoints whose rows are not purged yet. */
    purgeableEndpoints: (): number[] => purgeableEndpoints.all(),
    /** Removes some rows of a permanently deleted endpoint. Returns true if more rows may be left. */
    purge(tx: Transaction, endpoint: number, count: number): boolean {
      void tx;
      const batch = { endpoint, count };
      const removedCount =
        purge.run(endpoint, count).changes + purgeFingerprints.run(batch).changes + purgeKeys.run(batch).changes;
      if (removedCount > 0) return true;
      usage.dropEndpoint(tx, endpoint);
      dropEndpoint.run(endpoint);
      return false;
    },
    /** Merges records that were stored at a path after its deletion into the restored endpoint. */
    merge(tx: Transaction, into: number, from: number): void {
      void tx;
      moveRecords.run(into, from);
      moveKeys.run(into, from);
      mergeCounts.run({ into, from });
      usage.mergeDeleted(tx, { into, from });
      clearFingerprints.run(into, from);
      dropEndpoint.run(from);
    },
  };
};
