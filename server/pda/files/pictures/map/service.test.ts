import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { jpegWithExif } from '../../../../../tests/support/exif-pictures.ts';
import { storeFile } from '../../../../../tests/support/files.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { pictureClustersSchema, pictureExtentSchema, picturesInAreaSchema } from '../../../../wire/picture-map.ts';

const PATH = '/api/v2.6/owner/files/map';
const WORLD = 'west=-180&south=-90&east=180&north=90';
const CHAD = { latitude: 10, longitude: 20 };
const SYDNEY = { latitude: -34, longitude: 151 };

let pda: TestPda;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? '';

const extent = async (query = '') => {
  const reply = await pda.call('GET', `${PATH}/extent?${query}`);
  return pictureExtentSchema.parse(reply.json);
};
const clusters = async (query: string) =>
  pictureClustersSchema.parse((await pda.call('GET', `${PATH}/clusters?zoom=3&${query}`)).json);
const pictureIds = async (query: string) => {
  const { pictures, total } = picturesInAreaSchema.parse((await pda.call('GET', `${PATH}/pictures?${query}`)).json);
  return { fileIds: pictures.map(({ file }) => file.fileId), total };
};

beforeAll(async () => {
  pda = await startTestPda();
  const store = async (name: string, data: Parameters<typeof jpegWithExif>[0], fields = {}) => {
    const { fileId } = await storeFile(pda, name, new Uint8Array(jpegWithExif(data)), fields);
    ids.set(name, fileId);
  };
  await store('early.jpg', { place: CHAD, taken: '2024:01:01 12:00:00' });
  await store('late.jpg', { place: CHAD, taken: '2024:02:01 12:00:00' });
  await store('opera.jpg', { place: SYDNEY }, { title: 'Opera house', tags: ['trip'] });
  await store('nowhere.jpg', { taken: '2024:03:01 12:00:00' });
  await storeFile(pda, 'letter.txt', 'Dear Ada');
  await vi.waitFor(async () => expect((await extent()).pictures).toBe(3), { timeout: 60_000, interval: 20 });
});
afterAll(() => pda.close());

describe('the map of pictures', () => {
  it('has the smallest area that contains all places', async () => {
    expect(await extent()).toEqual({ bounds: { west: 20, south: -34, east: 151, north: 10 }, pictures: 3 });
  });

  it('groups pictures by place, and returns the id and title of a picture that is alone', async () => {
    expect(await clusters(WORLD)).toEqual({
      clusters: [
        { ...CHAD, pictures: 2, fileId: null, title: null, bounds: { west: 20, south: 10, east: 20, north: 10 } },
        {
          ...SYDNEY,
          pictures: 1,
          fileId: idOf('opera.jpg'),
          title: 'Opera house',
          bounds: { west: 151, south: -34, east: 151, north: -34 },
        },
      ],
      pictures: 3,
    });
  });

  it('lists the pictures of an area, the most recently taken first', async () => {
    expect(await pictureIds('west=19&south=9&east=21&north=11')).toEqual({
      fileIds: [idOf('late.jpg'), idOf('early.jpg')],
      total: 2,
    });
    expect(await pictureIds('west=150&south=-90&east=-150&north=90')).toEqual({
      fileIds: [idOf('opera.jpg')],
      total: 1,
    });
  });

  it.each(['search=opera', 'tag=trip', 'kind=image&tag=trip&search=Opera%20hou'])(
    'shows only pictures that match %s',
    async (filter) => {
      expect((await extent(filter)).pictures).toBe(1);
      expect((await clusters(`${filter}&${WORLD}`)).clusters.map(({ fileId }) => fileId)).toEqual([idOf('opera.jpg')]);
      expect((await pictureIds(`${filter}&${WORLD}`)).fileIds).toEqual([idOf('opera.jpg')]);
    },
  );

  it.each(['show=public', 'show=deleted', 'kind=text', 'search=letter', 'search=!', 'source=other'])(
    'is empty without a match for %s',
    async (filter) => {
      expect(await extent(filter)).toEqual({ bounds: null, pictures: 0 });
      expect(await clusters(`${filter}&${WORLD}`)).toEqual({ clusters: [], pictures: 0 });
    },
  );

  it('leaves out deleted pictures until they are restored', async () => {
    await pda.call('DELETE', `/api/v2.6/files/file/${idOf('opera.jpg')}`);
    expect((await extent()).pictures).toBe(2);
    await pda.call('POST', `/api/v2.6/owner/files/file/${idOf('opera.jpg')}/restore`);
    await vi.waitFor(async () => expect((await extent()).pictures).toBe(3), { timeout: 60_000, interval: 20 });
  });

  it.each(['clusters?zoom=3', `clusters?zoom=23&${WORLD}`, `clusters?${WORLD}`, 'pictures?west=1'])(
    'refuses the invalid request %s',
    async (query) => {
      expect((await pda.call('GET', `${PATH}/${query}`)).status).toBe(400);
    },
  );
});
