import { join } from 'node:path';

/*
 * Paths of a transfer in the folder `backups/move` of the home, which backups do not contain.
 *
 * - `archive`: the upload
 * - `export-….sqlite`: the database snapshot of an export
 * - `making`: an incomplete import
 * - `made`: a complete import, which the next start activates
 * - `arriving`: the same import during its activation
 */
export const INCOMPLETE_IMPORT = 'making';
export const COMPLETE_IMPORT = 'made';
export const ACTIVATING_IMPORT = 'arriving';
/** File of an import that contains the former id of the account. */
export const ACCOUNT_ID_FILE = 'about.json';
/** Prefix of database snapshots of exports. */
const SNAPSHOT_PREFIX = 'export-';
/** Returns true for files of an interrupted export or import. */
export const isUnfinished = (name: string): boolean => name === INCOMPLETE_IMPORT || name.startsWith(SNAPSHOT_PREFIX);
/** Name of the imported database after the settings of this account have been copied into it. */
export const READY_DATABASE = 'ready.sqlite';

/** Returns the paths of a transfer in a home. */
export const transferPaths = (home: string) => {
  const folder = join(home, 'backups', 'move');
  return {
    folder,
    archive: join(folder, 'archive'),
    state: join(folder, 'state.json'),
    completeImport: join(folder, COMPLETE_IMPORT),
    activatingImport: join(folder, ACTIVATING_IMPORT),
    snapshot: (id: string) => join(folder, `${SNAPSHOT_PREFIX}${id}.sqlite`),
  };
};
