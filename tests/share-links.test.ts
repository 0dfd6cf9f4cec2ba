import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exposureSchema } from '../server/wire/exposure.ts';
import { MAX_FILE_NAME_BYTES } from '../server/wire/limits.ts';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { shareLinkSchema, shareLinksSchema, type ListedShareLink, type ShareLink } from '../server/wire/share-links.ts';
import { putContent, randomContent, storeFile } from './support/files.ts';
import { openRequest, type Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { readZip } from './support/zip.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const LINKS = '/api/v2.6/owner/share-links';
const HOUR_MS = 3_600_000;
const PASSWORD = 'seven small hills';

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());

const createLink = async (link: Record<string, unknown>): Promise<ShareLink> => {
  const reply = await pda.call('POST', LINKS, { json: { name: 'Hills', ...link } });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return shareLinkSchema.parse(reply.json);
};
const linkOf = async (linkId: string): Promise<ListedShareLink | undefined> =>
  shareLinksSchema.parse((await pda.call('GET', LINKS)).json).links.find((link) => link.linkId === linkId);
/** Returns the number of share links that the exposure report counts as open. */
const countOpenLinks = async (): Promise<number> =>
  exposureSchema.parse((await pda.call('GET', '/api/v2.6/owner/exposure')).json).open.shareLinks;
const browse = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  pda.call('GET', path, { token: null, headers: { accept: 'text/html', ...headers } });
const sendPassword = (path: string, password: string, accept = 'text/html'): Promise<Reply> =>
  pda.call('POST', path, {
    token: null,
    body: new URLSearchParams({ password }).toString(),
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
  });
const urlsOn = ({ text }: Reply): string[] => [
  ...new Set(
    [...text.matchAll(/href="(?<url>[^"]+)"/gu)].map(({ groups }) => (groups?.['url'] ?? '').replaceAll('&amp;', '&')),
  ),
];
const isArchive = (url: string): boolean => url.includes('/archive/all?');
const fileUrls = (page: Reply): string[] => urlsOn(page).filter((url) => !isArchive(url));
const archiveUrl = (page: Reply): string => urlsOn(page).find(isArchive) ?? '';
/** Follows the link of a file on the page. @returns the response with the content */
const openFile = async (url: string | undefined): Promise<Reply> => {
  const reply = await browse(url ?? '');
  if (reply.status !== 303) return reply;
  const target = new URL(reply.headers.location ?? '', `http://${pda.host}`);
  return browse(target.pathname + target.search);
};
const openFirst = async (path: string): Promise<Reply> => openFile(fileUrls(await browse(path))[0]);
const historyOf = async (linkId: string): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?link=${linkId}`)).json).rows;

describe('share link', () => {
  it('lists its files without a token and opens them, and the access history names the link', async () => {
    const textFile = await storeFile(pda, 'hills.txt', 'green', { source: 'walks' });
    const binaryFile = await storeFile(pda, 'lake.bin', new Uint8Array([0, 1, 2]), { source: 'walks' });
    const link = await createLink({ name: 'Walk in May', fileIds: [textFile.fileId, binaryFile.fileId] });
    const page = await browse(link.path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Walk in May');
    expect(page.text).toContain('hills.txt');
    const [firstUrl, secondUrl] = fileUrls(page);
    const content = await openFile(firstUrl);
    expect([content.status, content.text]).toEqual([200, 'green']);
    expect(content.headers['content-disposition']).toMatch(/^inline/u);
    expect((await openFile(secondUrl)).headers['content-disposition']).toMatch(/^attachment/u);
    expect(await linkOf(link.linkId)).toMatchObject({ opens: 2, lastOpened: pda.clock.now(), state: 'active' });
    const consent = { kind: 'link', name: link.linkId, detail: 'Walk in May' };
    const rows = await historyOf(link.linkId);
    expect(rows).toHaveLength(4);
    expect(rows[3]).toMatchObject({ who: { kind: 'owner' }, action: `POST ${LINKS}`, consent });
    expect(rows[2]).toMatchObject({ who: { kind: 'visitor' }, action: 'GET /share/:token', records: 2, consent });
    for (const row of rows.slice(0, 2))
      expect(row).toMatchObject({
        who: { kind: 'visitor' },
        action: 'GET /storage/:fileId',
        endpoints: ['files:walks'],
        consent,
      });
  });

  it('has an unguessable address, and its page runs no scripts and is not cached or indexed', async () => {
    const { fileId } = await storeFile(pda, '<script>alert(1)</script>.txt', 'x');
    const link = await createLink({ name: '"><img src=x>', fileIds: [fileId] });
    const token = Buffer.from(link.path.split('/').at(-1) ?? '', 'base64url');
    expect(token).toHaveLength(32);
    const page = await browse(link.path);
    expect(page.text).not.toMatch(/<script|<img/u);
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).not.toContain('script-src');
  });

  it('ends immediately when revoked, for its page, files and signed URLs', async () => {
    const { fileId } = await storeFile(pda, 'secret.txt', 'x');
    const link = await createLink({ fileIds: [fileId] });
    const [url = ''] = fileUrls(await browse(link.path));
    const signedUrl = new URL((await browse(url)).headers.location ?? '');
    expect((await browse(signedUrl.pathname + signedUrl.search)).status).toBe(200);
    expect((await pda.call('DELETE', `${LINKS}/${link.linkId}`)).status).toBe(200);
    expect((await browse(link.path)).status).toBe(404);
    expect((await browse(url)).status).toBe(404);
    expect((await browse(signedUrl.pathname + signedUrl.search)).status).toBe(403);
    expect(await linkOf(link.linkId)).toBeUndefined();
    expect((await historyOf(link.linkId))[0]).toMatchObject({ action: `DELETE ${LINKS}/:linkId` });
  });

  it.skipIf(!IS_THOROUGH_RUN)('aborts a running download when it is revoked', async () => {
    const size = 20_000_000;
    const { fileId } = await storeFile(pda, 'large.bin', randomContent(size));
    const link = await createLink({ fileIds: [fileId] });
    const [url = ''] = fileUrls(await browse(link.path));
    const signedUrl = (await browse(url)).headers.location ?? '';
    const response = await openRequest(signedUrl, { headers: {} });
    await pda.call('DELETE', `${LINKS}/${link.linkId}`);
    let receivedBytes = 0;
    response.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
    });
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    await closed;
    expect(response.complete).toBe(false);
    expect(receivedBytes).toBeLessThan(size);
  });

  it('ends at its expiry, even for signed URLs', async () => {
    const { fileId } = await storeFile(pda, 'soon.txt', 'x');
    const link = await createLink({ fileIds: [fileId], expires: pda.clock.now() + 60_000 });
    const [url = ''] = fileUrls(await browse(link.path));
    const signedUrl = new URL((await browse(url)).headers.location ?? '');
    const openLinksBefore = await countOpenLinks();
    pda.clock.advance(59_999);
    expect((await browse(link.path)).status).toBe(200);
    pda.clock.advance(1);
    expect((await browse(link.path)).status).toBe(410);
    expect((await browse(url)).status).toBe(410);
    expect((await browse(signedUrl.pathname + signedUrl.search)).status).toBe(403);
    expect((await linkOf(link.linkId))?.state).toBe('expired');
    expect(await countOpenLinks()).toBe(openLinksBefore - 1);
    const extension = { expires: pda.clock.now() + 60_000 };
    expect((await pda.call('PUT', `${LINKS}/${link.linkId}`, { json: extension })).status).toBe(200);
    expect((await browse(link.path)).status).toBe(200);
    expect((await pda.call('PUT', `${LINKS}/${link.linkId}`, { json: { expires: 1 } })).status).toBe(400);
  });

  it('requires its password, and its files cannot be opened without it', async () => {
    const { fileId } = await storeFile(pda, 'locked.txt', 'inside');
    const link = await createLink({ fileIds: [fileId], password: PASSWORD });
    const page = await browse(link.path);
    expect(page.text).not.toContain('locked.txt');
    const redirect = await browse(`${link.path}/${fileId}`);
    expect([redirect.status, redirect.headers.location]).toEqual([303, link.path]);
    const wrongReply = await sendPassword(link.path, 'seven small hill');
    expect(wrongReply.status).toBe(403);
    expect(wrongReply.text).toContain('This password is wrong.');
    expect((await historyOf(link.linkId))[0]).toMatchObject({ outcome: 'refused', action: 'POST /share/:token' });
    const rightReply = await sendPassword(link.path, PASSWORD);
    expect(rightReply.status).toBe(303);
    const openPath = rightReply.headers.location ?? '';
    expect((await openFirst(openPath)).text).toBe('inside');
    // The pass ends after an hour, and when the password changes.
    await pda.call('PUT', `${LINKS}/${link.linkId}`, { json: { password: 'another password' } });
    expect((await browse(openPath)).text).not.toContain('locked.txt');
    await pda.call('PUT', `${LINKS}/${link.linkId}`, { json: { password: PASSWORD } });
    const nextPath = (await sendPassword(link.path, PASSWORD)).headers.location ?? '';
    pda.clock.advance(HOUR_MS);
    expect((await browse(nextPath)).text).not.toContain('locked.txt');
  });

  it('refuses further passwords for a while after many wrong ones', async () => {
    const { fileId } = await storeFile(pda, 'guessed.txt', 'x');
    const link = await createLink({ fileIds: [fileId], password: PASSWORD });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      statuses.push((await sendPassword(link.path, `guess ${attempt}`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 403));
    expect(statuses.at(-1)).toBe(429);
    const replies = await Promise.all(['text/html', '*/*'].map((accept) => sendPassword(link.path, PASSWORD, accept)));
    for (const { status, headers } of replies) expect([status, headers['retry-after']]).toEqual([429, '2']);
    pda.clock.advance(HOUR_MS);
    expect((await sendPassword(link.path, PASSWORD)).status).toBe(303);
  });

  it('refuses passes of another link and passes that were tampered with', async () => {
    const otherLink = await createLink({ fileIds: [(await storeFile(pda, 'a.txt', 'x')).fileId] });
    const { fileId } = await storeFile(pda, 'b.txt', 'x');
    const link = await createLink({ fileIds: [fileId], password: PASSWORD });
    const passIn = (url = ''): string => new URL(url, 'http://pda.example').searchParams.get('pass') ?? '';
    const openWith = async (pass: string): Promise<string | undefined> =>
      (await browse(`${link.path}/${fileId}?${new URLSearchParams({ pass }).toString()}`)).headers.location;
    const foreignPass = passIn(fileUrls(await browse(otherLink.path))[0]);
    const pass = passIn((await sendPassword(link.path, PASSWORD)).headers.location);
    expect(await openWith(pass)).toContain('/storage/');
    const [visitId = '', expires = '', signature = ''] = pass.split('.');
    for (const invalidPass of [
      foreignPass,
      `${visitId}.${Number(expires) + 1}.${signature}`,
      `x.${expires}.${signature}`,
      '..',
      '.',
    ])
      expect(await openWith(invalidPass)).toBe(link.path);
  });

  it('opens as many files as its limit allows, and counts a file once per visit', async () => {
    const { fileId } = await storeFile(pda, 'twice.txt', 'x');
    const link = await createLink({ fileIds: [fileId], opensMax: 2 });
    const [url] = fileUrls(await browse(link.path));
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await openFile(url)).status).toBe(200);
    expect((await linkOf(link.linkId))?.opens).toBe(1);
    expect((await browse(link.path)).text).toContain('One more file can be opened.');
    const earlierPage = await browse(link.path);
    expect((await openFirst(link.path)).status).toBe(200);
    expect((await browse(link.path)).status).toBe(410);
    // A page that was loaded before the limit was reached opens no further files.
    expect((await openFile(fileUrls(earlierPage)[0])).status).toBe(410);
    expect((await openFile(url)).status).toBe(200);
    expect((await linkOf(link.linkId))?.state).toBe('used-up');
  });

  it('never exceeds its limit when many visits open a file concurrently', async () => {
    const { fileId } = await storeFile(pda, 'race.txt', 'x');
    const link = await createLink({ fileIds: [fileId], opensMax: 3 });
    const pages = await Promise.all(Array.from({ length: 10 }, () => browse(link.path)));
    const replies = await Promise.all(pages.map((page) => openFile(fileUrls(page)[0])));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await linkOf(link.linkId))?.opens).toBe(3);
  });

  it('that is view-only offers no downloads and serves only what a browser shows', async () => {
    const textFile = await storeFile(pda, 'shown.txt', 'x');
    const binaryFile = await storeFile(pda, 'archive.bin', new Uint8Array([0, 1]));
    const link = await createLink({ fileIds: [textFile.fileId, binaryFile.fileId], viewOnly: true });
    const page = await browse(link.path);
    expect(page.text).not.toContain('download=');
    const [url = '', ...others] = fileUrls(page);
    expect(others).toEqual([]);
    expect((await openFile(url)).headers['content-disposition']).toMatch(/^inline/u);
    const { search } = new URL(url, 'http://pda.example');
    const { error, cause } = errorOf(await openFile(`${link.path}/${binaryFile.fileId}${search}`));
    expect([error, cause]).toEqual(['forbidden', 'Downloads are turned off, and browsers cannot show this file.']);
  });

  it('to a folder contains exactly the current files of the folder', async () => {
    await storeFile(pda, 'one.txt', '1', { source: 'trip' });
    const outsideFile = await storeFile(pda, 'outside.txt', 'x', { source: 'trip-private' });
    const link = await createLink({ folder: 'trip' });
    expect(link).toMatchObject({ folder: 'trip', files: [] });
    expect((await linkOf(link.linkId))?.fileCount).toBe(1);
    const secondFile = await storeFile(pda, 'two.txt', '2', { source: 'trip' });
    expect((await linkOf(link.linkId))?.fileCount).toBe(2);
    const page = await browse(link.path);
    expect(page.text).toContain('two.txt');
    expect(page.text).not.toContain('outside.txt');
    const { search } = new URL(fileUrls(page)[0] ?? '', 'http://pda.example');
    expect((await browse(`${link.path}/${outsideFile.fileId}${search}`)).headers.location).toBe(link.path);
    await pda.call('DELETE', `/api/v2.6/files/file/${secondFile.fileId}`);
    expect((await browse(link.path)).text).not.toContain('two.txt');
    expect((await browse(`${link.path}/${secondFile.fileId}${search}`)).headers.location).toBe(link.path);
    expect((await pda.call('POST', LINKS, { json: { name: 'x', folder: 'nowhere' } })).status).toBe(404);
  });

  it('offers its files as an archive, which counts as opening all of them and is aborted on revocation', async () => {
    const firstFile = await storeFile(pda, 'same.txt', 'one', { source: 'first' });
    const secondFile = await storeFile(pda, 'same.txt', 'two', { source: 'second' });
    const link = await createLink({ fileIds: [firstFile.fileId, secondFile.fileId] });
    const archive = await browse(archiveUrl(await browse(link.path)));
    expect(archive.headers).toMatchObject({ 'content-type': 'application/zip', 'cache-control': 'no-store' });
    expect(await readZip(archive.body)).toEqual({ 'same.txt': 'one', 'same (2).txt': 'two' });
    expect((await linkOf(link.linkId))?.opens).toBe(2);
    expect((await historyOf(link.linkId))[0]).toMatchObject({ action: 'GET /share/:token/archive/all', records: 2 });
    expect((await browse(`${link.path}/archive/all?pass=forged`)).headers.location).toBe(link.path);
    const largeFile = await storeFile(pda, 'archive.bin', randomContent(20_000_000));
    const slowLink = await createLink({ fileIds: [firstFile.fileId, largeFile.fileId] });
    const slowUrl = archiveUrl(await browse(slowLink.path));
    const response = await openRequest(`http://${pda.host}${slowUrl}`, { headers: {} });
    await pda.call('DELETE', `${LINKS}/${slowLink.linkId}`);
    response.on('error', () => undefined).resume();
    await new Promise<void>((resolve) => response.once('close', resolve));
    expect(response.complete).toBe(false);
  });

  it.each([{ viewOnly: true }, { opensMax: 5 }, { password: PASSWORD }])(
    'offers no archive if it is view-only, limits how many files are opened, or waits for its password: %j',
    async (settings) => {
      const fileIds = [
        (await storeFile(pda, 'limited.txt', 'x')).fileId,
        (await storeFile(pda, 'also limited.txt', 'x')).fileId,
      ];
      const link = await createLink({ fileIds, ...settings });
      const page = await browse(link.path);
      expect(page.text).not.toContain('/archive/all');
      const [url = `${link.path}/x?pass=`] = fileUrls(page);
      const { search } = new URL(url, 'http://pda.example');
      expect((await browse(`${link.path}/archive/all${search}`)).headers.location).toBe(link.path);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'shows large folders page by page, without an empty last page, and offers the archive on each page',
    async () => {
      const names = Array.from({ length: 200 }, (_, index) => `${String(index).padStart(3, '0')}.txt`);
      for (const name of names) await storeFile(pda, name, name, { source: 'many' });
      const link = await createLink({ folder: 'many' });
      expect((await browse(link.path)).text).not.toContain('More files');
      const lastFile = await storeFile(pda, '200.txt', '200.txt', { source: 'many' });
      const firstPage = await browse(link.path);
      expect(firstPage.text.match(/<li>/gu)).toHaveLength(200);
      const nextUrl = fileUrls(firstPage).at(-1) ?? '';
      const secondPage = await browse(nextUrl);
      expect(secondPage.text.match(/<li>/gu)).toHaveLength(1);
      for (const page of [firstPage, secondPage]) expect(page.text).toContain('/archive/all?');
      expect((await openFirst(nextUrl)).text).toBe('200.txt');
      await pda.pda.fileModule.files.erase(lastFile.fileId);
      expect((await browse(nextUrl)).text).toContain('<p>There are no more files.</p>');
    },
  );

  it('loses a file that is erased, and stays valid', async () => {
    const { fileId } = await storeFile(pda, 'gone.txt', 'x');
    const link = await createLink({ fileIds: [fileId] });
    const [url] = fileUrls(await browse(link.path));
    await pda.pda.fileModule.files.erase(fileId);
    expect((await browse(link.path)).text).toContain('There are no files here at the moment.');
    expect((await browse(url ?? '')).headers.location).toBe(link.path);
    expect(await linkOf(link.linkId)).toMatchObject({ files: [], fileCount: 0 });
  });

  it('gives no right to upload, and its signed URLs open no other file', async () => {
    const { fileId } = await storeFile(pda, 'read-only.txt', 'x');
    const otherFile = await storeFile(pda, 'other.txt', 'y');
    const link = await createLink({ fileIds: [fileId] });
    const [url] = fileUrls(await browse(link.path));
    const signedUrl = new URL((await browse(url ?? '')).headers.location ?? '');
    expect((await putContent(signedUrl.href.replace('method=GET', 'method=PUT'), 'changed')).status).toBe(403);
    expect((await putContent(signedUrl.href, 'changed')).status).toBe(403);
    expect((await browse(`/storage/${otherFile.fileId}${signedUrl.search}`)).status).toBe(403);
  });

  it.skipIf(!IS_THOROUGH_RUN)('keeps its count of opened files across a restart', async () => {
    const { fileId } = await storeFile(pda, 'kept.txt', 'x');
    const link = await createLink({ fileIds: [fileId], opensMax: 5 });
    await openFirst(link.path);
    await pda.restart();
    expect(await linkOf(link.linkId)).toMatchObject({ opens: 1, path: link.path });
    expect((await openFirst(link.path)).status).toBe(200);
  });
});

describe('share link routes', () => {
  it('refuse unknown files, both files and a folder, neither, and invalid settings', async () => {
    const { fileId } = await storeFile(pda, 'c.txt', 'x');
    const create = async (json: unknown) => (await pda.call('POST', LINKS, { json })).status;
    expect(await create({ name: 'x', fileIds: ['unknown'] })).toBe(404);
    expect(await create({ name: 'x', fileIds: [fileId], folder: 'test' })).toBe(400);
    expect(await create({ name: 'x' })).toBe(400);
    expect(await create({ name: '', fileIds: [fileId] })).toBe(400);
    for (const setting of [{ expires: pda.clock.now() }, { expires: 8.64e15 }, { opensMax: 0 }])
      expect(await create({ name: 'x', fileIds: [fileId], ...setting })).toBe(400);
  });

  it('respond to an unknown token with a page that reveals nothing, in the language of the browser', async () => {
    const page = await browse('/share/unknown', { 'accept-language': 'de' });
    expect(page.status).toBe(404);
    expect(page.text).toContain('Dieser Link funktioniert nicht');
    expect((await browse('/share/unknown/file')).status).toBe(404);
    expect((await sendPassword('/share/unknown', PASSWORD)).status).toBe(404);
  });

  it('respond to clients other than browsers with errors in JSON', async () => {
    const json = { accept: 'application/json' };
    expect(errorOf(await browse('/share/unknown', json)).error).toBe('not_found');
    const { fileId } = await storeFile(pda, 'e.txt', 'x');
    const link = await createLink({ fileIds: [fileId], expires: pda.clock.now() + 1000 });
    pda.clock.advance(1000);
    expect(errorOf(await browse(link.path, json))).toMatchObject({ error: 'not_found', cause: 'This link has ended.' });
  });

  it('revoke all links together', async () => {
    const { fileId } = await storeFile(pda, `${'d'.repeat(MAX_FILE_NAME_BYTES - 4)}.txt`, 'x');
    const links = [await createLink({ fileIds: [fileId] }), await createLink({ fileIds: [fileId] })];
    expect((await pda.call('DELETE', LINKS)).status).toBe(200);
    for (const { path } of links) expect((await browse(path)).status).toBe(404);
    expect(shareLinksSchema.parse((await pda.call('GET', LINKS)).json).links).toEqual([]);
  });
});
