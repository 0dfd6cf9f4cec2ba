import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve, type ThirdPartyServer, type Reply } from '../../../../tests/support/http.ts';
import { pause } from '../../../../tests/support/server-process.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 7)]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const DAY_MS = 86_400_000;

let server: ThirdPartyServer;
let origin: string;
let requests: IncomingMessage[] = [];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let pda: TestPda;
let urlCount = 0;

beforeAll(async () => {
  server = await serve((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  origin = server.url;
  pda = await startTestPda({ network: { allowLoopback: true } });
});
afterAll(async () => {
  await pda.close();
  await server.close();
});
beforeEach(() => {
  requests = [];
});

const newUrl = (): string => `${origin}/${(urlCount += 1)}`;
const fetchPicture = (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  pda.call('GET', `/api/v2.6/owner/picture?url=${encodeURIComponent(url)}`, { headers });
const respondWith =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);
const expectNotFound = (reply: Reply): void => {
  expect(reply.status).toBe(404);
  expect(errorOf(reply)).toMatchObject({ error: 'not_found', cause: 'No picture was found at this address.' });
};

describe('a picture', () => {
  it('is served unchanged, with the type of its content instead of the declared type', async () => {
    respond = respondWith(200, PNG, { 'content-type': 'text/html' });
    const reply = await fetchPicture(newUrl());
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
    expect(reply.body).toStrictEqual(PNG);
  });

  it('is served with a policy that blocks scripts if it is an SVG', async () => {
    respond = respondWith(200, SVG, { 'content-type': 'text/html' });
    const reply = await fetchPicture(newUrl());
    expect(reply.headers['content-type']).toBe('image/svg+xml');
    expect(reply.headers['content-disposition']).toBe('attachment');
    const policies = reply.rawHeaders.filter((_, index) => reply.rawHeaders[index - 1] === 'content-security-policy');
    expect(policies.some((policy) => /(?:^|; )sandbox$/u.test(policy))).toBe(true);
    for (const policy of policies) expect(policy).toMatch(/default-src 'none'/u);
    expect(reply.text).toBe(SVG);
  });

  it("is requested without the owner's request headers", async () => {
    respond = respondWith(200, PNG);
    await fetchPicture(newUrl(), {
      cookie: 'a=b',
      referer: 'http://me/',
      'user-agent': 'browser',
      'x-forwarded-for': '1.2.3.4',
    });
    const { host, connection, ...headers } = requests[0]?.headers ?? {};
    expect([host, connection]).toStrictEqual([new URL(origin).host, 'keep-alive']);
    expect(headers).toStrictEqual({ accept: 'image/*' });
  });

  it('is served only with a token', async () => {
    const reply = await pda.call('GET', `/api/v2.6/owner/picture?url=${encodeURIComponent(newUrl())}`, { token: null });
    expect(reply.status).toBe(401);
    expect(requests).toStrictEqual([]);
  });
});

describe('the picture route', () => {
  it.each([
    ['a web page', respondWith(200, '<!doctype html><html><svg></svg></html>', { 'content-type': 'image/png' })],
    ['an empty body', respondWith(200, '')],
    ['an error with a picture', respondWith(404, PNG)],
    [
      'a redirect',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(302, { location: `${origin}/x` }).end(),
    ],
    ['more than 512 kB', respondWith(200, Buffer.concat([PNG, Buffer.alloc(512_000)]))],
    ['a broken connection', (_: IncomingMessage, response: ServerResponse) => void response.destroy()],
  ])('returns 404 for %s', async (_, handler) => {
    respond = handler;
    expectNotFound(await fetchPicture(newUrl()));
    expect(requests).toHaveLength(1);
  });

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'x',
    'http://me:secret@example.com/',
  ])('returns 404 for the URL %s', async (url) => expectNotFound(await fetchPicture(url)));

  it('returns 400 for a missing, empty or overlong URL', async () => {
    expect((await pda.call('GET', '/api/v2.6/owner/picture')).status).toBe(400);
    expect((await fetchPicture('')).status).toBe(400);
    expect((await fetchPicture(`${origin}/${'x'.repeat(2000)}`)).status).toBe(400);
  });
});

describe('the cache of pictures', () => {
  it('keeps a picture for one day', async () => {
    respond = respondWith(200, PNG);
    const url = newUrl();
    await fetchPicture(url);
    pda.clock.advance(DAY_MS - 1);
    expect((await fetchPicture(url)).body).toStrictEqual(PNG);
    expect(requests).toHaveLength(1);
    pda.clock.advance(1);
    pda.token = await pda.signIn();
    await fetchPicture(url);
    expect(requests).toHaveLength(2);
  });

  it('keeps a failure for one minute', async () => {
    respond = respondWith(500, '');
    const url = newUrl();
    expectNotFound(await fetchPicture(url));
    respond = respondWith(200, PNG);
    pda.clock.advance(59_999);
    expectNotFound(await fetchPicture(url));
    expect(requests).toHaveLength(1);
    pda.clock.advance(1);
    expect((await fetchPicture(url)).status).toBe(200);
  });

  it('shares a fetch between concurrent requests, and fetches at most 6 pictures at the same time', async () => {
    const sharedUrl = newUrl();
    let peak = 0;
    let active = 0;
    const { promise: limitReached, resolve } = Promise.withResolvers<void>();
    respond = (_, response) => {
      peak = Math.max(peak, (active += 1));
      if (active === 6) resolve();
      // Without the limit, a seventh request would arrive during the pause.
      void limitReached
        .then(() => pause(30))
        .then(() => {
          active -= 1;
          response.end(PNG);
        });
    };
    const replies = await Promise.all(
      [...Array.from({ length: 5 }, () => sharedUrl), ...Array.from({ length: 20 }, newUrl)].map((url) =>
        fetchPicture(url),
      ),
    );
    expect(replies.map((reply) => reply.status)).toStrictEqual(replies.map(() => 200));
    expect(requests.filter((request) => origin + (request.url ?? '') === sharedUrl)).toHaveLength(1);
    expect(peak).toBe(6);
  });

  it('drops a picture if the clock is set back by more than a day', async () => {
    respond = respondWith(200, PNG);
    const url = newUrl();
    await fetchPicture(url);
    pda.clock.advance(-2 * DAY_MS);
    await fetchPicture(url);
    pda.clock.advance(2 * DAY_MS);
    expect(requests).toHaveLength(2);
  });

  it('evicts the least recently used pictures when it is full', async () => {
    respond = respondWith(200, Buffer.concat([PNG, Buffer.alloc(500_000)]));
    const firstUrl = newUrl();
    const secondUrl = newUrl();
    for (const url of [
      firstUrl,
      secondUrl,
      ...Array.from({ length: 20 }, newUrl),
      firstUrl,
      ...Array.from({ length: 10 }, newUrl),
    ])
      await fetchPicture(url);
    requests = [];
    await fetchPicture(firstUrl);
    expect(requests).toHaveLength(0);
    await fetchPicture(secondUrl);
    expect(requests).toHaveLength(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)('contains at most 300 entries, even if they are failures', async () => {
    respond = respondWith(404, '');
    const firstUrl = newUrl();
    const otherUrls = Array.from({ length: 300 }, newUrl);
    await fetchPicture(firstUrl);
    await Promise.all(otherUrls.map((url) => fetchPicture(url)));
    requests = [];
    await fetchPicture(firstUrl);
    expect(requests).toHaveLength(1);
  });
});
