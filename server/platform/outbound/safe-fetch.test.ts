import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type ThirdPartyServer } from '../../../tests/support/http.ts';
import { createSafeFetch, isPublicAddress, type SafeFetch } from './safe-fetch.ts';

const PUBLIC_ADDRESSES = [{ address: '93.184.216.34', family: 4 }];
const LOOPBACK_ADDRESSES = [{ address: '127.0.0.1', family: 4 }];

let target: ThirdPartyServer;
let port: number;
let requests = 0;
const openFetches: SafeFetch[] = [];
const createFetch = (options: Parameters<typeof createSafeFetch>[0]): SafeFetch => {
  const safeFetch = createSafeFetch(options);
  openFetches.push(safeFetch);
  return safeFetch;
};

beforeAll(async () => {
  target = await serve((request, response) => {
    requests += 1;
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/redirect')
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end('elsewhere');
    else if (pathname === '/close') response.writeHead(200, { connection: 'close' }).end();
    else if (pathname === '/large') response.end('x'.repeat(5000));
    else if (pathname === '/drip') {
      response.write('a');
      const timer = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(timer));
    } else if (pathname === '/silent') response.on('close', () => undefined);
    else if (pathname === '/endless') {
      const writeMore = (): void =>
        void (response.writable && response.write('x'.repeat(10_000), () => setImmediate(writeMore)));
      writeMore();
    } else if (pathname === '/redirect-large')
      response.writeHead(302, { location: '/', 'content-length': 1_000_000_000 }).write('x'.repeat(100_000));
    else if (pathname === '/hints') {
      const count = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('count'));
      for (let n = 0; n < count; n += 1) response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.end('after all');
    } else if (pathname === '/headers') response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end();
    else response.writeHead(200, { 'x-method': request.method ?? '' }).end(`host ${request.headers.host ?? ''}`);
  });
  port = Number(new URL(target.url).port);
});
afterAll(async () => {
  await Promise.all(openFetches.map((safeFetch) => safeFetch.close()));
  await target.close();
});

describe('isPublicAddress', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '169.254.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:93.184.216.34',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '3fff::1',
    '4000::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    'example.com',
    '127.1',
    '0x7f000001',
    '2130706433',
    '127.0.0.1 ',
    '1.2.3.4.5',
  ])('rejects %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('addresses chosen by third parties', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://017700000001',
    'http://127.0.0.1.',
    'http://①②⑦.0.0.1',
    'http://0',
    'http://0.0.0.0',
    'http://10.1.2.3',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166',
    'http://192.168.1.1',
    'http://[::1]',
    'http://[::]',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[::127.0.0.1]',
    'http://[64:ff9b::127.0.0.1]',
    'http://[2002:7f00:1::]',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]',
    'https://[ff02::1]',
  ])('%s is refused without a connection', async (url) => {
    const requestsBefore = requests;
    const urlWithPort = new URL(url);
    urlWithPort.port = String(port);
    const safeFetch = createFetch({
      allowLoopback: false,
      resolve: () => Promise.reject(new Error('nothing to resolve')),
    });
    expect(await safeFetch(urlWithPort.href)).toMatchObject({ ok: false, failure: 'not_public' });
    expect(requests).toBe(requestsBefore);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'unix:/tmp/socket',
    'ws://example.com',
    'http:',
    'http://',
    '',
    'x',
    '//example.com',
    '/path',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://:password@example.com/',
    'http://127.0.0.1@example.com',
    'http://a b/',
    'http://[::1',
    'http://1.2.3.4.5.6/',
    'http://example.com:99999/',
    'http://example.com:0/',
    'http://example.com:22/',
    'http://example.com:25/',
    'https://example.com:993/',
    'http://example.com:2049/',
    'http://example.com:6667/',
  ])('%s is refused as an invalid address', async (url) => {
    const safeFetch = createFetch({ allowLoopback: true, resolve: () => Promise.resolve(LOOPBACK_ADDRESSES) });
    expect(await safeFetch(url)).toMatchObject({ ok: false, failure: 'bad_address' });
  });

  it.each([
    ['loopback', [{ address: '127.0.0.1', family: 4 }]],
    ['loopback in IPv6', [{ address: '::1', family: 6 }]],
    ['a mapped address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['the metadata service', [{ address: '169.254.169.254', family: 4 }]],
    ['one public and one private address', [...PUBLIC_ADDRESSES, ...LOOPBACK_ADDRESSES]],
    ['nothing', []],
  ])('a name that resolves to %s is refused', async (_, addresses) => {
    const requestsBefore = requests;
    const safeFetch = createFetch({ allowLoopback: false, resolve: () => Promise.resolve(addresses) });
    expect(await safeFetch(`http://name.example:${port}/`)).toMatchObject({ ok: false, failure: 'not_public' });
    expect(requests).toBe(requestsBefore);
  });

  it('localhost is refused', async () => {
    expect(await createFetch({ allowLoopback: false })(`http://localhost:${port}/`)).toMatchObject({
      ok: false,
      failure: 'not_public',
    });
  });

  it('names below localhost need no look-up and are refused unless loopback is allowed', async () => {
    const resolve = (): Promise<never> => Promise.reject(new Error('unexpected look-up'));
    const requestsBefore = requests;
    const fetchWithoutLoopback = createFetch({ allowLoopback: false, resolve });
    for (const host of ['ada.localhost', 'ada.localhost.', 'a.b.LOCALHOST']) {
      expect(await fetchWithoutLoopback(`http://${host}:${port}/`)).toMatchObject({ ok: false, failure: 'not_public' });
    }
    expect(requests).toBe(requestsBefore);
    const fetchWithLoopback = createFetch({ allowLoopback: true, resolve });
    expect(await fetchWithLoopback(`http://ada.localhost:${port}/`)).toMatchObject({ ok: true, status: 200 });
    expect(await fetchWithLoopback(`http://adalocalhost:${port}/`)).toMatchObject({
      ok: false,
      failure: 'unreachable',
    });
  });

  it('a name is resolved once per request, and the connection uses the checked address', async () => {
    // Loopback represents the public address, so that no request leaves this machine.
    const resolutions = [LOOPBACK_ADDRESSES, [{ address: '10.0.0.1', family: 4 }]];
    let lookups = 0;
    const safeFetch = createFetch({
      allowLoopback: true,
      resolve: () => Promise.resolve(resolutions[lookups++] ?? []),
    });
    expect(await safeFetch(`http://name.example:${port}/close`)).toMatchObject({ ok: true });
    expect(lookups).toBe(1);
    expect(await safeFetch(`http://name.example:${port}/close`)).toMatchObject({ ok: false, failure: 'not_public' });
    expect(lookups).toBe(2);
  });

  it('a failing resolver is distinguished from a refused address', async () => {
    const safeFetch = createFetch({ allowLoopback: false, resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await safeFetch('http://name.example/')).toMatchObject({ ok: false, failure: 'unreachable' });
  });
});

describe('a safe fetch with loopback allowed, for development', () => {
  const safeFetch = (): SafeFetch => createFetch({ allowLoopback: true });

  it('reaches this machine by IP address and by name', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await safeFetch()(`http://${host}:${port}/`);
      expect(result).toMatchObject({ ok: true, status: 200 });
      expect(result.ok && result.body.toString()).toBe(`host ${host}:${port}`);
    }
  });

  it('does not reach other private addresses', async () => {
    for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '[::ffff:127.0.0.1]', '[fe80::1]']) {
      expect(await safeFetch()(`http://${host}:${port}/`)).toMatchObject({ ok: false, failure: 'not_public' });
    }
  });

  it('sends method, headers and body', async () => {
    const result = await safeFetch()(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(result).toMatchObject({ ok: true, headers: { 'x-method': 'POST' } });
  });

  it('does not follow redirects', async () => {
    const requestsBefore = requests;
    expect(await safeFetch()(`http://127.0.0.1:${port}/redirect`)).toMatchObject({ ok: false, failure: 'redirect' });
    expect(requests).toBe(requestsBefore + 1);
  });

  it('does not count the body of a redirect against the maximum size', async () => {
    expect(await safeFetch()(`http://127.0.0.1:${port}/redirect-large`, { maxBytes: 10 })).toMatchObject({
      ok: false,
      failure: 'redirect',
    });
  });

  it('returns an empty body without waiting for the end of the response if the caller discards the body', async () => {
    for (const path of ['endless', 'drip', 'large', '']) {
      const result = await safeFetch()(`http://127.0.0.1:${port}/${path}`, { discardBody: true, maxBytes: 1 });
      expect(result).toMatchObject({ ok: true, status: 200, body: Buffer.alloc(0) });
    }
  });

  it('is cancelled by its signal before and during the request', async () => {
    const fetchSafely = safeFetch();
    for (const path of ['silent', 'drip']) {
      const controller = new AbortController();
      const call = fetchSafely(`http://127.0.0.1:${port}/${path}`, { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      expect(await call).toMatchObject({ ok: false, failure: 'aborted' });
    }
    expect(await fetchSafely(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      failure: 'aborted',
    });
  });

  it('stops at the maximum size, even for endless bodies', async () => {
    expect(await safeFetch()(`http://127.0.0.1:${port}/large`, { maxBytes: 4999 })).toMatchObject({
      ok: false,
      failure: 'too_large',
    });
    expect(await safeFetch()(`http://127.0.0.1:${port}/large`, { maxBytes: 5000 })).toMatchObject({ ok: true });
    expect(await safeFetch()(`http://127.0.0.1:${port}/endless`, { maxBytes: 50_000 })).toMatchObject({
      ok: false,
      failure: 'too_large',
    });
  });

  it('times out on a silent server and on an endless response', async () => {
    for (const path of ['silent', 'drip']) {
      expect(await safeFetch()(`http://127.0.0.1:${port}/${path}`, { timeoutMs: 150 })).toMatchObject({
        ok: false,
        failure: 'timeout',
      });
    }
  });

  it('ignores a few informational responses and fails after too many of them', async () => {
    const resultAfterFew = await safeFetch()(`http://127.0.0.1:${port}/hints?count=3`);
    expect(resultAfterFew.ok && resultAfterFew.body.toString()).toBe('after all');
    const resultAfterMany = await safeFetch()(`http://127.0.0.1:${port}/hints?count=1000`);
    expect(resultAfterMany).toMatchObject({ ok: false, failure: 'unreachable' });
  });

  it('returns a failure for oversized headers and for a closed port', async () => {
    expect(await safeFetch()(`http://127.0.0.1:${port}/headers`)).toMatchObject({ ok: false, failure: 'unreachable' });
    const closedServer = await serve(() => undefined);
    await closedServer.close();
    expect(await safeFetch()(closedServer.url)).toMatchObject({ ok: false, failure: 'unreachable' });
  });

  it('rejects header values with line breaks', async () => {
    const result = await safeFetch()(`http://127.0.0.1:${port}/`, { headers: { 'x-a': 'b\r\nx-evil: 1' } });
    expect(result.ok).toBe(false);
  });
});
