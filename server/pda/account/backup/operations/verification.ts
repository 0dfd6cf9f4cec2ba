import { readKeys, type BackupArchive } from '../format/archive.ts';
import { openChunks, tableOf, unpackChunk } from '../format/chunks.ts';
import { isGenuine, writeKeyFile } from '../format/key-file.ts';
import { entriesOf, pageOf } from './backup.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';
import { createNaming } from '../format/encryption.ts';

/** What a PDA remembers of its archive: by it an archive that was put back to an earlier state is found out. */
export type Remembered = { newest: string; generation: number };

export type Verified = {
  /** What is wrong, in words; none when every byte is as it was written. */
  problems: string[];
  /** Packs that are of no use. */
  damagedPacks: string[];
  backups: number;
  packs: number;
  bytes: number;
  /** Files that are none of an archive's. */
  unknownFiles: string[];
};

const MAX_PROBLEMS = 1000;

/**
 * Reads every byte of an archive: opens each file, compares each chunk with its id, and checks that each backup is complete.
 * @param tell receives the number of bytes read
 */
export const verifyArchive = async (
  archive: BackupArchive,
  parts: {
    remembered?: Remembered | undefined;
    tell: (done: number, total: number) => void;
    pause: () => Promise<void>;
  },
): Promise<Verified> => {
  const { remembered, tell, pause } = parts;
  const problems = new Set<string>();
  const damagedPacks: string[] = [];
  /** @returns undefined where something is wrong, which is noted */
  const noting = <T>(work: () => T): T | undefined => {
    try {
      return work();
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
      problems.add('One of the two files with the key of the archive was changed.');
  const [one, two] = keys.files.map(writeKeyFile);
  if (two !== undefined && one !== two) problems.add('The two files with the key of the archive are not the same.');

  const packs = archive.names('pack');
  const sizes = packs.map((name) => archive.size('pack', name));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const nameOf = createNaming(archive.master);
  const found = new Set<string>();
  let bytes = 0;
  for (const [at, name] of packs.entries()) {
    const isSound = noting(() => {
      const plain = archive.read('pack', name);
      for (const { id, ...place } of tableOf(name, plain)) {
        if (nameOf(unpackChunk(name, plain, place)).id !== id)
          throw new BackupProblem('damaged', `The file ${name} of the archive holds something else than it says.`);
        found.add(id);
      }
      return true;
    });
    if (isSound === undefined) damagedPacks.push(name);
    bytes += sizes[at] ?? 0;
    tell(bytes, total);
    await pause();
  }

  for (const name of archive.names('index')) noting(() => archive.read('index', name));
  const chunks = openChunks(archive, { complete: true });
  const backups = archive.names('backup');
  const there = new Set(backups);
  for (const name of chunks.listed)
    if (!there.has(name)) problems.add(`The backup ${name} is missing. Perhaps not all of the folder is here yet.`);
  if (archive.names('index').length === 0 && backups.length > 0) problems.add('The index of the archive is missing.');

  for (const name of backups) {
    noting(() => {
      const page = pageOf(archive, name);
      for (const entry of entriesOf(chunks, page)) {
        if (entry.kind === 'file' && !entry.chunks.every((id) => found.has(id)))
          throw new BackupProblem(
            'damaged',
            `The backup of ${page.created} is not whole: a part of it is damaged or missing.`,
          );
      }
    });
    await pause();
  }
  if (remembered !== undefined && remembered.newest !== '') {
    const isBack = !there.has(remembered.newest) || chunks.generation < remembered.generation;
    if (isBack) problems.add('This is an earlier state of the archive: backups that were made since are not in it.');
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
