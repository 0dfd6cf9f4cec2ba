import { readKeys, type BackupArchive } from '../format/archive.ts';
import { openChunks, tableOf, unpackChunk } from '../format/chunks.ts';
import { isGenuine, writeKeyFile } from '../format/key-file.ts';
import { entriesOf, manifestOf } from './backup.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';
import { createNaming } from '../format/encryption.ts';

/** The last known state of an archive, which detects a rollback to an earlier state. */
export type KnownArchiveState = { newest: string; generation: number };

export type VerificationResult = {
  /** Descriptions of problems; empty if the archive is intact. */
  problems: string[];
  /** Names of damaged packs. */
  damagedPacks: string[];
  backups: number;
  packs: number;
  bytes: number;
  /** Files that do not belong to the archive. */
  unknownFiles: string[];
};

const MAX_PROBLEMS = 1000;

/**
 * Reads every byte of an archive: opens each file, compares each chunk with its id, and checks that each backup is
 * complete.
 * @param onProgress receives the number of bytes read
 */
export const verifyArchive = async (
  archive: BackupArchive,
  parts: {
    remembered?: KnownArchiveState | undefined;
    onProgress: (done: number, total: number) => void;
    pause: () => Promise<void>;
  },
): Promise<VerificationResult> => {
  const { remembered, onProgress, pause } = parts;
  const problems = new Set<string>();
  const damagedPacks: string[] = [];
  /** Runs a check and records its problem. Returns undefined if there is one. */
  const recordProblem = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      const problem = backupErrorText(error, archive.folder);
      if (!(problem instanceof BackupProblem) || problem.kind === 'missing' || problem.kind === 'unusable')
        throw problem;
      if (problems.size < MAX_PROBLEMS) problems.add(problem.message);
      return undefined;
    }
  };

  const keys = readKeys(archive.folder);
  if (keys.problem !== undefined) problems.add(keys.problem.message);
  for (const file of keys.files)
    if (file.archive !== archive.id || !isGenuine(file, archive.master))
      problems.add('One of the two key files of the archive was modified.');
  const [firstKey, secondKey] = keys.files.map(writeKeyFile);
  if (secondKey !== undefined && firstKey !== secondKey)
    problems.add('The two key files of the archive are different.');

  const packs = archive.names('pack');
  const sizes = packs.map((name) => archive.size('pack', name));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const nameOf = createNaming(archive.master);
  const verifiedChunks = new Set<string>();
  let bytes = 0;
  for (const [at, name] of packs.entries()) {
    const isIntact = recordProblem(() => {
      const plain = archive.read('pack', name);
      for (const { id, ...location } of tableOf(name, plain)) {
        if (nameOf(unpackChunk(name, plain, location)).id !== id)
          throw new BackupProblem('damaged', `The file ${name} of the archive contains a chunk with a wrong id.`);
        verifiedChunks.add(id);
      }
      return true;
    });
    if (isIntact === undefined) damagedPacks.push(name);
    bytes += sizes[at] ?? 0;
    onProgress(bytes, total);
    await pause();
  }

  for (const name of archive.names('index')) recordProblem(() => archive.read('index', name));
  const chunks = openChunks(archive, { complete: true });
  const backups = archive.names('backup');
  const existing = new Set(backups);
  for (const name of chunks.listedBackups)
    if (!existing.has(name))
      problems.add(`The backup ${name} is missing. The folder may not be completely synchronised yet.`);
  if (archive.names('index').length === 0 && backups.length > 0) problems.add('The index of the archive is missing.');

  for (const name of backups) {
    recordProblem(() => {
      const manifest = manifestOf(archive, name);
      for (const entry of entriesOf(chunks, manifest)) {
        if (entry.kind === 'file' && !entry.chunks.every((id) => verifiedChunks.has(id)))
          throw new BackupProblem(
            'damaged',
            `The backup of ${manifest.created} is incomplete: a part of it is damaged or missing.`,
          );
      }
    });
    await pause();
  }
  if (remembered !== undefined && remembered.newest !== '') {
    const isRolledBack = !existing.has(remembered.newest) || chunks.generation < remembered.generation;
    if (isRolledBack) problems.add('The archive was rolled back to an earlier state: newer backups are missing.');
  }
  return {
    problems: [...problems],
    damagedPacks,
    backups: backups.length,
    packs: packs.length,
    bytes,
    unknownFiles: archive.unknownFiles(),
  };
};
