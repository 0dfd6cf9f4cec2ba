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
import { USER_DATA_TABLES, OWN_TABLES } from '../format/tables.ts';

export { replaceDatabase } from '../../../storage/database.ts';

/* Checks whether an import can replace an account, and copies the settings of this account into the imported one. */

/** Returns why nothing can be imported into an account; undefined if the account is set up and empty. */
export const findImportObstacle = (db: Database): string | undefined => {
  if (schemaVersion(db) !== SCHEMA_VERSION)
    return 'This version of the program has not opened this account yet. Start the PDA once, then try again.';
  if (db.prepare('SELECT 1 FROM owner').get() === undefined) return 'Set up this account first.';
  const nonEmptyTables = USER_DATA_TABLES.filter(
    (table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
  if (nonEmptyTables.length === 0) return undefined;
  return 'This account is not empty. An archive can only be imported into an account that is set up and empty.';
};

export const findImportObstacleOfFile = (file: string): string | undefined => {
  const db = openReader(file);
  try {
    return findImportObstacle(db);
  } finally {
    db.close();
  }
};

/**
 * Copies the settings of this account (`OWN_TABLES` and the port), such as keys, password and address, into the
 * imported account. Makes the imported account dark. No other process may have the databases open.
 * @param liveFile database of this account
 * @param importedFile database of the imported account
 * @param options.ownerId owner id in the imported account, to which the imported data refers
 * @param options.now Unix milliseconds
 */
export const transferOwnSettings = (
  liveFile: string,
  importedFile: string,
  options: { ownerId: string; now: number },
): void => {
  checkpointFile(liveFile);
  const db = openMaintenance(importedFile);
  try {
    db.prepare('ATTACH ? AS live').run(liveFile);
    db.transaction(() => {
      for (const table of OWN_TABLES) {
        db.exec(`DELETE FROM main.${table}`);
        db.exec(`INSERT INTO main.${table} SELECT * FROM live.${table}`);
      }
      db.exec("DELETE FROM main.settings WHERE key = 'port'");
      db.exec("INSERT INTO main.settings SELECT * FROM live.settings WHERE key = 'port'");
      db.prepare('UPDATE main.owner SET id = ?').run(options.ownerId);
      // This account's current keys must not be listed as former keys.
      db.exec('DELETE FROM main.former_keys WHERE kid IN (SELECT kid FROM live.signing_keys)');
      const wasReachable = db.prepare('SELECT 1 FROM main.exposure WHERE dark IS NULL').get() !== undefined;
      db.prepare('UPDATE main.exposure SET dark = coalesce(dark, ?)').run(options.now);
      db.prepare('UPDATE main.moves SET made_dark = ? WHERE settled IS NULL').run(wasReachable ? 1 : 0);
    }).immediate();
    db.exec('DETACH live');
    checkpointFully(db);
  } finally {
    db.close();
  }
  for (const suffix of SIDECAR_SUFFIXES) rmSync(importedFile + suffix, { force: true });
};
