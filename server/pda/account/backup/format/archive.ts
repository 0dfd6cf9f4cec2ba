import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { ARCHIVE_ID, openKeyFile, parseKeyFile, formatKeyFile, type KeyFile, type Secret } from './key-file.ts';
import { BackupProblem, toBackupProblem, isPathOccupied, withBackupProblems } from './error.ts';
import { seal, unseal, type ArchiveFileKind } from './encryption.ts';
import { PARTIAL_SUFFIX, writeFileAtomically } from './atomic-file.ts';

export type BackupArchive = ReturnType<typeof createArchiveHandle>;

const FOLDER_PREFIX = 'pda-';
const SUBFOLDERS: Record<ArchiveFileKind, string> = { pack: 'packs', index: 'index', backup: 'backups' };
const NAME_PATTERNS: Record<ArchiveFileKind, RegExp> = {
  pack: /^[0-9a-f]{24}$/u,
  index: /^\d{10}-[0-9a-f]{8}$/u,
  backup: /^\d{10}-[0-9a-f]{8}$/u,
};
const KEY_FILE_NAMES = ['key', 'key-copy'] as const;
/** Sufficient for an index of ten million chunks, with 32 bytes each. */
const READ_MAX_BYTES = 512 * 1024 * 1024;
const ARCHIVES_MAX = 200;
const UNKNOWN_FILES_MAX = 100;

export const newArchiveId = (): string => randomBytes(8).toString('hex');
export const archiveFolderOf = (target: string, id: string): string => join(target, FOLDER_PREFIX + id);
/** Returns a new name for an index or a backup. The padding makes names sort by number. */
export const createNumberedName = (number: number): string =>
  `${String(number).padStart(10, '0')}-${randomBytes(4).toString('hex')}`;
export const numberOfName = (name: string): number => Number(name.slice(0, 10));

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** @throws BackupProblem missing | unusable */
export const requireFolder = (folder: string): void => {
  if (!withBackupProblems(folder, () => statSync(folder)).isDirectory())
    throw new BackupProblem('unusable', `${folder} is not a folder.`);
};

/**
 * Returns the operations of an open archive. An archive is the folder `pda-<16 hexadecimal digits>` in the owner's
 * backup folder. It contains only plain files, so that it can be on any disk and in any synchronised folder. A file is
 * complete before it gets its final name. Only the key files are ever replaced.
 *
 * - `key`, `key-copy`: the encrypted master key
 * - `packs/`: chunks of content
 * - `index/`: the location of each chunk
 * - `backups/`: the manifest of each backup
 */
const createArchiveHandle = (folder: string, keyFile: KeyFile, masterKey: Buffer) => {
  const id = keyFile.archive;
  const fileOf = (kind: ArchiveFileKind, name: string): string => join(folder, SUBFOLDERS[kind], name);
  const listFolder = (path: string): string[] => {
    try {
      return readdirSync(path);
    } catch (error) {
      if (isMissing(error) && isFolder(folder)) return [];
      throw toBackupProblem(error, folder);
    }
  };
  return {
    id,
    folder,
    masterKey,
    keyFile,
    /** Returns the sorted names of the files of a kind. @throws BackupProblem missing | unusable */
    listNames: (kind: ArchiveFileKind): string[] =>
      listFolder(join(folder, SUBFOLDERS[kind]))
        .filter((name) => NAME_PATTERNS[kind].test(name))
        .toSorted(),
    /** Returns the encrypted size in bytes. @throws BackupProblem missing | unusable */
    sizeOf: (kind: ArchiveFileKind, name: string): number =>
      withBackupProblems(folder, () => statSync(fileOf(kind, name)).size),
    /** @throws BackupProblem damaged | missing | unusable */
    read(kind: ArchiveFileKind, name: string): Buffer {
      const file = fileOf(kind, name);
      let content: Buffer;
      try {
        if (statSync(file).size > READ_MAX_BYTES) throw new BackupProblem('damaged', `The file ${name} is too large.`);
        content = readFileSync(file);
      } catch (error) {
        if (isMissing(error) && isFolder(folder))
          throw new BackupProblem(
            'damaged',
            `The file ${name} of the archive is missing. The folder may not be completely synchronised yet.`,
          );
        throw toBackupProblem(error, folder);
      }
      return unseal(masterKey, { kind, archive: id, name }, content);
    },
    /** Encrypts and writes a file. Returns when it is durable. @throws BackupProblem full | missing | unusable */
    write(kind: ArchiveFileKind, name: string, plain: readonly Buffer[]): void {
      const content = seal(masterKey, { kind, archive: id, name }, plain);
      withBackupProblems(folder, () => {
        mkdirSync(join(folder, SUBFOLDERS[kind]), { mode: 0o700, recursive: isFolder(folder) });
        writeFileAtomically(fileOf(kind, name), content);
      });
    },
    /** Does nothing if the file does not exist. @throws BackupProblem */
    remove: (kind: ArchiveFileKind, name: string): void =>
      withBackupProblems(folder, () => rmSync(fileOf(kind, name), { force: true })),
    /** Returns at most 100 paths that are not part of the archive, such as files of a sync client. */
    listUnknownFiles(): string[] {
      const knownNames = new Set<string>([...KEY_FILE_NAMES, ...Object.values(SUBFOLDERS)]);
      const unknownPaths = listFolder(folder).filter((name) => !knownNames.has(name));
      for (const kind of ['pack', 'index', 'backup'] as const) {
        for (const name of listFolder(join(folder, SUBFOLDERS[kind])))
          if (!NAME_PATTERNS[kind].test(name)) unknownPaths.push(`${SUBFOLDERS[kind]}/${name}`);
      }
      return unknownPaths.slice(0, UNKNOWN_FILES_MAX);
    },
  };
};

/** Removes the partial files of interrupted writes. Must be called only by the process that holds the backup lock. */
export const removePartialFiles = ({ folder }: BackupArchive): void => {
  for (const path of ['', ...Object.values(SUBFOLDERS)]) {
    const subfolder = join(folder, path);
    if (!isFolder(subfolder)) continue;
    for (const name of readdirSync(subfolder))
      if (name.endsWith(PARTIAL_SUFFIX)) rmSync(join(subfolder, name), { force: true });
  }
};

/** Writes both key files. @throws BackupProblem */
export const writeKeys = (folder: string, file: KeyFile): void =>
  withBackupProblems(folder, () => {
    for (const name of KEY_FILE_NAMES) writeFileAtomically(join(folder, name), Buffer.from(formatKeyFile(file)));
  });

/**
 * Creates an archive in the folder `target`.
 * @throws BackupProblem full | missing | unusable; damaged or newer if the archive already has a key file
 */
export const createArchive = (target: string, keyFile: KeyFile, masterKey: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = archiveFolderOf(target, keyFile.archive);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isPathOccupied(error)) throw toBackupProblem(error, target);
    // An interrupted creation leaves a folder without a key.
    if (findKeyFiles(folder).length > 0) throw unreadableKeys(folder);
  }
  writeKeys(folder, keyFile);
  return createArchiveHandle(folder, keyFile, masterKey);
};

const unreadableKeys = (folder: string): BackupProblem => {
  const { problem } = readKeyFiles(folder);
  if (problem?.kind === 'newer') return problem;
  return new BackupProblem(
    'damaged',
    `The key files of the archive ${folder} are damaged, so no backup can be added. Choose another folder for the backups, or move this archive elsewhere.`,
  );
};

const findKeyFiles = (folder: string): string[] =>
  KEY_FILE_NAMES.map((name) => join(folder, name)).filter(
    (file) => statSync(file, { throwIfNoEntry: false }) !== undefined,
  );

/**
 * Returns the valid key files, and the problem of the first missing or invalid one.
 * @throws BackupProblem missing | unusable
 */
export const readKeyFiles = (folder: string): { files: KeyFile[]; problem: BackupProblem | undefined } => {
  requireFolder(folder);
  const files: KeyFile[] = [];
  let problem: BackupProblem | undefined;
  for (const name of KEY_FILE_NAMES) {
    try {
      files.push(parseKeyFile(readFileSync(join(folder, name), 'utf8')));
    } catch (error) {
      const keyProblem = isMissing(error)
        ? new BackupProblem('damaged', `The file ${name} of the archive is missing.`)
        : toBackupProblem(error, folder);
      if (!(keyProblem instanceof BackupProblem)) throw keyProblem;
      problem ??= keyProblem;
    }
  }
  return { files, problem };
};

/** Returns true if the folder is an archive with a valid key file. @throws BackupProblem unusable */
export const hasArchive = (folder: string): boolean => existsSync(folder) && readKeyFiles(folder).files.length > 0;

/** @throws BackupProblem wrong_key | damaged | newer | missing | unusable */
export const openArchive = async (folder: string, secret: Secret): Promise<BackupArchive> => {
  const { files, problem } = readKeyFiles(folder);
  let lastProblem = problem;
  // Each attempt is expensive, so an identical copy is not tried again.
  const [first, second] = files;
  const areIdentical = first !== undefined && second !== undefined && formatKeyFile(first) === formatKeyFile(second);
  for (const file of areIdentical ? [first] : files) {
    try {
      return createArchiveHandle(folder, file, await openKeyFile(file, secret));
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error;
      lastProblem = error;
    }
  }
  throw lastProblem ?? new BackupProblem('missing', `There is no archive in ${folder}.`);
};

/** @throws BackupProblem missing | unusable */
export const openArchiveWithMasterKey = (target: string, keyFile: KeyFile, masterKey: Buffer): BackupArchive => {
  requireFolder(target);
  const folder = archiveFolderOf(target, keyFile.archive);
  if (findKeyFiles(folder).length === 0)
    throw new BackupProblem(
      'missing',
      `${target} no longer contains the backups. If they are on an external disk, connect it.`,
    );
  return createArchiveHandle(folder, keyFile, masterKey);
};

/**
 * Returns the paths of at most 200 archives in a folder, or of the folder itself if it is an archive.
 * @throws BackupProblem missing | unusable
 */
export const findArchives = (path: string): string[] => {
  requireFolder(path);
  const isArchive = (folder: string): boolean => findKeyFiles(folder).length > 0;
  const idOf = (folder: string): string => basename(folder).slice(FOLDER_PREFIX.length);
  if (isArchive(path)) return [path];
  return withBackupProblems(path, () =>
    readdirSync(path)
      .filter((name) => name.startsWith(FOLDER_PREFIX))
      .map((name) => join(path, name))
      .filter((folder) => ARCHIVE_ID.test(idOf(folder)) && isArchive(folder))
      .toSorted()
      .slice(0, ARCHIVES_MAX),
  );
};
