import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { isMissing, syncFile, syncFolder } from '../../../../platform/io/file-system.ts';
import { FOLDER_DOES_NOT_EXIST } from '../../../../wire/backup-folder.ts';
import { newArchiveId, requireFolder } from './archive.ts';
import { ARCHIVE_ID } from './key-file.ts';
import { BackupProblem, withBackupProblems } from './error.ts';
import { PARTIAL_SUFFIX } from './atomic-file.ts';

const ID_FILE_NAME = 'archive';

/**
 * Returns the id of the home's archive. Creates the id if there is no valid one. Backups do not contain the id, so a
 * restored home starts a new archive, and two homes from one backup cannot prune each other's backups.
 * @param folder folder `backups` of the home
 * @throws BackupProblem
 */
export const readOrCreateArchiveId = (folder: string): string =>
  withBackupProblems(folder, () => {
    const file = join(folder, ID_FILE_NAME);
    try {
      const id = readFileSync(file, 'utf8').trim();
      if (ARCHIVE_ID.test(id)) return id;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const id = newArchiveId();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Not synced here: `syncArchiveId` is called before an archive with this id is created.
    const temporaryFile = `${file}.${id}${PARTIAL_SUFFIX}`;
    writeFileSync(temporaryFile, `${id}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporaryFile, file);
    return id;
  });

/** Makes the archive id durable. Blocks the thread, so it must not be called in the server process. */
export const syncArchiveId = (folder: string): void => {
  syncFile(join(folder, ID_FILE_NAME));
  syncFolder(folder);
};

/**
 * Checks that a folder exists outside the home, and returns its absolute path. Must not run in the server process,
 * because a disconnected network drive may never respond.
 * @throws BackupProblem missing | unusable | wrong_state
 */
export const requireTarget = (target: string, home: string): string => {
  const path = resolve(target);
  try {
    requireFolder(path);
  } catch (error) {
    const isMissingFolder = error instanceof BackupProblem && error.kind === 'missing';
    throw isMissingFolder ? new BackupProblem('missing', FOLDER_DOES_NOT_EXIST) : error;
  }
  const isInside = withBackupProblems(path, () => {
    const files = join(home, 'files');
    // The files folder may be a link to a larger disk.
    const folders = existsSync(files) ? [home, files] : [home];
    return folders.some((folder) => `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(folder)}${sep}`));
  });
  if (isInside)
    throw new BackupProblem(
      'wrong_state',
      `${path} is inside the home of the PDA, so a backup there would be lost with it. Choose a folder elsewhere, preferably on another disk.`,
    );
  return path;
};
