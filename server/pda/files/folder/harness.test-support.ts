import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock, type Clock } from '../../../platform/clock.ts';
import { createSequence, idAt } from '../../core/sequence.ts';
import { openDatabase } from '../../storage/database.ts';
import type { Database } from '../../storage/index.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createDisk, type Disk } from '../disk/content-lifecycle.ts';
import { below, isClosedFolder, isPassedOver } from './rules.ts';
import { createFolder, type Folder, type FolderParts } from './sync.ts';
import { createQuota, type Quota } from '../disk/quota.ts';
import { createFileStore, newestFileSeq, type FileRow, type FileStore } from '../store.ts';
import { createUploads } from '../disk/upload-staging.ts';

/** A watched folder on a real database and a real disk. Stopped and started again like the server around it. */
export type TestFolder = {
  readonly folder: Folder;
  readonly store: FileStore;
  readonly writer: Writer;
  readonly disk: Disk;
  readonly quota: Quota;
  readonly db: Database;
  readonly home: string;
  readonly root: string;
  readonly tells: () => number;
  readonly logged: () => string;
  /** Writes a file below the folder, with the folders that lead to it. */
  put(path: string, content: string | Buffer): string;
  read(path: string): string;
  on(path: string): string;
  /** Rows with content in the folder, by path. */
  rows(): Map<string, FileRow>;
  row(path: string): FileRow;
  all(): FileRow[];
  /** Uploads something and lets it land. */
  upload(source: string, name: string, content: string): Promise<FileRow>;
  /** Waits until the database knows exactly the files that are on the disk, as they are, and nothing else is to be done. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  start(more?: Partial<FolderParts>): Promise<void>;
  remove(): Promise<void>;
};

/** Short, so that tests are; long enough that two steps of a test fall into one. */
export const QUICK = { rest: 60, removal: 200, busy: 10, tick: 5, calm: 3_600_000, blind: 50, away: 20 } as const;

/** A database as a new home has it, made once: to make its tables takes longer than most tests. */
let fresh: Buffer | undefined;
const freshDatabase = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-folder-'));
  const file = join(folder, 'pda.sqlite');
  openDatabase(file, { backups: folder, registerFunctions: () => undefined }).close();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  return content;
};

/** Milliseconds after which a file that was never noticed fails its test. */
const NOTICED_MS = 30_000;

/** Each file below a folder with what the disk says of it; what the server passes over only if it knows that file. */
function* filesOnDisk(root: string, isKnown: (path: string) => boolean, folder = ''): Generator<[string, string]> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = below(folder, entry.name);
    if (isClosedFolder(path) || path.includes('\uFFFD')) continue;
    if (entry.isDirectory()) yield* filesOnDisk(root, isKnown, path);
    else if (entry.isFile() && (isKnown(path) || !isPassedOver(path))) {
      const { dev, ino, size, mtimeNs } = lstatSync(join(root, path), { bigint: true });
      yield [path, `${dev}:${ino} ${size} ${mtimeNs}`];
    }
  }
}

export const startTestFolder = async (
  more: Partial<FolderParts> = {},
  options: { clock?: Clock; wait?: boolean } = {},
): Promise<TestFolder> => {
  const home = mkdtempSync(join(tmpdir(), 'pda-folder-'));
  const root = join(home, 'files');
  const folders = { files: root, uploads: join(home, 'uploads'), removed: join(home, 'removed') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(join(home, 'pda.sqlite'), (fresh ??= freshDatabase()));
  const clock = options.clock ?? systemClock;
  let told = 0;
  let logged = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (logged += line) });

  const open = (extra: Partial<FolderParts>) => {
    const db = openDatabase(join(home, 'pda.sqlite'), {
      backups: join(home, 'backups'),
      registerFunctions: () => undefined,
    });
    const writer = createWriter(db);
    const store = createFileStore(db);
    const tell = (): void => void (told += 1);
    const quota = createQuota({ usage: store.usage, folder: home, total: null, perApplication: 1e12 });
    quota.used();
    const uploads = createUploads({ store, writer, quota, folder: folders.uploads, tell });
    const disk = createDisk({ store, writer, uploads, quota, folders, clock, log, tell });
    const sequence = createSequence(newestFileSeq(db), clock);
    const folder = createFolder({
      store,
      disk,
      writer,
      events: { tell },
      sequence,
      idAt,
      clock,
      log,
      ...extra,
      waits: { ...QUICK, ...extra.waits },
    });
    return { db, writer, store, quota, disk, folder, sequence };
  };
  let now = open(more);
  let isOpen = true;

  const self: TestFolder = {
    home,
    root,
    get folder() {
      return now.folder;
    },
    get store() {
      return now.store;
    },
    get writer() {
      return now.writer;
    },
    get disk() {
      return now.disk;
    },
    get quota() {
      return now.quota;
    },
    get db() {
      return now.db;
    },
    tells: () => told,
    logged: () => logged,
    on: (path) => join(root, path),
    put(path, content) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    rows: () => new Map(now.store.paths('', 1_000_000).map((row) => [row.path ?? '', row])),
    row(path) {
      const row = now.store.byPath(path);
      if (row === undefined) throw new Error(`no row at ${path}`);
      return row;
    },
    all: () =>
      now.db
        .prepare<[], number>('SELECT seq FROM files ORDER BY seq')
        .pluck()
        .all()
        .flatMap((seq) => now.store.bySeq(seq) ?? []),
    async upload(source, name, content) {
      const seq = now.sequence.next(clock.now());
      const row = {
        seq,
        id: idAt(seq),
        file_id: `upload-${seq}`,
        name,
        source,
        title: null,
        description: null,
        tags: null,
      };
      const times = { created: 0, updated: 0, added: 0, modified: null, inode: null, path: null };
      const bare = { size: null, sha256: null, type: null, kind: 'other', application: null, nonce: null } as const;
      await now.writer.write((tx) =>
        now.store.insert(tx, { ...row, ...times, ...bare, status: 'New', uploader: 'owner' }),
      );
      writeFileSync(join(folders.uploads, String(seq)), content);
      const received = {
        size: Buffer.byteLength(content),
        sha256: `hash of ${content}`,
        type: 'text/plain',
        kind: 'text',
      } as const;
      await now.writer.write((tx) => now.store.received(tx, seq, received));
      const fresh = now.store.bySeq(seq);
      if (fresh === undefined) throw new Error('the row is missing');
      return now.disk.complete(fresh);
    },
    async settled() {
      const agrees = (): boolean => {
        const rows = self.rows();
        const files = new Map(filesOnDisk(root, (path) => rows.has(path)));
        return (
          rows.size === files.size &&
          [...rows].every(([path, { inode, size, modified }]) => files.get(path) === `${inode} ${size} ${modified}`)
        );
      };
      for (const end = performance.now() + NOTICED_MS; !agrees(); await pause(5))
        if (performance.now() > end) throw new Error('the database does not agree with the disk');
      await now.folder.settled();
    },
    async stop() {
      if (!isOpen) return;
      isOpen = false;
      await now.folder.close();
      now.disk.close();
      await now.writer.close();
      now.db.close();
    },
    async start(extra = more) {
      now = open(extra);
      isOpen = true;
      await now.folder.start();
      if (options.wait !== false) await now.folder.settled();
    },
    async remove() {
      await self.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  if (options.wait !== false) {
    await now.folder.start();
    await now.folder.settled();
  }
  return self;
};
