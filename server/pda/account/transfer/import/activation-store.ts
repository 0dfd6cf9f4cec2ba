import { rmSync } from 'node:fs';
import {
  SIDECAR_SUFFIXES,
  checkpointFully,
  checkpointFile,
  openMaintenance,
  openReader,
  type Database,
} from '../../../storage/database.ts';
import { SCHEMA_VERSION, schemaVersion } from '../../../storage/migrations/migrator.ts';
import { NOT_EMPTY, OWN_TABLES } from '../format/tables.ts';

export { replaceDatabase } from '../../../storage/database.ts';

/** Database work of replacing the empty account by the imported one. Neither database is open elsewhere. */

const noFunctions = (): void => undefined;

/** Why nothing can be imported into it; undefined: it is set up, and empty. */
export const problemWith = (db: Database): string | undefined => {
  if (schemaVersion(db) !== SCHEMA_VERSION)
    return 'This account has not been opened by this version of the program yet.';
  if (db.prepare('SELECT 1 FROM owner').get() === undefined) return 'Set this account up first.';
  const full = NOT_EMPTY.filter((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined);
  if (full.length === 0) return undefined;
  return 'There is something in this account already. An archive can only be imported into an account that was set up and not used yet.';
};

export const problemOf = (file: string): string | undefined => {
  const db = openReader(file, noFunctions);
  try {
    return problemWith(db);
  } finally {
    db.close();
  }
};

/**
 * Copies the keys, password and address of this account into the imported one, which starts dark: closed to the outside.
 * @param accountId former id of the imported account, which grants to its owner name
 */
export const takeOver = (live: string, made: string, parts: { accountId: string; now: number }): void => {
  checkpointFile(live);
  const db = openMaintenance(made, noFunctions);
  try {
    db.prepare('ATTACH ? AS live').run(live);
    db.transaction(() => {
      for (const table of OWN_TABLES) {
        db.exec(`DELETE FROM main.${table}`);
        db.exec(`INSERT INTO main.${table} SELECT * FROM live.${table}`);
      }
      db.exec("DELETE FROM main.settings WHERE key = 'port'");
      db.exec("INSERT INTO main.settings SELECT * FROM live.settings WHERE key = 'port'");
      db.prepare('UPDATE main.owner SET id = ?').run(parts.accountId);
      // Keys of this place are no former ones.
      db.exec('DELETE FROM main.former_keys WHERE kid IN (SELECT kid FROM live.signing_keys)');
      const isLight = db.prepare('SELECT 1 FROM main.exposure WHERE dark IS NULL').get() !== undefined;
      db.prepare('UPDATE main.exposure SET dark = coalesce(dark, ?)').run(parts.now);
      db.prepare('UPDATE main.moves SET made_dark = ? WHERE settled IS NULL').run(isLight ? 1 : 0);
    }).immediate();
    db.exec('DETACH live');
    checkpointFully(db);
  } finally {
    db.close();
  }
  for (const beside of SIDECAR_SUFFIXES) rmSync(made + beside, { force: true });
};
