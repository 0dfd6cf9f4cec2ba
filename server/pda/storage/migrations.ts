import type { Database } from 'better-sqlite3';
import { foundation } from './migrations/0001-foundation.ts';
import { ledger } from './migrations/0002-ledger.ts';
import { outbox } from './migrations/0003-outbox.ts';
import { debits } from './migrations/0004-debits.ts';
import { applications } from './migrations/0005-applications.ts';
import { refusals } from './migrations/0006-refusals.ts';
import { users } from './migrations/0007-users.ts';
import { files } from './migrations/0008-files.ts';
import { functions } from './migrations/0009-functions.ts';

/** Numbered, forward only, one transaction each. A migration that has shipped never changes. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  ledger,
  outbox,
  debits,
  applications,
  refusals,
  users,
  files,
  functions,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export const schemaVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));

/** Runs what is missing. @param migrations for tests: others, or fewer, than ours */
export const migrate = (db: Database, migrations: readonly string[] = MIGRATIONS): void => {
  for (const [version, sql] of migrations.entries()) {
    if (version < schemaVersion(db)) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
};
