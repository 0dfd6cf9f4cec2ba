import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { moveAndMerge, syncFolder } from '../../../../platform/io/file-system.ts';
import { findImportObstacleOfFile, replaceDatabase, transferOwnSettings } from './activation-store.ts';
import { ACCOUNT_ID_FILE, transferPaths, READY_DATABASE } from '../format/paths.ts';
import { openTransferState } from './state.ts';

const DATABASE_FILE = 'pda.sqlite';
const aboutSchema = z.object({ accountId: z.uuid() });

type ActivationParts = {
  /** Unix milliseconds. */
  now: number;
  /** Returns true for files that the folder sync ignores, such as those of operating systems. */
  isIgnoredFile: (path: string) => boolean;
};

const containsFiles = (folder: string, isIgnoredFile: ActivationParts['isIgnoredFile']): boolean =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => !entry.isDirectory() && !isIgnoredFile(entry.name),
  );

/**
 * Returns why the import cannot be activated; undefined if it can. Data that was added to the account in the meantime
 * takes precedence over the import.
 */
const findActivationObstacle = (home: string, isIgnoredFile: ActivationParts['isIgnoredFile']): string | undefined => {
  const database = join(home, DATABASE_FILE);
  if (!existsSync(database)) return 'Set up this account first.';
  return (
    findImportObstacleOfFile(database) ??
    (containsFiles(join(home, 'files'), isIgnoredFile)
      ? 'The files folder is not empty. Nothing was imported.'
      : undefined)
  );
};

/**
 * Replaces the account with the imported account. Discards the import and stores the reason if the account or its files
 * folder is no longer empty. The home must be locked and its database closed. The database is moved last, so that the
 * next start resumes an interrupted activation.
 * @returns true if an import was activated
 */
export const replaceWithImport = (home: string, { now, isIgnoredFile }: ActivationParts): boolean => {
  const { folder, completeImport, activatingImport, archive } = transferPaths(home);
  if (existsSync(completeImport) && !existsSync(activatingImport)) {
    const problem = findActivationObstacle(home, isIgnoredFile);
    if (problem !== undefined) {
      rmSync(completeImport, { recursive: true, force: true });
      openTransferState(home).change({ problem });
      return false;
    }
    renameSync(completeImport, activatingImport);
    syncFolder(folder);
  }
  rmSync(completeImport, { recursive: true, force: true });
  if (!existsSync(activatingImport)) return false;
  const database = join(activatingImport, DATABASE_FILE);
  const readyDatabase = join(activatingImport, READY_DATABASE);
  if (existsSync(database)) {
    const { accountId } = aboutSchema.parse(JSON.parse(readFileSync(join(activatingImport, ACCOUNT_ID_FILE), 'utf8')));
    transferOwnSettings(join(home, DATABASE_FILE), database, { ownerId: accountId, now });
    // From this rename on, the database of the empty account is no longer needed.
    renameSync(database, readyDatabase);
    syncFolder(activatingImport);
  }
  if (existsSync(readyDatabase)) {
    for (const name of readdirSync(activatingImport))
      if (name !== READY_DATABASE && name !== ACCOUNT_ID_FILE)
        moveAndMerge(join(activatingImport, name), join(home, name));
    mkdirSync(join(home, 'files'), { recursive: true, mode: 0o700 });
    syncFolder(home);
    replaceDatabase(readyDatabase, join(home, DATABASE_FILE));
    syncFolder(home);
  }
  rmSync(activatingImport, { recursive: true, force: true });
  rmSync(archive, { force: true });
  openTransferState(home).change({ upload: null, problem: null });
  return true;
};
