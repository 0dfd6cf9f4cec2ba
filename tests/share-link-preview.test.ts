import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import {
  shareLinkPreviewSchema,
  shareLinkSchema,
  shareLinksSchema,
  type ListedShareLink,
  type ShareLink,
} from '../server/wire/share-links.ts';
import { storeFile } from './support/files.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const LINKS = '/api/v2.6/owner/share-links';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const PASSWORD = 'seven small hills';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const createLink = async (link: Record<string, unknown>): Promise<ShareLink> => {
  const reply = await pda.call('POST', LINKS, { json: { name: 'Hills', ...link } });
  expect(reply.status, reply.text).toBe(200);
  return shareLinkSchema.parse(reply.json);
};
const previewOf = async (linkId: string, query = ''): Promise<string> => {
  const reply = await pda.call('GET', `${LINKS}/${linkId}/preview${query}`);
  expect(reply.status, reply.text).toBe(200);
  return shareLinkPreviewSchema.parse(reply.json).html;
};
/** Returns the page of the link. Enters the password, if it has one. */
const pageOf = async ({ path }: ShareLink, password = ''): Promise<string> => {
  const entryReply = await pda.call('POST', path, {
    token: null,
    body: new URLSearchParams({ password }).toString(),
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
  const { text } = await pda.call('GET', entryReply.headers.location ?? path, {
    token: null,
    headers: { accept: 'text/html' },
  });
  return text;
};
/** Removes the permitted differences of a preview: content addresses and the archive link. */
const removeDifferences = (html: string): string =>
  html
    .replace(/<a class="button" href="[^"]*" download>(?<text>[^<]*)<\/a>/u, '<p class="secondary">$<text></p>')
    .replaceAll(/href="\/(?:storage|share)\/[^"]*"/gu, 'href="content"');
const linkOf = async (linkId: string): Promise<ListedShareLink | undefined> =>
  shareLinksSchema.parse((await pda.call('GET', LINKS)).json).links.find((link) => link.linkId === linkId);
const countEntries = async (): Promise<number> =>
  ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json).rows.length;

describe('the preview of a share link', () => {
  it('shows the page of the link, even without its password, and no archive', async () => {
    const textFile = await storeFile(pda, 'hills.txt', 'green');
    const binaryFile = await storeFile(pda, 'lake.bin', new Uint8Array([0, 1, 2]));
    const fileIds = [textFile.fileId, binaryFile.fileId];
    const limits = { opensMax: 3, expires: pda.clock.now() + 60_000 };
    for (const settings of [{}, { password: PASSWORD }, { viewOnly: true }, limits]) {
      const link = await createLink({ fileIds, ...settings });
      const page = await pageOf(link, PASSWORD);
      expect(page).toContain('hills.txt');
      const html = await previewOf(link.linkId);
      expect(removeDifferences(html)).toBe(removeDifferences(page));
      expect(html).not.toMatch(/<form|<script|\/share\//u);
    }
  });

  it('does not count as opening a file, and adds no entry to the access history', async () => {
    const { fileId } = await storeFile(pda, 'letter.txt', 'Dear Grace');
    const { linkId } = await createLink({ fileIds: [fileId], opensMax: 1 });
    const entryCount = await countEntries();
    const url = /href="(?<url>\/storage\/[^"]+)"/u.exec(await previewOf(linkId))?.groups?.['url'] ?? '';
    const content = await pda.call('GET', url.replaceAll('&amp;', '&'), { token: null });
    expect([content.status, content.text]).toEqual([200, 'Dear Grace']);
    expect(url).toContain('by=owner');
    expect(await linkOf(linkId)).toMatchObject({ opens: 0, lastOpened: null, state: 'active' });
    expect(await countEntries()).toBe(entryCount);
  });

  it('shows the next page of a folder, which begins after a given file', async () => {
    for (const name of ['a.txt', 'b.txt']) await storeFile(pda, name, 'x', { source: 'peaks' });
    const { linkId } = await createLink({ folder: 'peaks' });
    const namesOn = (html: string): string[] =>
      [...html.matchAll(/<bdi>(?<name>[ab]\.txt)</gu)].map(([, name = '']) => name);
    expect(namesOn(await previewOf(linkId))).toEqual(['a.txt', 'b.txt']);
    const nextHtml = await previewOf(linkId, '?after=peaks%2Fa.txt');
    expect(namesOn(nextHtml)).toEqual(['b.txt']);
    expect(nextHtml).toContain('<title>More files: Hills</title>');
  });

  it('states that the limit on opened files has been reached', async () => {
    const { fileId } = await storeFile(pda, 'once.txt', 'x');
    const link = await createLink({ fileIds: [fileId], opensMax: 1 });
    const url = /href="(?<url>\/share\/[^"]+)"/u.exec(await pageOf(link))?.groups?.['url'] ?? '';
    const openReply = await pda.call('GET', url.replaceAll('&amp;', '&'), {
      token: null,
      headers: { accept: 'text/html' },
    });
    const target = new URL(openReply.headers.location ?? '', `http://${pda.host}`);
    expect((await pda.call('GET', target.pathname + target.search, { token: null })).status).toBe(200);
    const html = await previewOf(link.linkId);
    expect(html).toContain('Its files were opened as often as the owner allowed');
    expect(html).not.toContain('once.txt');
  });

  it('is refused for a link that was revoked after it was previewed', async () => {
    const { fileId } = await storeFile(pda, 'revoked.txt', 'x');
    const { linkId } = await createLink({ fileIds: [fileId] });
    expect(await previewOf(linkId)).toContain('revoked.txt');
    await pda.call('DELETE', `${LINKS}/${linkId}`);
    const reply = await pda.call('GET', `${LINKS}/${linkId}/preview`);
    expect([reply.status, errorOf(reply).error]).toEqual([404, 'not_found']);
  });

  it('names the public address, as copied links do', async () => {
    const publicPda = await startTestPda({ publicUrl: 'https://ada.example.org' });
    try {
      const { fileId } = await storeFile(publicPda, 'public.txt', 'x');
      const createReply = await publicPda.call('POST', LINKS, { json: { name: 'Hills', fileIds: [fileId] } });
      const { linkId } = shareLinkSchema.parse(createReply.json);
      const reply = await publicPda.call('GET', `${LINKS}/${linkId}/preview`);
      const { html } = shareLinkPreviewSchema.parse(reply.json);
      expect(html).toContain('Shared from ada.example.org,');
      expect(html).not.toContain(publicPda.host);
    } finally {
      await publicPda.close();
    }
  });

  it('states that the link has ended, and is refused for an unknown link and for other callers', async () => {
    const { fileId } = await storeFile(pda, 'soon.txt', 'x');
    const { linkId, path } = await createLink({ fileIds: [fileId], expires: pda.clock.now() + 60_000 });
    const token = path.slice('/share/'.length);
    expect((await pda.call('GET', `${LINKS}/${linkId}/preview`, { token })).status).toBe(401);
    pda.clock.advance(60_000);
    const html = await previewOf(linkId);
    expect(html).toContain('This link has ended');
    expect(html).not.toContain('soon.txt');
    expect(errorOf(await pda.call('GET', `${LINKS}/${UNKNOWN_ID}/preview`)).error).toBe('not_found');
  });
});
