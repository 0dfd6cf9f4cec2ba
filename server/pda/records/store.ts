import type { Database, Transaction } from '../storage/index.ts';

export type RecordRow = {
  seq: number;
  id: string;
  endpoint: number;
  origin: number;
  created: number;
  updated: number | null;
  data: string;
};

/** One page of records as a ready-made JSON array (null when there are none), and where it ended. */
export type TextPage = { text: Buffer | null; count: number; last: number | null };

/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 20;

/** Records that come to one endpoint together. */
export type NewRows = {
  endpoint: number;
  origin: number;
  created: number;
  /** `data`: text, or the UTF-8 bytes of it. */
  rows: readonly { seq: number; id: string; data: string | Buffer }[];
};

export type RecordStore = ReturnType<typeof createRecordStore>;

const isoSql = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
const META = `, ',"dateCreated":"', ${isoSql('created')}, '","lastUpdated":"', ${isoSql('coalesce(updated, created)')}, '"'`;

/**
 * The answer is put together inside the database, from the stored text, as bytes: no record is parsed, and no text is decoded
 * only to be encoded again. What all records of an endpoint begin with stands between them, where it is copied once.
 */
const pageSql = (order: 'ASC' | 'DESC', meta: boolean): string => `
  SELECT CAST('[' || :head || group_concat(concat(id, '","data":', data${meta ? META : ''}), '},' || :head) || '}]' AS BLOB) AS text,
    count(*) AS count, ${order === 'ASC' ? 'max' : 'min'}(seq) AS last
  FROM (SELECT seq, id, data, created, updated FROM records
    WHERE endpoint = :endpoint AND seq ${order === 'ASC' ? '>' : '<='} :from ORDER BY seq ${order} LIMIT :take OFFSET :skip)`;

export const createRecordStore = (db: Database) => {
  const insert = db.prepare(
    'INSERT INTO records (seq, id, endpoint, origin, created, updated, data) VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT))',
  );
  /** Twenty rows in one statement cost little more than half of twenty statements. */
  const insertSome = db.prepare(
    `INSERT INTO records (seq, id, endpoint, origin, created, updated, data)
     VALUES ${Array.from({ length: ROWS_AT_ONCE }, () => '(?, ?, :endpoint, :origin, :created, NULL, CAST(? AS TEXT))').join(', ')}`,
  );
  const bySeq = db.prepare<[number], RecordRow>(
    'SELECT seq, id, endpoint, origin, created, updated, data FROM records WHERE seq = ?',
  );
  const head = db.prepare<[number], { id: string; endpoint: number }>('SELECT id, endpoint FROM records WHERE seq = ?');
  const update = db.prepare('UPDATE records SET data = ?, updated = ? WHERE seq = ?');
  const remove = db.prepare('DELETE FROM records WHERE seq = ?');
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM records').pluck();
  const newestDeleted = db.prepare<[], number | null>('SELECT max(seq) FROM deleted_records').pluck();
  const pageOf = (order: 'ASC' | 'DESC', meta: boolean) =>
    db.prepare<[{ head: string; endpoint: number; from: number; take: number; skip: number }], TextPage>(
      pageSql(order, meta),
    );
  const pages = {
    ascending: { plain: pageOf('ASC', false), meta: pageOf('ASC', true) },
    descending: { plain: pageOf('DESC', false), meta: pageOf('DESC', true) },
  };
  type PlacesOf = { endpoint: number; from: number; take: number; skip: number };
  const placesOf = {
    ascending: db
      .prepare<[PlacesOf], number>(
        'SELECT seq FROM records WHERE endpoint = :endpoint AND seq > :from ORDER BY seq LIMIT :take OFFSET :skip',
      )
      .pluck(),
    descending: db
      .prepare<[PlacesOf], number>(
        'SELECT seq FROM records WHERE endpoint = :endpoint AND seq <= :from ORDER BY seq DESC LIMIT :take OFFSET :skip',
      )
      .pluck(),
  };
  const someOf = db.prepare<[number, number, number], RecordRow>(
    `SELECT seq, id, endpoint, origin, created, updated, data FROM records WHERE endpoint = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const someByOrigin = db.prepare<[number, number, number, number], RecordRow>(
    `SELECT seq, id, endpoint, origin, created, updated, data FROM records
     WHERE endpoint = ? AND seq > ? AND origin = ? ORDER BY seq LIMIT ?`,
  );
  const headsIn = db.prepare<[number, number, number, number], { seq: number; origin: number }>(
    'SELECT seq, origin FROM records WHERE endpoint = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  );

  return {
    insert(tx: Transaction, row: RecordRow): void {
      void tx;
      insert.run(row.seq, row.id, row.endpoint, row.origin, row.created, row.updated, row.data);
    },
    insertMany(tx: Transaction, { rows, ...common }: NewRows): void {
      void tx;
      const whole = rows.length - (rows.length % ROWS_AT_ONCE);
      for (let from = 0; from < whole; from += ROWS_AT_ONCE) {
        const values: (string | number | Buffer)[] = [];
        for (const row of rows.slice(from, from + ROWS_AT_ONCE)) values.push(row.seq, row.id, row.data);
        insertSome.run(values, common);
      }
      const { endpoint, origin, created } = common;
      for (const { seq, id, data } of rows.slice(whole)) insert.run(seq, id, endpoint, origin, created, null, data);
    },
    bySeq: (seq: number): RecordRow | undefined => bySeq.get(seq),
    /** A record without its data. */
    head: (seq: number): { id: string; endpoint: number } | undefined => head.get(seq),
    /** Places of an endpoint after one and up to another, and where each came from. */
    headsIn: (endpoint: number, after: number, upTo: number, count: number): { seq: number; origin: number }[] =>
      headsIn.all(endpoint, after, upTo, count),
    update(tx: Transaction, seq: number, data: string, time: number): void {
      void tx;
      update.run(data, time, seq);
    },
    remove(tx: Transaction, seq: number): void {
      void tx;
      remove.run(seq);
    },
    /** The newest place that was ever taken by what is still here or could come back. */
    newestSeq: (): number => Math.max(newest.get() ?? 0, newestDeleted.get() ?? 0),
    page(options: {
      order: 'ascending' | 'descending';
      meta: boolean;
      head: string;
      endpoint: number;
      from: number;
      take: number;
      skip: number;
    }): TextPage {
      const { order, meta, ...parameters } = options;
      return pages[order][meta ? 'meta' : 'plain'].get(parameters) ?? { text: null, count: 0, last: null };
    },
    places: (order: 'ascending' | 'descending', of: PlacesOf): number[] => placesOf[order].all(of),
    /** Records of an endpoint in order, a chunk at a time. */
    chunk: (endpoint: number, afterSeq: number, count: number): RecordRow[] => someOf.all(endpoint, afterSeq, count),
    chunkOfOrigin: (endpoint: number, afterSeq: number, origin: number, count: number): RecordRow[] =>
      someByOrigin.all(endpoint, afterSeq, origin, count),
  };
};
