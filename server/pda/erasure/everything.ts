import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../platform/log.ts';
import { backupEntrySchema, erasureCountsSchema } from '../../wire/erasure.ts';
import { writeMark } from './mark-store.ts';
import { MARK } from './service.ts';

/**
 * Erasing everything. A server that runs has the database open and everything in its memory, so it only leaves a mark and ends; the next start
 * takes away what is in the home before it opens anything. The mark goes last: a start that is killed in the middle is followed by one that goes on.
 */

/** What stays: the lock is held, the mark says what is going on, and config.json holds settings of whoever runs this, and no data. */
const STAYS: ReadonlySet<string> = new Set([MARK, `${MARK}.new`, 'lock', 'lock-journal', 'running', 'config.json']);

const erasedSchema = z.strictObject({
  id: z.uuid(),
  begun: z.int(),
  what: erasureCountsSchema,
  copies: z.int(),
  backups: z.array(backupEntrySchema).nullable(),
  setUpCode: z.string(),
});

/** The report, without the data, and the code with which this home can be set up anew. */
export type ErasedEverything = z.infer<typeof erasedSchema>;

export const markEverything = (file: string, erased: ErasedEverything): void => writeMark(file, JSON.stringify(erased));

/** Empties a folder, and leaves the folder: it may be a disk of its own, or a link to one. */
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

/** Folders that openHome makes, and that must be there when a home is opened anew. */
const FOLDERS: ReadonlySet<string> = new Set(['files', 'uploads', 'removed', 'imports', 'backups']);

/**
 * Takes away what is in the home, when the owner asked for that. Before anything else of it is opened.
 * @returns what is to be told afterwards; undefined: nobody asked
 */
export const finishEverything = (home: string, log: Log): ErasedEverything | undefined => {
  const mark = join(home, MARK);
  if (!existsSync(mark)) return undefined;
  const erased = erasedSchema.safeParse(JSON.parse(readFileSync(mark, 'utf8')));
  if (!erased.success) {
    log.error({ file: MARK }, 'a mark that everything is to be erased is not one of ours; nothing was erased');
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
export const forgetEverythingMark = (home: string): void => rmSync(join(home, MARK), { force: true });
