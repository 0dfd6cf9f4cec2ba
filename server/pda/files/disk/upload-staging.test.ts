import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newId } from '../../core/sequence.ts';
import { openDatabase, type Database } from '../../storage/database.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createFileStore, type FileRow, type FileStore } from '../store.ts';
import { createQuota } from './quota.ts';
import { createUploads, type Uploads } from './upload-staging.ts';

const SEQ = 1;

let home: string;
let folder: string;
let db: Database;
let store: FileStore;
let writer: Writer;
let uploads: Uploads;
/** Names in the folder of uploads at its last fsync. */
let durableNames: string[];
/** Names that were durable when the database recorded the content. */
let namesBeforeWrite: string[] | undefined;

/** Calls a function after each fsync of a folder. */
const watchFolderSyncs = async (onSync: () => void): Promise<void> => {
  const handle = await open(folder);
  const handlePrototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = handlePrototype;
  vi.spyOn(handlePrototype, 'sync').mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    if ((await this.stat()).isDirectory()) onSync();
  });
};

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pda-uploads-'));
  folder = join(home, 'uploads');
  mkdirSync(folder);
  db = openDatabase(join(home, 'pda.sqlite'), { backups: home, registerFunctions: () => undefined });
  store = createFileStore(db);
  writer = createWriter(db);
  await writer.write((tx) =>
    store.insert(tx, {
      seq: SEQ,
      id: newId(SEQ),
      file_id: 'a',
      name: 'a.txt',
      source: 'test',
      title: null,
      description: null,
      tags: null,
      created: 0,
      updated: 0,
      added: 0,
      status: 'New',
      uploader: 'owner',
      application: null,
      nonce: null,
      size: null,
      sha256: null,
      type: null,
      kind: 'other',
      path: null,
      modified: null,
      inode: null,
    }),
  );
  durableNames = [];
  namesBeforeWrite = undefined;
  await watchFolderSyncs(() => (durableNames = readdirSync(folder)));
  uploads = createUploads({
    store,
    writer: {
      ...writer,
      write(job) {
        namesBeforeWrite = durableNames;
        return writer.write(job);
      },
    },
    quota: createQuota({ usage: store.usage, folder, total: null, perApplication: 0 }),
    folder,
    notify: () => undefined,
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await uploads.close();
  db.close();
  rmSync(home, { recursive: true });
});

const row = (): FileRow => {
  const current = store.findBySeq(SEQ);
  if (current === undefined) throw new Error('the file record is missing');
  return current;
};

it.skipIf(process.platform === 'win32').each([
  [
    'in one request',
    () => uploads.receiveWhole(row(), { stream: Readable.from([Buffer.from('content')]), bytes: 7 }, () => undefined),
  ],
  ['in chunks', () => uploads.receiveChunk(row(), { offset: 0, size: 7 }, Readable.from([Buffer.from('content')]))],
])('makes the name of the content durable before the database records the content: %s', async (_, upload) => {
  await upload();
  expect(row().size).toBe(7);
  expect(namesBeforeWrite).toStrictEqual([String(SEQ)]);
});
