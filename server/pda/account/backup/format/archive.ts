import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { ARCHIVE_ID, openKeyFile, readKeyFile, writeKeyFile, type KeyFile, type Secret } from './key-file.ts';
import { BackupProblem, backupErrorText, isTaken } from './error.ts';
import { seal, unseal, type Kind } from './encryption.ts';
import { BEGUN, writeWhole } from './atomic-file.ts';

/**
 * One archive: the folder `pda-<16 signs>` below the folder that the owner chose, with plain files and nothing else, so that any disk and any folder that is
 * carried elsewhere will do. A file is whole before it gets its name, and never changes afterwards.
 *
 * `key`, `key-copy`  the master key, locked · `packs/` chunks of content · `index/` where each chunk is · `backups/` one file for each backup
 */
export type BackupArchive = {
  readonly id: string;
  readonly folder: string;
  readonly master: Buffer;
  readonly keyFile: KeyFile;
  names(kind: Kind): string[];
  size(kind: Kind, name: string): number;
  /** Opens one. @throws BackupProblem damaged | missing | newer | unusable */
  read(kind: Kind, name: string): Buffer;
  /** Returns once it is on the disk under its name. @throws BackupProblem full | missing | unusable */
  write(kind: Kind, name: string, plain: readonly Buffer[]): void;
  remove(kind: Kind, name: string): void;
  /** Files that are none of an archive's, e.g. what a synchronising program left. */
  unknownFiles(): string[];
};

const PREFIX = 'pda-';
const FOLDERS: Record<Kind, string> = { pack: 'packs', index: 'index', backup: 'backups' };
const NAMES: Record<Kind, RegExp> = {
  pack: /^[0-9a-f]{24}$/u,
  index: /^\d{10}-[0-9a-f]{8}$/u,
  backup: /^\d{10}-[0-9a-f]{8}$/u,
};
const KEYS = ['key', 'key-copy'] as const;
/** Bytes of the largest file that is read as a whole: an index of two million chunks. */
const MAX_READ_BYTES = 512 * 1024 * 1024;
/** Archives that are looked at in one folder. */
const MAX_ARCHIVES = 200;
const UNKNOWN_FILES_MAX = 100;

export const newArchiveId = (): string => randomBytes(8).toString('hex');
export const folderOf = (target: string, id: string): string => join(target, PREFIX + id);
export const numberedName = (number: number): string =>
  `${String(number).padStart(10, '0')}-${randomBytes(4).toString('hex')}`;
export const numberOfName = (name: string): number => Number(name.slice(0, 10));

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** @throws BackupProblem missing | unusable */
export const requireFolder = (folder: string): void => {
  try {
    if (!statSync(folder).isDirectory()) throw new BackupProblem('unusable', `${folder} is not a folder.`);
  } catch (error) {
    throw backupErrorText(error, folder);
  }
};

const archiveAt = (folder: string, keyFile: KeyFile, master: Buffer): BackupArchive => {
  const id = keyFile.archive;
  const fileOf = (kind: Kind, name: string): string => join(folder, FOLDERS[kind], name);
  const inOurs = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw backupErrorText(error, folder);
    }
  };
  const listing = (path: string): string[] => {
    try {
      return readdirSync(path);
    } catch (error) {
      if (isMissing(error) && isFolder(folder)) return [];
      throw backupErrorText(error, folder);
    }
  };
  return {
    id,
    folder,
    master,
    keyFile,
    names: (kind) =>
      listing(join(folder, FOLDERS[kind]))
        .filter((name) => NAMES[kind].test(name))
        .toSorted(),
    size: (kind, name) => inOurs(() => statSync(fileOf(kind, name)).size),
    read(kind, name) {
      const file = fileOf(kind, name);
      let content: Buffer;
      try {
        if (statSync(file).size > MAX_READ_BYTES) throw new BackupProblem('damaged', `The file ${name} is too large.`);
        content = readFileSync(file);
      } catch (error) {
        if (isMissing(error) && isFolder(folder))
          throw new BackupProblem(
            'damaged',
            `The file ${name} of the archive is missing. Perhaps not all of the folder is here yet.`,
          );
        throw backupErrorText(error, folder);
      }
      return unseal(master, { kind, archive: id, name }, content);
    },
    write(kind, name, plain) {
      const content = seal(master, { kind, archive: id, name }, plain);
      inOurs(() => {
        mkdirSync(join(folder, FOLDERS[kind]), { mode: 0o700, recursive: isFolder(folder) });
        writeWhole(fileOf(kind, name), content);
      });
    },
    remove: (kind, name) => inOurs(() => rmSync(fileOf(kind, name), { force: true })),
    unknownFiles() {
      const known = new Set<string>([...KEYS, ...Object.values(FOLDERS)]);
      const found = listing(folder).filter((name) => !known.has(name));
      for (const kind of ['pack', 'index', 'backup'] as const) {
        const inside = listing(join(folder, FOLDERS[kind])).filter((name) => !NAMES[kind].test(name));
        found.push(...inside.map((name) => `${FOLDERS[kind]}/${name}`));
      }
      return found.slice(0, UNKNOWN_FILES_MAX);
    },
  };
};

/** Removes unfinished files of a killed write. Only the process that holds the backup lock may call it. */
export const clearBegun = ({ folder }: BackupArchive): void => {
  for (const path of ['', ...Object.values(FOLDERS)]) {
    const inside = join(folder, path);
    if (!isFolder(inside)) continue;
    for (const name of readdirSync(inside)) if (name.endsWith(BEGUN)) rmSync(join(inside, name), { force: true });
  }
};

/** Writes both copies of the key. @throws BackupProblem */
export const writeKeys = (folder: string, file: KeyFile): void => {
  try {
    for (const name of KEYS) writeWhole(join(folder, name), Buffer.from(writeKeyFile(file)));
  } catch (error) {
    throw backupErrorText(error, folder);
  }
};

/** Makes an archive in a folder that is there. @throws BackupProblem missing | unusable | full | wrong_state */
export const createArchive = (target: string, keyFile: KeyFile, master: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = folderOf(target, keyFile.archive);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Begun and cut off before it had its key: nothing can be in it yet.
    if (!isTaken(error) || existingKeys(folder).length > 0) throw backupErrorText(error, target);
  }
  writeKeys(folder, keyFile);
  return archiveAt(folder, keyFile, master);
};

const existingKeys = (folder: string): string[] =>
  KEYS.map((name) => join(folder, name)).filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);

export type FoundKeys = { files: KeyFile[]; problem: BackupProblem | undefined };

/** Both copies of the key, as far as they are whole. @throws BackupProblem missing | unusable */
export const readKeys = (folder: string): FoundKeys => {
  requireFolder(folder);
  const files: KeyFile[] = [];
  let problem: BackupProblem | undefined;
  for (const name of KEYS) {
    try {
      files.push(readKeyFile(readFileSync(join(folder, name), 'utf8')));
    } catch (error) {
      const found = isMissing(error)
        ? new BackupProblem('damaged', `The file ${name} of the archive is missing.`)
        : backupErrorText(error, folder);
      if (!(found instanceof BackupProblem)) throw found;
      problem ??= found;
    }
  }
  return { files, problem };
};

/** Whether there is an archive whose key can be read. @throws BackupProblem unusable */
export const hasArchive = (folder: string): boolean => existsSync(folder) && readKeys(folder).files.length > 0;

/** Opens an archive by what the owner knows. @throws BackupProblem wrong_key | damaged | newer | missing | unusable */
export const openArchive = async (folder: string, secret: Secret): Promise<BackupArchive> => {
  const { files, problem } = readKeys(folder);
  let refused = problem;
  // A key that does not fit the one does not fit the other that is the same, and each try is work.
  const [first, second] = files;
  const isCopy = first !== undefined && second !== undefined && writeKeyFile(first) === writeKeyFile(second);
  for (const file of isCopy ? [first] : files) {
    try {
      return archiveAt(folder, file, await openKeyFile(file, secret));
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error;
      refused = error;
    }
  }
  throw refused ?? new BackupProblem('missing', `There is no archive in ${folder}.`);
};

/** Opens an archive by its master key. @throws BackupProblem missing | unusable */
export const openArchiveWith = (target: string, keyFile: KeyFile, master: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = folderOf(target, keyFile.archive);
  if (existingKeys(folder).length === 0)
    throw new BackupProblem(
      'missing',
      `The backups that were in ${target} are not there. If they are on an external disk, connect it.`,
    );
  return archiveAt(folder, keyFile, master);
};

/** The archives in a folder, or the one that the folder itself is. @throws BackupProblem missing | unusable */
export const archivesIn = (path: string): string[] => {
  requireFolder(path);
  const isArchive = (folder: string): boolean => existingKeys(folder).length > 0;
  const idOf = (folder: string): string => basename(folder).slice(PREFIX.length);
  if (isArchive(path)) return [path];
  try {
    return readdirSync(path)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => join(path, name))
      .filter((folder) => ARCHIVE_ID.test(idOf(folder)) && isArchive(folder))
      .toSorted()
      .slice(0, MAX_ARCHIVES);
  } catch (error) {
    throw backupErrorText(error, path);
  }
};
