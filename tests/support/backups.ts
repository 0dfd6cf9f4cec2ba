import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  createArchive,
  newArchiveId,
  openArchiveWith,
  type BackupArchive,
} from '../../server/pda/account/backup/format/archive.ts';
import { keyFileFor, lockMaster, newMasterKey, type KeyFile } from '../../server/pda/account/backup/format/key-file.ts';
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

/** Archives and homes for tests, without a server and without the cost of hashing a passphrase each time. */

export const PASSPHRASE = 'seven quiet herons over the marsh';

export const pause = (): Promise<void> => Promise.resolve();

export type TestArchive = { target: string; archive: BackupArchive; recoveryKey: string; reopen(): BackupArchive };

type ArchiveKeys = { master: Buffer; file: KeyFile; recoveryKey: string };
const deriveKeys = async (passphrase: string): Promise<ArchiveKeys> => {
  const master = newMasterKey();
  return { master, ...(await lockMaster(master, newArchiveId(), passphrase)) };
};
/** Keys by passphrase. Cached, because each takes a quarter of a second to derive. */
const cachedLocks = new Map<string, Promise<ArchiveKeys>>();

/** @param options.own derives a separate key. All other archives with one passphrase share theirs. */
export const newArchive = async (
  target: string = newFolder(),
  { passphrase = PASSPHRASE, own = false }: { passphrase?: string; own?: boolean } = {},
): Promise<TestArchive> => {
  const locks = (own ? undefined : cachedLocks.get(passphrase)) ?? deriveKeys(passphrase);
  if (!own) cachedLocks.set(passphrase, locks);
  const { master, recoveryKey, file: first } = await locks;
  const file = keyFileFor(first, master, newArchiveId());
  const archive = createArchive(target, file, master);
  return { target, archive, recoveryKey, reopen: () => openArchiveWith(target, file, master) };
};

export const backUp = (
  archive: BackupArchive,
  home: string,
  now: () => number = () => Date.now(),
  distrust: readonly string[] = [],
): Promise<CreatedBackup> =>
  makeBackup(archive, { home, program: '0.0.0', now, onProgress: () => undefined, pause, distrust });

export const verify = (archive: BackupArchive, remembered?: KnownArchiveState): Promise<VerificationResult> =>
  verifyArchive(archive, { remembered, onProgress: () => undefined, pause });

export const pruneArchive = (archive: BackupArchive, retention: Retention) => prune(archive, retention, pause);

export const restoreBackup = async (
  archive: BackupArchive,
  created: Pick<CreatedBackup, 'manifest'>,
  home: string = join(newFolder(), 'home'),
): Promise<string> => {
  await restoreHome(archive, created.manifest, home, { now: () => Date.now(), onProgress: () => undefined, pause });
  return home;
};

/** Lists all files below a folder, with `/` as separator. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();

export const bytesBelow = (folder: string): number =>
  filesBelow(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

export const writeHomeFile = (home: string, path: string, content: string | Buffer): void => {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
};

export const copyOf = (folder: string): string => {
  const copy = join(newFolder(), 'copy');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};
