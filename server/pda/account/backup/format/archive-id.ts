import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { isMissing, syncFile, syncFolder } from '../../../../platform/io/file-system.ts';
import { newArchiveId, requireFolder } from './archive.ts';
import { ARCHIVE_ID } from './key-file.ts';
import { BackupProblem, backupErrorText } from './error.ts';
import { BEGUN } from './atomic-file.ts';

const NAME = 'archive';

/**
 * Returns the id of the archive that a home writes to. Backups do not contain it: a restored home starts a new archive, so
 * that two homes from one backup cannot prune each other's backups.
 */
export const archiveIdOf = (folder: string): string => {
  const file = join(folder, NAME);
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (ARCHIVE_ID.test(id)) return id;
  } catch (error) {
    if (!isMissing(error)) throw backupErrorText(error, folder);
  }
  const id = newArchiveId();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Under its name at once; that it lasts is waited for elsewhere, before there is an archive of that name.
    const begun = `${file}.${id}${BEGUN}`;
    writeFileSync(begun, `${id}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(begun, file);
  } catch (error) {
    throw backupErrorText(error, folder);
  }
  return id;
};

/** Syncs the archive id to disk. Blocks, so it runs only in the backup process. */
export const syncArchiveId = (folder: string): void => {
  syncFile(join(folder, NAME));
  syncFolder(folder);
};

/** A folder that backups may go to. A drive that is gone may never answer: not for the process that serves. @throws BackupProblem missing | unusable | wrong_state */
export const requireTarget = (target: string, home: string): string => {
  const path = resolve(target);
  requireFolder(path);
  try {
    const inside = `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(home)}${sep}`);
    if (inside)
      throw new BackupProblem(
        'wrong_state',
        `${path} is in the home itself: what happens to the one happens to the other. Choose a folder elsewhere, best on another disk.`,
      );
  } catch (error) {
    throw backupErrorText(error, path);
  }
  return path;
};
