import type { Database } from '../../../storage/index.ts';
import type { RecordRow } from '../store.ts';

/** A record with its size in bytes. */
export type BrowsedRow = Omit<RecordRow, 'data'> & { bytes: number; data: Buffer<ArrayBuffer> };

const COLUMNS = 'seq, id, endpoint, origin, created, updated, CAST(data AS BLOB) AS data, octet_length(data) AS bytes';

/**
 * Returns SQL that finds records by a pattern in their text. It scans the whole endpoint and must run in a reader
 * thread.
 */
export const searchKeysSql = (order: 'ASC' | 'DESC'): string =>
  `SELECT 0 AS entry, seq FROM records WHERE endpoint = ? AND pda_spend(octet_length(data), 1, 0) AND data LIKE ? ESCAPE '\\' ORDER BY seq ${order}`;

/** Returns the pattern for `LIKE`, with wildcards in the search text escaped. */
export const likePattern = (search: string): string => `%${search.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;

export type BrowseStore = ReturnType<typeof createBrowseStore>;

export const createBrowseStore = (db: Database) => {
  const bySeq = db.prepare<[number], BrowsedRow>(`SELECT ${COLUMNS} FROM records WHERE seq = ?`);
  return { bySeq: (seq: number): BrowsedRow | undefined => bySeq.get(seq) };
};
