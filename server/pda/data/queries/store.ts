import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import type { SqlValue } from '../../storage/index.ts';
import { dropTextIndexSql, isTextIndexName, type TextIndex } from './sql/text-indexes.ts';

export type NamedRow = { name: string; definition: string; created: number };
export type EarnedRow = { name: string; endpoint: number; expression: string; ready: number };
export type FoundRow = { entry: number; seq: number; id: string; data: string };

type Table = 'combinators' | 'bundles';

/** Statements kept prepared. */
const MAX_STATEMENTS = 200;

/** Bytes of records that a full-text index takes in at once: it holds up the main thread. */
const FILL_BYTES = 1_000_000;

export type QueryStore = ReturnType<typeof createQueryStore>;

export const createQueryStore = (db: Database) => {
  const namedIn = (table: Table) => {
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
      insert(tx: Transaction, row: NamedRow): void {
        void tx;
        insert.run(row.name, row.definition, row.created);
      },
      replace(tx: Transaction, row: NamedRow): void {
        void tx;
        replace.run(row.name, row.definition, row.created);
      },
      remove(tx: Transaction, name: string): boolean {
        void tx;
        return remove.run(name).changes > 0;
      },
    };
  };

  // Ready is only what is there: a query that names an index without one fails.
  const earned = db.prepare<[], EarnedRow>(
    `SELECT name, endpoint, expression,
       ready AND EXISTS (SELECT 1 FROM sqlite_schema WHERE sqlite_schema.name = earned_indexes.name) AS ready
     FROM earned_indexes`,
  );
  const insertEarned = db.prepare('INSERT OR IGNORE INTO earned_indexes (name, endpoint, expression) VALUES (?, ?, ?)');
  const markReady = db.prepare('UPDATE earned_indexes SET ready = 1 WHERE name = ?');
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM records').pluck();
  const removeEarned = db.prepare('DELETE FROM earned_indexes WHERE name = ?');

  const statements = new Map<string, ReturnType<Database['prepare']>>();
  const statement = (sql: string) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = db.prepare(sql);
    setBounded(statements, sql, made, MAX_STATEMENTS);
    return made;
  };

  return {
    combinators: namedIn('combinators'),
    bundles: namedIn('bundles'),
    /** Runs a compiled read here and now: for reads that are known to be quick. */
    rows: (sql: string, parameters: readonly SqlValue[]): FoundRow[] => statement(sql).all(...parameters) as FoundRow[],
    /** The first rows of a read without a LIMIT. */
    firstRows(sql: string, parameters: readonly SqlValue[], count: number): FoundRow[] {
      const rows: FoundRow[] = [];
      if (count === 0) return rows;
      for (const row of statement(sql).iterate(...parameters)) {
        rows.push(row as FoundRow);
        if (rows.length === count) break;
      }
      return rows;
    },
    earned: (): EarnedRow[] => earned.all(),
    addEarned(tx: Transaction, row: Omit<EarnedRow, 'ready'>): void {
      void tx;
      insertEarned.run(row.name, row.endpoint, row.expression);
    },
    markReady(tx: Transaction, name: string): void {
      void tx;
      markReady.run(name);
    },
    /** Drops an index that nothing needs any more. Names are ours and made of letters, digits and underscores. */
    dropEarned(tx: Transaction, name: string): void {
      if (!/^\w+$/u.test(name)) throw new Error('not an index of ours');
      tx.db.exec(isTextIndexName(name) ? dropTextIndexSql(name) : `DROP INDEX IF EXISTS ${name}`);
      removeEarned.run(name);
    },
    /** Makes an empty full-text index with its triggers. Returns the newest place that it still has to take in. */
    createText(tx: Transaction, index: TextIndex): number {
      tx.db.exec(index.createSql);
      return newest.get() ?? 0;
    },
    /** Takes some records in. Returns the place of the last of them, or undefined when all are in. */
    fillText(tx: Transaction, index: TextIndex, after: number, upTo: number, count: number): number | undefined {
      const range = { after, upTo, count, bytes: FILL_BYTES };
      const last = tx.db.prepare<[typeof range], number | null>(index.nextSql).pluck().get(range) ?? undefined;
      if (last !== undefined) tx.db.prepare(index.fillSql).run({ after, upTo: last });
      return last;
    },
  };
};
