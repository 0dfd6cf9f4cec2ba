import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FOLDERS_MAX } from '../server/pda/files/search/folders.ts';
import { fileSummarySchema, ownerFileSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { sharedFolderSchema, sharedFoldersSchema, type SharedFolder } from '../server/wire/shared-folders.ts';
import { createInvitedGuest, titleOf } from './support/guests.ts';
import { randomContent, searchFiles, storeFile } from './support/files.ts';
import { openRequest, type Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, addUserAndSignIn, removeUsers } from './support/users.ts';
import { readZip } from './support/zip.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const SHARED = '/api/v2.6/owner/shared-folders';
const FILES = '/api/v2.6/files';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const requestShare = (folder: string, userId: string): Promise<Reply> =>
  pda.call('POST', SHARED, { json: { folder, userId } });
const shareFolder = async (folder: string, userId: string): Promise<SharedFolder> => {
  const reply = await requestShare(folder, userId);
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return sharedFolderSchema.parse(reply.json);
};
const unshare = ({ sharedFolderId }: SharedFolder): Promise<Reply> => pda.call('DELETE', `${SHARED}/${sharedFolderId}`);
const listSharedFolders = async (): Promise<SharedFolder[]> =>
  sharedFoldersSchema.parse((await pda.call('GET', SHARED)).json).folders;

/** Puts files into the watched folder, and waits until they have records. */
const putFiles = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    mkdirSync(dirname(join(pda.home, 'files', path)), { recursive: true });
    writeFileSync(join(pda.home, 'files', path), path);
  }
  await pda.restart();
  await expect
    .poll(async () => {
      const reply = await pda.call('GET', '/api/v2.6/owner/files?take=500');
      const recordedPaths = new Set(ownerFilesSchema.parse(reply.json).files.map(({ path }) => path));
      return paths.filter((path) => !recordedPaths.has(path));
    })
    .toEqual([]);
};

describe('folder shared with a user', () => {
  it('opens only its files, including later ones, to that user', async () => {
    const insideFile = await storeFile(pda, 'one.txt', '1', { source: 'trips' });
    const outsideFile = await storeFile(pda, 'other.txt', 'x', { source: 'trips-private' });
    const token = await addUserAndSignIn(pda, 'grace');
    const userId = pda.pda.users.list()[0]?.userId ?? '';
    const otherToken = await addUserAndSignIn(pda, 'alan');
    expect(await searchFiles(pda, {}, token)).toEqual([]);
    await shareFolder('trips', userId);
    const laterFile = await storeFile(pda, 'two.txt', '2', { source: 'trips' });

    expect(await searchFiles(pda, {}, token)).toEqual([insideFile.fileId, laterFile.fileId]);
    expect(await searchFiles(pda, {}, otherToken)).toEqual([]);
    for (const { fileId } of [insideFile, laterFile]) {
      const record = await pda.call('GET', `${FILES}/file/${fileId}`, { token });
      expect(record.json).toHaveProperty('contentUrl');
      expect((await pda.call('GET', `${FILES}/content/${fileId}`, { token })).status).toBe(303);
      expect((await pda.call('GET', `${FILES}/file/${fileId}`, { token: otherToken })).status).toBe(404);
    }
    expect((await pda.call('GET', `${FILES}/file/${outsideFile.fileId}`, { token })).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/content/${outsideFile.fileId}`, { token })).status).toBe(404);

    await pda.call('DELETE', `${FILES}/file/${laterFile.fileId}`);
    expect((await pda.call('GET', `${FILES}/file/${laterFile.fileId}`, { token })).status).toBe(404);
    expect(await searchFiles(pda, {}, token)).toEqual([insideFile.fileId]);
  });

  it('is no longer readable, nor are its file records and signed URLs, once the owner stops sharing', async () => {
    const { fileId } = await storeFile(pda, 'stop.txt', '1', { source: 'stopped' });
    const token = await addUserAndSignIn(pda, 'grace');
    const userId = pda.pda.users.list()[0]?.userId ?? '';
    const folder = await shareFolder('stopped', userId);
    expect(await shareFolder('stopped', userId)).toEqual(folder);
    const signedUrl = new URL((await pda.call('GET', `${FILES}/content/${fileId}`, { token })).headers.location ?? '');
    const open = () => pda.call('GET', signedUrl.pathname + signedUrl.search, { token: null });
    expect((await open()).text).toBe('1');

    // Access to a single file cannot be revoked while the user can still read it through the folder.
    const refusedReply = await pda.call('GET', `${FILES}/restrictAccess/${fileId}/${userId}`);
    expect([refusedReply.status, errorOf(refusedReply).error]).toEqual([409, 'wrong_state']);
    expect((await pda.call('POST', `${FILES}/restrictAccess/${userId}`, { json: {} })).status).toBe(409);

    expect((await unshare(folder)).json).toEqual(folder);
    expect((await open()).status).toBe(403);
    expect((await pda.call('GET', `${FILES}/file/${fileId}`, { token })).status).toBe(404);
    expect(await searchFiles(pda, {}, token)).toEqual([]);
    expect((await unshare(folder)).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/restrictAccess/${fileId}/${userId}`)).status).toBe(200);
  });

  it('is shared under its exact name, however unusual', async () => {
    const folders = ['100 %', '_', 'Ärger 😀', "it's", 'a"b'];
    await putFiles([...folders, '100 x', 'x', 'Arger 😀'].map((folder) => `${folder}/file of ${folder}.txt`));
    const token = await addUserAndSignIn(pda, 'grace');
    const userId = pda.pda.users.list()[0]?.userId ?? '';
    for (const folder of folders) await shareFolder(folder, userId);
    const records = await pda.call('POST', `${FILES}/search`, { json: {}, token });
    expect((records.json as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(
      folders.map((folder) => `file of ${folder}.txt`).toSorted(),
    );
    for (const wrongFolder of [
      '100 %/',
      '100 %//',
      'nowhere',
      '%',
      '/',
      '..',
      '100 %/file of 100 %.txt',
      './_',
      '\u0000',
    ])
      expect((await requestShare(wrongFolder, userId)).status, wrongFolder).toBe(404);
    expect((await requestShare('', userId)).status).toBe(400);
    expect((await requestShare('_', UNKNOWN_ID)).status).toBe(404);
    for (const folder of [...folders, '100 x', 'x', 'Arger 😀'])
      rmSync(join(pda.home, 'files', folder), { recursive: true });
  });

  it('is no longer shared once the user is deleted, and stays shared with others after a restart', async () => {
    await storeFile(pda, 'stays.txt', '1', { source: 'stays' });
    const grace = await addUser(pda, 'grace');
    const alan = await addUser(pda, 'alan');
    await shareFolder('stays', grace.userId);
    const remainingFolder = await shareFolder('stays', alan.userId);
    await pda.call('PUT', `/users/user/${grace.userId}/delete`);
    await pda.restart();
    expect(await listSharedFolders()).toEqual([remainingFolder]);
  });
});

describe('the owner', () => {
  it('sees which users can read a file through a folder, and can stop all sharing with a user', async () => {
    const { fileId } = await storeFile(pda, 'seen.txt', '1', { source: 'seen' });
    await storeFile(pda, 'more.txt', '1', { source: 'seen' });
    const singleFile = await storeFile(pda, 'single.txt', '1', { source: 'elsewhere' });
    const { userId } = await addUser(pda, 'grace');
    const previousCount = fileSummarySchema.parse((await pda.call('GET', '/api/v2.6/owner/files/summary')).json).shared;
    const folder = await shareFolder('seen', userId);
    // A file shared both by itself and through its folder counts once.
    for (const id of [fileId, singleFile.fileId])
      await pda.call('GET', `${FILES}/allowAccess/${id}/${userId}?content=false`);
    expect(ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`)).json)).toMatchObject({
      sharedFolders: [{ sharedFolderId: folder.sharedFolderId, folder: 'seen', userId, name: 'grace' }],
      file: { permissions: [expect.anything(), { userId, contentReadable: true }] },
    });
    const listReaders = async () => (await pda.call('GET', '/api/v2.6/owner/files/readers')).json;
    expect(await listReaders()).toEqual([{ userId, name: 'grace', files: 3, readable: 2, folders: 1, collections: 0 }]);
    const listNames = async (query: string) =>
      ownerFilesSchema
        .parse((await pda.call('GET', `/api/v2.6/owner/files?sort=name&order=ascending&${query}`)).json)
        .files.map(({ file }) => file.name);
    expect(await listNames(`visibleTo=${userId}`)).toEqual(['more.txt', 'seen.txt', 'single.txt']);
    expect(await listNames('show=shared')).toEqual(['more.txt', 'seen.txt', 'single.txt']);
    const summary = fileSummarySchema.parse((await pda.call('GET', '/api/v2.6/owner/files/summary')).json);
    expect(summary.shared - previousCount).toBe(3);
    expect((await pda.call('GET', '/api/v2.6/owner/exposure')).json).toMatchObject({ open: { sharedFiles: 3 } });

    expect((await pda.call('DELETE', `/api/v2.6/owner/files/readers/${userId}`)).status).toBe(200);
    expect([await listReaders(), await listSharedFolders(), await listNames(`visibleTo=${userId}`)]).toEqual([
      [],
      [],
      [],
    ]);
    expect((await pda.call('DELETE', `/api/v2.6/owner/files/readers/${UNKNOWN_ID}`)).status).toBe(404);
  });

  it('finds each decision in the access history, with folder and user', async () => {
    await storeFile(pda, 'logged.txt', '1', { source: 'logged' });
    const { userId } = await addUser(pda, 'grace');
    await unshare(await shareFolder('logged', userId));
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?act=decision&take=2')).json);
    const consent = { kind: 'folder', name: 'logged', detail: 'grace' };
    expect(rows).toMatchObject([
      { action: 'DELETE /api/v2.6/owner/shared-folders/:sharedFolderId', consent },
      { action: 'POST /api/v2.6/owner/shared-folders', consent },
    ]);
  });
});

describe('a shared folder with more subfolders than a page lists', () => {
  it('says so on the page of the guest', async () => {
    const folderPath = join(pda.home, 'files', 'Years');
    for (let number = 1; number <= FOLDERS_MAX; number += 1) {
      mkdirSync(join(folderPath, `${number}`.padStart(3, '0')), { recursive: true });
      writeFileSync(join(folderPath, `${number}`.padStart(3, '0'), 'a.txt'), `${number}`);
    }
    await pda.restart();
    const { browser, userId } = await createInvitedGuest(pda, []);
    await expect.poll(() => requestShare('Years', userId)).toMatchObject({ status: 200 });
    const [sharedFolder] = await listSharedFolders();
    const loadPage = async (): Promise<{ subfolders: number; isTruncated: boolean }> => {
      const { text } = await browser.get(`/guest/folders/${sharedFolder?.sharedFolderId}`);
      return {
        subfolders: (text.match(/\?path=/gu) ?? []).length,
        isTruncated: text.includes(`This folder has more subfolders. The first ${FOLDERS_MAX} are listed.`),
      };
    };
    await expect.poll(loadPage).toEqual({ subfolders: FOLDERS_MAX, isTruncated: false });
    await putFiles(['Years/501/a.txt']);
    expect(await loadPage()).toEqual({ subfolders: FOLDERS_MAX, isTruncated: true });
  });
});

const CAUSES = ['the folder is unshared', 'the guest is removed', 'the guest is blocked', 'all sharing is stopped'];

describe('guest pages', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'show shared folders with subfolders and archives, but not the folders above',
    async () => {
      await putFiles([
        'Secret/Trips/a.txt',
        'Secret/Trips/2024/b & c.txt',
        'Secret/Trips/2024/Rome/d.txt',
        'Secret/e.txt',
      ]);
      const { browser, userId } = await createInvitedGuest(pda, []);
      const { sharedFolderId } = await shareFolder('Secret/Trips', userId);
      const path = `/guest/folders/${sharedFolderId}`;
      const list = await browser.get('/guest');
      expect(list.text).toContain(`href="${path}"`);
      expect(list.text).toContain('href="/guest/archive"');

      const folder = await browser.get(path);
      expect([folder.status, titleOf(folder)]).toEqual([200, 'Trips']);
      expect(folder.text).toContain(`href="${path}?path=2024"`);
      expect(folder.text).toContain('a.txt');
      expect(folder.text).not.toContain('b &amp; c.txt');
      const subfolder = await browser.get(`${path}?path=2024`);
      expect(titleOf(subfolder)).toBe('2024');
      expect(subfolder.text).toContain('b &amp; c.txt');
      expect(subfolder.text).toContain(`href="${path}?path=2024%2FRome"`);
      for (const page of [list, folder, subfolder]) expect(page.text).not.toMatch(/Secret|e\.txt/u);

      expect(await readZip((await browser.get(`${path}/archive`)).body)).toEqual({
        'a.txt': 'Secret/Trips/a.txt',
        '2024/b & c.txt': 'Secret/Trips/2024/b & c.txt',
        '2024/Rome/d.txt': 'Secret/Trips/2024/Rome/d.txt',
      });
      const subfolderFiles = await readZip((await browser.get(`${path}/archive?path=2024`)).body);
      expect(Object.keys(subfolderFiles).toSorted()).toEqual(['Rome/d.txt', 'b & c.txt']);
      expect(Object.keys(await readZip((await browser.get('/guest/archive')).body))).toHaveLength(3);

      const otherGuest = await createInvitedGuest(pda, [], 'Alan');
      for (const [guestBrowser, wrongPath] of [
        [browser, `${path}?path=..`],
        [browser, `${path}?path=2024%2F`],
        [browser, `${path}?path=202`],
        [browser, `/guest/folders/${UNKNOWN_ID}`],
        [otherGuest.browser, path],
        [otherGuest.browser, `${path}/archive`],
      ] as const)
        expect(titleOf(await guestBrowser.get(wrongPath)), wrongPath).toBe('This folder is not available');
      expect((await browser.get(`${path}/archive?path=..`)).headers.location).toBe(`${path}?path=..`);

      const rows = ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json).rows;
      expect(rows.map(({ action, records }) => [action, records])).toEqual(
        expect.arrayContaining([
          ['GET /guest/folders/:sharedFolderId', 1],
          ['GET /guest/folders/:sharedFolderId/archive', 3],
        ]),
      );
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('list a large folder page by page', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    await putFiles(Array.from({ length: 101 }, (_, index) => `large/${index}.txt`));
    const { sharedFolderId } = await shareFolder('large', userId);
    const firstPage = await browser.get(`/guest/folders/${sharedFolderId}`);
    expect(firstPage.text.match(/ download="/gu)).toHaveLength(100);
    const nextUrl = /rel="next" href="(?<url>[^"]+)"/u.exec(firstPage.text)?.groups?.['url'] ?? '';
    const secondPage = await browser.get(nextUrl);
    expect(secondPage.text.match(/ download="/gu)).toHaveLength(1);
    expect(secondPage.text).toContain('rel="prev"');
  });

  it.each(IS_THOROUGH_RUN ? CAUSES : CAUSES.slice(0, 1))('abort running downloads when %s', async (cause) => {
    const FILE_BYTES = 20_000_000;
    const source = `large ${cause}`;
    const { fileId } = await storeFile(pda, 'large.bin', randomContent(FILE_BYTES), { source });
    for (const target of ['file', 'folder', 'all']) {
      const { browser, userId } = await createInvitedGuest(pda, [], `guest ${target}`);
      const folder = await shareFolder(source, userId);
      const paths = { folder: `/guest/folders/${folder.sharedFolderId}/archive`, all: '/guest/archive' };
      const url =
        target === 'file'
          ? ((await browser.get(`/guest/files/${fileId}/content`)).headers.location ?? '')
          : `http://${pda.host}${target === 'folder' ? paths.folder : paths.all}`;
      const response = await openRequest(url, { headers: { cookie: browser.cookie ?? '' } });
      expect(response.statusCode).toBe(200);
      if (cause === 'the folder is unshared') await unshare(folder);
      else if (cause === 'the guest is removed') await pda.pda.users.remove(userId);
      else if (cause === 'the guest is blocked') await pda.pda.users.disable(userId);
      else await pda.call('DELETE', `/api/v2.6/owner/files/readers/${userId}`);
      response.on('error', () => undefined).resume();
      await new Promise<void>((resolve) => response.once('close', resolve));
      expect(response.complete, target).toBe(false);
    }
  });
});
