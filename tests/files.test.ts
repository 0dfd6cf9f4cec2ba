import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileFoldersSchema, fileReaderSchema, fileRecordSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import {
  fileOf,
  createFileRecord,
  putContent,
  randomContent,
  readFileRecord,
  searchFiles,
  storeFile,
} from './support/files.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, signInAs } from './support/users.ts';

const FILES = '/api/v2.6/files';
const run = promisify(execFile);

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: {
      applications: [
        anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'camera' }] }),
        anApplication({ id: 'album', roles: [{ role: 'managefiles', detail: 'album' }] }),
      ],
    },
  });
});
afterAll(() => pda.close());

const createUser = async (name: string): Promise<{ userId: string; token: string }> => ({
  userId: (await addUser(pda, name)).userId,
  token: await signInAs(pda, name),
});

const search = (template: object, token?: string) => searchFiles(pda, template, token);

describe('an upload through the documented API', () => {
  it('goes from New to Completed, and returns the same bytes', async () => {
    const content = randomContent(300_000);
    const createdFile = await createFileRecord(pda, 'testFile.PNG', {
      tags: ['a', 'b', 'a'],
      title: 'One',
      dateCreated: 1_487_871_142_325,
    });
    expect(createdFile).toMatchObject({
      fileId: 'testtestfile.png',
      name: 'testFile.PNG',
      source: 'test',
      tags: ['a', 'b'],
      title: 'One',
      dateCreated: 1_487_871_142_325,
      lastUpdated: pda.clock.now(),
      status: { status: 'New' },
      contentPublic: false,
      permissions: [{ contentReadable: true }],
    });
    const uploadResponse = await putContent(createdFile.contentUrl, content);
    expect([uploadResponse.status, await uploadResponse.text()]).toEqual([200, '']);
    expect(uploadResponse.headers.get('x-auth-token')).toBeNull();
    // A request to a storage URL does not renew the token in its header.
    const [method, path] = ['PUT', new URL(createdFile.contentUrl).pathname + new URL(createdFile.contentUrl).search];
    for (const reply of [
      await pda.call(method, path),
      await pda.call('GET', '/storage/nothing'),
      await pda.call('DELETE', path),
    ])
      expect([reply.status >= 400, reply.headers['x-auth-token']]).toEqual([true, undefined]);

    const complete = () => pda.call('PUT', `${FILES}/file/${createdFile.fileId}/complete`);
    const completedFile = fileOf(await complete());
    expect(completedFile.status).toEqual({ status: 'Completed', size: 300_000 });
    expect(fileOf(await complete()).status).toEqual(completedFile.status);

    const { contentUrl } = await readFileRecord(pda, createdFile.fileId);
    const response = await fetch(contentUrl ?? '');
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(response.headers.get('content-length')).toBe('300000');
    expect(response.headers.get('etag')).toBe(`"${createHash('sha256').update(content).digest('hex')}"`);
  });

  it('adds a number to the id of a file if another file has that id', async () => {
    const firstFile = await createFileRecord(pda, 'again.txt');
    const secondFile = await createFileRecord(pda, 'Again.TXT');
    const thirdFile = await createFileRecord(pda, 'again.txt');
    expect([firstFile.fileId, secondFile.fileId, thirdFile.fileId]).toEqual([
      'testagain.txt',
      'testagain-1.txt',
      'testagain-2.txt',
    ]);
  });

  it('returns dates as Unix milliseconds, however they were sent', async () => {
    const dates = { dateCreated: '2026-11-01T00:00:00+0100', lastUpdated: '2026-11-01T00:00Z' };
    const createdFile = await createFileRecord(pda, 'dates.txt', dates);
    expect(createdFile).toMatchObject({ dateCreated: 1_793_487_600_000, lastUpdated: 1_793_491_200_000 });
    const change = (json: object) => pda.call('PUT', `${FILES}/file/${createdFile.fileId}`, { json });
    expect(fileOf(await change({ dateCreated: '2026-11-01' })).dateCreated).toBe(1_793_491_200_000);
    const oldFile = fileOf(await change({ dateCreated: '1965-06-01T12:00:00' }));
    expect(oldFile.dateCreated).toBe(Date.parse('1965-06-01T12:00:00Z'));
    // Dates from a response can be sent back.
    expect(fileOf(await change({ dateCreated: oldFile.dateCreated })).dateCreated).toBe(oldFile.dateCreated);

    const refusedReply = await change({ dateCreated: 'last summer' });
    const problem = 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z, or Unix milliseconds';
    expect([refusedReply.status, errorOf(refusedReply).cause]).toEqual([400, `body.dateCreated: ${problem}`]);
    expect(errorOf(refusedReply).details).toEqual([{ path: 'body.dateCreated', problem }]);
    expect((await readFileRecord(pda, createdFile.fileId)).dateCreated).toBe(oldFile.dateCreated);
  });

  it('keeps the announced time of the last change until the file is changed', async () => {
    const lastUpdated = 1_487_871_142_325;
    const file = await storeFile(pda, 'old photo.txt', 'x', { lastUpdated });
    expect(file.lastUpdated).toBe(lastUpdated);
    expect((await readFileRecord(pda, file.fileId)).lastUpdated).toBe(lastUpdated);
    const change = (fileId: string, json: object) => pda.call('PUT', `${FILES}/file/${fileId}`, { json });
    expect(fileOf(await change(file.fileId, { title: 'Old' })).lastUpdated).toBe(pda.clock.now());

    // Changes of a file without content do not replace the announced time.
    const { fileId, contentUrl } = await createFileRecord(pda, 'announced.txt');
    await change(fileId, { lastUpdated });
    expect(fileOf(await change(fileId, { title: 'Later' })).lastUpdated).toBe(lastUpdated);
    await putContent(contentUrl, 'x');
    expect(fileOf(await pda.call('PUT', `${FILES}/file/${fileId}/complete`)).lastUpdated).toBe(lastUpdated);

    // The default is the time of the completion.
    const undatedFile = await createFileRecord(pda, 'undated.txt');
    pda.clock.advance(1000);
    await putContent(undatedFile.contentUrl, 'x');
    const completedFile = fileOf(await pda.call('PUT', `${FILES}/file/${undatedFile.fileId}/complete`));
    expect(completedFile.lastUpdated).toBe(pda.clock.now());
  });

  it('works with curl, even for content of unknown length', async () => {
    const file = join(pda.home, 'sent.bin');
    const content = randomContent(2_000_000);
    writeFileSync(file, content);
    const { fileId, contentUrl } = await createFileRecord(pda, 'by curl.bin');
    const args = [
      '-sS',
      '-f',
      '-T',
      file,
      '-H',
      'x-amz-server-side-encryption: AES256',
      '-H',
      'Transfer-Encoding: chunked',
    ];
    await run('curl', [...args, contentUrl]);
    await run('curl', [
      '-sSf',
      '-X',
      'PUT',
      '-H',
      `x-auth-token: ${pda.token}`,
      `http://${pda.host}${FILES}/file/${fileId}/complete`,
    ]);
    const targetFile = join(pda.home, 'received.bin');
    await run('curl', [
      '-sSfL',
      '-o',
      targetFile,
      '-H',
      `x-auth-token: ${pda.token}`,
      `http://${pda.host}${FILES}/content/${fileId}`,
    ]);
    expect(readFileSync(targetFile).equals(content)).toBe(true);
  });

  it('cannot be completed before its content has arrived, and unknown files are not found', async () => {
    const { fileId } = await createFileRecord(pda, 'without-content.txt');
    const earlyReply = await pda.call('PUT', `${FILES}/file/${fileId}/complete`);
    expect([earlyReply.status, errorOf(earlyReply).error]).toEqual([400, 'invalid_input']);
    expect((await readFileRecord(pda, fileId)).status).toEqual({ status: 'New' });
    expect((await pda.call('PUT', `${FILES}/file/nothing.txt/complete`)).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/content/${fileId}`)).status).toBe(404);
  });

  it('accepts an empty file', async () => {
    const file = await storeFile(pda, 'empty.txt', '');
    expect(file.status).toEqual({ status: 'Completed', size: 0 });
    const response = await fetch(file.contentUrl ?? '');
    expect([response.status, await response.text(), response.headers.get('content-length')]).toEqual([200, '', '0']);
  });

  it('refuses a record without name or source, or with an invalid name', async () => {
    for (const json of [
      {},
      { name: 'a' },
      { source: 'a' },
      { name: '', source: 'a' },
      { name: 'x'.repeat(256), source: 'a' },
      { name: 'a\0b', source: 'a' },
    ])
      expect((await pda.call('POST', `${FILES}/upload`, { json })).status).toBe(400);
  });
});

describe('content', () => {
  let url: string;
  beforeAll(async () => {
    url = (await storeFile(pda, 'digits.txt', '0123456789')).contentUrl ?? '';
  });

  it('is served in ranges', async () => {
    const readRange = async (range: string) => {
      const response = await fetch(url, { headers: { range } });
      return [response.status, await response.text(), response.headers.get('content-range')];
    };
    expect(await readRange('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await readRange('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await readRange('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await readRange('bytes=0-99')).toEqual([206, '0123456789', 'bytes 0-9/10']);
    expect(await readRange('bytes=10-')).toEqual([416, '', 'bytes */10']);
    expect(await readRange('bytes=4-2')).toEqual([200, '0123456789', null]);
    expect(await readRange('bytes=0-1,3-4')).toEqual([200, '0123456789', null]);
  });

  it('is not sent again for a matching ETag', async () => {
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const conditionalReply = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([conditionalReply.status, await conditionalReply.text()]).toEqual([304, '']);
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect((await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': '"other"' } })).status).toBe(200);
    expect((await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': etag } })).status).toBe(206);
  });

  it('responds to HEAD with the headers only', async () => {
    const response = await fetch(url, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '10', '']);
  });
});

describe('access to files', () => {
  it('lets a user see shared files, and read their content only if that is shared too', async () => {
    const { fileId } = await storeFile(pda, 'for bo.txt', 'hello');
    const { userId, token } = await createUser('bo');
    const filePath = `${FILES}/file/${fileId}`;
    expect((await pda.call('GET', filePath, { token })).status).toBe(404);
    expect(await search({ fileId }, token)).toEqual([]);

    const grantedFile = fileOf(await pda.call('GET', `${FILES}/allowAccess/${fileId}/${userId}`));
    expect(grantedFile.permissions).toContainEqual({ userId, contentReadable: false });
    const sharedFile = await readFileRecord(pda, fileId, token);
    expect(sharedFile).not.toHaveProperty('contentUrl');
    expect(sharedFile).not.toHaveProperty('permissions');
    expect((await pda.call('GET', `${FILES}/content/${fileId}`, { token })).status).toBe(404);

    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${userId}?content=true`);
    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${userId}?content=true`);
    const { contentUrl = '' } = await readFileRecord(pda, fileId, token);
    expect(await (await fetch(contentUrl)).text()).toBe('hello');
    expect(await search({ fileId }, token)).toEqual([fileId]);

    await pda.call('GET', `${FILES}/restrictAccess/${fileId}/${userId}`);
    expect((await fetch(contentUrl)).status).toBe(403);
    expect((await pda.call('GET', filePath, { token })).status).toBe(404);
  });

  it('is granted and withdrawn for the files that match a template', async () => {
    const { userId, token } = await createUser('cleo');
    for (const name of ['one.txt', 'two.txt', 'three.txt'])
      await storeFile(pda, name, name, { source: 'shared', tags: ['trip'] });
    const reply = await pda.call('POST', `${FILES}/allowAccess/${userId}?content=true`, { json: { source: 'shared' } });
    expect(z.array(fileRecordSchema).parse(reply.json)).toHaveLength(3);
    expect(await search({ tags: ['trip'] }, token)).toHaveLength(3);
    await pda.call('POST', `${FILES}/restrictAccess/${userId}`, { json: { name: 'two.txt', source: 'shared' } });
    expect(await search({ source: 'shared' }, token)).toEqual(['sharedone.txt', 'sharedthree.txt']);
  });

  it('is granted and withdrawn for a user id in upper case, too', async () => {
    const { fileId } = await storeFile(pda, 'upper.txt', 'x');
    const { userId, token } = await createUser('uma');
    const target = userId.toUpperCase();
    const statusOf = async (path: string): Promise<number> => (await pda.call('GET', `${FILES}/${path}`)).status;
    expect(await statusOf(`allowAccess/${fileId}/${target}`)).toBe(200);
    expect(await search({ fileId }, token)).toEqual([fileId]);
    expect(await statusOf(`restrictAccess/${fileId}/${target}`)).toBe(200);
    expect(await search({ fileId }, token)).toEqual([]);
  });

  it('through a search ignores absent, empty and null fields of the template', async () => {
    const { fileId } = await storeFile(pda, 'template.txt', 'seven b', { source: 'template' });
    const source = 'template';
    const nullFields = { fileId: null, name: null, tags: null, title: null, description: null };
    for (const status of [{}, null, { status: '' }, { status: null, size: null }, { size: 7 }])
      expect(await search({ ...nullFields, source, status })).toEqual([fileId]);
    for (const status of [{ size: 3 }, { size: 7, status: 'Deleted' }])
      expect(await search({ source, status })).toEqual([]);
    expect(await search({ source: null, name: 'template.txt' })).toEqual([fileId]);
  });

  it('cannot be granted to an unknown user, for an unknown file, or by a user', async () => {
    const { fileId } = await storeFile(pda, 'granted.txt', 'x');
    const unknownUser = '00000000-0000-4000-8000-000000000000';
    expect((await pda.call('GET', `${FILES}/allowAccess/${fileId}/${unknownUser}`)).status).toBe(404);
    const { userId, token } = await createUser('dora');
    expect((await pda.call('GET', `${FILES}/allowAccess/none.txt/${userId}`)).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/allowAccess/${fileId}/${userId}`, { token })).status).toBe(403);
    expect((await pda.call('GET', `${FILES}/allowAccessPublic/${fileId}`, { token })).status).toBe(403);
    expect((await pda.call('DELETE', `${FILES}/file/${fileId}`, { token })).status).toBe(403);
  });

  it('of the owner cannot be changed or withdrawn', async () => {
    const { fileId, permissions } = await storeFile(pda, 'own.txt', 'x', { source: 'own' });
    const ownerId = permissions?.[0]?.userId ?? '';
    for (const query of ['', '?content=true']) {
      const reply = await pda.call('GET', `${FILES}/allowAccess/${fileId}/${ownerId}${query}`);
      expect(fileOf(reply).permissions).toEqual([{ userId: ownerId, contentReadable: true }]);
      const allFilesReply = await pda.call('POST', `${FILES}/allowAccess/${ownerId}${query}`, {
        json: { source: 'own' },
      });
      expect(allFilesReply.json).toMatchObject([{ fileId, permissions }]);
    }
    const refusedReplies = [
      await pda.call('GET', `${FILES}/restrictAccess/${fileId}/${ownerId}`),
      await pda.call('POST', `${FILES}/restrictAccess/${ownerId}`, { json: { source: 'own' } }),
    ];
    for (const reply of refusedReplies) expect([reply.status, errorOf(reply).error]).toEqual([403, 'forbidden']);
    expect((await readFileRecord(pda, fileId)).permissions).toEqual(permissions);
    expect((await pda.call('GET', `${FILES}/allowAccess/none.txt/${ownerId}`)).status).toBe(404);
  });

  it('needs no token while a file is public', async () => {
    const { fileId } = await storeFile(pda, 'public.txt', 'for all');
    const fetchContent = () => fetch(`http://${pda.host}${FILES}/content/${fileId}`);
    expect((await fetchContent()).status).toBe(404);
    expect(fileOf(await pda.call('GET', `${FILES}/allowAccessPublic/${fileId}`)).contentPublic).toBe(true);
    const response = await fetchContent();
    expect([response.status, await response.text()]).toEqual([200, 'for all']);
    const signedUrl = response.url;
    expect(fileOf(await pda.call('GET', `${FILES}/restrictAccessPublic/${fileId}`)).contentPublic).toBe(false);
    expect((await fetchContent()).status).toBe(404);
    expect((await fetch(signedUrl)).status).toBe(403);
  });

  it('is listed for the owner by user, with the number of visible and readable files', async () => {
    const { userId, token } = await createUser('fay');
    const [seenFile, readableFile, publicFile, hiddenFile] = await Promise.all(
      ['seen.txt', 'readable.txt', 'open.txt', 'hidden.txt'].map((name) =>
        storeFile(pda, name, name, { source: 'readers' }),
      ),
    );
    await pda.call('GET', `${FILES}/allowAccess/${seenFile?.fileId}/${userId}`);
    await pda.call('GET', `${FILES}/allowAccess/${readableFile?.fileId}/${userId}?content=true`);
    await pda.call('GET', `${FILES}/allowAccessPublic/${publicFile?.fileId}`);
    const findReader = async () =>
      z
        .array(fileReaderSchema)
        .parse((await pda.call('GET', '/api/v2.6/owner/files/readers')).json)
        .find((reader) => reader.userId === userId);
    expect(await findReader()).toEqual({ userId, name: 'fay', files: 2, readable: 1, folders: 0, collections: 0 });

    const visiblePath = `/api/v2.6/owner/files?source=readers&sort=name&order=ascending&visibleTo=${userId}`;
    const visibleFiles = ownerFilesSchema.parse((await pda.call('GET', visiblePath)).json);
    // The owner's list omits public files, which the user's search finds too.
    expect(visibleFiles.files.map(({ file }) => file.fileId)).toEqual([readableFile?.fileId, seenFile?.fileId]);
    expect((await search({ source: 'readers' }, token)).toSorted()).toEqual(
      [publicFile?.fileId, readableFile?.fileId, seenFile?.fileId].map(String).toSorted(),
    );
    expect(await search({ fileId: hiddenFile?.fileId }, token)).toEqual([]);

    await pda.call('PUT', `/users/user/${userId}/disable`);
    expect(await findReader()).toBeUndefined();
  });

  it('lets the owner list folders and the files below a folder', async () => {
    for (const name of ['near.txt', 'far.txt']) await storeFile(pda, name, name, { source: 'holiday' });
    await storeFile(pda, 'other.txt', 'x', { source: 'holiday-two' });
    const foldersOf = async (folder: string) =>
      fileFoldersSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/folders?folder=${folder}`)).json);
    expect((await foldersOf('')).folders).toEqual(expect.arrayContaining(['holiday', 'holiday-two']));
    expect(await foldersOf('holiday')).toEqual({ folders: [], more: false });
    const reply = await pda.call('GET', '/api/v2.6/owner/files?folder=holiday&sort=name&order=ascending');
    expect(ownerFilesSchema.parse(reply.json).files.map(({ path }) => path)).toEqual([
      'holiday/far.txt',
      'holiday/near.txt',
    ]);
  });

  it('without a token can be withdrawn from all public files together', async () => {
    const names = ['first open.txt', 'second open.txt'];
    const files = await Promise.all(names.map((name) => storeFile(pda, name, name)));
    for (const { fileId } of files) await pda.call('GET', `${FILES}/allowAccessPublic/${fileId}`);
    const fetchContent = (fileId = '') => fetch(`http://${pda.host}${FILES}/content/${fileId}`);
    const { url } = await fetchContent(files[0]?.fileId);
    const makePrivate = async () => (await pda.call('POST', '/api/v2.6/owner/files/make-private')).json;
    expect(await makePrivate()).toMatchObject({ files: expect.any(Number) });
    for (const { fileId } of files) expect((await fetchContent(fileId)).status).toBe(404);
    expect((await fetch(url)).status).toBe(403);
    expect(await makePrivate()).toEqual({ files: 0 });
  });

  it('of an application is limited to the files of its source', async () => {
    const camera = await setUpApplication(pda, 'camera');
    const album = await setUpApplication(pda, 'album');
    const shot = await storeFile(pda, 'shot.txt', 'click', { source: 'camera' }, camera);
    expect(shot.permissions).toHaveLength(1);
    const refusedReply = await pda.call('POST', `${FILES}/upload`, {
      json: { name: 'x', source: 'album' },
      token: camera,
    });
    expect(refusedReply.status).toBe(403);
    for (const [method, path] of [
      ['GET', `${FILES}/file/${shot.fileId}`],
      ['GET', `${FILES}/content/${shot.fileId}`],
      ['PUT', `${FILES}/file/${shot.fileId}/complete`],
    ] as const)
      expect((await pda.call(method, path, { token: album })).status).toBe(404);
    expect(
      (await pda.call('PUT', `${FILES}/file/${shot.fileId}`, { token: album, json: { title: 'mine' } })).status,
    ).toBe(404);
    expect(await search({}, album)).toEqual([]);
    expect(await search({}, camera)).toEqual([shot.fileId]);
    // A disabled application has no access, not even with an earlier URL.
    const { contentUrl = '' } = await readFileRecord(pda, shot.fileId, camera);
    expect((await fetch(contentUrl)).status).toBe(200);
    await pda.call('GET', '/api/v2.6/applications/camera/disable');
    expect((await fetch(contentUrl)).status).toBe(403);
    expect((await pda.call('GET', `${FILES}/file/${shot.fileId}`, { token: camera })).status).toBe(401);
  });
});
