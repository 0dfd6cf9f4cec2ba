import { join } from 'node:path';

/*
 * Files of transfers in the folder `backups/move` of the home, which backups do not contain.
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
/** Contains the former id of an imported account. */
export const ACCOUNT_ID_FILE = 'about.json';
const SNAPSHOT_PREFIX = 'export-';
/** An interrupted export or import leaves these files behind. */
export const isUnfinished = (name: string): boolean => name === INCOMPLETE_IMPORT || name.startsWith(SNAPSHOT_PREFIX);
/** The imported database after the settings of this account were copied into it. */
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
