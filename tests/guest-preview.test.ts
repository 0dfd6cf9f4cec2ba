import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectionSchema, sharedCollectionSchema } from '../server/wire/collections.ts';
import { guestPreviewSchema } from '../server/wire/invitations.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { sharedFolderSchema } from '../server/wire/shared-folders.ts';
import { createInvitedGuest, titleOf } from './support/guests.ts';
import { storeFile } from './support/files.ts';
import type { Reply } from './support/http.ts';
import { chartOf, createSharing, pathOf, tableOf } from './support/shared-views.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { removeUsers } from './support/users.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const { store, share, stop } = createSharing(() => pda);

const requestPreview = (userId: string, path: string): Promise<Reply> =>
  pda.call('GET', `/api/v2.6/owner/guests/${userId}/preview?${new URLSearchParams({ path }).toString()}`);
const previewOf = async (userId: string, path: string): Promise<string> => {
  const reply = await requestPreview(userId, path);
  expect(reply.status, reply.text).toBe(200);
  return guestPreviewSchema.parse(reply.json).html;
};
const countEntries = async (): Promise<number> =>
  ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json).rows.length;

/** Removes the permitted differences of a preview: navigation, content addresses and download links. */
const removeDifferences = (html: string): string =>
  html
    .replace(/<nav>.*?<\/nav>/su, '')
    .replaceAll(/"(?:\/storage\/|\/guest\/files\/[^"/]+\/content)[^"]*"/gu, '"content"')
    .replaceAll(
      /<p><a class="button" href="[^"]*" download>(?<text>[^<]*)<\/a><\/p>/gu,
      '<p class="secondary">$<text></p>',
    );

/** Creates a guest and shares a file, a folder, a collection, a table and a chart with them. */
const createGuest = async () => {
  const file = await storeFile(pda, 'letter.txt', 'Dear Grace');
  const folderFile = await storeFile(pda, 'map.txt', 'x', { source: 'trips' });
  const collectionFile = await storeFile(pda, 'song.txt', 'x');
  const { browser, userId } = await createInvitedGuest(pda, [file.fileId]);
  const post = async (path: string, json: unknown): Promise<unknown> => {
    const reply = await pda.call('POST', `/api/v2.6/owner/${path}`, { json });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json;
  };
  const folder = sharedFolderSchema.parse(await post('shared-folders', { folder: 'trips', userId }));
  const { collectionId } = collectionSchema.parse(await post('collections', { name: `Songs ${userId}` }));
  await post(`collections/${collectionId}/files`, { fileIds: [collectionFile.fileId] });
  const collection = sharedCollectionSchema.parse(await post('shared-collections', { collectionId, userId }));
  await store('walks/days', [{ steps: pda.clock.now(), secret: 'withheld value' }]);
  const table = await share('walks/days', userId, tableOf(['steps']));
  const chart = await share('walks/days', userId, chartOf({ kind: 'values', field: 'steps' }));
  const paths = [
    '/guest',
    '/guest?page=2',
    `/guest/files/${file.fileId}`,
    `/guest/files/${folderFile.fileId}`,
    `/guest/folders/${folder.sharedFolderId}`,
    `/guest/folders/${folder.sharedFolderId}?path=none`,
    `/guest/collections/${collection.sharedCollectionId}`,
    pathOf(table),
    pathOf(chart),
  ];
  return { browser, userId, file, table, paths };
};

describe('a guest preview', () => {
  it('shows each page as the guest sees it, without forms or archive downloads', async () => {
    const { browser, userId, paths } = await createGuest();
    for (const path of paths) {
      const page = await browser.get(path);
      const html = await previewOf(userId, path);
      expect([path, removeDifferences(html)]).toStrictEqual([path, removeDifferences(page.text)]);
      expect(html).not.toMatch(/<form|<script|\/archive|\/csv|\/content|withheld/u);
    }
  });

  it('leaves no trace in the access history, and opens content as the owner', async () => {
    const { userId, file, paths } = await createGuest();
    const entryCount = await countEntries();
    for (const path of paths) await previewOf(userId, path);
    const html = await previewOf(userId, `/guest/files/${file.fileId}`);
    const url = /href="(?<url>\/storage\/[^"]+)"/u.exec(html)?.groups?.['url'] ?? '';
    const content = await pda.call('GET', url.replaceAll('&amp;', '&'), { token: null });
    expect([content.status, content.text]).toEqual([200, 'Dear Grace']);
    expect(url).toContain('by=owner');
    expect(await countEntries()).toBe(entryCount);
  });

  it('reflects immediately that sharing has stopped', async () => {
    const { userId, file, table } = await createGuest();
    await pda.call('GET', `/api/v2.6/files/restrictAccess/${file.fileId}/${userId}`);
    await stop(table);
    expect(await previewOf(userId, '/guest')).not.toContain('letter.txt');
    const titleAt = async (path: string): Promise<string> => titleOf({ text: await previewOf(userId, path) });
    expect(await titleAt(`/guest/files/${file.fileId}`)).toBe('This file is not available');
    expect(await titleAt(pathOf(table))).toBe('This is not available');
  });

  it('contains no URL of a file of which only the name is shared', async () => {
    const { fileId } = await storeFile(pda, 'diary.txt', 'x');
    const { browser, userId } = await createInvitedGuest(pda, []);
    expect((await pda.call('GET', `/api/v2.6/files/allowAccess/${fileId}/${userId}`)).status).toBe(200);
    const html = await previewOf(userId, '/guest');
    expect(removeDifferences(html)).toBe(removeDifferences((await browser.get('/guest')).text));
    expect(html).toContain('diary.txt');
    expect(html).not.toContain('/storage/');
    const filePath = `/guest/files/${fileId}`;
    expect(titleOf({ text: await previewOf(userId, filePath) })).toBe('This file is not available');
  });

  it('shows the pages of a blocked guest as before the block', async () => {
    const { browser, userId, paths } = await createGuest();
    const originalPages: string[] = [];
    for (const path of paths) originalPages.push(removeDifferences((await browser.get(path)).text));
    expect((await pda.call('PUT', `/users/user/${userId}/disable`)).status).toBe(200);
    expect((await browser.get('/guest')).status).toBe(303);
    for (const [index, path] of paths.entries())
      expect([path, removeDifferences(await previewOf(userId, path))]).toStrictEqual([path, originalPages[index]]);
  });

  it('is refused for an unknown guest, for pages that show nothing shared, and to a guest', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    expect(errorOf(await requestPreview(UNKNOWN_ID, '/guest')).error).toBe('not_found');
    for (const path of ['/guest/account', '/guest/archive', '/guest/sign-in', '/profile', '/guest/files/%zz', '//x'])
      expect([path, (await requestPreview(userId, path)).status]).toEqual([path, 404]);
    const token = (browser.cookie ?? '').slice('pda-guest='.length);
    const reply = await pda.call('GET', `/api/v2.6/owner/guests/${userId}/preview`, { token });
    expect(reply.status).toBe(403);
  });
});
