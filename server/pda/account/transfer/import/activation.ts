import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { moveAndMerge, syncFolder } from '../../../../platform/io/file-system.ts';
import { problemOf, replaceDatabase, takeOver } from './activation-store.ts';
import { ABOUT, placesIn, READY } from '../format/paths.ts';
import { openMoveState } from './state.ts';

const DATABASE = 'pda.sqlite';
const aboutSchema = z.object({ accountId: z.uuid() });

const isFileIn = (folder: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => !entry.isDirectory());

/** Returns why the import cannot be activated: the account was used while the archive was read, and that data stays. */
const whyNot = (home: string): string | undefined => {
  const database = join(home, DATABASE);
  if (!existsSync(database)) return 'Set this account up first.';
  return (
    problemOf(database) ??
    (isFileIn(join(home, 'files')) ? 'There are files in the files folder already. Nothing was imported.' : undefined)
  );
};

/**
 * Puts an account that was imported in its place. Only in a home that is locked, before its database is opened. Once it is decided, whatever ends this, the
 * next start goes on with it: the folders first, the database last, which was given what is kept of the one before.
 * @param now Unix milliseconds
 */
export const adoptMoved = (home: string, now: number): boolean => {
  const { folder, made, arriving, archive } = placesIn(home);
  if (existsSync(made) && !existsSync(arriving)) {
    const problem = whyNot(home);
    if (problem !== undefined) {
      rmSync(made, { recursive: true, force: true });
      openMoveState(home).change({ problem });
      return false;
    }
    renameSync(made, arriving);
    syncFolder(folder);
  }
  rmSync(made, { recursive: true, force: true });
  if (!existsSync(arriving)) return false;
  const database = join(arriving, DATABASE);
  const ready = join(arriving, READY);
  if (existsSync(database)) {
    const { accountId } = aboutSchema.parse(JSON.parse(readFileSync(join(arriving, ABOUT), 'utf8')));
    takeOver(join(home, DATABASE), database, { accountId, now });
    // From here on the one that is here is not asked any more.
    renameSync(database, ready);
    syncFolder(arriving);
  }
  if (existsSync(ready)) {
    for (const name of readdirSync(arriving))
      if (name !== READY && name !== ABOUT) moveAndMerge(join(arriving, name), join(home, name));
    mkdirSync(join(home, 'files'), { recursive: true, mode: 0o700 });
    syncFolder(home);
    replaceDatabase(ready, join(home, DATABASE));
    syncFolder(home);
  }
  rmSync(arriving, { recursive: true, force: true });
  rmSync(archive, { force: true });
  openMoveState(home).change({ upload: null, problem: null });
  return true;
};
