import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve, type ThirdPartyServer, type Reply } from '../../../../tests/support/http.ts';
import { pause } from '../../../../tests/support/server-process.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 7)]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const DAY = 86_400_000;

let far: ThirdPartyServer;
let origin: string;
let seen: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let pda: TestPda;
let number = 0;

beforeAll(async () => {
  far = await serve((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  origin = far.url;
  pda = await startTestPda({ network: { allowLoopback: true } });
});
afterAll(async () => {
  await pda.close();
  await far.close();
});
beforeEach(() => {
  seen = [];
});

/** A URL that was not requested before. */
const newUrl = (): string => `${origin}/${(number += 1)}`;
const ask = (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  pda.call('GET', `/api/v2.6/owner/picture?url=${encodeURIComponent(url)}`, { headers });
const answers =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);
const expectNone = (reply: Reply): void => {
  expect(reply.status).toBe(404);
  expect(errorOf(reply)).toMatchObject({ error: 'not_found', cause: 'There is no picture at that address.' });
};

describe('a picture', () => {
  it('comes as it is, with the type that its bytes have, whatever its server calls it', async () => {
    answer = answers(200, PNG, { 'content-type': 'text/html' });
    const reply = await ask(newUrl());
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
    expect(reply.body).toStrictEqual(PNG);
  });

  it('that is an SVG comes with a policy under which nothing of it runs', async () => {
    answer = answers(200, SVG, { 'content-type': 'text/html' });
    const reply = await ask(newUrl());
    expect(reply.headers['content-type']).toBe('image/svg+xml');
    expect(reply.headers['content-disposition']).toBe('attachment');
    const policies = reply.rawHeaders.filter((_, index) => reply.rawHeaders[index - 1] === 'content-security-policy');
    expect(policies.some((policy) => /(?:^|; )sandbox$/u.test(policy))).toBe(true);
    for (const policy of policies) expect(policy).toMatch(/default-src 'none'/u);
    expect(reply.text).toBe(SVG);
  });

  it('is asked for without anything of the owner', async () => {
    answer = answers(200, PNG);
    await ask(newUrl(), { cookie: 'a=b', referer: 'http://me/', 'user-agent': 'mine', 'x-forwarded-for': '1.2.3.4' });
    const { host, connection, ...headers } = seen[0]?.headers ?? {};
    expect([host, connection]).toStrictEqual([new URL(origin).host, 'keep-alive']);
    expect(headers).toStrictEqual({ accept: 'image/*' });
  });

  it('is the owner’s alone to ask for', async () => {
    const reply = await pda.call('GET', `/api/v2.6/owner/picture?url=${encodeURIComponent(newUrl())}`, { token: null });
    expect(reply.status).toBe(401);
    expect(seen).toStrictEqual([]);
  });
});

describe('no picture', () => {
  it.each([
    ['a page', answers(200, '<!doctype html><html><svg></svg></html>', { 'content-type': 'image/png' })],
    ['nothing', answers(200, '')],
    ['an error with a picture', answers(404, PNG)],
    [
      'a redirect',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(302, { location: `${origin}/x` }).end(),
    ],
    ['more than 512 kB', answers(200, Buffer.concat([PNG, Buffer.alloc(512_000)]))],
    ['a broken line', (_: IncomingMessage, response: ServerResponse) => void response.destroy()],
  ])('is %s', async (_, wrong) => {
    answer = wrong;
    expectNone(await ask(newUrl()));
    expect(seen).toHaveLength(1);
  });

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'x',
    'http://me:secret@example.com/',
  ])('is at %s', async (url) => expectNone(await ask(url)));

  it('is what one without an address, or with a far too long one, asks for', async () => {
    expect((await pda.call('GET', '/api/v2.6/owner/picture')).status).toBe(400);
    expect((await ask('')).status).toBe(400);
    expect((await ask(`${origin}/${'x'.repeat(2000)}`)).status).toBe(400);
  });
});

describe('what was fetched', () => {
  it('is kept for a day', async () => {
    answer = answers(200, PNG);
    const url = newUrl();
    await ask(url);
    pda.clock.advance(DAY - 1);
    expect((await ask(url)).body).toStrictEqual(PNG);
    expect(seen).toHaveLength(1);
    pda.clock.advance(1);
    pda.token = await pda.signIn();
    await ask(url);
    expect(seen).toHaveLength(2);
  });

  it('without success is not fetched again for a minute', async () => {
    answer = answers(500, '');
    const url = newUrl();
    expectNone(await ask(url));
    answer = answers(200, PNG);
    pda.clock.advance(59_999);
    expectNone(await ask(url));
    expect(seen).toHaveLength(1);
    pda.clock.advance(1);
    expect((await ask(url)).status).toBe(200);
  });

  it('is fetched once for all who ask at the same time, and few at once', async () => {
    const url = newUrl();
    let most = 0;
    let now = 0;
    const { promise: manyCame, resolve } = Promise.withResolvers<void>();
    answer = (_, response) => {
      most = Math.max(most, (now += 1));
      if (now === 6) resolve();
      // The pause is for one too many to come.
      void manyCame
        .then(() => pause(30))
        .then(() => {
          now -= 1;
          response.end(PNG);
        });
    };
    const replies = await Promise.all(
      [...Array.from({ length: 5 }, () => url), ...Array.from({ length: 20 }, newUrl)].map((one) => ask(one)),
    );
    expect(replies.map((reply) => reply.status)).toStrictEqual(replies.map(() => 200));
    expect(seen.filter((request) => origin + (request.url ?? '') === url)).toHaveLength(1);
    expect(most).toBe(6);
  });

  it('is not kept for longer by a clock that is set back', async () => {
    answer = answers(200, PNG);
    const url = newUrl();
    await ask(url);
    pda.clock.advance(-2 * DAY);
    await ask(url);
    pda.clock.advance(2 * DAY);
    expect(seen).toHaveLength(2);
  });

  it('evicts the least recently used pictures when the cache is full', async () => {
    answer = answers(200, Buffer.concat([PNG, Buffer.alloc(500_000)]));
    const first = newUrl();
    const second = newUrl();
    for (const url of [
      first,
      second,
      ...Array.from({ length: 20 }, newUrl),
      first,
      ...Array.from({ length: 10 }, newUrl),
    ])
      await ask(url);
    seen = [];
    await ask(first);
    expect(seen).toHaveLength(0);
    await ask(second);
    expect(seen).toHaveLength(1);
  });

  it('is forgotten when there are too many, however small', async () => {
    answer = answers(404, '');
    const first = newUrl();
    const others = Array.from({ length: 300 }, newUrl);
    await ask(first);
    await Promise.all(others.map((url) => ask(url)));
    seen = [];
    await ask(first);
    expect(seen).toHaveLength(1);
  });
});
