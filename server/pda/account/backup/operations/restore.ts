import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing, syncFolder, syncFolders } from '../../../../platform/io/file-system.ts';
import { archivesIn, openArchive, type BackupArchive } from '../format/archive.ts';
import { openChunks, type Chunks } from '../format/chunks.ts';
import { DATABASE, type Entry, type FileEntry, type Page } from '../format/manifest-rules.ts';
import { openHomeDatabase, SCHEMA_VERSION, settleDatabase, type PutBack } from '../home/store.ts';
import type { Secret } from '../format/key-file.ts';
import { entriesOf, pageOf } from './backup.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';

/** Archives of one folder that a passphrase is tried on: each try is a quarter of a second. */
const MAX_TRIES = 20;

/** The archive that is meant: the one that the key opens. @throws BackupProblem */
export const findArchive = async (from: string, secret: Secret, id?: string): Promise<BackupArchive> => {
  const path = resolve(from);
  const all = archivesIn(path).filter((folder) => id === undefined || basename(folder) === `pda-${id}`);
  if (all.length === 0) throw new BackupProblem('missing', `There is no backup of a PDA in ${path}.`);
  const opened: BackupArchive[] = [];
  let problem: BackupProblem | undefined;
  for (const folder of all.slice(0, MAX_TRIES)) {
    try {
      opened.push(await openArchive(folder, secret));
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error;
      // What is wrong with one that is not meant is of no interest.
      if (problem === undefined || error.kind !== 'wrong_key') problem = error;
    }
  }
  const [only] = opened;
  if (opened.length > 1)
    throw new BackupProblem(
      'wrong_state',
      `There are backups of ${opened.length} homes in ${path}. Say which: ${opened.map((one) => one.id).join(', ')}.`,
    );
  if (only === undefined) throw problem ?? new BackupProblem('missing', `There is no backup of a PDA in ${path}.`);
  return only;
};

/** The backup that is meant: by its name or number, or the newest. @throws BackupProblem missing | damaged | newer */
export const findBackup = (archive: BackupArchive, wanted?: string): { name: string; page: Page } => {
  const names = archive.names('backup');
  const name =
    wanted === undefined
      ? names.at(-1)
      : names.find((one) => one === wanted || String(Number(one.slice(0, 10))) === wanted);
  if (name === undefined)
    throw new BackupProblem(
      'missing',
      wanted === undefined
        ? `There is no backup in ${archive.folder} yet.`
        : `There is no backup ${wanted} in ${archive.folder}.`,
    );
  const page = pageOf(archive, name);
  if (page.schema > SCHEMA_VERSION)
    throw new BackupProblem(
      'newer',
      `This backup was made by a newer version of this program (${page.program}). Install that version, then restore. Nothing was changed.`,
    );
  return { name, page };
};

type WriteParts = {
  each: (bytes: number) => void;
  pause: () => Promise<void>;
  /** Each file is on the disk afterwards; what is looked at once and thrown away need not be. */
  lasting: boolean;
};

const writeContent = (
  file: string,
  entry: FileEntry,
  chunks: Chunks,
  { each, lasting }: Pick<WriteParts, 'each' | 'lasting'>,
): void => {
  const hash = createHash('sha256');
  // Never into what is there already, and never through a link: the folder is new.
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    let size = 0;
    for (const id of entry.chunks) {
      const { content, digest } = chunks.read(id);
      for (let done = 0; done < content.length;) done += writeSync(descriptor, content, done);
      hash.update(digest);
      size += content.length;
      each(content.length);
    }
    if (size !== entry.size || hash.digest('base64url') !== entry.digest)
      throw new BackupProblem('damaged', 'The content of a file is not what was backed up.');
    if (entry.path !== DATABASE) {
      const seconds = Number(BigInt(entry.modified) / 1000n) / 1e6;
      futimesSync(descriptor, seconds, seconds);
    }
    if (lasting) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Puts entries below a new folder. @throws BackupProblem, or what the file system says */
export const writeEntries = async (
  chunks: Chunks,
  entries: readonly Entry[],
  folder: string,
  parts: WriteParts,
): Promise<PutBack[]> => {
  const files: PutBack[] = [];
  mkdirSync(folder, { mode: 0o700 });
  for (const entry of entries) {
    const path = join(folder, ...entry.path.split('/'));
    if (entry.kind === 'folder') {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeContent(path, entry, chunks, parts);
    if (entry.path.startsWith('files/')) {
      const { mtimeNs, ino, dev, size } = lstatSync(path, { bigint: true });
      files.push({
        path: entry.path.slice('files/'.length),
        modified: String(mtimeNs),
        inode: `${dev}:${ino}`,
        size: Number(size),
      });
    }
    await parts.pause();
  }
  return files;
};

/**
 * Puts a backup into a new folder, as a whole home. When this returns it is on the disk.
 * @throws BackupProblem; then the folder is not there
 */
export const restoreInto = async (
  archive: BackupArchive,
  page: Page,
  folder: string,
  parts: { now: () => number; tell: (done: number, total: number) => void; pause: () => Promise<void> },
): Promise<void> => {
  try {
    const chunks = openChunks(archive, { complete: false });
    const entries = entriesOf(chunks, page);
    if (!entries.some(({ path }) => path === DATABASE))
      throw new BackupProblem('damaged', 'There is no database in this backup.');
    let done = 0;
    const each = (bytes: number): void => parts.tell((done += bytes), page.bytes);
    const files = await writeEntries(chunks, entries, folder, { each, pause: parts.pause, lasting: true });
    const database = join(folder, DATABASE);
    const check = openHomeDatabase(database);
    try {
      const [problem] = check.problems();
      if (problem !== undefined)
        throw new BackupProblem('damaged', `The database in this backup is not sound: ${problem}`);
    } finally {
      check.close();
    }
    settleDatabase(database, files, parts.now());
    syncFolders(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw backupErrorText(error, dirname(folder));
  }
};

const SCRATCH = /\.restoring-[0-9a-f]{8}$/u;
export const scratchBeside = (home: string): string => `${home}.restoring-${randomBytes(4).toString('hex')}`;

/** @throws BackupProblem wrong_state when something is there */
const requireEmpty = (home: string): void => {
  try {
    if (readdirSync(home).length > 0)
      throw new BackupProblem(
        'wrong_state',
        `${home} is not empty. Restore into a folder that is not there yet. Nothing was changed.`,
      );
  } catch (error) {
    if (!isMissing(error)) throw backupErrorText(error, home);
    if (statSync(home, { throwIfNoEntry: false }) !== undefined)
      throw new BackupProblem('wrong_state', `${home} is not a folder.`);
  }
};

/** What a restore that was killed left beside the home goes. */
const clearScratch = (home: string): void => {
  const parent = dirname(home);
  for (const name of readdirSync(parent))
    if (SCRATCH.test(name) && name.replace(SCRATCH, '') === basename(home))
      rmSync(join(parent, name), { recursive: true, force: true });
};

/**
 * Restores into a folder that is empty or not there. It is made beside it under another name and gets its own at the end: there is the whole of it or nothing.
 * @throws BackupProblem; then nothing was changed
 */
export const restoreHome = async (
  archive: BackupArchive,
  page: Page,
  home: string,
  parts: { now: () => number; tell: (done: number, total: number) => void; pause: () => Promise<void> },
): Promise<void> => {
  const target = resolve(home);
  requireEmpty(target);
  try {
    mkdirSync(dirname(target), { recursive: true });
    clearScratch(target);
  } catch (error) {
    throw backupErrorText(error, dirname(target));
  }
  const scratch = scratchBeside(target);
  await restoreInto(archive, page, scratch, parts);
  try {
    requireEmpty(target);
    // Windows renames over no folder, not even an empty one.
    if (statSync(target, { throwIfNoEntry: false }) !== undefined) rmdirSync(target);
    renameSync(scratch, target);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw backupErrorText(error, target);
  }
  syncFolder(dirname(target));
};
