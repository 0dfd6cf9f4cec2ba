import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  requestRelay,
  claimName,
  holdTunnel,
  LONG_LIMITS,
  REMOTE_DOMAIN,
  removeRelayFolders,
  startRelay,
  type TestRelay,
} from './support/relay.ts';

let remoteRelay: TestRelay;
let localRelay: TestRelay;
beforeAll(async () => {
  remoteRelay = await startRelay({ domain: REMOTE_DOMAIN, limits: LONG_LIMITS });
  localRelay = await startRelay({ limits: LONG_LIMITS });
});
afterAll(async () => {
  await Promise.all([remoteRelay.close(), localRelay.close()]);
  removeRelayFolders();
});

describe('the offline page', () => {
  it('is self-contained and identical for registered and unregistered names', async () => {
    for (const relay of [remoteRelay, localRelay]) {
      const { status, headers, text } = await requestRelay(relay, { name: 'alice', isPlain: true, path: '/x' });
      expect([status, headers['retry-after'], headers['content-type']]).toStrictEqual([
        503,
        '30',
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain('<h1>This PDA is offline</h1>');
      expect(text).toContain(`<strong>alice.${relay.domain}:${relay.port}</strong>`);
      expect(text).toContain('color-scheme:light dark');
      expect(text).toContain('prefers-color-scheme:dark');
      expect(text).not.toMatch(/https?:|src=|href=|<script|@import|url\(/u);
      const style = /<style>([^]*)<\/style>/u.exec(text)?.[1] ?? '';
      const styleHash = createHash('sha256').update(style).digest('base64');
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect([headers['x-content-type-options'], headers['cache-control'], headers['connection']]).toStrictEqual([
        'nosniff',
        'no-store',
        'close',
      ]);
      await claimName(relay, 'registered');
      // Ends the session. The name stays registered.
      await claimName(relay, 'registered', { method: 'DELETE' });
      const registeredReply = await requestRelay(relay, { name: 'registered', isPlain: true, path: '/x' });
      expect(registeredReply.text.replaceAll('registered', 'alice')).toBe(text);
    }
  });

  it('is in German for clients that prefer German', async () => {
    const readPage = async (acceptLanguage: string): Promise<unknown[]> => {
      const { headers, text } = await requestRelay(localRelay, {
        name: 'alice',
        headers: { 'accept-language': acceptLanguage },
      });
      const [, language, title] = /<html lang="(\w+)">[^]*<h1>([^<]+)<\/h1>/u.exec(text) ?? [];
      return [headers['content-language'], headers['vary'], language, title];
    };
    const germanPage = ['de', 'accept-language', 'de', 'Dieses PDA ist offline'];
    const englishPage = ['en', 'accept-language', 'en', 'This PDA is offline'];
    expect(await readPage('de-AT,de;q=0.9,en;q=0.8')).toStrictEqual(germanPage);
    expect(await readPage('en;q=0.5, fr, de;q=0.7')).toStrictEqual(germanPage);
    expect(await readPage('en-GB,de;q=0.9')).toStrictEqual(englishPage);
    expect(await readPage('de;q=0, fr')).toStrictEqual(englishPage);
    expect(await readPage(`,;q=,${'x'.repeat(600)},de`)).toStrictEqual(englishPage);
    const welcomeReply = await requestRelay(localRelay, { headers: { 'accept-language': 'de' } });
    expect([welcomeReply.status, welcomeReply.text.includes('Ein Relay für persönliche Datenkonten')]).toStrictEqual([
      200,
      true,
    ]);
  });

  it('is replaced by the common error body for clients that accept JSON', async () => {
    const { status, headers, json } = await requestRelay(localRelay, {
      name: 'alice',
      headers: { accept: 'application/json' },
    });
    expect([status, json['error'], json['cause'], headers['retry-after']]).toStrictEqual([
      503,
      'unavailable',
      'This PDA is offline.',
      '30',
    ]);
  });

  it('is replaced by 421 for hosts that cannot be a PDA', async () => {
    for (const host of ['elsewhere.example', `a.b.${REMOTE_DOMAIN}`, `<b>.${REMOTE_DOMAIN}`, '']) {
      const { status, json } = await requestRelay(remoteRelay, { isPlain: true, headers: { host } });
      expect([host, status, json['error']]).toStrictEqual([host, 421, 'misdirected_request']);
    }
  });
});

describe('plain HTTP to a non-local domain', () => {
  it('is redirected to https and never forwarded to a PDA', async () => {
    const tunnel = await holdTunnel(remoteRelay, 'bea', () => expect.unreachable(), { idleConnections: 1 });
    const { status, headers } = await requestRelay(remoteRelay, { name: 'bea', isPlain: true, path: '/a/b?c=d' });
    expect([status, headers.location]).toStrictEqual([308, `https://bea.${REMOTE_DOMAIN}:${remoteRelay.port}/a/b?c=d`]);
    const relayRedirect = await requestRelay(remoteRelay, { isPlain: true, path: '/x' });
    expect([relayRedirect.status, relayRedirect.headers.location]).toStrictEqual([
      308,
      `https://${REMOTE_DOMAIN}:${remoteRelay.port}/x`,
    ]);
    const doubleSlashReply = await requestRelay(remoteRelay, { name: 'bea', isPlain: true, path: '//evil.example/' });
    expect(doubleSlashReply.headers.location).toBe(`https://bea.${REMOTE_DOMAIN}:${remoteRelay.port}//evil.example/`);
    expect(tunnel.peers).toStrictEqual([]);
    tunnel.close();
  });
});

describe('a local domain', () => {
  it('forwards plain HTTP unchanged to the PDA that the Host header names', async () => {
    const receivedChunks: string[] = [];
    const tunnel = await holdTunnel(localRelay, 'bea', (socket) => {
      socket.once('data', (chunk: Buffer) => {
        receivedChunks.push(chunk.toString());
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi');
      });
      socket.resume();
    });
    const response = await requestRelay(localRelay, {
      name: 'bea',
      path: '/x',
      headers: { 'x-forwarded-for': '8.8.8.8' },
    });
    expect([response.status, response.text]).toStrictEqual([200, 'hi']);
    expect(receivedChunks[0]).toMatch(/^GET \/x HTTP\/1\.1\r\n/u);
    expect(receivedChunks[0]).toContain('8.8.8.8');
    expect(tunnel.peers).toStrictEqual([{ address: '127.0.0.1', port: expect.any(Number) }]);
    tunnel.close();
  });
});

describe('the relay’s own host', () => {
  it('serves the health check and the welcome page', async () => {
    for (const relay of [remoteRelay, localRelay]) {
      expect((await requestRelay(relay, { path: '/healthz' })).json).toStrictEqual({ Status: 'OK' });
      const page = await requestRelay(relay, { path: '/' });
      expect([page.status, page.headers['content-type']]).toStrictEqual([200, 'text/html; charset=utf-8']);
      expect(page.text).toContain(`${relay.domain}:${relay.port}`);
      // The relay forwards plain HTTP on local domains only.
      expect(page.text.includes('cannot read')).toBe(relay === remoteRelay);
      expect(page.text.includes('not encrypted')).toBe(relay === localRelay);
    }
    expect(
      (await requestRelay(localRelay, { headers: { host: `127.0.0.1:${localRelay.port}` }, path: '/healthz' })).status,
    ).toBe(200);
  });

  it.each([
    ['/', 'GET, HEAD', ['POST', 'DELETE']],
    ['/healthz', 'GET, HEAD', ['POST', 'DELETE']],
    ['/alice', 'GET, DELETE', ['POST', 'HEAD']],
  ])('for %s, allows only the methods %s', async (path, allow, otherMethods) => {
    for (const method of otherMethods) {
      const { status, headers } = await requestRelay(remoteRelay, { method, path });
      expect([method, status, headers.allow]).toStrictEqual([method, 405, allow]);
    }
  });

  it('responds with 421 to other hosts over TLS', async () => {
    const { status } = await requestRelay(remoteRelay, { headers: { host: 'elsewhere.example' }, path: '/healthz' });
    expect(status).toBe(421);
  });
});
