import type { Database } from '../../../storage/index.ts';
import type { RecordRow } from '../store.ts';

export type BrowsedRow = Omit<RecordRow, 'data'> & { bytes: number; data: Buffer<ArrayBuffer> };

const COLUMNS = 'seq, id, endpoint, origin, created, updated, CAST(data AS BLOB) AS data, octet_length(data) AS bytes';

export type BrowseStore = ReturnType<typeof createBrowseStore>;

export const createBrowseStore = (db: Database) => {
  const bySeq = db.prepare<[number], BrowsedRow>(`SELECT ${COLUMNS} FROM records WHERE seq = ?`);
  return {
    /** Returns a record with its data as UTF-8. */
    bySeq: (seq: number): BrowsedRow | undefined => bySeq.get(seq),
  };
};
