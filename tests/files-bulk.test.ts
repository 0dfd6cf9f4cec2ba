import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fileArchiveSchema,
  fileMoveResultSchema,
  tagChangeResultSchema,
  tagCountsSchema,
} from '../server/wire/bulk-files.ts';
import { fileRecordSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { MAX_BULK_FILES } from '../server/wire/limits.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { createFileRecord, readFileRecord, searchFiles, storeFile } from './support/files.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUserAndSignIn } from './support/users.ts';
import { readZip } from './support/zip.ts';

const PATH = '/api/v2.6/owner/files';

let pda: TestPda;
beforeAll(async () => {
  const camera = anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'camera' }] });
  pda = await startTestPda({ watchesFiles: true, config: { applications: [camera] } });
});
afterAll(() => pda.close());

const move = async (folder: string, fileIds: readonly string[]) =>
  fileMoveResultSchema.parse((await pda.call('POST', `${PATH}/move`, { json: { moves: [{ folder, fileIds }] } })).json);

describe('tags of many files', () => {
  it('are counted, changed and restored', async () => {
    const firstFile = await storeFile(pda, 'one.txt', '1', { tags: ['Rome', 'summer'] });
    const secondFile = await storeFile(pda, 'two.txt', '2');
    const fileIds = [firstFile.fileId, secondFile.fileId];
    const counts = await pda.call('POST', `${PATH}/tag-counts`, { json: { fileIds } });
    expect(tagCountsSchema.parse(counts.json)).toEqual({
      files: 2,
      tags: [
        { tag: 'Rome', files: 1 },
        { tag: 'summer', files: 1 },
      ],
    });
    const change = { fileIds, add: ['family'], remove: ['summer'] };
    const { previousTags, changed } = tagChangeResultSchema.parse(
      (await pda.call('POST', `${PATH}/tags`, { json: change })).json,
    );
    expect(changed).toBe(2);
    expect((await readFileRecord(pda, firstFile.fileId)).tags).toEqual(['Rome', 'family']);
    expect(await searchFiles(pda, { tags: ['family'] })).toEqual(fileIds);
    const undo = await pda.call('PUT', `${PATH}/tags`, { json: { groups: previousTags } });
    expect([undo.status, undo.json]).toEqual([200, { changed: 2 }]);
    expect((await readFileRecord(pda, firstFile.fileId)).tags).toEqual(['Rome', 'summer']);
    expect((await readFileRecord(pda, secondFile.fileId)).tags).toBeUndefined();
  });

  it('are stored once each, even if one request contains them repeatedly', async () => {
    const { fileId } = await storeFile(pda, 'once.txt', '1', { tags: ['Rome'] });
    const assign = (tags: readonly string[]) =>
      pda.call('PUT', `${PATH}/tags`, { json: { groups: [{ tags, fileIds: [fileId] }] } });
    expect((await assign(['sea', 'sea', 'sun'])).json).toEqual({ changed: 1 });
    expect((await readFileRecord(pda, fileId)).tags).toEqual(['sea', 'sun']);
    expect((await assign(['sea', 'sun', 'sea'])).json).toEqual({ changed: 0 });
  });

  it.each([
    [{ fileIds: [], add: ['a'] }],
    [{ fileIds: ['x'], add: ['a'], remove: ['a'] }],
    [{ fileIds: ['x'], add: ['line\u2028break'] }],
    [{ fileIds: ['x'], add: ['a'.repeat(201)] }],
    [{ fileIds: Array.from({ length: MAX_BULK_FILES + 1 }, (_, n) => `${n}`), add: ['a'] }],
  ])('are refused if the change is invalid (%#)', async (json) => {
    expect((await pda.call('POST', `${PATH}/tags`, { json })).status).toBe(400);
  });
});

describe('files that are moved to another folder', () => {
  it('keep their id, source, uploader and content', async () => {
    const token = await setUpApplication(pda, 'camera');
    const originalRecord = await storeFile(pda, 'a.jpg', 'a picture', { source: 'camera', title: 'At the sea' }, token);
    const { moved, undo } = await move('trips/2024', [originalRecord.fileId]);
    expect([moved, undo]).toEqual([1, [{ folder: 'camera', fileIds: [originalRecord.fileId] }]]);
    expect(readdirSync(join(pda.home, 'files', 'trips', '2024'))).toEqual(['a.jpg']);
    const reply = await pda.call('GET', `/api/v2.6/files/file/${originalRecord.fileId}`, { token });
    const movedRecord = fileRecordSchema.parse(reply.json);
    expect({ ...movedRecord, contentUrl: '', lastUpdated: 0 }).toEqual({
      ...originalRecord,
      contentUrl: '',
      lastUpdated: 0,
    });
    expect(await (await fetch(movedRecord.contentUrl ?? '')).text()).toBe('a picture');
    expect(await searchFiles(pda, { source: 'camera' }, token)).toEqual([originalRecord.fileId]);
    const folderFiles = ownerFilesSchema.parse((await pda.call('GET', `${PATH}?folder=trips`)).json);
    expect(folderFiles.files.map(({ path }) => path)).toEqual(['trips/2024/a.jpg']);
  });

  it('can be read by a guest while they are in a shared folder, and the access history records the moves', async () => {
    const { fileId } = await storeFile(pda, 'b.txt', 'text', { source: 'letters' });
    await storeFile(pda, 'c.txt', 'text', { source: 'shared' });
    const guest = await addUserAndSignIn(pda, 'grace');
    const [user] = pda.pda.users.list();
    await pda.call('POST', '/api/v2.6/owner/shared-folders', { json: { folder: 'shared', userId: user?.userId } });
    const canRead = async (): Promise<boolean> =>
      (await pda.call('GET', `/api/v2.6/files/file/${fileId}`, { token: guest })).status === 200;
    expect(await canRead()).toBe(false);
    const { undo } = await move('shared', [fileId]);
    expect(await canRead()).toBe(true);
    await pda.call('POST', `${PATH}/move`, { json: { moves: undo } });
    expect(await canRead()).toBe(false);
    // The file is already in this folder, so this move changes nothing and is not recorded.
    await move('letters', [fileId]);
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json);
    const decisions = rows.filter((row) => row.action === `POST ${PATH}/move` && row.files[0]?.fileId === fileId);
    expect(decisions.map(({ who, endpoints, records }) => [who.kind, endpoints, records])).toEqual([
      ['owner', ['files:letters'], 1],
      ['owner', ['files:letters'], 1],
    ]);
  });

  it('are refused with 400 if the folder is invalid', async () => {
    const { fileId } = await storeFile(pda, 'd.txt', 'text');
    for (const folder of ['..', 'a\0b', '/etc', 'a?', 'x'.repeat(256)]) {
      const reply = await pda.call('POST', `${PATH}/move`, { json: { moves: [{ folder, fileIds: [fileId] }] } });
      expect([folder, reply.status, errorOf(reply).error]).toEqual([folder, 400, 'invalid_input']);
    }
  });

  it('are named in the response if the path would be too long for the file system', async () => {
    const { fileId } = await storeFile(pda, 'e.txt', 'text');
    const longFolder = Array.from({ length: 30 }, () => 'ü'.repeat(100)).join('/');
    const { moved, refused } = await move(longFolder, [fileId]);
    expect([moved, refused]).toEqual([0, [{ fileId, name: 'e.txt', problem: 'not_possible' }]]);
  });
});

describe('an archive of selected files', () => {
  const createArchive = async (fileIds: readonly string[]) =>
    fileArchiveSchema.parse((await pda.call('POST', `${PATH}/archives`, { json: { fileIds } })).json);

  it('contains each file once under a unique name, and counts those that are left out', async () => {
    const letter = await storeFile(pda, 'letter.txt', 'one', { source: 'letters' });
    const copy = await storeFile(pda, 'Letter.txt', 'two', { source: 'copies' });
    const emptyFile = await storeFile(pda, 'empty.txt', '');
    const deletedFile = await storeFile(pda, 'deleted.txt', 'gone');
    await pda.call('DELETE', `/api/v2.6/files/file/${deletedFile.fileId}`);
    const unfinishedFile = await createFileRecord(pda, 'unfinished.txt');
    const ids = [letter, copy, emptyFile, deletedFile, unfinishedFile].map(({ fileId }) => fileId);
    const { url, ...counts } = await createArchive([...ids, letter.fileId]);
    expect(counts).toEqual({ files: 3, missing: 2 });

    expect((await pda.call('HEAD', url, { token: null })).status).toBe(404);
    const reply = await pda.call('GET', url, { token: null });
    expect([reply.status, reply.headers['content-type'], reply.headers['content-disposition']]).toEqual([
      200,
      'application/zip',
      'attachment; filename="files.zip"',
    ]);
    expect(await readZip(reply.body)).toEqual({ 'letter.txt': 'one', 'Letter (2).txt': 'two', 'empty.txt': '' });
    expect((await pda.call('GET', url, { token: null })).status).toBe(404);

    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json);
    const row = rows.find(({ action }) => action === `POST ${PATH}/archives`);
    expect(row?.endpoints.toSorted()).toEqual(['files:copies', 'files:letters', 'files:test']);
    expect([row?.who.kind, row?.records]).toEqual(['owner', 3]);
  });

  it('is refused with 400 for too many files', async () => {
    const fileIds = Array.from({ length: MAX_BULK_FILES + 1 }, (_, n) => `file-${n}`);
    const reply = await pda.call('POST', `${PATH}/archives`, { json: { fileIds } });
    expect([reply.status, errorOf(reply).error]).toEqual([400, 'invalid_input']);
  });

  it('is refused with 404 if no file can be read, and if one was deleted before the download', async () => {
    expect((await pda.call('POST', `${PATH}/archives`, { json: { fileIds: ['unknown'] } })).status).toBe(404);
    const firstFile = await storeFile(pda, 'first.txt', '1');
    const secondFile = await storeFile(pda, 'second.txt', '2');
    const { url } = await createArchive([firstFile.fileId, secondFile.fileId]);
    await pda.call('DELETE', `/api/v2.6/files/file/${secondFile.fileId}`);
    const reply = await pda.call('GET', url, { token: null });
    expect([reply.status, errorOf(reply).error]).toEqual([404, 'not_found']);
  });
});
