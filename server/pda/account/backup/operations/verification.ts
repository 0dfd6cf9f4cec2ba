import { numberOfName, readKeyFiles, type BackupArchive } from '../format/archive.ts';
import { openChunks, parsePackTable, unpackChunk } from '../format/chunks.ts';
import { isGenuine, formatKeyFile } from '../format/key-file.ts';
import { readEntries, readManifest } from './backup.ts';
import { BackupProblem, toBackupProblem } from '../format/error.ts';
import { createChunkHasher } from '../format/encryption.ts';

/** Name of the newest backup, and generation of the index, after the server's last backup. */
export type KnownArchiveState = { newest: string; generation: number };

export type VerificationResult = {
  /** Messages for the owner; empty if the archive is intact. */
  problems: string[];
  damagedPacks: string[];
  backups: number;
  packs: number;
  bytes: number;
  unknownFiles: string[];
};

const PROBLEMS_MAX = 1000;

/**
 * Verifies an archive: checks the key files, decrypts every pack, index and manifest, compares each chunk with its id,
 * and checks that each backup is complete.
 * @param parts.knownState used to detect a rollback of the archive; without it, rollbacks are not detected
 * @throws BackupProblem missing | unusable
 */
export const verifyArchive = async (
  archive: BackupArchive,
  parts: {
    knownState?: KnownArchiveState | undefined;
    onProgress: (done: number, total: number) => void;
    pause: () => Promise<void>;
  },
): Promise<VerificationResult> => {
  const { knownState, onProgress, pause } = parts;
  const problems = new Set<string>();
  const damagedPacks: string[] = [];
  const runCheck = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      const problem = toBackupProblem(error, archive.folder);
      if (!(problem instanceof BackupProblem) || problem.kind === 'missing' || problem.kind === 'unusable')
        throw problem;
      if (problems.size < PROBLEMS_MAX) problems.add(problem.message);
      return undefined;
    }
  };

  const keys = readKeyFiles(archive.folder);
  if (keys.problem !== undefined) problems.add(keys.problem.message);
  for (const file of keys.files)
    if (file.archive !== archive.id || !isGenuine(file, archive.masterKey))
      problems.add('A key file of the archive was modified or is from another archive.');
  const [firstKey, secondKey] = keys.files.map(formatKeyFile);
  if (secondKey !== undefined && firstKey !== secondKey) problems.add('The two key files of the archive differ.');

  const packs = archive.listNames('pack');
  const sizes = packs.map((name) => archive.sizeOf('pack', name));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const hashChunk = createChunkHasher(archive.masterKey);
  const verifiedChunks = new Set<string>();
  let bytes = 0;
  for (const [index, name] of packs.entries()) {
    const isIntact = runCheck(() => {
      const content = archive.read('pack', name);
      for (const { id, ...location } of parsePackTable(name, content)) {
        if (hashChunk(unpackChunk(name, content, location)).id !== id)
          throw new BackupProblem('damaged', `The file ${name} of the archive contains a modified chunk.`);
        verifiedChunks.add(id);
      }
      return true;
    });
    if (isIntact === undefined) damagedPacks.push(name);
    bytes += sizes[index] ?? 0;
    onProgress(bytes, total);
    await pause();
  }

  for (const name of archive.listNames('index')) runCheck(() => archive.read('index', name));
  const chunks = openChunks(archive, { includeUnlistedPacks: true });
  const backups = archive.listNames('backup');
  const existingBackups = new Set(backups);
  for (const name of chunks.listedBackups)
    if (!existingBackups.has(name))
      problems.add(`The backup ${name} is missing. The folder may not be completely synchronised yet.`);
  if (archive.listNames('index').length === 0 && backups.length > 0)
    problems.add('The index of the archive is missing.');

  for (const name of backups) {
    runCheck(() => {
      const manifest = readManifest(archive, name);
      for (const entry of readEntries(chunks, manifest)) {
        if (entry.kind === 'file' && !entry.chunks.every((id) => verifiedChunks.has(id)))
          throw new BackupProblem(
            'damaged',
            `The backup of ${manifest.created} is incomplete: a part of it is damaged or missing.`,
          );
      }
    });
    await pause();
  }
  if (knownState !== undefined) {
    const hasNewest =
      existingBackups.has(knownState.newest) ||
      // The command line may have added a newer backup and removed this one.
      numberOfName(backups.at(-1) ?? '') > numberOfName(knownState.newest);
    if (!hasNewest || chunks.generation < knownState.generation)
      problems.add('The archive was rolled back to an earlier state: the newest backup or index is missing.');
  }
  return {
    problems: [...problems],
    damagedPacks,
    backups: backups.length,
    packs: packs.length,
    bytes,
    unknownFiles: archive.listUnknownFiles(),
  };
};
