import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, claim, holdTunnel, LOCAL, REMOTE, removeFolders, startRelay, type TestRelay } from './support/relay.ts';

/** HTTP responses of the relay: the offline page, redirects, and its own pages. */

let remote: TestRelay;
let local: TestRelay;
beforeAll(async () => {
  remote = await startRelay({ domain: REMOTE });
  local = await startRelay();
});
afterAll(async () => {
  await Promise.all([remote.close(), local.close()]);
  removeFolders();
});

describe('offline page', () => {
  it('is self-contained and identical for registered and unregistered names', async () => {
    for (const relay of [remote, local]) {
      const { status, headers, text } = await ask(relay, { name: 'alice', isPlain: true, path: '/x' });
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
      await claim(relay, 'registered');
      await claim(relay, 'registered', { method: 'DELETE' });
      const registered = await ask(relay, { name: 'registered', isPlain: true, path: '/x' });
      expect(registered.text.replaceAll('registered', 'alice')).toBe(text);
    }
  });

  it('is in German for clients that prefer German', async () => {
    const page = async (acceptLanguage: string): Promise<unknown[]> => {
      const { headers, text } = await ask(local, { name: 'alice', headers: { 'accept-language': acceptLanguage } });
      const [, language, title] = /<html lang="(\w+)">[^]*<h1>([^<]+)<\/h1>/u.exec(text) ?? [];
      return [headers['content-language'], headers['vary'], language, title];
    };
    const german = ['de', 'accept-language', 'de', 'Dieses PDA ist offline'];
    const english = ['en', 'accept-language', 'en', 'This PDA is offline'];
    expect(await page('de-AT,de;q=0.9,en;q=0.8')).toStrictEqual(german);
    expect(await page('en;q=0.5, fr, de;q=0.7')).toStrictEqual(german);
    expect(await page('en-GB,de;q=0.9')).toStrictEqual(english);
    expect(await page('de;q=0, fr')).toStrictEqual(english);
    expect(await page(`,;q=,${'x'.repeat(600)},de`)).toStrictEqual(english);
    const welcome = await ask(local, { headers: { 'accept-language': 'de' } });
    expect([welcome.status, welcome.text.includes('Ein Relay für persönliche Datenkonten')]).toStrictEqual([200, true]);
  });

  it('is replaced by the common error body for clients that accept JSON', async () => {
    const { status, headers, json } = await ask(local, { name: 'alice', headers: { accept: 'application/json' } });
    expect([status, json['error'], json['cause'], headers['retry-after']]).toStrictEqual([
      503,
      'unavailable',
      'This PDA is offline.',
      '30',
    ]);
  });

  it('responds 421 to hosts that cannot be a PDA', async () => {
    for (const host of ['elsewhere.example', `a.b.${REMOTE}`, `<b>.${REMOTE}`, '']) {
      const { status, json } = await ask(remote, { isPlain: true, headers: { host } });
      expect([host, status, json['error']]).toStrictEqual([host, 421, 'misdirected_request']);
    }
  });
});

describe('plain HTTP of a non-local domain', () => {
  it('redirects to https and forwards nothing to a PDA', async () => {
    const tunnel = await holdTunnel(remote, 'bea', () => expect.unreachable(), { idle: 1 });
    const { status, headers } = await ask(remote, { name: 'bea', isPlain: true, path: '/a/b?c=d' });
    expect([status, headers.location]).toStrictEqual([308, `https://bea.${REMOTE}:${remote.port}/a/b?c=d`]);
    const ofRelay = await ask(remote, { isPlain: true, path: '/x' });
    expect([ofRelay.status, ofRelay.headers.location]).toStrictEqual([308, `https://${REMOTE}:${remote.port}/x`]);
    const doubleSlash = await ask(remote, { name: 'bea', isPlain: true, path: '//evil.example/' });
    expect(doubleSlash.headers.location).toBe(`https://bea.${REMOTE}:${remote.port}//evil.example/`);
    expect(tunnel.visits).toStrictEqual([]);
    tunnel.close();
  });
});

describe('a local domain', () => {
  it('forwards plain HTTP unchanged to the PDA of the first Host header', async () => {
    const received: string[] = [];
    const tunnel = await holdTunnel(local, 'bea', (socket) => {
      socket.once('data', (chunk: Buffer) => {
        received.push(chunk.toString());
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi');
      });
      socket.resume();
    });
    const response = await ask(local, { name: 'bea', path: '/x', headers: { 'x-forwarded-for': '8.8.8.8' } });
    expect([response.status, response.text]).toStrictEqual([200, 'hi']);
    expect(received[0]).toMatch(/^GET \/x HTTP\/1\.1\r\n/u);
    expect(received[0]).toContain('8.8.8.8');
    expect(tunnel.visits).toStrictEqual([{ address: '127.0.0.1', port: expect.any(Number) }]);
    tunnel.close();
  });
});

describe('the relay’s own host', () => {
  it('serves the health check and the welcome page', async () => {
    for (const relay of [remote, local]) {
      expect((await ask(relay, { path: '/healthz' })).json).toStrictEqual({ Status: 'OK' });
      const page = await ask(relay, { path: '/' });
      expect([page.status, page.headers['content-type']]).toStrictEqual([200, 'text/html; charset=utf-8']);
      expect(page.text).toContain(relay.domain);
      expect((await ask(relay, { method: 'POST', path: '/alice' })).status).toBe(405);
    }
    expect((await ask(local, { headers: { host: `127.0.0.1:${local.port}` }, path: '/healthz' })).status).toBe(200);
    expect(LOCAL).toBe('localhost');
  });

  it('responds 421 over TLS to other hosts', async () => {
    const { status } = await ask(remote, { headers: { host: 'elsewhere.example' }, path: '/healthz' });
    expect(status).toBe(421);
  });
});
