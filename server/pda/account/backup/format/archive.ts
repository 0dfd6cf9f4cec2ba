import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { ARCHIVE_ID, openKeyFile, readKeyFile, writeKeyFile, type KeyFile, type Secret } from './key-file.ts';
import { BackupProblem, backupErrorText, isPathOccupied } from './error.ts';
import { seal, unseal, type Kind } from './encryption.ts';
import { PARTIAL_SUFFIX, writeFileAtomically } from './atomic-file.ts';

/**
 * One archive: the folder `pda-<16 hexadecimal digits>` in the folder that the owner chose. It contains only plain
 * files, so that any disk and any synchronised folder can hold it. A file is complete before it gets its name, and
 * never changes afterwards.
 *
 * - `key`, `key-copy`: the encrypted master key
 * - `packs/`: chunks of content
 * - `index/`: the location of each chunk
 * - `backups/`: one manifest for each backup
 */
export type BackupArchive = {
  readonly id: string;
  readonly folder: string;
  readonly master: Buffer;
  readonly keyFile: KeyFile;
  names(kind: Kind): string[];
  size(kind: Kind, name: string): number;
  /** Reads and decrypts a file. @throws BackupProblem damaged | missing | newer | unusable */
  read(kind: Kind, name: string): Buffer;
  /** Encrypts and writes a file. Returns when it is durable. @throws BackupProblem full | missing | unusable */
  write(kind: Kind, name: string, plain: readonly Buffer[]): void;
  remove(kind: Kind, name: string): void;
  /** Returns files that do not belong to the archive, such as those of a sync client. */
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
/** Maximum number of archives in one folder. */
const MAX_ARCHIVES = 200;
const UNKNOWN_FILES_MAX = 100;

export const newArchiveId = (): string => randomBytes(8).toString('hex');
export const folderOf = (target: string, id: string): string => join(target, PREFIX + id);
export const numberedName = (number: number): string =>
  `${String(number).padStart(10, '0')}-${randomBytes(4).toString('hex')}`;
export const numberOfName = (name: string): number => Number(name.slice(0, 10));

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Checks that a folder exists. @throws BackupProblem missing | unusable */
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
  const mapErrors = <T>(operation: () => T): T => {
    try {
      return operation();
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
    size: (kind, name) => mapErrors(() => statSync(fileOf(kind, name)).size),
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
            `The file ${name} of the archive is missing. The folder may not be completely synchronised yet.`,
          );
        throw backupErrorText(error, folder);
      }
      return unseal(master, { kind, archive: id, name }, content);
    },
    write(kind, name, plain) {
      const content = seal(master, { kind, archive: id, name }, plain);
      mapErrors(() => {
        mkdirSync(join(folder, FOLDERS[kind]), { mode: 0o700, recursive: isFolder(folder) });
        writeFileAtomically(fileOf(kind, name), content);
      });
    },
    remove: (kind, name) => mapErrors(() => rmSync(fileOf(kind, name), { force: true })),
    unknownFiles() {
      const knownNames = new Set<string>([...KEYS, ...Object.values(FOLDERS)]);
      const unknown = listing(folder).filter((name) => !knownNames.has(name));
      for (const kind of ['pack', 'index', 'backup'] as const) {
        const unknownInside = listing(join(folder, FOLDERS[kind])).filter((name) => !NAMES[kind].test(name));
        unknown.push(...unknownInside.map((name) => `${FOLDERS[kind]}/${name}`));
      }
      return unknown.slice(0, UNKNOWN_FILES_MAX);
    },
  };
};

/** Removes unfinished files of a killed write. Only the process that holds the backup lock may call it. */
export const removePartialFiles = ({ folder }: BackupArchive): void => {
  for (const path of ['', ...Object.values(FOLDERS)]) {
    const subfolder = join(folder, path);
    if (!isFolder(subfolder)) continue;
    for (const name of readdirSync(subfolder))
      if (name.endsWith(PARTIAL_SUFFIX)) rmSync(join(subfolder, name), { force: true });
  }
};

/** Writes both copies of the key. @throws BackupProblem */
export const writeKeys = (folder: string, file: KeyFile): void => {
  try {
    for (const name of KEYS) writeFileAtomically(join(folder, name), Buffer.from(writeKeyFile(file)));
  } catch (error) {
    throw backupErrorText(error, folder);
  }
};

/** Creates an archive in an existing folder. @throws BackupProblem missing | unusable | full | wrong_state */
export const createArchive = (target: string, keyFile: KeyFile, master: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = folderOf(target, keyFile.archive);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // An archive without a key is left over from an interrupted creation and is still empty.
    if (!isPathOccupied(error) || existingKeys(folder).length > 0) throw backupErrorText(error, target);
  }
  writeKeys(folder, keyFile);
  return archiveAt(folder, keyFile, master);
};

const existingKeys = (folder: string): string[] =>
  KEYS.map((name) => join(folder, name)).filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);

export type KeyFiles = { files: KeyFile[]; problem: BackupProblem | undefined };

/** Reads the intact copies of the key. @throws BackupProblem missing | unusable */
export const readKeys = (folder: string): KeyFiles => {
  requireFolder(folder);
  const files: KeyFile[] = [];
  let problem: BackupProblem | undefined;
  for (const name of KEYS) {
    try {
      files.push(readKeyFile(readFileSync(join(folder, name), 'utf8')));
    } catch (error) {
      const mapped = isMissing(error)
        ? new BackupProblem('damaged', `The file ${name} of the archive is missing.`)
        : backupErrorText(error, folder);
      if (!(mapped instanceof BackupProblem)) throw mapped;
      problem ??= mapped;
    }
  }
  return { files, problem };
};

/** Returns true if the folder contains an archive with a readable key. @throws BackupProblem unusable */
export const hasArchive = (folder: string): boolean => existsSync(folder) && readKeys(folder).files.length > 0;

/**
 * Opens an archive with a passphrase or recovery key.
 * @throws BackupProblem wrong_key | damaged | newer | missing | unusable
 */
export const openArchive = async (folder: string, secret: Secret): Promise<BackupArchive> => {
  const { files, problem } = readKeys(folder);
  let lastProblem = problem;
  // An identical copy is not tried again, because each attempt is expensive.
  const [first, second] = files;
  const isCopy = first !== undefined && second !== undefined && writeKeyFile(first) === writeKeyFile(second);
  for (const file of isCopy ? [first] : files) {
    try {
      return archiveAt(folder, file, await openKeyFile(file, secret));
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error;
      lastProblem = error;
    }
  }
  throw lastProblem ?? new BackupProblem('missing', `There is no archive in ${folder}.`);
};

/** Opens an archive with its master key. @throws BackupProblem missing | unusable */
export const openArchiveWith = (target: string, keyFile: KeyFile, master: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = folderOf(target, keyFile.archive);
  if (existingKeys(folder).length === 0)
    throw new BackupProblem(
      'missing',
      `${target} does not contain the backups any more. If they are on an external disk, connect it.`,
    );
  return archiveAt(folder, keyFile, master);
};

/**
 * Returns the archives in a folder, or the folder itself if it is an archive.
 * @throws BackupProblem missing | unusable
 */
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
