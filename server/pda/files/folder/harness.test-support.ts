import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock, type Clock } from '../../../platform/clock.ts';
import { createSequence, newId } from '../../core/sequence.ts';
import { openDatabase } from '../../storage/database.ts';
import type { Database } from '../../storage/index.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createContentLifecycle, type ContentLifecycle } from '../disk/content-lifecycle.ts';
import { joinPath, isIgnoredFolder, isIgnoredFile } from './rules.ts';
import { createFolderSync, type FolderSync, type FolderSyncParts } from './sync.ts';
import { createQuota, type Quota } from '../disk/quota.ts';
import { createFileStore, readNewestFileSeq, type FileRow, type FileStore } from '../store.ts';
import { createUploads } from '../disk/upload-staging.ts';

/** Short delays for fast tests, yet long enough that two consecutive steps of a test fall into one delay. */
export const TEST_DELAYS = {
  quietMs: 60,
  removalMs: 200,
  busyRetryMs: 10,
  tickMs: 5,
  watchedScanMs: 3_600_000,
  unwatchedScanMs: 50,
  missingCheckMs: 20,
} as const;

/** An empty database, created once, because creating the tables takes longer than most tests. */
let emptyDatabase: Buffer | undefined;
const createEmptyDatabase = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-folder-'));
  const file = join(folder, 'pda.sqlite');
  openDatabase(file, { backups: folder, registerFunctions: () => undefined }).close();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  return content;
};

const REGISTRATION_TIMEOUT_MS = 120_000;

export const createDiskClock = () => {
  let now = Date.now();
  let readings = 0;
  return {
    now: () => {
      readings += 1;
      return now;
    },
    set: (ms: number): void => void (now = ms),
    advance: (ms: number): void => void (now += ms),
    /**
     * Waits until the path queue has compared the due time of a postponed path with this clock several times. Fails if
     * no path is postponed, for example because the path was processed too early.
     */
    async waitUntilCompared(): Promise<void> {
      const target = readings + 10;
      for (const deadline = performance.now() + REGISTRATION_TIMEOUT_MS; readings < target; await pause(1))
        if (performance.now() > deadline) throw new Error('no path is postponed');
    },
  };
};

/** Yields the files below a folder with their attributes. Ignored files are included only if they have a row. */
function* filesOnDisk(root: string, hasRow: (path: string) => boolean, folder = ''): Generator<[string, string]> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = joinPath(folder, entry.name);
    if (isIgnoredFolder(path) || path.includes('\uFFFD')) continue;
    if (entry.isDirectory()) yield* filesOnDisk(root, hasRow, path);
    else if (entry.isFile() && (hasRow(path) || !isIgnoredFile(path))) {
      const { dev, ino, size, mtimeNs } = lstatSync(join(root, path), { bigint: true });
      yield [path, `${dev}:${ino} ${size} ${mtimeNs}`];
    }
  }
}

export type TestFolder = Awaited<ReturnType<typeof startTestFolder>>;

/**
 * Opens a folder with a real database on a real disk, and watches it unless `isSyncStarted` is false. It can be stopped
 * and restarted like the server.
 */
export const startTestFolder = async (
  overrides: Partial<FolderSyncParts> = {},
  options: { clock?: Clock; isSyncStarted?: boolean } = {},
) => {
  const home = mkdtempSync(join(tmpdir(), 'pda-folder-'));
  const root = join(home, 'files');
  const folders = { files: root, uploads: join(home, 'uploads'), removed: join(home, 'removed') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(join(home, 'pda.sqlite'), (emptyDatabase ??= createEmptyDatabase()));
  const clock = options.clock ?? systemClock;
  let notifications = 0;
  let logText = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (logText += line) });

  const open = (extraParts: Partial<FolderSyncParts>) => {
    const db = openDatabase(join(home, 'pda.sqlite'), {
      backups: join(home, 'backups'),
      registerFunctions: () => undefined,
    });
    const writer = createWriter(db);
    const store = createFileStore(db);
    const notify = (): void => void (notifications += 1);
    const quota = createQuota({ usage: store.usage, folder: home, total: null, perApplication: 1e12 });
    quota.getUsedBytes();
    const uploads = createUploads({ store, writer, quota, folder: folders.uploads, notify });
    const disk = createContentLifecycle({ store, writer, uploads, quota, folders, clock, log, notify });
    const sequence = createSequence(readNewestFileSeq(db), clock);
    const folder = createFolderSync({
      store,
      disk,
      writer,
      events: { notify },
      sequence,
      newId,
      clock,
      log,
      ...extraParts,
      delays: { ...TEST_DELAYS, ...extraParts.delays },
    });
    return { db, writer, store, quota, disk, folder, sequence };
  };
  let current = open(overrides);
  let isOpen = true;

  const testFolder = {
    home,
    root,
    get folder(): FolderSync {
      return current.folder;
    },
    get store(): FileStore {
      return current.store;
    },
    get writer(): Writer {
      return current.writer;
    },
    get disk(): ContentLifecycle {
      return current.disk;
    },
    get quota(): Quota {
      return current.quota;
    },
    get db(): Database {
      return current.db;
    },
    notificationCount: (): number => notifications,
    logText: (): string => logText,
    pathOf: (path: string): string => join(root, path),
    /** Writes a file below the folder and creates its folders. Returns its path on the disk. */
    put(path: string, content: string | Buffer): string {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    read: (path: string): string => readFileSync(join(root, path), 'utf8'),
    /** Returns the rows with content in the folder, by path. */
    rows: (): Map<string, FileRow> =>
      new Map(current.store.filesAfterPath('', 1_000_000).map((row) => [row.path ?? '', row])),
    row(path: string): FileRow {
      const row = current.store.findByPath(path);
      if (row === undefined) throw new Error(`no row at ${path}`);
      return row;
    },
    allRows: (): FileRow[] =>
      current.db
        .prepare<[], number>('SELECT seq FROM files ORDER BY seq')
        .pluck()
        .all()
        .flatMap((seq) => current.store.findBySeq(seq) ?? []),
    async upload(source: string, name: string, content: string): Promise<FileRow> {
      const seq = current.sequence.next(clock.now());
      const row = {
        seq,
        id: newId(seq),
        file_id: `upload-${seq}`,
        name,
        source,
        title: null,
        description: null,
        tags: null,
      };
      const times = { created: 0, updated: 0, added: 0, modified: null, inode: null, path: null };
      const unset = { size: null, sha256: null, type: null, kind: 'other', application: null, nonce: null } as const;
      await current.writer.write((tx) =>
        current.store.insert(tx, { ...row, ...times, ...unset, status: 'New', uploader: 'owner' }),
      );
      writeFileSync(join(folders.uploads, String(seq)), content);
      const receivedContent = {
        size: Buffer.byteLength(content),
        sha256: `hash of ${content}`,
        type: 'text/plain',
        kind: 'text',
      } as const;
      await current.writer.write((tx) => current.store.setReceived(tx, seq, receivedContent));
      const uploadedRow = current.store.findBySeq(seq);
      if (uploadedRow === undefined) throw new Error('the row is missing');
      return current.disk.complete(uploadedRow);
    },
    /** Waits until the database matches the files on the disk and no work is pending. */
    async waitUntilIdle(): Promise<void> {
      const matchesDisk = (): boolean => {
        const rows = testFolder.rows();
        const files = new Map(filesOnDisk(root, (path) => rows.has(path)));
        return (
          rows.size === files.size &&
          [...rows].every(([path, { inode, size, modified }]) => files.get(path) === `${inode} ${size} ${modified}`)
        );
      };
      for (const deadline = performance.now() + REGISTRATION_TIMEOUT_MS; !matchesDisk(); await pause(5))
        if (performance.now() > deadline) throw new Error('the database does not match the disk');
      await current.folder.waitUntilIdle();
    },
    async stop(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await current.folder.close();
      current.disk.close();
      await current.writer.close();
      current.db.close();
    },
    async start(extraParts = overrides): Promise<void> {
      current = open(extraParts);
      isOpen = true;
      await current.disk.recover();
      await current.folder.start();
      await current.folder.waitUntilIdle();
    },
    async remove(): Promise<void> {
      await testFolder.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  if (options.isSyncStarted !== false) {
    await current.folder.start();
    await current.folder.waitUntilIdle();
  }
  return testFolder;
};
