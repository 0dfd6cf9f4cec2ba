import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import { restoreDatabaseCopy, COPY_NAME_PATTERN, createDatabaseCopy } from '../storage/copies.ts';
import { openHome, type Home } from '../storage/home/folder.ts';

/* Commands `pda copy create` and `pda copy restore`. */

const COPY_NAME_RULE =
  'A name begins with a letter or digit, contains only letters, digits, dots, hyphens and underscores, and has at most 80 characters.';

/** Runs work while the home is locked. Does not open the database, because that would migrate it. */
const withHome = (path: string, name: string, work: (home: Home) => void): void => {
  if (!COPY_NAME_PATTERN.test(name))
    throw new Failure('invalid_input', `Invalid copy name: ${name}. ${COPY_NAME_RULE}`);
  if (!existsSync(join(path, 'pda.sqlite')) && !existsSync(join(path, 'backups')))
    throw new Failure('not_set_up', `There is no PDA in ${path} yet. Create one with: pda init`);
  const home = openHome(path);
  try {
    work(home);
  } finally {
    home.close();
  }
};

export const createCopyOf = (path: string, name: string): void =>
  withHome(path, name, (home) => print(`copied to ${createDatabaseCopy(home, name)}`));

/** Restores a copy only if this version cannot use the current database. */
export const restoreCopyOf = (path: string, name: string): void =>
  withHome(path, name, (home) => {
    const previousDatabase = restoreDatabaseCopy(home, name);
    if (previousDatabase === undefined) print('the database was not changed: this version can open it');
    else
      print(
        previousDatabase === ''
          ? 'restored the copy'
          : `restored the copy; the previous database was saved as ${previousDatabase}`,
      );
  });
