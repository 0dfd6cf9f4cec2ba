import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeFile } from '../../../../tests/support/files.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { mapFileSchema } from '../../../wire/map-file.ts';

const PATH = '/api/v2.6/owner/map-file';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const getMapFile = async () => mapFileSchema.parse((await pda.call('GET', PATH)).json).file;
const choose = (fileId: unknown) => pda.call('PUT', PATH, { json: { fileId } });
const chosenId = async (): Promise<string | undefined> => (await getMapFile())?.file.fileId;

it('no map file is chosen at first; the choice of a file survives a restart and can be cleared', async () => {
  expect(await getMapFile()).toBeNull();
  const { fileId } = await storeFile(pda, 'berlin.pmtiles', 'PMTiles');
  expect(mapFileSchema.parse((await choose(fileId)).json).file?.file.fileId).toBe(fileId);
  await pda.restart();
  const mapFile = await getMapFile();
  expect(mapFile?.file.fileId).toBe(fileId);
  const content = await fetch(mapFile?.file.contentUrl ?? '', { headers: { range: 'bytes=0-2' } });
  expect([content.status, await content.text()]).toEqual([206, 'PMT']);
  expect(mapFileSchema.parse((await choose(null)).json).file).toBeNull();
  expect(await getMapFile()).toBeNull();
});

it('a deleted map file stays chosen, because it can be restored; an erased one does not', async () => {
  const { fileId } = await storeFile(pda, 'paris.pmtiles', 'PMTiles');
  await choose(fileId);
  await pda.call('DELETE', `/api/v2.6/files/file/${fileId}`);
  expect((await getMapFile())?.deleted).toMatchObject({ by: 'owner' });
  expect((await choose(fileId)).status).toBe(404);
  await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`);
  expect((await getMapFile())?.deleted).toBeNull();

  await pda.pda.fileModule.files.erase(fileId);
  expect(await getMapFile()).toBeNull();
  // A later file with the same name gets the same id.
  expect((await storeFile(pda, 'paris.pmtiles', 'PMTiles')).fileId).toBe(fileId);
  expect(await getMapFile()).toBeNull();
});

it('the map file is not changed by a request with an unknown file, an invalid body or no token', async () => {
  const { fileId } = await storeFile(pda, 'rome.pmtiles', 'PMTiles');
  await choose(fileId);
  expect((await choose('none')).status).toBe(404);
  expect((await choose(7)).status).toBe(400);
  expect((await pda.call('PUT', PATH, { json: {} })).status).toBe(400);
  for (const method of ['GET', 'PUT'] as const) {
    const reply = await pda.call(method, PATH, { token: '', ...(method === 'PUT' ? { json: { fileId: null } } : {}) });
    expect([reply.status, errorOf(reply).error]).toEqual([401, 'not_authenticated']);
  }
  expect(await chosenId()).toBe(fileId);
});
