import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Database, SqlValue, Transaction } from '../../storage/index.ts';
import { dropTextIndexSql, isTextIndexName, type TextIndex } from './sql/text-indexes.ts';

/** `definition` is JSON; `created` is Unix milliseconds. */
export type NamedRow = { name: string; definition: string; created: number };
export type IndexRow = { name: string; endpoint: number; expression: string; ready: number };
export type QueryRow = {
  /** Index of the query's entry that selected the record. */
  entry: number;
  seq: number;
  id: string;
  data: string;
};

type Table = 'combinators' | 'bundles';

const MAX_CACHED_STATEMENTS = 200;

/** Maximum bytes of records per step of filling a full-text index. A larger record is added by itself. */
const FILL_MAX_BYTES = 1_000_000;

export type QueryStore = ReturnType<typeof createQueryStore>;

export const createQueryStore = (db: Database) => {
  const createDefinitionStore = (table: Table) => {
    const find = db.prepare<[string], NamedRow>(`SELECT name, definition, created FROM ${table} WHERE name = ?`);
    const list = db.prepare<[], NamedRow>(`SELECT name, definition, created FROM ${table} ORDER BY name`);
    const insert = db.prepare(`INSERT INTO ${table} (name, definition, created) VALUES (?, ?, ?)`);
    const replace = db.prepare(
      `INSERT INTO ${table} (name, definition, created) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition`,
    );
    const remove = db.prepare(`DELETE FROM ${table} WHERE name = ?`);
    return {
      find: (name: string): NamedRow | undefined => find.get(name),
      list: (): NamedRow[] => list.all(),
      insert: (_tx: Transaction, row: NamedRow) => void insert.run(row.name, row.definition, row.created),
      replace: (_tx: Transaction, row: NamedRow) => void replace.run(row.name, row.definition, row.created),
      remove: (_tx: Transaction, name: string): boolean => remove.run(name).changes > 0,
    };
  };

  // An index is only ready if it exists, because a query that names a missing index fails.
  const indexes = db.prepare<[], IndexRow>(
    `SELECT name, endpoint, expression,
       ready AND EXISTS (SELECT 1 FROM sqlite_schema WHERE sqlite_schema.name = query_indexes.name) AS ready
     FROM query_indexes`,
  );
  const insertIndex = db.prepare('INSERT OR IGNORE INTO query_indexes (name, endpoint, expression) VALUES (?, ?, ?)');
  const markReady = db.prepare('UPDATE query_indexes SET ready = 1 WHERE name = ?');
  const selectNewestSeq = db.prepare<[], number | null>('SELECT max(seq) FROM records').pluck();
  const deleteIndex = db.prepare('DELETE FROM query_indexes WHERE name = ?');

  const statements = new Map<string, ReturnType<Database['prepare']>>();
  const prepareCached = (sql: string) => {
    const cached = statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = db.prepare(sql);
    setBounded(statements, sql, statement, MAX_CACHED_STATEMENTS);
    return statement;
  };

  return {
    combinators: createDefinitionStore('combinators'),
    bundles: createDefinitionStore('bundles'),
    rows: (sql: string, parameters: readonly SqlValue[]): QueryRow[] =>
      prepareCached(sql).all(...parameters) as QueryRow[],
    firstRows(sql: string, parameters: readonly SqlValue[], count: number): QueryRow[] {
      const rows: QueryRow[] = [];
      if (count === 0) return rows;
      for (const row of prepareCached(sql).iterate(...parameters)) {
        rows.push(row as QueryRow);
        if (rows.length === count) break;
      }
      return rows;
    },
    indexes: (): IndexRow[] => indexes.all(),
    addIndex: (_tx: Transaction, row: Omit<IndexRow, 'ready'>) =>
      void insertIndex.run(row.name, row.endpoint, row.expression),
    markReady: (_tx: Transaction, name: string) => void markReady.run(name),
    dropIndex(tx: Transaction, name: string): void {
      if (!/^\w+$/u.test(name)) throw new Error('not the name of a query index');
      tx.db.exec(isTextIndexName(name) ? dropTextIndexSql(name) : `DROP INDEX IF EXISTS ${name}`);
      deleteIndex.run(name);
    },
    /** Creates an empty full-text index. Returns the sequence number up to which records must be added to it. */
    createTextIndex(tx: Transaction, index: TextIndex): number {
      tx.db.exec(index.createSql);
      return selectNewestSeq.get() ?? 0;
    },
    /**
     * Adds the next records to an index. Returns the sequence number of the last one; undefined if the index is
     * complete.
     */
    fillTextIndex(tx: Transaction, index: TextIndex, after: number, upTo: number, count: number): number | undefined {
      const range = { after, upTo, count, bytes: FILL_MAX_BYTES };
      const last = tx.db.prepare<[typeof range], number | null>(index.nextSql).pluck().get(range) ?? undefined;
      if (last !== undefined) tx.db.prepare(index.fillSql).run({ after, upTo: last });
      return last;
    },
  };
};
