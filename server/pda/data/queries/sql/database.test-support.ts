import Sqlite, { type Database } from 'better-sqlite3';
import { compileSelect, type SelectQuery } from './compiler.ts';
import { registerQueryFunctions } from './functions.ts';

export const openRecords = (): Database => {
  const db = new Sqlite(':memory:');
  registerQueryFunctions(db);
  db.exec(`
    CREATE TABLE records (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, endpoint INTEGER NOT NULL, origin INTEGER NOT NULL,
      created INTEGER NOT NULL, updated INTEGER, data TEXT NOT NULL) STRICT;
    CREATE INDEX records_by_endpoint ON records(endpoint);
  `);
  return db;
};

export const insertRecords = (db: Database, records: Iterable<readonly [endpoint: number, data: string]>): void => {
  const insert = db.prepare('INSERT INTO records (id, endpoint, origin, created, data) VALUES (?, ?, 1, 0, ?)');
  db.transaction(() => {
    let number = 0;
    for (const [endpoint, data] of records) insert.run(`id-${(number += 1)}`, endpoint, data);
  })();
};

export const run = (db: Database, query: SelectQuery): unknown[] => {
  const { sql, parameters } = compileSelect(query);
  return db.prepare(sql).all(...parameters);
};

export const planOf = (db: Database, query: SelectQuery): string => {
  const { sql, parameters } = compileSelect(query);
  const rows = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
  return rows.map(({ detail }) => detail).join('\n');
};
