import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDocs, writeDocs } from '../build/docs.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { ROOT } from './support/paths.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const PUBLIC_HOST = 'ada.example';
const INDEX_PATH = '/docs/README.html';
const HOUR_MS = 3_600_000;
const ALLOWED_TAGS =
  'html head meta title link body header nav main div svg rect path span a h1 h2 h3 h4 p ul ol li strong em del code pre table thead tbody tr th td img blockquote br hr'.split(
    ' ',
  );

let folder: string;
let pda: TestPda;
const builtFiles = buildDocs(ROOT);
const pages = [...builtFiles].flatMap(([path, content]) =>
  path.endsWith('.html') ? [{ path, html: String(content) }] : [],
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-docs-'));
  writeDocs(ROOT, join(folder, 'docs'));
  const applications = [anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'notes' }] })];
  pda = await startTestPda({
    docs: join(folder, 'docs'),
    publicUrl: `https://${PUBLIC_HOST}`,
    config: { applications },
  });
});
afterAll(async () => {
  await pda.close();
  await rm(folder, { recursive: true, force: true });
});

const callFromOutside = (path: string, token: string | null = null) =>
  pda.call('GET', path, { token, headers: { host: PUBLIC_HOST } });

describe('access to the guide', () => {
  it('is granted on this machine without signing in', async () => {
    const reply = await pda.call('GET', INDEX_PATH, { token: null });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.text).toContain('<h1');
    expect((await pda.call('GET', '/docs', { token: null })).headers['location']).toBe(INDEX_PATH);
  });

  it('is granted on this machine before the setup', async () => {
    const newPda = await startTestPda({ setUp: false, docs: join(folder, 'docs') });
    try {
      expect((await newPda.call('GET', INDEX_PATH)).status).toBe(200);
    } finally {
      await newPda.close();
    }
  });

  it('is refused to anonymous remote callers, including those behind a proxy', async () => {
    expect(errorOf(await callFromOutside(INDEX_PATH)).error).toBe('not_found');
    expect(errorOf(await callFromOutside('/docs/docs.css')).error).toBe('not_found');
    const proxiedReply = await pda.call('GET', INDEX_PATH, {
      token: null,
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    expect(proxiedReply.status).toBe(404);
  });

  it('is refused to remote applications, which cannot create a URL that grants it either', async () => {
    const token = await setUpApplication(pda, 'notes');
    expect((await callFromOutside(INDEX_PATH, token)).status).toBe(404);
    expect((await pda.call('POST', '/api/v2.6/owner/docs-pass', { token })).status).toBe(403);
  });

  it('is granted to the owner from anywhere, by a URL that expires after eight hours', async () => {
    expect((await callFromOutside(INDEX_PATH, pda.token)).status).toBe(200);
    const { base } = (await pda.call('POST', '/api/v2.6/owner/docs-pass')).json as { base: string };
    expect((await callFromOutside(`${base}README.html`)).status).toBe(200);
    expect((await callFromOutside(`${base}docs.css`)).headers['content-type']).toBe('text/css; charset=utf-8');
    expect((await callFromOutside(`/docs/~${'A'.repeat(32)}/README.html`)).status).toBe(404);
    pda.clock.advance(8 * HOUR_MS + 1);
    expect((await callFromOutside(`${base}README.html`)).status).toBe(404);
    pda.token = await pda.signIn();
  });
});

describe('the served guide', () => {
  it('returns 404 for unknown pages, folders and paths outside it', async () => {
    for (const path of [
      '/docs/nothing.html',
      '/docs/../README.md',
      '/docs/..%2f..%2fpackage.json',
      '/docs/%2fetc/passwd',
      '/docs/guide',
      '/docs/README.html%00',
      '/docs/~/README.html',
    ])
      expect([path, (await pda.call('GET', path)).status]).toEqual([path, 404]);
  });

  it('returns 404 for a page whose file is missing', async () => {
    await symlink(join(folder, 'nothing.html'), join(folder, 'docs', 'gone.html'));
    expect((await pda.call('GET', '/docs/gone.html')).status).toBe(404);
  });

  it('runs no scripts, submits no forms, and loads nothing from other origins', async () => {
    const policy = String((await pda.call('GET', INDEX_PATH)).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    for (const { path, html } of pages) {
      // Text contains no tags, because its angle brackets are escaped.
      for (const [tag, name = ''] of html.matchAll(/<\/?([\w-]+)[^>]*>/gu)) {
        expect(ALLOWED_TAGS, `${path}: ${tag}`).toContain(name);
        expect(tag, path).not.toMatch(/\s(?:on\w+|style)=|javascript:|data:/iu);
        if (name === 'img' || name === 'link') expect(tag, path).not.toMatch(/(?:src|href)="(?:\w+:|\/\/)/u);
      }
    }
  });

  it('uses only style variables that are defined', () => {
    const css = String(builtFiles.get('docs.css'));
    for (const [, name = ''] of css.matchAll(/var\((--[\w-]+)\)/gu)) expect(css).toContain(`${name}:`);
  });

  it('has no dead links', () => {
    expect(pages.length).toBeGreaterThan(50);
    for (const { path, html } of pages) {
      for (const [, address = ''] of html.matchAll(/ (?:src|href)="([^"]+)"/gu)) {
        if (/^(?:https?:|mailto:|\/)/u.test(address)) continue;
        const [relativePath = '', anchor] = address.split('#', 2);
        const target = relativePath === '' ? path : posix.join(posix.dirname(path), relativePath);
        expect([...builtFiles.keys()], `${path} leads to ${address}`).toContain(target);
        if (anchor !== undefined && !['content', 'contents'].includes(anchor))
          expect(String(builtFiles.get(target)), `${path} leads to ${address}`).toContain(`id="${anchor}"`);
      }
    }
  });

  it('escapes markup in text', () => {
    const html = buildDocs(join(ROOT, 'tests/support/hostile-docs')).get('page.html');
    expect(html).toBeDefined();
    expect(String(html)).not.toMatch(
      /<(?:script|img|b)[\s>]|<a [^>]*(?:javascript:|data:|passwd)|[^;]"\s*onmouseover/iu,
    );
    expect(String(html)).toContain('&lt;script&gt;');
  });
});
