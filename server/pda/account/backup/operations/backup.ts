import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clearBegun, numberedName, numberOfName, type BackupArchive } from '../format/archive.ts';
import { openChunks, type Chunks } from '../format/chunks.ts';
import {
  DATABASE,
  hashOfContent,
  readLists,
  readPage,
  sortEntries,
  writeLists,
  writePage,
  type Entry,
  type FileEntry,
  type Page,
} from '../format/manifest-rules.ts';
import { copyDatabase, openHomeDatabase, removeDatabase, type HomeDatabase } from '../home/store.ts';
import { COARSE_MS, isUnchanged, keepContent, keepFile, looksAs, lookThrough, type Seen } from '../home/scan.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';
import { FORMAT } from '../format/encryption.ts';
import { settleEntries } from '../home/reconciliation-rules.ts';

export type Made = { name: string; page: Page };
export type Progress = {
  phase: 'looking' | 'files' | 'database' | 'finishing' | 'checking';
  /** Bytes that were worked through, and how many there are as far as is known. */
  done: number;
  total: number;
};

/** Bytes of the database in one chunk: eight of its pages. A record that is added touches a dozen pages all over it. */
const DATABASE_CHUNK_BYTES = 64 * 1024;
const SNAPSHOT = /^snapshot-[\w-]+\.sqlite(?:-wal|-shm|-journal)?$/u;

/** Everything that a backup holds. @throws BackupProblem damaged */
export const entriesOf = (chunks: Chunks, page: Page): Entry[] => {
  const entries = readLists(page.lists.map((id) => chunks.read(id).content.toString('utf8')));
  if (hashOfContent(entries) !== page.hash)
    throw new BackupProblem('damaged', 'The list of this backup is not the one that it was made with.');
  return entries;
};

export const pageOf = (archive: BackupArchive, name: string): Page => {
  const page = readPage(archive.read('backup', name));
  if (page.number !== numberOfName(name))
    throw new BackupProblem('damaged', `The file ${name} of the archive is not the one that it is called.`);
  return page;
};

/** The newest backup that can be read, to compare with. */
const before = (archive: BackupArchive, chunks: Chunks): { entries: Map<string, Entry>; since: number } => {
  for (const name of archive.names('backup').toReversed()) {
    try {
      const page = pageOf(archive, name);
      return {
        entries: new Map(entriesOf(chunks, page).map((entry) => [entry.path, entry])),
        since: Date.parse(page.created),
      };
    } catch (error) {
      // Content shared with the damaged backup is written again.
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
    }
  }
  return { entries: new Map(), since: 0 };
};

/** Only in a home whose backups are locked for us. */
const clearSnapshots = (folder: string): void => {
  for (const name of readdirSync(folder)) if (SNAPSHOT.test(name)) rmSync(join(folder, name), { force: true });
};

/**
 * Makes one backup of a home, which may be in use. Reads the files, copies the database, then reads files that changed in
 * between. The last step is short for homes of any size.
 * @param parts.now Unix milliseconds
 * @param parts.distrust packs that a check found damaged; their content is written again
 * @throws BackupProblem
 */
export const makeBackup = async (
  archive: BackupArchive,
  parts: {
    home: string;
    program: string;
    now: () => number;
    tell: (progress: Progress) => void;
    distrust?: readonly string[];
    /** Looks at the copy of the database too. */
    look?: (copy: HomeDatabase) => void;
    /** Lets others have their turn. @throws when this is to stop */
    pause: () => Promise<void>;
  },
): Promise<Made> => {
  const { home, program, now, tell, pause } = parts;
  const scratch = join(home, 'backups');
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  clearSnapshots(scratch);
  clearBegun(archive);
  tell({ phase: 'looking', done: 0, total: 0 });

  const chunks = openChunks(archive, { complete: true });
  for (const name of parts.distrust ?? []) chunks.forget(name);
  const old = before(archive, chunks);
  const began = now();
  const found = new Map<string, Entry>();
  let unsteady = 0;

  let phase: Progress['phase'] = 'files';
  let done = 0;
  let total = 0;
  const read = (bytes: number): void => {
    done += bytes;
    tell({ phase, done, total: Math.max(done, total) });
  };

  const keep = async (seen: Seen): Promise<void> => {
    const same = old.entries.get(seen.path);
    if (isUnchanged(seen, same, old.since, chunks.has)) {
      found.set(seen.path, same);
      read(seen.size);
      return;
    }
    const kept = keepFile(home, seen.path, chunks, read);
    if (kept === undefined) found.delete(seen.path);
    else found.set(seen.path, kept.entry);
    if (kept?.steady === false) unsteady += 1;
    await pause();
  };

  const first = lookThrough(home);
  total = first.files.reduce((sum, { size }) => sum + size, 0);
  for (const seen of first.files) await keep(seen);

  phase = 'database';
  const snapshot = join(scratch, `snapshot-${process.pid}.sqlite`);
  try {
    const created = now();
    try {
      await copyDatabase(join(home, DATABASE), snapshot, () => read(0));
    } catch (error) {
      throw backupErrorText(error, scratch);
    }
    chmodSync(snapshot, 0o600);
    await pause();

    const second = lookThrough(home);
    const there = new Set(second.files.map(({ path }) => path));
    for (const path of found.keys()) if (!there.has(path)) found.delete(path);
    for (const seen of second.files) {
      if (!looksAs(seen, found.get(seen.path)) || seen.changedMs > began - COARSE_MS) await keep(seen);
    }
    for (const path of second.folders) found.set(path, { kind: 'folder', path });

    const copy = openHomeDatabase(snapshot);
    const live = openHomeDatabase(join(home, DATABASE));
    let settled: Map<string, Entry>;
    let about: Pick<Page, 'schema' | 'tables' | 'name'>;
    try {
      settled = settleEntries(found, copy.files(), live);
      about = { schema: copy.schema(), tables: copy.tables(), name: copy.name() };
      parts.look?.(copy);
    } finally {
      copy.close();
      live.close();
    }

    const descriptor = openSync(snapshot, 'r');
    try {
      const content = keepContent(descriptor, chunks, DATABASE_CHUNK_BYTES, read);
      settled.set(DATABASE, { kind: 'file', path: DATABASE, modified: '0', looks: '', ...content });
    } finally {
      closeSync(descriptor);
    }
    phase = 'finishing';
    tell({ phase, done, total: done });
    await pause();

    const entries = sortEntries(settled.values());
    const lists = [...writeLists(entries)].map((list) => chunks.add(list, true).id);
    chunks.flush();
    const files = entries.filter((entry): entry is FileEntry => entry.kind === 'file');
    const names = archive.names('backup');
    const number = Math.max(0, ...[...names, ...chunks.listed].map(numberOfName)) + 1;
    const page: Page = {
      format: FORMAT,
      number,
      created: new Date(created).toISOString(),
      program,
      hash: hashOfContent(entries),
      lists,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      added: chunks.added,
      leftOut: second.leftOut,
      unsteady,
      ...about,
    };
    const name = numberedName(number);
    archive.write('backup', name, [writePage(page)]);
    chunks.saveIndex([...names, name]);
    return { name, page };
  } finally {
    removeDatabase(snapshot);
  }
};
