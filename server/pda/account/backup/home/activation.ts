import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { moveAndMerge, syncFolder } from '../../../../platform/io/file-system.ts';
import { DATABASE_FILE } from '../format/manifest-rules.ts';
import { openHomeDatabase, replaceDatabase } from './store.ts';

/** Returns the folder in which a restore during the set-up is prepared. When complete, it is moved to `restored`. */
export const unfinishedRestoreOf = (home: string): string => join(home, 'backups', 'restoring');

const hasOwner = (database: string): boolean => {
  if (!existsSync(database)) return false;
  const db = openHomeDatabase(database);
  try {
    return db.readName() !== '';
  } finally {
    db.close();
  }
};

/**
 * Activates a home that was restored during the set-up, from the folder `restored`, and deletes this folder and the
 * folder of an interrupted restore. An existing account takes precedence over the restored one. The home must be locked
 * and its database closed. The database is moved last, so that the next start resumes an interrupted activation.
 */
export const activateRestoredHome = (home: string): void => {
  rmSync(unfinishedRestoreOf(home), { recursive: true, force: true });
  const restoredFolder = join(home, 'restored');
  if (!existsSync(restoredFolder)) return;
  const names = readdirSync(restoredFolder);
  if (names.includes(DATABASE_FILE) && !hasOwner(join(home, DATABASE_FILE))) {
    for (const name of names) if (name !== DATABASE_FILE) moveAndMerge(join(restoredFolder, name), join(home, name));
    mkdirSync(join(home, 'files'), { recursive: true, mode: 0o700 });
    syncFolder(home);
    replaceDatabase(join(restoredFolder, DATABASE_FILE), join(home, DATABASE_FILE));
    syncFolder(home);
  }
  rmSync(restoredFolder, { recursive: true, force: true });
};
