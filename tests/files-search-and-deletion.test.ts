import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileSummarySchema, ownerFileSchema, ownerFilesSchema } from '../server/wire/files.ts';
import {
  ENCRYPTION_HEADERS,
  fileOf,
  createFileRecord,
  putContent,
  randomContent,
  readFileRecord,
  searchFiles,
  storeFile,
} from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const FILES = '/api/v2.6/files';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ watchesFiles: true });
});
afterAll(() => pda.close());

const search = (template: object, token?: string, page?: string) => searchFiles(pda, template, token, page);

describe('file search', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const storeInLibrary = async (name: string, fields: object) =>
      (ids[name] = (await storeFile(pda, name, name, { source: 'library', ...fields })).fileId);
    await storeInLibrary('Café.txt', { title: 'Crème brûlée recipes', tags: ['food', 'sweet'] });
    await storeInLibrary('plan.txt', {
      title: 'Travel plan',
      description: 'Where we go: Crete',
      tags: ['trip', 'food'],
    });
    await createFileRecord(pda, 'draft.txt', { source: 'library' });
  });
  const searchLibrary = (template: object) => search({ source: 'library', ...template });

  it('filters by each field of the template, and ignores empty strings', async () => {
    const [cafe = '', plan = ''] = [ids['Café.txt'], ids['plan.txt']];
    expect(await searchLibrary({ name: 'plan.txt' })).toEqual([plan]);
    expect(await searchLibrary({ name: 'plan' })).toEqual([]);
    expect(await searchLibrary({ fileId: cafe, name: '', title: '' })).toEqual([cafe]);
    expect(await searchLibrary({ tags: ['food'] })).toEqual([cafe, plan]);
    expect(await searchLibrary({ tags: ['food', 'trip'] })).toEqual([plan]);
    expect(await searchLibrary({ title: 'BRULEE creme' })).toEqual([cafe]);
    expect(await searchLibrary({ title: 'brulee plan' })).toEqual([]);
    expect(await searchLibrary({ description: 'crete' })).toEqual([plan]);
    expect(await searchLibrary({ title: 'crete' })).toEqual([]);
    expect(await searchLibrary({ status: { status: 'Completed' } })).toEqual([cafe, plan]);
    expect(await searchLibrary({ status: { status: 'New', size: 0 } })).toEqual(['librarydraft.txt']);
    expect(await searchLibrary({ title: '" OR * NEAR(' })).toEqual([]);
  });

  it('finds changed files by their current fields', async () => {
    const fileId = ids['plan.txt'] ?? '';
    const changedFile = fileOf(
      await pda.call('PUT', `${FILES}/file/${fileId}`, { json: { title: 'Old diary', tags: [], name: 'diary.txt' } }),
    );
    expect(changedFile).toMatchObject({ name: 'diary.txt', title: 'Old diary', description: 'Where we go: Crete' });
    expect(await searchLibrary({ title: 'travel' })).toEqual([]);
    expect(await searchLibrary({ title: 'diary' })).toEqual([fileId]);
    expect(await searchLibrary({ tags: ['trip'] })).toEqual([]);
    const otherReply = await pda.call('PUT', `${FILES}/file/${fileId}`, { json: { fileId: 'another', title: 'x' } });
    expect(otherReply.status).toBe(400);
  });

  it('returns pages', async () => {
    const allIds = await search({});
    expect(await search({}, undefined, '?skip=1&take=2')).toEqual(allIds.slice(1, 3));
    expect((await pda.call('POST', `${FILES}/search?take=-1`, { json: {} })).status).toBe(400);
  });
});

describe('file deletion', () => {
  it('makes the content inaccessible immediately, keeps a record, and can be undone for a day', async () => {
    const file = await storeFile(pda, 'going.txt', 'still here', { tags: ['gone'] });
    const { fileId, contentUrl = '' } = file;
    const deletedFile = fileOf(await pda.call('DELETE', `${FILES}/file/${fileId}`));
    expect(deletedFile.status).toEqual({ status: 'Deleted' });
    expect(deletedFile).not.toHaveProperty('contentUrl');
    expect((await fetch(contentUrl)).status).toBe(403);
    expect(await search({ tags: ['gone'] })).toEqual([]);
    expect(await search({ tags: ['gone'], status: { status: 'Deleted' } })).toEqual([fileId]);
    expect((await pda.call('PUT', `${FILES}/file/${fileId}/complete`)).status).toBe(404);
    expect((await pda.call('DELETE', `${FILES}/file/${fileId}`)).status).toBe(200);

    const restoreReply = await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`);
    expect(ownerFileSchema.parse(restoreReply.json).file.status).toEqual({ status: 'Completed', size: 10 });
    expect(await (await fetch((await readFileRecord(pda, fileId)).contentUrl ?? '')).text()).toBe('still here');

    await pda.call('DELETE', `${FILES}/file/${fileId}`);
    pda.clock.advance(24 * 3_600_000 + 1);
    pda.token = await pda.signIn();
    await pda.pda.fileModule.files.disk.purge();
    expect((await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`)).status).toBe(409);
    expect(readdirSync(join(pda.home, 'removed'))).toEqual([]);
  });

  it('cannot be undone, nor can an upload be completed, if another program removed the content', async () => {
    const { fileId } = await storeFile(pda, 'missing.txt', 'x');
    await pda.call('DELETE', `${FILES}/file/${fileId}`);
    for (const name of readdirSync(join(pda.home, 'removed'))) rmSync(join(pda.home, 'removed', name));
    expect((await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`)).status).toBe(404);
    const sentFile = await createFileRecord(pda, 'sent.txt');
    await putContent(sentFile.contentUrl, 'x');
    for (const name of readdirSync(join(pda.home, 'uploads'))) rmSync(join(pda.home, 'uploads', name));
    expect((await pda.call('PUT', `${FILES}/file/${sentFile.fileId}/complete`)).status).toBe(404);
    expect((await readFileRecord(pda, sentFile.fileId)).status).toEqual({ status: 'New' });
  });
});

describe('the file API of the owner', () => {
  it('returns pages with sorting, counts and totals', async () => {
    for (const [name, bytes] of [
      ['b.bin', 30],
      ['a.bin', 10],
      ['C.bin', 20],
    ] as const)
      await storeFile(pda, name, randomContent(bytes), { source: 'sorted' });
    const listFiles = async (query: string) => {
      const reply = await pda.call('GET', `/api/v2.6/owner/files?source=sorted&${query}`);
      const { total, bytes, files } = ownerFilesSchema.parse(reply.json);
      return [total, bytes, files.map(({ file }) => file.name).join(' ')];
    };
    expect(await listFiles('sort=name&order=ascending')).toEqual([3, 60, 'a.bin b.bin C.bin']);
    expect(await listFiles('sort=size')).toEqual([3, 60, 'b.bin C.bin a.bin']);
    expect(await listFiles('sort=added&take=1&skip=1')).toEqual([3, 60, 'a.bin']);
    expect(await listFiles('search=b')).toEqual([3, 60, 'C.bin a.bin b.bin']);
    expect(await listFiles('search=c.bi')).toEqual([1, 20, 'C.bin']);
    const summary = fileSummarySchema.parse((await pda.call('GET', '/api/v2.6/owner/files/summary')).json);
    expect(summary.sources).toContainEqual({ source: 'sorted', files: 3, bytes: 60 });
  });

  it('resumes a chunked upload after an interruption and a restart, and removes a cancelled one', async () => {
    const content = randomContent(1000);
    const { fileId } = await createFileRecord(pda, 'chunks.bin');
    const path = `/api/v2.6/owner/files/file/${fileId}/upload`;
    const sendChunk = (start: number, end: number) =>
      pda.call('PUT', `${path}?offset=${start}&size=1000`, { body: Buffer.from(content.subarray(start, end)) });
    expect((await sendChunk(0, 400)).json).toEqual({ received: 400, done: false });
    expect((await sendChunk(500, 600)).status).toBe(409);
    await pda.restart();
    pda.token = await pda.signIn();
    expect((await pda.call('GET', path)).json).toEqual({ received: 400, done: false });
    expect((await sendChunk(400, 1000)).json).toEqual({ received: 1000, done: true });
    expect((await sendChunk(0, 10)).status).toBe(409);
    const file = fileOf(await pda.call('PUT', `${FILES}/file/${fileId}/complete`));
    expect(Buffer.from(await (await fetch(file.contentUrl ?? '')).arrayBuffer()).equals(content)).toBe(true);

    const cancelledUpload = await createFileRecord(pda, 'cancelled.bin');
    await pda.call('PUT', `/api/v2.6/owner/files/file/${cancelledUpload.fileId}/upload?offset=0&size=10`, {
      body: Buffer.alloc(5),
    });
    expect((await pda.call('DELETE', `/api/v2.6/owner/files/file/${cancelledUpload.fileId}/upload`)).status).toBe(200);
    expect((await pda.call('GET', `${FILES}/file/${cancelledUpload.fileId}`)).status).toBe(404);
    expect((await putContent(cancelledUpload.contentUrl, 'late', ENCRYPTION_HEADERS)).status).toBe(403);
    expect(readdirSync(join(pda.home, 'uploads'))).toEqual([]);
  });

  it('refuses to cancel the upload of a complete or deleted file', async () => {
    const { fileId, contentUrl } = await createFileRecord(pda, 'complete.txt');
    await putContent(contentUrl, 'content');
    await pda.call('PUT', `${FILES}/file/${fileId}/complete`);
    const cancel = () => pda.call('DELETE', `/api/v2.6/owner/files/file/${fileId}/upload`);
    expect((await cancel()).status).toBe(409);
    await pda.call('DELETE', `${FILES}/file/${fileId}`);
    const refusal = await cancel();
    expect([refusal.status, refusal.json]).toMatchObject([404, { cause: 'There is no such file.' }]);
  });
});
