import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../platform/failure.ts';
import { restoreDatabaseCopy, COPY_NAME_PATTERN, createDatabaseCopy } from '../storage/copies.ts';
import { openHome, type Home } from '../storage/home/folder.ts';

/** `pda copy …`: copies and restores the database, for the app before it installs an update, and for operators without the app. */

type Say = (line: string) => void;

/** Runs work while the home is locked. Does not open the database through its rooms, so nothing migrates it. */
const withHome = (path: string, name: string, work: (home: Home) => void): void => {
  if (!COPY_NAME_PATTERN.test(name)) throw new Failure('invalid_input', `A copy cannot be called ${name}.`);
  if (!existsSync(join(path, 'pda.sqlite')) && !existsSync(join(path, 'backups')))
    throw new Failure('not_set_up', `There is no PDA in ${path} yet. Make one with: pda init`);
  const home = openHome(path);
  try {
    work(home);
  } finally {
    home.close();
  }
};

export const makeCopyIn = (path: string, name: string, say: Say): void =>
  withHome(path, name, (home) => say(`copied to ${createDatabaseCopy(home, name)}`));

export const bringBackIn = (path: string, name: string, say: Say): void =>
  withHome(path, name, (home) => {
    const aside = restoreDatabaseCopy(home, name);
    if (aside === undefined) say('the database stays as it is');
    else
      say(
        aside === ''
          ? 'the copy is the database now'
          : `the copy is the database now; the previous database is ${aside}`,
      );
  });
