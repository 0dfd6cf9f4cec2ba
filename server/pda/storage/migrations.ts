import { createRequire } from 'node:module';
import type { Database } from 'better-sqlite3';

/** How many there are in migrations/all.ts. A start that finds the newest format already loads none of them. */
export const SCHEMA_VERSION = 23;

const require = createRequire(import.meta.url);
const ours = (): readonly string[] => {
  const { MIGRATIONS }: typeof import('./migrations/all.ts') = require('./migrations/all.ts');
  return MIGRATIONS;
};

export const schemaVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));

/** Runs what is missing. @param migrations for tests: others, or fewer, than ours */
export const migrate = (db: Database, migrations?: readonly string[]): void => {
  if (migrations === undefined && schemaVersion(db) >= SCHEMA_VERSION) return;
  for (const [version, sql] of (migrations ?? ours()).entries()) {
    if (version < schemaVersion(db)) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
};
