import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { moveAndMerge, syncFolder } from '../../../../platform/io/file-system.ts';
import { DATABASE } from '../format/manifest-rules.ts';
import { openHomeDatabase, replaceDatabase } from './store.ts';

/** True if the PDA was set up while the restore ran. Its owner then stays. */
const hasOwner = (database: string): boolean => {
  if (!existsSync(database)) return false;
  const db = openHomeDatabase(database);
  try {
    return db.name() !== '';
  } finally {
    db.close();
  }
};

/**
 * Puts a home that was restored in the set-up in its place. It lies whole in the folder `restored`; the database goes last, and whatever ends this in between,
 * the next start goes on with it. Only in a home that is locked, before its database is opened.
 */
export const adoptRestored = (home: string): boolean => {
  const restored = join(home, 'restored');
  if (!existsSync(restored)) return false;
  const names = readdirSync(restored);
  const isWhole = names.includes(DATABASE) && !hasOwner(join(home, DATABASE));
  if (isWhole) {
    for (const name of names) if (name !== DATABASE) moveAndMerge(join(restored, name), join(home, name));
    mkdirSync(join(home, 'files'), { recursive: true, mode: 0o700 });
    syncFolder(home);
    replaceDatabase(join(restored, DATABASE), join(home, DATABASE));
    syncFolder(home);
  }
  rmSync(restored, { recursive: true, force: true });
  return isWhole;
};
