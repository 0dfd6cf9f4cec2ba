import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  collectionSchema,
  collectionsSchema,
  sharedCollectionSchema,
  sharedCollectionsSchema,
  type Collection,
  type SharedCollection,
} from '../server/wire/collections.ts';
import { ownerFileSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { issuedInvitationSchema } from '../server/wire/invitations.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { shareLinkSchema, shareLinksSchema, type ShareLink } from '../server/wire/share-links.ts';
import {
  acceptInvitation,
  createInvitedGuest,
  createGuestBrowser,
  INVITATIONS,
  invitationsOf,
  titleOf,
} from './support/guests.ts';
import { randomContent, searchFiles, storeFile } from './support/files.ts';
import { openRequest, type Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUserAndSignIn, removeUsers } from './support/users.ts';
import { readZip } from './support/zip.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const COLLECTIONS = '/api/v2.6/owner/collections';
const SHARED = '/api/v2.6/owner/shared-collections';
const LINKS = '/api/v2.6/owner/share-links';
const FILES = '/api/v2.6/files';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());
beforeEach(async () => {
  for (const { collectionId } of await listCollections()) await pda.call('DELETE', `${COLLECTIONS}/${collectionId}`);
  await removeUsers(pda);
});

const requireSuccess = (reply: Reply): Reply => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
  return reply;
};
const listCollections = async (): Promise<Collection[]> =>
  collectionsSchema.parse((await pda.call('GET', COLLECTIONS)).json).collections;
const changeFiles = (
  collectionId: string,
  action: 'files' | 'files/remove',
  fileIds: readonly string[],
): Promise<Reply> => pda.call('POST', `${COLLECTIONS}/${collectionId}/${action}`, { json: { fileIds } });
const createCollection = async (name: string, fileIds: readonly string[] = []): Promise<Collection> => {
  const collection = collectionSchema.parse(
    requireSuccess(await pda.call('POST', COLLECTIONS, { json: { name } })).json,
  );
  if (fileIds.length > 0) requireSuccess(await changeFiles(collection.collectionId, 'files', fileIds));
  return collection;
};
const share = async ({ collectionId }: Collection, userId: string): Promise<SharedCollection> =>
  sharedCollectionSchema.parse(requireSuccess(await pda.call('POST', SHARED, { json: { collectionId, userId } })).json);
const unshare = ({ sharedCollectionId }: SharedCollection): Promise<Reply> =>
  pda.call('DELETE', `${SHARED}/${sharedCollectionId}`);
const createLink = async ({ collectionId }: Collection): Promise<ShareLink> =>
  shareLinkSchema.parse(requireSuccess(await pda.call('POST', LINKS, { json: { name: 'Hills', collectionId } })).json);
const fileIdsIn = async ({ collectionId }: Collection, query = ''): Promise<string[]> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/files?collection=${collectionId}${query}`);
  return ownerFilesSchema.parse(reply.json).files.map(({ file }) => file.fileId);
};
const store = async (name: string): Promise<string> =>
  (await storeFile(pda, name, `content of ${name}`, { source: 'collected' })).fileId;
const openPage = (path: string): Promise<Reply> =>
  pda.call('GET', path, { token: null, headers: { accept: 'text/html' } });

describe('collections', () => {
  it('are created, renamed and deleted; their names are unique and their files stay', async () => {
    const trip = await createCollection('  Trip ');
    const work = await createCollection('Work');
    expect((await listCollections()).map(({ name }) => name)).toEqual(['Trip', 'Work']);
    for (const name of ['trip', 'TRIP', 'ｔｒｉｐ'])
      expect(errorOf(await pda.call('POST', COLLECTIONS, { json: { name } })).error).toBe('already_exists');
    const rename = (name: string, id = work.collectionId) =>
      pda.call('PUT', `${COLLECTIONS}/${id}`, { json: { name } });
    expect(errorOf(await rename('tRIP')).error).toBe('already_exists');
    expect(collectionSchema.parse((await rename('WORK')).json).name).toBe('WORK');
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(101)]) expect((await rename(name)).status, name).toBe(400);
    expect((await rename('Any', UNKNOWN_ID)).status).toBe(404);

    const fileId = await store('stays.txt');
    requireSuccess(await changeFiles(trip.collectionId, 'files', [fileId]));
    expect(requireSuccess(await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`)).json).toEqual(trip);
    expect((await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`)).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/file/${fileId}`)).status).toBe(200);
  });

  it('list their files in order of addition, newest first, without deleted ones until these are restored', async () => {
    const [oneId, twoId, threeId] = [await store('one.txt'), await store('two.txt'), await store('three.txt')];
    const trip = await createCollection('Trip', [threeId, oneId]);
    requireSuccess(await changeFiles(trip.collectionId, 'files', [twoId, threeId]));
    expect(await fileIdsIn(trip)).toEqual([twoId, oneId, threeId]);
    expect(await fileIdsIn(trip, '&search=txt&order=ascending')).toEqual([threeId, oneId, twoId]);
    expect(await fileIdsIn(trip, '&search=two')).toEqual([twoId]);
    const { collections } = ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${oneId}`)).json);
    expect(collections).toEqual([{ collectionId: trip.collectionId, name: 'Trip' }]);

    await pda.call('DELETE', `${FILES}/file/${oneId}`);
    expect(await fileIdsIn(trip)).toEqual([twoId, threeId]);
    expect((await changeFiles(trip.collectionId, 'files', [twoId, oneId])).status).toBe(404);
    requireSuccess(await pda.call('POST', `/api/v2.6/owner/files/file/${oneId}/restore`));
    expect(await fileIdsIn(trip)).toEqual([twoId, oneId, threeId]);
    requireSuccess(await changeFiles(trip.collectionId, 'files/remove', [oneId, 'unknown.txt']));
    expect(await fileIdsIn(trip)).toEqual([twoId, threeId]);
    expect((await changeFiles(UNKNOWN_ID, 'files', [oneId])).status).toBe(404);
    expect((await changeFiles(trip.collectionId, 'files', [])).status).toBe(400);
    await pda.restart();
    expect(await fileIdsIn(trip)).toEqual([twoId, threeId]);
  });
});

describe('a collection shared with a user', () => {
  it('gives access to its files only, including later ones, until the owner stops sharing', async () => {
    const [insideId, outsideId] = [await store('inside.txt'), await store('outside.txt')];
    const trip = await createCollection('Trip', [insideId]);
    const token = await addUserAndSignIn(pda, 'grace');
    const userId = pda.pda.users.list()[0]?.userId ?? '';
    const otherToken = await addUserAndSignIn(pda, 'alan');
    const sharedTrip = await share(trip, userId);
    expect(await share(trip, userId)).toEqual(sharedTrip);
    expect(sharedTrip).toMatchObject({ collection: 'Trip', name: 'grace' });
    const laterId = await store('later.txt');
    await changeFiles(trip.collectionId, 'files', [laterId]);
    expect(await searchFiles(pda, {}, token)).toEqual([insideId, laterId]);
    expect(await searchFiles(pda, {}, otherToken)).toEqual([]);
    expect((await pda.call('GET', `${FILES}/content/${outsideId}`, { token })).status).toBe(404);
    expect((await pda.call('GET', `${FILES}/content/${insideId}`, { token: otherToken })).status).toBe(404);
    const file = ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${insideId}`)).json);
    const { created, ...sharing } = sharedTrip;
    expect(created).toBeGreaterThan(0);
    expect(file).toMatchObject({
      sharedCollections: [sharing],
      file: { permissions: [expect.anything(), { userId, contentReadable: true }] },
    });
    // The PDA refuses to restrict access to the file, because the user could still read it through the collection.
    const refusedReply = await pda.call('GET', `${FILES}/restrictAccess/${insideId}/${userId}`);
    expect([refusedReply.status, errorOf(refusedReply).error]).toEqual([409, 'wrong_state']);

    const signedUrl = new URL((await pda.call('GET', `${FILES}/content/${laterId}`, { token })).headers.location ?? '');
    const open = () => pda.call('GET', signedUrl.pathname + signedUrl.search, { token: null });
    expect((await open()).text).toBe('content of later.txt');
    await changeFiles(trip.collectionId, 'files/remove', [laterId]);
    expect((await open()).status).toBe(403);
    await changeFiles(trip.collectionId, 'files', [laterId]);
    expect((await open()).status).toBe(200);
    expect((await unshare(sharedTrip)).json).toEqual(sharedTrip);
    expect((await open()).status).toBe(403);
    expect(await searchFiles(pda, {}, token)).toEqual([]);
    expect((await unshare(sharedTrip)).status).toBe(404);
    expect((await pda.call('POST', SHARED, { json: { collectionId: UNKNOWN_ID, userId } })).status).toBe(404);
    const unknownUserGrant = { collectionId: trip.collectionId, userId: UNKNOWN_ID };
    expect((await pda.call('POST', SHARED, { json: unknownUserGrant })).status).toBe(404);
  });

  it('is no longer shared once the user or collection is deleted or the owner stops all sharing with the user', async () => {
    const trip = await createCollection('Trip', [await store('ends.txt')]);
    const listShared = async () => sharedCollectionsSchema.parse((await pda.call('GET', SHARED)).json).collections;
    const listReaders = async () => (await pda.call('GET', '/api/v2.6/owner/files/readers')).json;
    const grace = await createInvitedGuest(pda, [], 'Grace');
    const alan = await createInvitedGuest(pda, [], 'Alan');
    for (const { userId } of [grace, alan]) await share(trip, userId);
    await pda.call('DELETE', `/api/v2.6/owner/files/readers/${grace.userId}`);
    expect(await listShared()).toMatchObject([{ name: 'Alan' }]);
    expect(await listReaders()).toEqual([
      { userId: alan.userId, name: 'Alan', files: 1, readable: 1, folders: 0, collections: 1 },
    ]);
    await share(trip, grace.userId);
    await pda.pda.users.remove(alan.userId);
    expect(await listShared()).toMatchObject([{ name: 'Grace' }]);
    await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`);
    expect([await listShared(), await listReaders()]).toEqual([[], []]);
  });

  it('appears on the guest’s pages, with its files and an archive', async () => {
    const names = ['a.txt', 'b & c.txt'];
    const trip = await createCollection('Trip <1>', await Promise.all(names.map(store)));
    const { browser, userId } = await createInvitedGuest(pda, []);
    const otherGuest = await createInvitedGuest(pda, [], 'Alan');
    const { sharedCollectionId } = await share(trip, userId);
    const path = `/guest/collections/${sharedCollectionId}`;
    const list = await browser.get('/guest');
    expect(list.text).toContain(`href="${path}"`);
    expect(list.text).toContain('Trip &lt;1&gt;');
    const page = await browser.get(path);
    expect([page.status, titleOf(page)]).toEqual([200, 'Trip &lt;1&gt;']);
    expect(page.text).toContain('b &amp; c.txt');
    const archive = await readZip((await browser.get(`${path}/archive`)).body);
    expect(archive).toEqual(Object.fromEntries(names.map((name) => [name, `content of ${name}`])));
    expect(Object.keys(await readZip((await browser.get('/guest/archive')).body))).toHaveLength(2);
    for (const [guestBrowser, wrongPath] of [
      [browser, `/guest/collections/${UNKNOWN_ID}`],
      [browser, `/guest/collections/${trip.collectionId}`],
      [browser, `/guest/folders/${sharedCollectionId}`],
      [otherGuest.browser, path],
      [otherGuest.browser, `${path}/archive`],
    ] as const)
      expect((await guestBrowser.get(wrongPath)).status, wrongPath).toBe(404);
    const rows = ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json).rows;
    expect(rows.map(({ action, records }) => [action, records])).toEqual(
      expect.arrayContaining([
        ['GET /guest/collections/:sharedCollectionId', 2],
        ['GET /guest/collections/:sharedCollectionId/archive', 2],
      ]),
    );
    await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`);
    expect(titleOf(await browser.get(path))).toBe('This collection is not available');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'stops running downloads when it is no longer shared, is deleted, or no longer contains the file',
    async () => {
      const { fileId } = await storeFile(pda, 'large.bin', randomContent(20_000_000), { source: 'large' });
      const trip = await createCollection('Trip', [fileId]);
      const { browser, userId } = await createInvitedGuest(pda, []);
      const archiveUrl = ({ sharedCollectionId }: SharedCollection): string =>
        `http://${pda.host}/guest/collections/${sharedCollectionId}/archive`;
      const fileUrl = async (): Promise<string> =>
        (await browser.get(`/guest/files/${fileId}/content`)).headers.location ?? '';
      const expectAborted = async (url: string, end: () => Promise<unknown>): Promise<void> => {
        const response = await openRequest(url, { headers: { cookie: browser.cookie ?? '' } });
        expect(response.statusCode).toBe(200);
        await end();
        response.on('error', () => undefined).resume();
        await new Promise<void>((resolve) => response.once('close', resolve));
        expect(response.complete, url).toBe(false);
      };
      const sharedTrip = await share(trip, userId);
      await expectAborted(archiveUrl(sharedTrip), () => unshare(sharedTrip));
      const secondShare = await share(trip, userId);
      await expectAborted(await fileUrl(), () => changeFiles(trip.collectionId, 'files/remove', [fileId]));
      await changeFiles(trip.collectionId, 'files', [fileId]);
      await expectAborted(archiveUrl(secondShare), () => pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`));
    },
  );
});

describe('a share link to a collection', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'opens its files, including later ones, and no others, and stops working when the collection is deleted',
    async () => {
      const [insideId, outsideId] = [await store('inside.txt'), await store('outside.txt')];
      const trip = await createCollection('Trip', [insideId]);
      const link = await createLink(trip);
      expect(link).toMatchObject({
        collection: { collectionId: trip.collectionId, name: 'Trip' },
        files: [],
        folder: null,
      });
      const { links } = shareLinksSchema.parse((await pda.call('GET', LINKS)).json);
      expect(links.find(({ linkId }) => linkId === link.linkId)?.fileCount).toBe(1);
      expect((await openPage(link.path)).text).toContain('inside.txt');
      const laterId = await store('later.txt');
      await changeFiles(trip.collectionId, 'files', [laterId]);
      const page = await openPage(link.path);
      expect(page.text.indexOf('later.txt')).toBeLessThan(page.text.indexOf('inside.txt'));
      expect(page.text).not.toContain('outside.txt');
      const pass = /pass=(?<pass>[^"&]+)/u.exec(page.text)?.groups?.['pass'] ?? '';
      const locationOf = async (fileId: string) =>
        (await openPage(`${link.path}/${fileId}?pass=${pass}`)).headers.location;
      const signedUrl = new URL((await locationOf(insideId)) ?? '');
      expect((await openPage(signedUrl.pathname + signedUrl.search)).text).toBe('content of inside.txt');
      expect(await locationOf(outsideId)).toBe(link.path);
      const archive = await readZip((await openPage(`${link.path}/archive/all?pass=${pass}`)).body);
      expect(Object.keys(archive).toSorted()).toEqual(['inside.txt', 'later.txt']);
      await changeFiles(trip.collectionId, 'files/remove', [insideId]);
      expect((await openPage(signedUrl.pathname + signedUrl.search)).status).toBe(403);
      expect(await locationOf(insideId)).toBe(link.path);
      await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`);
      expect((await openPage(link.path)).status).toBe(404);
      expect((await pda.call('POST', LINKS, { json: { name: 'x', collectionId: trip.collectionId } })).status).toBe(
        404,
      );
      expect(
        (await pda.call('POST', LINKS, { json: { name: 'x', collectionId: UNKNOWN_ID, folder: 'a' } })).status,
      ).toBe(400);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('lists a large collection page by page, each file once', async () => {
    const ids = await Promise.all(Array.from({ length: 201 }, (_, index) => store(`many ${index}.txt`)));
    const link = await createLink(await createCollection('Many', ids));
    const firstPage = await openPage(link.path);
    const namesOn = ({ text }: Reply) =>
      [...text.matchAll(/ download="(?<name>many \d+\.txt)"/gu)].map(([name]) => name);
    const nextUrls = [...firstPage.text.matchAll(/href="(?<url>[^"]+&amp;after=[^"]+)"/gu)].map(
      ({ groups }) => groups?.['url'],
    );
    const secondPage = await openPage((nextUrls[0] ?? '').replaceAll('&amp;', '&'));
    expect([namesOn(firstPage).length, namesOn(secondPage).length]).toEqual([200, 1]);
    expect(new Set([...namesOn(firstPage), ...namesOn(secondPage)]).size).toBe(201);
    // An invalid position leads to the first page.
    expect(namesOn(await openPage(`${link.path}?after=x'%20OR%201=1`))).toHaveLength(200);
  });
});

describe('an invitation', () => {
  it('to a folder or collection names it on its page and shares it with the person who accepts', async () => {
    const trip = await createCollection('Trip', [await store('inside.txt')]);
    await storeFile(pda, 'hills.txt', '1', { source: 'invited' });
    for (const [content, name] of [
      [{ collectionId: trip.collectionId }, 'Trip'],
      [{ folder: 'invited' }, 'invited'],
    ] as const) {
      const reply = requireSuccess(
        await pda.call('POST', INVITATIONS, { json: { name: 'Grace', days: 7, ...content } }),
      );
      const { path, invitation } = issuedInvitationSchema.parse(reply.json);
      expect(invitation).toMatchObject(
        'folder' in content ? { ...content, collection: null } : { folder: null, collection: { ...content, name } },
      );
      expect((await openPage(path)).text).toContain(`<bdi>${name}</bdi>`);
      const browser = createGuestBrowser(pda);
      await acceptInvitation(browser, path, { name: `guest of ${name}` });
      expect((await browser.get('/guest')).text).toContain(`<bdi>${name}</bdi>`);
    }
    const statusFor = async (content: object) =>
      (await pda.call('POST', INVITATIONS, { json: { name: 'Grace', days: 7, ...content } })).status;
    expect(await statusFor({ collectionId: UNKNOWN_ID })).toBe(404);
    expect(await statusFor({ folder: 'nowhere' })).toBe(404);
  });

  it('to a collection that was deleted can still be accepted', async () => {
    const trip = await createCollection('Trip');
    const json = { name: 'Grace', days: 7, collectionId: trip.collectionId };
    const { path } = issuedInvitationSchema.parse((await pda.call('POST', INVITATIONS, { json })).json);
    await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`);
    expect((await invitationsOf(pda))[0]?.collection).toBeNull();
    const browser = createGuestBrowser(pda);
    await acceptInvitation(browser, path);
    expect((await browser.get('/guest')).text).toContain('Nothing is shared with you at the moment.');
  });
});

describe('the access history', () => {
  it('names the collection and the person, and lists changes only while others can see the collection', async () => {
    const fileId = await store('hills.txt');
    const trip = await createCollection('Trip', [fileId]);
    await changeFiles(trip.collectionId, 'files/remove', [fileId]);
    const { userId } = await createInvitedGuest(pda, []);
    const sharedTrip = await share(trip, userId);
    await changeFiles(trip.collectionId, 'files', [fileId]);
    await changeFiles(trip.collectionId, 'files/remove', [fileId]);
    await unshare(sharedTrip);
    await share(trip, userId);
    await pda.call('DELETE', `${COLLECTIONS}/${trip.collectionId}`);
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?act=decision&take=7')).json);
    const consentOf = (detail: string) => ({ kind: 'collection', name: 'Trip', detail });
    expect(rows.map(({ action, consent }) => [action, consent])).toEqual([
      [`DELETE ${COLLECTIONS}/:collectionId`, consentOf('')],
      [`POST ${SHARED}`, consentOf('Grace')],
      [`DELETE ${SHARED}/:sharedCollectionId`, consentOf('Grace')],
      [`POST ${COLLECTIONS}/:collectionId/files/remove`, consentOf('')],
      [`POST ${COLLECTIONS}/:collectionId/files`, consentOf('')],
      [`POST ${SHARED}`, consentOf('Grace')],
      [`POST ${INVITATIONS}`, { kind: 'user', name: '', detail: 'Grace' }],
    ]);
  });
});
