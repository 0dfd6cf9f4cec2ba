import { join } from 'node:path';

/*
 * Transfers keep these files and folders in `backups/move` of the home. Backups do not contain this folder.
 *
 * - `archive`: the upload
 * - `state.json`: the state of the upload, and why the last import was not activated
 * - `export-….sqlite`: the database snapshot of an export
 * - `making`: the folder of an incomplete import, with `pda.sqlite` and `about.json`
 * - `made`: the folder of a complete import, which the next start activates
 * - `arriving`: the same folder during the activation
 */
export const INCOMPLETE_IMPORT = 'making';
export const COMPLETE_IMPORT = 'made';
const ACTIVATING_IMPORT = 'arriving';
/** Contains the owner id of the imported account. */
export const ACCOUNT_ID_FILE = 'about.json';
const SNAPSHOT_PREFIX = 'export-';
/** Returns true for the files and folders that an interrupted export or import left behind. */
export const isUnfinished = (name: string): boolean => name === INCOMPLETE_IMPORT || name.startsWith(SNAPSHOT_PREFIX);
/** The imported database after the settings of the account that it replaces were copied into it. */
export const READY_DATABASE = 'ready.sqlite';

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
