import { join } from 'node:path';

/**
 * Where an account that is on the move lies: in the folder `move` below `backups`, which is in no backup, and on the same disk as the home.
 *
 * `archive` what is being uploaded · `export-….sqlite` the moment that an export is of · `making` an import that is not whole · `made` a whole one, for the
 * next start · `arriving` the same, once it was decided that it takes the place of what is here
 */
export const MAKING = 'making';
export const MADE = 'made';
export const ARRIVING = 'arriving';
export const ABOUT = 'about.json';
/** How the copies begin that exports are made of. */
const SCRATCH = 'export-';
export const isLeftOver = (name: string): boolean => name === MAKING || name.startsWith(SCRATCH);
/** The database of `arriving`, with the settings that this account keeps. */
export const READY = 'ready.sqlite';

export const placesIn = (home: string) => {
  const folder = join(home, 'backups', 'move');
  return {
    folder,
    archive: join(folder, 'archive'),
    state: join(folder, 'state.json'),
    made: join(folder, MADE),
    arriving: join(folder, ARRIVING),
    scratch: (id: string) => join(folder, `${SCRATCH}${id}.sqlite`),
  };
};
