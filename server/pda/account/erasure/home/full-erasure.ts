import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../../platform/failure.ts';
import { replaceFile, syncFolder } from '../../../../platform/io/file-system.ts';
import { backupEntrySchema, erasureCountsSchema } from '../../../../wire/erasure.ts';

/*
 * Full erasure. A running server has the database open and data in memory, so it only writes a marker file and stops.
 * The next start deletes the content of the home before it opens the database. The marker is removed last, so that an
 * interrupted erasure is repeated.
 */

export const ERASE_EVERYTHING_FILE = 'erase-everything.json';

/** Retained files: the lock in use, markers, and config.json, which contains only settings. */
const RETAINED_FILES: ReadonlySet<string> = new Set([
  ERASE_EVERYTHING_FILE,
  `${ERASE_EVERYTHING_FILE}.new`,
  'lock',
  'lock-journal',
  'running',
  'config.json',
]);

const markerSchema = z.strictObject({
  id: z.uuid(),
  begun: z.int(),
  what: erasureCountsSchema,
  copies: z.int(),
  backups: z.array(backupEntrySchema).nullable(),
  backupFolders: z.array(z.string()).default([]),
  setUpCode: z.string(),
});

/** A report without personal data except the paths of backups, and the one-time code for the next set-up. */
export type FullErasureMarker = z.infer<typeof markerSchema>;

/** @throws the error of the file system; the marker then does not exist */
export const writeFullErasureMarker = (file: string, marker: FullErasureMarker): void => {
  try {
    replaceFile(file, JSON.stringify(marker));
  } catch (error) {
    // The request fails, so the next start must not erase anything.
    rmSync(file, { force: true });
    throw error;
  }
};

/** Keeps the folder itself, which may be a mount point or a link. */
const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
};

const isFolderOrLinkToFolder = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isDirectory() || (stats.isSymbolicLink() && isReadableFolder(path)));
};
const isReadableFolder = (path: string): boolean => {
  try {
    readdirSync(path);
    return true;
  } catch {
    // A link that dangles or leads to a file is itself deleted.
    return false;
  }
};

/** Folders that an open home must have, so they are emptied instead of deleted. */
const HOME_FOLDERS: ReadonlySet<string> = new Set(['files', 'uploads', 'removed', 'imports', 'backups']);

/** @throws Failure wrong_state */
const readMarker = (file: string): FullErasureMarker => {
  try {
    return markerSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The owner may have requested the erasure, so the home is neither erased nor opened.
    throw new Failure(
      'wrong_state',
      `${file} requests the erasure of this PDA but is damaged or unreadable. This start erased nothing. To complete the erasure, delete everything in the folder. To keep the PDA, delete only this file.`,
    );
  }
};

/**
 * Deletes the content of a locked home if the owner requested it. Must run before its database is opened.
 * @returns the marker's content; undefined if no erasure was requested
 * @throws Failure wrong_state if the marker is damaged or unreadable, and errors of the file system
 */
export const finishFullErasure = (home: string): FullErasureMarker | undefined => {
  const file = join(home, ERASE_EVERYTHING_FILE);
  if (!existsSync(file)) return undefined;
  const marker = readMarker(file);
  for (const name of readdirSync(home)) {
    if (RETAINED_FILES.has(name)) continue;
    const path = join(home, name);
    if (HOME_FOLDERS.has(name) && isFolderOrLinkToFolder(path)) emptyFolder(path);
    else rmSync(path, { recursive: true, force: true });
  }
  return marker;
};

/** Must be called after the report has been stored in the new database. */
export const removeFullErasureMarker = (home: string): void => {
  rmSync(join(home, ERASE_EVERYTHING_FILE), { force: true });
  // Otherwise the marker could reappear after a power failure, and the next start would erase the new account.
  syncFolder(home);
};
