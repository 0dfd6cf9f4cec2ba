import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../../../platform/io/file-system.ts';
import type { Log } from '../../../../platform/log.ts';
import { backupEntrySchema, erasureCountsSchema } from '../../../../wire/erasure.ts';

/*
 * Full erasure. A running server has an open database and data in memory. It therefore only writes a marker file and
 * stops. The next start deletes the content of the home before it opens anything. The marker is removed last, so that
 * the erasure is repeated if this start is killed.
 */

/** Marker file in the home that requests a full erasure. */
export const ERASE_EVERYTHING_FILE = 'erase-everything.json';

/** Files that a full erasure retains: the lock in use, markers, and config.json, which contains none of the data. */
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
  setUpCode: z.string(),
});

/** Content of the marker file: a report without data, and the one-time code for the next set-up. */
export type FullErasureMarker = z.infer<typeof markerSchema>;

/** Writes the marker file. */
export const writeFullErasureMarker = (file: string, marker: FullErasureMarker): void =>
  replaceFile(file, JSON.stringify(marker));

/** Deletes the content of a folder but not the folder, which may be a mount point or a link. */
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
    // The link is dangling or leads to a file. The link itself is deleted.
    return false;
  }
};

/** Folders that `openHome` creates. They are emptied instead of deleted. */
const HOME_FOLDERS: ReadonlySet<string> = new Set(['files', 'uploads', 'removed', 'imports', 'backups']);

/**
 * Deletes the content of the home if the owner requested it. Must run before anything in the home is opened.
 * @returns the content of the marker; undefined if no erasure was requested or the marker does not match its schema
 */
export const finishFullErasure = (home: string, log: Log): FullErasureMarker | undefined => {
  const marker = join(home, ERASE_EVERYTHING_FILE);
  if (!existsSync(marker)) return undefined;
  const parsed = markerSchema.safeParse(JSON.parse(readFileSync(marker, 'utf8')));
  if (!parsed.success) {
    log.error({ file: ERASE_EVERYTHING_FILE }, 'invalid marker of a full erasure; nothing was erased');
    return undefined;
  }
  for (const name of readdirSync(home)) {
    if (RETAINED_FILES.has(name)) continue;
    const path = join(home, name);
    if (HOME_FOLDERS.has(name) && isFolderOrLinkToFolder(path)) emptyFolder(path);
    else rmSync(path, { recursive: true, force: true });
  }
  return parsed.data;
};

/** Removes the marker file, after the report was stored in the new database. */
export const removeFullErasureMarker = (home: string): void =>
  rmSync(join(home, ERASE_EVERYTHING_FILE), { force: true });
