import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../../../platform/io/file-system.ts';
import type { Log } from '../../../../platform/log.ts';
import { backupEntrySchema, erasureCountsSchema } from '../../../../wire/erasure.ts';

/**
 * Erasing everything. A server that runs has the database open and everything in its memory, so it only leaves a mark and ends; the next start
 * takes away what is in the home before it opens anything. The mark goes last: a start that is killed in the middle is followed by one that goes on.
 */

/** File in the home that says that everything is to be erased. */
export const ERASE_EVERYTHING_FILE = 'erase-everything.json';

/** Kept: the held lock, the mark of the erasure, and config.json, which holds settings and no data. */
const STAYS: ReadonlySet<string> = new Set([
  ERASE_EVERYTHING_FILE,
  `${ERASE_EVERYTHING_FILE}.new`,
  'lock',
  'lock-journal',
  'running',
  'config.json',
]);

const erasedSchema = z.strictObject({
  id: z.uuid(),
  begun: z.int(),
  what: erasureCountsSchema,
  copies: z.int(),
  backups: z.array(backupEntrySchema).nullable(),
  setUpCode: z.string(),
});

/** The report, without data, and the one-time code for the next set-up. */
export type ErasedEverything = z.infer<typeof erasedSchema>;

export const markEverything = (file: string, erased: ErasedEverything): void =>
  replaceFile(file, JSON.stringify(erased));

/** Deletes the content of a folder but not the folder, which may be a mount point or a link. */
const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
};

const isFolder = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isDirectory() || (found.isSymbolicLink() && readsAsFolder(path)));
};
const readsAsFolder = (path: string): boolean => {
  try {
    readdirSync(path);
    return true;
  } catch {
    // A link to nothing, or to a file: the link itself goes.
    return false;
  }
};

/** Folders that openHome creates. */
const FOLDERS: ReadonlySet<string> = new Set(['files', 'uploads', 'removed', 'imports', 'backups']);

/**
 * Deletes the content of the home if the owner requested it. Runs before anything else opens the home.
 * @returns the report; undefined if nothing was requested
 */
export const finishEverything = (home: string, log: Log): ErasedEverything | undefined => {
  const mark = join(home, ERASE_EVERYTHING_FILE);
  if (!existsSync(mark)) return undefined;
  const erased = erasedSchema.safeParse(JSON.parse(readFileSync(mark, 'utf8')));
  if (!erased.success) {
    log.error(
      { file: ERASE_EVERYTHING_FILE },
      'a mark that everything is to be erased is not one of ours; nothing was erased',
    );
    return undefined;
  }
  for (const name of readdirSync(home)) {
    if (STAYS.has(name)) continue;
    const path = join(home, name);
    if (FOLDERS.has(name) && isFolder(path)) emptyFolder(path);
    else rmSync(path, { recursive: true, force: true });
  }
  return erased.data;
};

/** The report is kept in the new database: the mark has done its work. */
export const forgetEverythingMark = (home: string): void => rmSync(join(home, ERASE_EVERYTHING_FILE), { force: true });
