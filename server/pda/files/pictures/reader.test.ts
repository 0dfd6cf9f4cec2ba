import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import {
  exifBlock,
  jpegWithBlock,
  jpegWithExif,
  pngWithExif,
  webpWithExif,
} from '../../../../tests/support/exif-pictures.ts';
import type { Topic } from '../../core/events/service.ts';
import { startTestFolder, type TestFolder } from '../folder/harness.test-support.ts';
import { createFileSearchStore } from '../search/store.ts';
import { createPictureReader, type PictureReader } from './reader.ts';
import { createPictureStore } from './store.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const SYDNEY = { latitude: -33.8568, longitude: 151.2153 };
const EXIF = { taken: '2024:03:01 12:34:56', offset: '+11:00', place: SYDNEY, maker: 'Canon', model: 'EOS R5' };
const DETAILS = {
  taken: Date.UTC(2024, 2, 1, 1, 34, 56),
  taken_local: '2024-03-01T12:34:56',
  ...SYDNEY,
  camera: 'Canon EOS R5',
};
const NO_DETAILS = { taken: null, taken_local: null, latitude: null, longitude: null, camera: null };
const FAULTY_THREAD = new URL('./faulty-thread.test-support.ts', import.meta.url);

let folder: TestFolder;
let reader: PictureReader;
let logText: string;
let notificationCount: number;
let listener: ((topic: Topic) => void) | undefined;
beforeEach(async () => {
  folder = await startTestFolder();
  logText = '';
  notificationCount = 0;
});
afterEach(async () => {
  await reader.close();
  await folder.remove();
});

const startReader = (parts: Partial<Pick<Parameters<typeof createPictureReader>[0], 'thread' | 'disk'>> = {}): void => {
  const { db, store: files, disk, writer } = folder;
  reader = createPictureReader({
    store: createPictureStore(db, createFileSearchStore(db, files)),
    files,
    disk,
    writer,
    events: {
      notify: () => void (notificationCount += 1),
      onTopic: (topicListener) => {
        listener = topicListener;
        return () => (listener = undefined);
      },
    },
    log: pino({ level: 'debug' }, { write: (line: string) => void (logText += line) }),
    ...parts,
  });
  reader.start();
};
const countUnreadPictures = (): number | undefined =>
  folder.db
    .prepare<[], number>(
      "SELECT count(*) FROM files WHERE kind = 'image' AND status = 'Completed' AND picture_read = 0",
    )
    .pluck()
    .get();
const waitUntilRead = () => vi.waitFor(() => expect(countUnreadPictures()).toBe(0), { timeout: 60_000, interval: 10 });

describe('the picture reader', () => {
  it('reads the date, place and camera of JPEG, TIFF, PNG and WebP pictures', async () => {
    folder.put('a.jpg', jpegWithExif(EXIF));
    folder.put('b.tiff', exifBlock(EXIF));
    folder.put('c.png', pngWithExif(EXIF));
    folder.put('d.webp', webpWithExif(EXIF));
    folder.put('e.jpg', jpegWithExif({}));
    folder.put('f.txt', 'text');
    await folder.waitUntilIdle();
    startReader();
    await waitUntilRead();
    for (const path of ['a.jpg', 'b.tiff', 'c.png', 'd.webp']) expect(folder.row(path)).toMatchObject(DETAILS);
    for (const path of ['e.jpg', 'f.txt']) expect(folder.row(path)).toMatchObject(NO_DETAILS);
  });

  it('reads a picture again after its content has been replaced', async () => {
    folder.put('a.jpg', jpegWithExif(EXIF));
    await folder.waitUntilIdle();
    startReader();
    await waitUntilRead();
    folder.put('a.jpg', jpegWithExif({ taken: '1999:12:31 23:59:59' }));
    await folder.waitUntilIdle();
    expect(folder.row('a.jpg')).toMatchObject(NO_DETAILS);
    listener?.('files');
    await waitUntilRead();
    expect(folder.row('a.jpg')).toMatchObject({
      ...NO_DETAILS,
      taken: expect.any(Number),
      taken_local: '1999-12-31T23:59:59',
    });
  });

  it('forgets the details of a picture together with its content', async () => {
    folder.put('a.jpg', jpegWithExif(EXIF));
    await folder.waitUntilIdle();
    startReader();
    await waitUntilRead();
    const { seq } = folder.row('a.jpg');
    await folder.writer.write((tx) => folder.store.forgetContent(tx, seq));
    expect(folder.store.findBySeq(seq)).toMatchObject(NO_DETAILS);
  });

  it('continues after damaged pictures, which have no date or place if the metadata cannot be read', async () => {
    const block = exifBlock(EXIF);
    const loopBlock = Buffer.from(block);
    // The pointer to the Exif directory leads back to the first directory, which contains it.
    loopBlock.writeUInt32BE(8, loopBlock.indexOf(Buffer.from([0x87, 0x69])) + 8);
    const invalidPointerBlock = Buffer.from(block);
    invalidPointerBlock.writeUInt32BE(0xff_ff_ff_f0, 4);
    const invalidCountBlock = Buffer.from(block);
    invalidCountBlock.writeUInt16BE(0xff_ff, 8);
    const blocks = {
      loop: loopBlock,
      pointer: invalidPointerBlock,
      count: invalidCountBlock,
      cut: block.subarray(0, 30),
      empty: Buffer.alloc(0),
      zeros: Buffer.alloc(60_000),
    };
    for (const [name, damagedBlock] of Object.entries(blocks)) folder.put(`${name}.jpg`, jpegWithBlock(damagedBlock));
    folder.put('end.jpg', jpegWithExif(EXIF).subarray(0, 60));
    folder.put('good.jpg', jpegWithExif(EXIF));
    await folder.waitUntilIdle();
    startReader();
    await waitUntilRead();
    expect(folder.row('good.jpg')).toMatchObject(DETAILS);
    for (const name of ['pointer', 'cut', 'empty', 'zeros', 'end'])
      expect(folder.row(`${name}.jpg`)).toMatchObject({ taken: null, latitude: null });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reads the other pictures if one takes too long, needs too much memory or fails',
    async () => {
      const harmlessContents = ['first', 'last'];
      for (const [index, content] of ['hang', 'first', 'grow', 'throw', 'last'].entries())
        folder.put(`${index}-${content}.txt`, content);
      await folder.waitUntilIdle();
      folder.db.exec("UPDATE files SET kind = 'image'");
      startReader({ thread: { file: FAULTY_THREAD, maxMs: 15_000 } });
      await waitUntilRead();
      const cameras = [...folder.rows().values()].map(({ camera }) => camera).filter((camera) => camera !== null);
      expect(cameras.toSorted()).toEqual(harmlessContents);
      expect(logText).toContain('reading a picture took too long');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('sends one notification about many pictures without details', async () => {
    const plainPath = join(folder.home, 'plain.jpg');
    writeFileSync(plainPath, jpegWithExif({}));
    folder.db.exec(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
       INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, kind)
       SELECT n, n, n, 'plain.jpg', 'test', 0, 0, 0, 'Completed', 'owner', 'image' FROM n`,
    );
    startReader({ disk: { open: () => open(plainPath) } });
    await waitUntilRead();
    expect(notificationCount).toBe(1);
  });
});
