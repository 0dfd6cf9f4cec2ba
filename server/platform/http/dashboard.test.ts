import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRequest, parseRaw, sendRaw } from '../../../tests/support/http.ts';
import { errorOf, startTestPda, type TestPda } from '../../../tests/support/test-pda.ts';

const PAGE = '<!doctype html><title>page</title>';
const SCRIPT = `run(${JSON.stringify('x'.repeat(2000))})`;
const SECRET = 'a secret beside the dashboard';

let folder: string;
let pda: TestPda;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pages-test-'));
  const pages = join(folder, 'dist');
  mkdirSync(join(pages, 'assets'), { recursive: true });
  writeFileSync(join(pages, 'index.html'), PAGE);
  writeFileSync(join(pages, 'assets', 'main-abc123.js'), 'run()');
  writeFileSync(join(pages, 'assets', 'large-def456.js'), SCRIPT);
  writeFileSync(join(pages, 'assets', 'large-def456.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(pages, 'assets', 'large-def456.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(pages, 'icon.svg'), '<svg/>');
  writeFileSync(join(pages, '.env'), SECRET);
  writeFileSync(join(pages, 'notes'), SECRET);
  writeFileSync(join(folder, 'secret.json'), SECRET);
  mkdirSync(join(folder, 'dist-other'));
  writeFileSync(join(folder, 'dist-other', 'secret.json'), SECRET);
  symlinkSync(join(pages, 'assets'), join(pages, 'folder.js'));
  pda = await startTestPda({ pages });
});
afterAll(async () => {
  await pda.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, method = 'GET') => pda.call(method, path, { token: null });

describe('the dashboard', () => {
  it('is served uncached at the root; its hashed files are cached for a long time', async () => {
    const page = await get('/');
    expect([page.status, page.text, page.headers['content-type']]).toStrictEqual([
      200,
      PAGE,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers['cache-control']).toMatch(/no-cache|no-store|max-age=0/u);
    const script = await get('/assets/main-abc123.js');
    expect([script.text, script.headers['content-type']]).toStrictEqual(['run()', 'text/javascript; charset=utf-8']);
    expect(script.headers['cache-control']).toMatch(/max-age=\d{7,}/u);
  });

  it('is served for every page address, but not below /api', async () => {
    for (const path of ['/data/browse', '/pdalogin?name=x', '/some/deep/address', '/apix-not-quite'])
      expect((await get(path)).text).toBe(PAGE);
    for (const path of [
      '/api',
      '/api/',
      '/api/v2.6',
      '/api/v2.6/unknown',
      '/api/v1/data/a/b',
      '/api/v2.6/../../index.html',
    ]) {
      const reply = await get(path);
      expect([path, reply.status, errorOf(reply).error]).toStrictEqual([path, 404, 'not_found']);
    }
  });

  it('sends the compressed file that a browser accepts, and 304 for a cached one', async () => {
    const path = '/assets/large-def456.js';
    const uncompressedReply = await get(path);
    expect([
      uncompressedReply.text,
      uncompressedReply.headers['content-encoding'],
      uncompressedReply.headers['vary'],
    ]).toStrictEqual([SCRIPT, undefined, 'Accept-Encoding']);
    for (const [acceptedEncodings, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const response = await openRequest(`http://127.0.0.1:${pda.port}${path}`, {
        headers: { 'accept-encoding': acceptedEncodings },
      });
      const bytes = await buffer(response);
      expect([response.headers['content-encoding'], response.headers['content-type']]).toStrictEqual([
        encoding,
        'text/javascript; charset=utf-8',
      ]);
      expect(decode(bytes).toString()).toBe(SCRIPT);
      const headers = { 'accept-encoding': acceptedEncodings, 'if-none-match': String(response.headers['etag']) };
      const revalidationReply = await pda.call('GET', path, { token: null, headers });
      expect([revalidationReply.status, revalidationReply.text]).toStrictEqual([304, '']);
    }
    const staleReply = await pda.call('GET', path, { token: null, headers: { 'if-none-match': 'W/"1-1"' } });
    expect(staleReply.status).toBe(200);
  });

  it('responds to HEAD without a body and with its length', async () => {
    const reply = await get('/assets/main-abc123.js', 'HEAD');
    expect([reply.status, reply.text, reply.headers['content-length']]).toStrictEqual([200, '', '5']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('responds to %s with an error, not with a page', async (method) => {
    expect(errorOf(await get('/', method)).error).toMatch(/not_found|method_not_allowed/u);
  });

  it.each([
    '/../secret.json',
    '/assets/../../secret.json',
    '/%2e%2e/secret.json',
    '/..%2fsecret.json',
    '/%2e%2e%2fsecret.json',
    '/..\\secret.json',
    '/..%5csecret.json',
    '/....//secret.json',
    '//secret.json',
    '/../dist-other/secret.json',
    '/assets/..%2f..%2fsecret.json',
    '/.env',
    '/notes',
    '/../../../../../../etc/passwd',
    '/assets/',
    '/folder.js',
    '/folder.js/main-abc123.js/..',
    '/secret.json%00.js',
    '/%00',
    '/index.html%00',
    '/..;/secret.json',
    '/%252e%252e/secret.json',
    '/C:/secret.json',
    `/${'a/'.repeat(3000)}x.js`,
    `/${'a'.repeat(5000)}.js`,
  ])('serves no hidden or extensionless files, and none outside the build: $0', async (path) => {
    const raw = await sendRaw(pda.port, `GET ${path} HTTP/1.1\r\nhost: ${pda.host}\r\nconnection: close\r\n\r\n`);
    expect([200, 400, 404]).toContain(parseRaw(raw).status);
    expect(raw).not.toContain(SECRET);
    expect(raw).not.toContain('root:');
  });

  it('explains how to build the dashboard if it was not built', async () => {
    const pdaWithoutPages = await startTestPda({ pages: join(folder, 'nowhere') });
    const reply = await pdaWithoutPages.call('GET', '/');
    expect([reply.status, reply.headers['content-type']]).toStrictEqual([404, 'text/plain; charset=utf-8']);
    expect(reply.text).toContain('npm run build');
    await pdaWithoutPages.close();
  });

  it('sends headers against third-party code, framing and type sniffing', async () => {
    for (const path of ['/', '/assets/main-abc123.js']) {
      const { headers } = await get(path);
      const policy = new Map(
        String(headers['content-security-policy'])
          .split(';')
          .map((directive) => directive.trim().split(' '))
          .map(([name = '', ...values]) => [name, values.join(' ')]),
      );
      expect(policy.get('default-src')).toBe("'self'");
      expect(policy.get('script-src')).toBe("'self'");
      expect(policy.get('object-src')).toBe("'none'");
      expect(policy.get('base-uri')).toBe("'none'");
      expect(policy.get('frame-ancestors')).toBe("'none'");
      expect(policy.get('connect-src')).toBe("'self'");
      expect([...policy.values()].join(' ')).not.toMatch(/unsafe-eval|\*|https?:/u);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });
});
