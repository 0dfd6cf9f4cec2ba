import type { Database } from 'better-sqlite3';
import { MIGRATIONS } from './list.ts';

export const SCHEMA_VERSION = MIGRATIONS.length;

export const schemaVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));

/** Runs the migrations that the database does not have yet. @param migrations for tests */
export const migrate = (db: Database, migrations: readonly string[] = MIGRATIONS): void => {
  for (const [version, sql] of migrations.entries()) {
    if (version < schemaVersion(db)) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
};
