import type { Database, Transaction } from '../../storage/index.ts';
import { packRows, OFFSET_FACTOR, type Row } from './changes/row-batch.ts';
import { takeUpTo } from './rules.ts';
import { ID_BYTES } from '../../core/sequence.ts';

/** Times are Unix milliseconds. */
export type RecordRow = {
  seq: number;
  id: string;
  endpoint: number;
  origin: number;
  created: number;
  updated: number | null;
  data: string;
};

export type RecordHead = Pick<RecordRow, 'id' | 'endpoint'>;

/** `data` is null if it is larger than the requested maximum. */
export type SizedRecord = Pick<RecordRow, 'id' | 'endpoint' | 'updated'> & { bytes: number; data: string | null };

export type SizedRow = { seq: number; bytes: number; data: string | null };

export type TextPage = {
  /** JSON array; invalid if `largest` exceeds the requested `maxRecordBytes`. Null if there are no records. */
  text: Buffer | null;
  count: number;
  last: number | null;
  /** Bytes of the largest record. */
  largest: number | null;
};

/** `data` is UTF-8. */
export type ContentRow = Omit<RecordRow, 'data'> & { bytes: number; data: Buffer<ArrayBuffer> };

/** The rows have consecutive sequence numbers from `firstSeq`. */
export type NewRows = { endpoint: number; origin: number; created: number; firstSeq: number; rows: readonly Row[] };

export type RecordStore = ReturnType<typeof createRecordStore>;

const isoSql = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
const META_SQL = `, ',"dateCreated":"', ${isoSql('created')}, '","lastUpdated":"', ${isoSql('coalesce(updated, created)')}, '"'`;

/**
 * Returns SQL that assembles a page as bytes. The common head of all records is part of the separator, so that it is
 * copied only once per record.
 */
const pageSql = (order: 'ASC' | 'DESC', meta: boolean): string => `
  SELECT CAST('[' || :head || group_concat(concat(id, '","data":', data${meta ? META_SQL : ''}), '},' || :head) || '}]' AS BLOB) AS text,
    count(*) AS count, ${order === 'ASC' ? 'max' : 'min'}(seq) AS last, max(bytes) AS largest
  FROM (SELECT seq, id, octet_length(data) AS bytes, CASE WHEN octet_length(data) <= :maxRecordBytes THEN data END AS data,
      created, updated FROM records
    WHERE endpoint = :endpoint AND seq ${order === 'ASC' ? '>' : '<='} :from ORDER BY seq ${order} LIMIT :take OFFSET :skip)`;

/** Maximum characters that are read in one turn of the event loop. The record that reaches the limit is included. */
const CHUNK_CHARS = 1_000_000;

const readChunk = (rows: Iterable<RecordRow>): RecordRow[] => takeUpTo(rows, ({ data }) => data.length, CHUNK_CHARS);

export const createRecordStore = (db: Database) => {
  // The concatenation ends the text with NUL. SQLite's JSON functions copy a text without NUL at each call, and the
  // indexes of an endpoint call them many times per record.
  const insert = db.prepare(
    "INSERT INTO records (seq, id, endpoint, origin, created, updated, data) VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT) || '')",
  );
  const insertPacked = db.prepare(
    `INSERT INTO records (seq, id, endpoint, origin, created, updated, data)
     SELECT :first + key, CAST(substr(:bytes, key * ${ID_BYTES} + 1, ${ID_BYTES}) AS TEXT), :endpoint, :origin, :created, NULL,
       CAST(substr(:bytes, value / ${OFFSET_FACTOR} + 1, value % ${OFFSET_FACTOR}) AS TEXT)
     FROM json_each(:slices)`,
  );
  const findBySeq = db.prepare<[number], RecordRow>(
    'SELECT seq, id, endpoint, origin, created, updated, data FROM records WHERE seq = ?',
  );
  const findSized = db.prepare<[number, number], SizedRecord>(
    `SELECT id, endpoint, updated, octet_length(data) AS bytes, CASE WHEN octet_length(data) <= ? THEN data END AS data
     FROM records WHERE seq = ?`,
  );
  const head = db.prepare<[number], RecordHead>('SELECT id, endpoint FROM records WHERE seq = ?');
  const metaText = db.prepare<[number], string>(`SELECT concat(''${META_SQL}) FROM records WHERE seq = ?`).pluck();
  const content = db
    .prepare<[number], Buffer<ArrayBuffer>>('SELECT CAST(data AS BLOB) FROM records WHERE seq = ?')
    .pluck();
  const findWithContent = db.prepare<[number], ContentRow>(
    `SELECT seq, id, endpoint, origin, created, updated, CAST(data AS BLOB) AS data, octet_length(data) AS bytes
     FROM records WHERE seq = ?`,
  );
  const update = db.prepare("UPDATE records SET data = ? || '', updated = ? WHERE seq = ?");
  const remove = db.prepare('DELETE FROM records WHERE seq = ?');
  const selectNewestSeq = db.prepare<[], number | null>('SELECT max(seq) FROM records').pluck();
  const selectNewestDeletedSeq = db.prepare<[], number | null>('SELECT max(seq) FROM deleted_records').pluck();
  type PageRange = { endpoint: number; from: number; take: number; skip: number };
  const pageOf = (order: 'ASC' | 'DESC', meta: boolean) =>
    db.prepare<[PageRange & { head: string; maxRecordBytes: number }], TextPage>(pageSql(order, meta));
  const pages = {
    ascending: { plain: pageOf('ASC', false), meta: pageOf('ASC', true) },
    descending: { plain: pageOf('DESC', false), meta: pageOf('DESC', true) },
  };
  const preparePage = (column: string, range: string) =>
    db
      .prepare<[PageRange], number>(
        `SELECT ${column} FROM records WHERE endpoint = :endpoint AND ${range} LIMIT :take OFFSET :skip`,
      )
      .pluck();
  const prepareInBothOrders = (column: string) => ({
    ascending: preparePage(column, 'seq > :from ORDER BY seq'),
    descending: preparePage(column, 'seq <= :from ORDER BY seq DESC'),
  });
  const seqsOf = prepareInBothOrders('seq');
  const sizesOf = prepareInBothOrders('octet_length(data)');
  const rowsAfter = db.prepare<[number, number, number], RecordRow>(
    `SELECT seq, id, endpoint, origin, created, updated, data FROM records WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const sizedRowsAfter = db.prepare<[number, number, number, number], SizedRow>(
    `SELECT seq, octet_length(data) AS bytes, CASE WHEN octet_length(data) <= ? THEN data END AS data
     FROM records WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const rowsOfOriginAfter = db.prepare<[number, number, number, number], RecordRow>(
    `SELECT seq, id, endpoint, origin, created, updated, data FROM records
     WHERE endpoint = ? AND seq > ? AND origin = ? ORDER BY seq LIMIT ?`,
  );
  const bytesOf = db
    .prepare<[string], number>(
      'SELECT coalesce(sum(octet_length(data)), 0) FROM records WHERE seq IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const listHeads = db.prepare<[number, number, number, number], { seq: number; origin: number }>(
    'SELECT seq, origin FROM records WHERE endpoint = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  );

  return {
    insert: (_tx: Transaction, row: RecordRow) =>
      void insert.run(row.seq, row.id, row.endpoint, row.origin, row.created, row.updated, row.data),
    insertMany(_tx: Transaction, { firstSeq, rows, endpoint, origin, created }: NewRows): void {
      let index = 0;
      for (let row = rows[index]; row !== undefined; row = rows[index]) {
        const pack = packRows(rows, index);
        const seq = firstSeq + index;
        if (pack === undefined) insert.run(seq, row.id, endpoint, origin, created, null, row.data);
        else insertPacked.run({ first: seq, endpoint, origin, created, bytes: pack.bytes, slices: pack.slices });
        index += pack?.count ?? 1;
      }
    },
    findBySeq: (seq: number): RecordRow | undefined => findBySeq.get(seq),
    findSized: (seq: number, maxBytes: number): SizedRecord | undefined => findSized.get(maxBytes, seq),
    head: (seq: number): RecordHead | undefined => head.get(seq),
    /** Does not read the records' data. */
    bytesOf: (seqs: readonly number[]): number => bytesOf.get(JSON.stringify(seqs)) ?? 0,
    /** Returns the dates as JSON members with a leading comma; empty if the record does not exist. */
    metaText: (seq: number): string => metaText.get(seq) ?? '',
    /** Returns the data as UTF-8, in a buffer that shares its memory with no other. */
    content: (seq: number): Buffer<ArrayBuffer> | undefined => content.get(seq),
    findWithContent: (seq: number): ContentRow | undefined => findWithContent.get(seq),
    listHeads: (endpoint: number, after: number, upTo: number, count: number): { seq: number; origin: number }[] =>
      listHeads.all(endpoint, after, upTo, count),
    update: (_tx: Transaction, seq: number, data: string, time: number) => void update.run(data, time, seq),
    remove: (_tx: Transaction, seq: number) => void remove.run(seq),
    readNewestSeq: (): number => Math.max(selectNewestSeq.get() ?? 0, selectNewestDeletedSeq.get() ?? 0),
    page(options: {
      order: 'ascending' | 'descending';
      meta: boolean;
      head: string;
      endpoint: number;
      from: number;
      take: number;
      skip: number;
      maxRecordBytes?: number;
    }): TextPage {
      const { order, meta, maxRecordBytes = Number.MAX_SAFE_INTEGER, ...parameters } = options;
      const page = pages[order][meta ? 'meta' : 'plain'].get({ ...parameters, maxRecordBytes });
      return page ?? { text: null, count: 0, last: null, largest: null };
    },
    sizes: (order: 'ascending' | 'descending', range: PageRange): number[] => sizesOf[order].all(range),
    seqs: (order: 'ascending' | 'descending', range: PageRange): number[] => seqsOf[order].all(range),
    /** Returns at most `count` records, fewer if they are large. Empty only at the end. */
    chunk: (endpoint: number, afterSeq: number, count: number): RecordRow[] =>
      readChunk(rowsAfter.iterate(endpoint, afterSeq, count)),
    /**
     * Returns at most `count` records. The record with which they reach `maxBytes` is the last one, without its data if
     * it is larger than `maxBytes`.
     */
    sizedChunk: (endpoint: number, afterSeq: number, count: number, maxBytes: number): SizedRow[] =>
      takeUpTo(sizedRowsAfter.iterate(maxBytes, endpoint, afterSeq, count), ({ bytes }) => bytes, maxBytes),
    /** A large record is a chunk by itself. */
    chunkOfOrigin(endpoint: number, afterSeq: number, origin: number, count: number): RecordRow[] {
      const rows = readChunk(rowsOfOriginAfter.iterate(endpoint, afterSeq, origin, count));
      return rows.length > 1 && (rows.at(-1)?.data.length ?? 0) >= CHUNK_CHARS ? rows.slice(0, -1) : rows;
    },
  };
};
