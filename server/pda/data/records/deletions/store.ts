import type { Database, Transaction } from '../../../storage/index.ts';
import { EXCERPT_SOURCE_MAX_BYTES } from '../../../../wire/limits.ts';
import { TRANSACTION_MAX_BYTES, TRANSACTION_MAX_RECORDS } from '../../../../wire/work-limits.ts';
import { takeUpTo } from '../rules.ts';
import type { RecordRow } from '../store.ts';
import { PERMANENT_DELETION } from '../../../core/endpoint-store.ts';
import { createUsageStore } from '../../../core/usage-store.ts';

/** `path` and `endpoint` are null for a deletion of individual records. `time`: Unix milliseconds. */
export type DeletionRow = { id: string; path: string | null; endpoint: number | null; records: number; time: number };
export type DeletedRow = Omit<RecordRow, 'endpoint'> & { path: string };

export type DeletionStore = ReturnType<typeof createDeletionStore>;

export type DeletedHead = {
  seq: number;
  id: string;
  path: string;
  created: number;
  bytes: number;
  /** Data of the record; null if it is large. */
  excerptSource: string | null;
};

/** Limits of one purge transaction: rows per table, and bytes of records. Includes the record that reaches the latter. */
const PURGE_MAX_ROWS = 500;
const PURGE_MAX_BYTES = 4_000_000;

type SizedSeq = { seq: number; bytes: number };

const lastSeqToPurge = (rows: Iterable<SizedSeq>): number | undefined =>
  takeUpTo(rows, ({ bytes }) => bytes, PURGE_MAX_BYTES).at(-1)?.seq;

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
  // `octet_length` reads only the header of a row, whereas `length` would load the text of a large record.
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
  const subtractCounts = db.prepare('UPDATE endpoints SET records = records - 1, bytes = bytes - ? WHERE id = ?');
  const keysAfter = db.prepare<[number, Buffer, number], { key: Buffer; seq: number }>(
    'SELECT key, seq FROM import_keys WHERE endpoint = ? AND key > ? ORDER BY key LIMIT ?',
  );
  const moveKey = db.prepare<[{ from: number; into: number; key: Buffer }]>(
    'UPDATE OR IGNORE import_keys SET endpoint = :into WHERE endpoint = :from AND key = :key',
  );
  const addToCount = db.prepare(
    `INSERT INTO deletions (id, path, endpoint, records, time) VALUES (?, NULL, NULL, ?, ?)
     ON CONFLICT (id) DO UPDATE SET records = records + excluded.records`,
  );
  const reduceCount = db.prepare('UPDATE deletions SET records = max(0, records - ?) WHERE id = ?');
  const firstDeletedSeqs = db
    .prepare<[string, number], number>('SELECT seq FROM deleted_records WHERE deletion = ? ORDER BY seq LIMIT ?')
    .pluck();
  const firstHiddenSeqs = db
    .prepare<[number, number], number>('SELECT seq FROM records WHERE endpoint = ? ORDER BY seq LIMIT ?')
    .pluck();
  const countDeleted = db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM deleted_records WHERE deletion = ? AND seq IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const countHidden = db
    .prepare<[number, string], number>(
      'SELECT count(*) FROM records WHERE endpoint = ? AND seq IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const totalsOfFirst = db.prepare<[number, number], { count: number; bytes: number }>(
    `SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT octet_length(data) AS bytes FROM records WHERE endpoint = ? LIMIT ?)`,
  );
  const countFirstKeys = db
    .prepare<[number, number], number>('SELECT count(*) FROM (SELECT 1 FROM import_keys WHERE endpoint = ? LIMIT ?)')
    .pluck();
  const forget = db.prepare('DELETE FROM deletions WHERE id = ?');
  const expire = db.prepare('UPDATE deletions SET time = 0 WHERE id = ?');
  const sizesOfDeleted = db.prepare<[string, number], SizedSeq>(
    'SELECT seq, octet_length(data) AS bytes FROM deleted_records WHERE deletion = ? ORDER BY seq LIMIT ?',
  );
  const purgeDeleted = db.prepare('DELETE FROM deleted_records WHERE deletion = ? AND seq <= ?');
  const expiredDeletions = db.prepare<[number], DeletionRow>(
    'SELECT id, path, endpoint, records, time FROM deletions WHERE time < ? LIMIT 50',
  );
  const markPermanent = db.prepare(`UPDATE endpoints SET deletion = '${PERMANENT_DELETION}' WHERE id = ?`);
  const purgeableEndpoints = db
    .prepare<[], number>(`SELECT id FROM endpoints WHERE path IS NULL AND deletion = '${PERMANENT_DELETION}' LIMIT 10`)
    .pluck();
  const sizesOfHidden = db.prepare<[number, number], SizedSeq>(
    'SELECT seq, octet_length(data) AS bytes FROM records WHERE endpoint = ? ORDER BY seq LIMIT ?',
  );
  const purgeHidden = db.prepare('DELETE FROM records WHERE endpoint = ? AND seq <= ?');
  const purgeFingerprints = db.prepare(
    `DELETE FROM fingerprints WHERE endpoint = :endpoint AND (fingerprint, seq) IN
      (SELECT fingerprint, seq FROM fingerprints WHERE endpoint = :endpoint LIMIT :count)`,
  );
  const purgeKeys = db.prepare(
    `DELETE FROM import_keys WHERE endpoint = :endpoint AND key IN
      (SELECT key FROM import_keys WHERE endpoint = :endpoint LIMIT :count)`,
  );
  const heads = db.prepare<[number], { seq: number; id: string }>('SELECT seq, id FROM records WHERE endpoint = ?');
  const readNewestSeq = db.prepare<[number], number | null>('SELECT max(seq) FROM records WHERE endpoint = ?').pluck();
  const dropEndpoint = db.prepare('DELETE FROM endpoints WHERE id = ?');
  const moveRecords = db.prepare('UPDATE records SET endpoint = ? WHERE endpoint = ?');
  const mergeCounts = db.prepare(
    `UPDATE endpoints SET records = endpoints.records + other.records, bytes = endpoints.bytes + other.bytes,
       last_change = coalesce(other.last_change, endpoints.last_change)
     FROM (SELECT * FROM endpoints WHERE id = :from) AS other WHERE endpoints.id = :into`,
  );
  const moveKeys = db.prepare('UPDATE OR REPLACE import_keys SET endpoint = ? WHERE endpoint = ?');
  const replaceViewGrants = db.prepare('UPDATE OR REPLACE view_grants SET endpoint = ? WHERE endpoint = ?');
  const moveViewGrants = db.prepare('UPDATE OR IGNORE view_grants SET endpoint = ? WHERE endpoint = ?');
  const clearFingerprints = db.prepare('DELETE FROM fingerprints WHERE endpoint = ?');

  return {
    insert: (_tx: Transaction, row: DeletionRow) =>
      void insert.run(row.id, row.path, row.endpoint, row.records, row.time),
    addRecord: (_tx: Transaction, deletion: string, row: DeletedRow) =>
      void addRecord.run(deletion, row.seq, row.id, row.path, row.origin, row.created, row.updated, row.data),
    find: (id: string): DeletionRow | undefined => find.get(id),
    /** `since`: Unix milliseconds. */
    list: (page: { since: number; skip: number; take: number }): DeletionRow[] => list.all(page),
    recordsAfter: ({ id, path, endpoint }: DeletionRow, after: number, take: number): DeletedHead[] =>
      endpoint === null || path === null
        ? recordHeads.all(id, after, take)
        : endpointHeads.all(path, endpoint, after, take),
    findRecord: ({ id, path, endpoint }: DeletionRow, seq: number): DeletedRow | undefined =>
      endpoint === null || path === null ? findDeleted.get(id, seq) : findHidden.get(path, endpoint, seq),
    /** Orphans the versions of the record unless it has been inserted again. */
    removeRecord: (_tx: Transaction, id: string, seq: number) => void removeDeleted.run(id, seq),
    moveHidden(
      tx: Transaction,
      { seq, origin, data }: Pick<DeletedRow, 'seq' | 'origin' | 'data'>,
      { from, into }: { from: number; into: number },
    ): void {
      moveRecord.run(into, seq);
      const bytes = Buffer.byteLength(data);
      subtractCounts.run(bytes, from);
      usage.addToDeleted(tx, { endpoint: from, origin, bytes: -bytes });
    },
    importKeysAfter: (endpoint: number, after: Buffer, count: number): { key: Buffer; seq: number }[] =>
      keysAfter.all(endpoint, after, count),
    /** Leaves the key at `from` if `into` already has the same key. */
    moveImportKey: (_tx: Transaction, move: { from: number; into: number; key: Buffer }) => void moveKey.run(move),
    /** Creates the deletion if it does not exist yet. */
    addToCount: (_tx: Transaction, { id, time }: Pick<DeletionRow, 'id' | 'time'>, records: number) =>
      void addToCount.run(id, records, time),
    /** The count can be too low: it omits records stored by the transaction that deleted their endpoint. */
    reduceCount: (_tx: Transaction, id: string, records: number) => void reduceCount.run(records, id),
    firstSeqs: ({ id, endpoint }: DeletionRow, count: number): number[] =>
      endpoint === null ? firstDeletedSeqs.all(id, count) : firstHiddenSeqs.all(endpoint, count),
    contains({ id, endpoint }: DeletionRow, seqs: readonly number[]): boolean {
      const seqList = JSON.stringify(seqs);
      return (endpoint === null ? countDeleted.get(id, seqList) : countHidden.get(endpoint, seqList)) === seqs.length;
    },
    fitsTransaction(endpoint: number): boolean {
      const { count, bytes } = totalsOfFirst.get(endpoint, TRANSACTION_MAX_RECORDS + 1) ?? { count: 0, bytes: 0 };
      const keys = countFirstKeys.get(endpoint, TRANSACTION_MAX_RECORDS + 1) ?? 0;
      return count <= TRANSACTION_MAX_RECORDS && bytes <= TRANSACTION_MAX_BYTES && keys <= TRANSACTION_MAX_RECORDS;
    },
    forget: (_tx: Transaction, id: string) => void forget.run(id),
    expire: (_tx: Transaction, id: string) => void expire.run(id),
    /** Purges some records. Removes the deletion and returns false if there are none. */
    purgeExpired(_tx: Transaction, id: string): boolean {
      const last = lastSeqToPurge(sizesOfDeleted.iterate(id, PURGE_MAX_ROWS));
      if (last === undefined) forget.run(id);
      else purgeDeleted.run(id, last);
      return last !== undefined;
    },
    /** Returns some of the expired deletions. @param before Unix milliseconds */
    expiredDeletions: (before: number): DeletionRow[] => expiredDeletions.all(before),
    markPermanent: (_tx: Transaction, endpoint: number) => void markPermanent.run(endpoint),
    heads: (endpoint: number): { seq: number; id: string }[] => heads.all(endpoint),
    readNewestSeq: (endpoint: number): number => readNewestSeq.get(endpoint) ?? 0,
    purgeableEndpoints: (): number[] => purgeableEndpoints.all(),
    /** Purges some rows of an endpoint, or the endpoint if there are none. Returns true if more rows may be left. */
    purge(tx: Transaction, endpoint: number): boolean {
      const batch = { endpoint, count: PURGE_MAX_ROWS };
      const last = lastSeqToPurge(sizesOfHidden.iterate(endpoint, PURGE_MAX_ROWS));
      const removedRecords = last === undefined ? 0 : purgeHidden.run(endpoint, last).changes;
      const removedCount = removedRecords + purgeFingerprints.run(batch).changes + purgeKeys.run(batch).changes;
      if (removedCount > 0) return true;
      usage.dropEndpoint(tx, endpoint);
      dropEndpoint.run(endpoint);
      return false;
    },
    /** Leaves a grant at `from` if `into` already has the same grant. */
    moveViewGrants: (_tx: Transaction, { from, into }: { from: number; into: number }) =>
      void moveViewGrants.run(into, from),
    merge(tx: Transaction, into: number, from: number): void {
      moveRecords.run(into, from);
      moveKeys.run(into, from);
      replaceViewGrants.run(into, from);
      mergeCounts.run({ into, from });
      usage.mergeDeleted(tx, { into, from });
      clearFingerprints.run(from);
      dropEndpoint.run(from);
    },
  };
};
