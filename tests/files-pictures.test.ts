import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  fileMonthsSchema,
  ownerFileSchema,
  ownerFilesSchema,
  placeCountsSchema,
  type OwnerFile,
} from '../server/wire/files.ts';
import { jpegWithExif, type ExifData } from './support/exif-pictures.ts';
import { readFileRecord, storeFile } from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const PATH = '/api/v2.6/owner/files';
const COUNTS = `${PATH}/place-counts`;
const BERLIN = { latitude: 52.52, longitude: 13.405 };

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const get = async (path: string): Promise<unknown> => (await pda.call('GET', `${PATH}${path}`)).json;
const readOwnerFile = async (fileId: string): Promise<OwnerFile> => ownerFileSchema.parse(await get(`/file/${fileId}`));
/** Stores a picture and waits until its metadata has been read. Returns the file id. */
const storePicture = async (name: string, data: ExifData): Promise<string> => {
  const { fileId } = await storeFile(pda, name, new Uint8Array(jpegWithExif(data)), { source: 'camera' });
  await vi.waitFor(async () => expect((await readOwnerFile(fileId)).picture).not.toBeNull(), {
    timeout: 60_000,
    interval: 20,
  });
  return fileId;
};

describe('an uploaded picture', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    ids.push(
      await storePicture('new-year.jpg', { taken: '2024:12:31 23:30:00', offset: '-05:00', place: BERLIN }),
      await storePicture('spring.jpg', { taken: '2024:03:01 12:00:00', offset: '+01:00', maker: 'Canon' }),
      await storePicture('later.jpg', { taken: '2024:03:20 12:00:00', offset: '+01:00' }),
      await storePicture('future.jpg', { taken: '2099:01:01 12:00:00' }),
      await storePicture('undated.jpg', { model: 'X-T5' }),
    );
  });

  it('has the date, place and camera from its metadata', async () => {
    const [newYear = '', spring = ''] = ids;
    expect((await readOwnerFile(newYear)).picture).toEqual({
      taken: { time: Date.UTC(2025, 0, 1, 4, 30), local: '2024-12-31T23:30:00' },
      place: BERLIN,
      camera: null,
    });
    expect((await readOwnerFile(spring)).picture).toMatchObject({ place: null, camera: 'Canon' });
  });

  it('has no date, place or camera in the file record that applications and users can read', async () => {
    const record = await readFileRecord(pda, ids[0] ?? '');
    expect(JSON.stringify(record)).not.toMatch(/52\.52|picture|23:30/u);
  });

  it('is listed under the month shown by the clock of the camera', async () => {
    const list = ownerFilesSchema.parse(await get('?kind=image&sort=taken'));
    expect(list.files.map(({ file }) => file.name)).toEqual([
      'future.jpg',
      'new-year.jpg',
      'later.jpg',
      'spring.jpg',
      'undated.jpg',
    ]);
    expect(fileMonthsSchema.parse(await get('/months?kind=image'))).toEqual([
      { month: '2099-01', files: 1 },
      { month: '2024-12', files: 1 },
      { month: '2024-03', files: 2 },
      { month: null, files: 1 },
    ]);
    expect(fileMonthsSchema.parse(await get('/months?search=spring&order=ascending'))).toEqual([
      { month: '2024-03', files: 1 },
    ]);
  });

  it('is counted, and so is its place, among selected files and in a folder', async () => {
    const count = async (json: object) => placeCountsSchema.parse((await pda.call('POST', COUNTS, { json })).json);
    const folder = (await readOwnerFile(ids[0] ?? '')).path?.split('/')[0];
    expect(await count({ fileIds: ids.slice(0, 2) })).toEqual({ pictures: 2, places: 1, complete: true });
    expect(await count({ folder })).toEqual({ pictures: 5, places: 1, complete: true });
    expect((await pda.call('POST', COUNTS, { json: { folder, fileIds: ids } })).status).toBe(400);
  });

  it('is not listed while it is deleted, and has the same details after a restart', async () => {
    const [newYear = ''] = ids;
    const readDecember = async () =>
      fileMonthsSchema.parse(await get('/months')).filter(({ month }) => month === '2024-12');
    await pda.call('DELETE', `/api/v2.6/files/file/${newYear}`);
    expect(await readDecember()).toEqual([]);
    await pda.call('POST', `${PATH}/file/${newYear}/restore`);
    await pda.restart();
    expect((await readOwnerFile(newYear)).picture).toMatchObject({ place: BERLIN });
    expect(await readDecember()).toEqual([{ month: '2024-12', files: 1 }]);
  });
});
