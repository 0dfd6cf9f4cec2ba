import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  createArchive,
  newArchiveId,
  openArchiveWithMasterKey,
  type BackupArchive,
} from '../../server/pda/account/backup/format/archive.ts';
import {
  keyFileFor,
  createKeyFile,
  newMasterKey,
  type KeyFile,
} from '../../server/pda/account/backup/format/key-file.ts';
import { makeBackup, type CreatedBackup } from '../../server/pda/account/backup/operations/backup.ts';
import { prune } from '../../server/pda/account/backup/operations/pruning.ts';
import { restoreHome } from '../../server/pda/account/backup/operations/restore.ts';
import type { Retention } from '../../server/pda/account/backup/operations/retention-rules.ts';
import {
  verifyArchive,
  type KnownArchiveState,
  type VerificationResult,
} from '../../server/pda/account/backup/operations/verification.ts';
import { newFolder } from './server-process.ts';

// Archives and homes for tests, without a server.

export const PASSPHRASE = 'seven quiet herons over the marsh';

export const skipPause = (): Promise<void> => Promise.resolve();

export type TestArchive = { target: string; archive: BackupArchive; recoveryKey: string; reopen(): BackupArchive };

type ArchiveKeys = { masterKey: Buffer; file: KeyFile; recoveryKey: string };
const createKeys = async (passphrase: string): Promise<ArchiveKeys> => {
  const masterKey = newMasterKey();
  return { masterKey, ...(await createKeyFile(masterKey, newArchiveId(), passphrase)) };
};
const keysByPassphrase = new Map<string, Promise<ArchiveKeys>>();

/**
 * Creates an empty archive.
 * @param options.hasOwnKey creates separate keys; other archives with the same passphrase share theirs
 */
export const newArchive = async (
  target: string = newFolder(),
  { passphrase = PASSPHRASE, hasOwnKey = false }: { passphrase?: string; hasOwnKey?: boolean } = {},
): Promise<TestArchive> => {
  const keys = (hasOwnKey ? undefined : keysByPassphrase.get(passphrase)) ?? createKeys(passphrase);
  if (!hasOwnKey) keysByPassphrase.set(passphrase, keys);
  const { masterKey, recoveryKey, file: sharedKeyFile } = await keys;
  const keyFile = keyFileFor(sharedKeyFile, masterKey, newArchiveId());
  const archive = createArchive(target, keyFile, masterKey);
  return { target, archive, recoveryKey, reopen: () => openArchiveWithMasterKey(target, keyFile, masterKey) };
};

export const backUp = (
  archive: BackupArchive,
  home: string,
  now: () => number = () => Date.now(),
  distrustedPacks: readonly string[] = [],
): Promise<CreatedBackup> =>
  makeBackup(archive, {
    home,
    programVersion: '0.0.0',
    now,
    onProgress: () => undefined,
    pause: skipPause,
    distrustedPacks,
  });

export const verify = (archive: BackupArchive, knownState?: KnownArchiveState): Promise<VerificationResult> =>
  verifyArchive(archive, { knownState, onProgress: () => undefined, pause: skipPause });

export const pruneArchive = (archive: BackupArchive, retention: Retention) => prune(archive, retention, skipPause);

export const restoreBackup = async (
  archive: BackupArchive,
  backup: Pick<CreatedBackup, 'manifest'>,
  home: string = join(newFolder(), 'home'),
): Promise<string> => {
  await restoreHome(archive, backup.manifest, home, {
    now: () => Date.now(),
    onProgress: () => undefined,
    pause: skipPause,
  });
  return home;
};

/** Lists the paths of all files below a folder, relative to it. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();

export const bytesBelow = (folder: string): number =>
  filesBelow(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

export const writeHomeFile = (home: string, path: string, content: string | Buffer): void => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

export const copyOf = (folder: string): string => {
  const copy = join(newFolder(), 'copy');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};
