import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuthority, type Authority } from './support/authority.ts';
import { trustFew } from './support/authority-client.ts';
import { selfSigned } from './support/self-signed.ts';
import { REMOTE, removeFolders, startRelay, type TestRelay } from './support/relay.ts';
import { OWNER } from './support/test-pda.ts';
import { startTunnelPda, type TunnelPda } from './support/tunnel.ts';

/** The whole way: the relay as it ships, a certificate from an authority, and a visitor who trusts nobody but that. */

const NAME = `${OWNER.name}.${REMOTE}`;

let relay: TestRelay;
let authority: Authority;
let pda: TunnelPda;
/** Where the names of the relay and of the PDA lead to: to the relay, or to what stands before it. */
const way = { relay: '127.0.0.1', pda: '127.0.0.1' };
const servers = new Set<Server>();
beforeAll(trustFew);
beforeAll(async () => {
  relay = await startRelay({ domain: REMOTE });
  authority = await openAuthority(() => ({ host: '127.0.0.1', port: relay.port }));
  const authorities = join(relay.home, 'authorities.pem');
  writeFileSync(authorities, `${authority.trust}\n${relay.ca ?? ''}`);
  pda = await startTunnelPda({
    config: {
      tunnel: { relay: `https://${REMOTE}:${relay.port}`, domain: REMOTE, authority: authority.url },
      development: { authorities },
    },
    network: {
      resolve: (name) => Promise.resolve([{ address: name === NAME ? way.pda : way.relay, family: 4 }]),
    },
  });
});
afterAll(async () => {
  await pda?.close();
  await relay?.close();
  await authority?.close();
  for (const server of servers) server.close();
  removeFolders();
});

type Seen = { status: number; headers: IncomingHttpHeaders; body: Buffer };

const visit = (options: RequestOptions & { body?: string } = {}): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const { port } = relay;
    const { body, headers, ...rest } = options;
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        servername: NAME,
        ca: authority.trust,
        agent: false,
        headers: { host: `${NAME}:${port}`, ...(headers as Record<string, string>) },
        ...rest,
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
        );
      },
    );
    sent.on('error', reject).end(body);
  });

const signIn = async (where: Pick<RequestOptions, 'host'> = {}) => {
  const signedIn = await visit({
    ...where,
    path: '/users/access_token',
    headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  const { accessToken } = JSON.parse(signedIn.body.toString()) as { accessToken: string };
  return { signedIn, accessToken };
};

/** The way to a relay, under another address of this machine: every byte that passes is kept, and it can be made a bad one. */
type Line = { heard(): Buffer; delayMs: number; cutEvery: number };
const openLine = async (at: string, port: number): Promise<Line> => {
  const parts: Buffer[] = [];
  const line: Line = { heard: () => Buffer.concat(parts), delayMs: 0, cutEvery: 0 };
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    count += 1;
    const far = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const isCut = line.cutEvery > 0 && count % line.cutEvery === 0;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('data', (part: Buffer) => {
        parts.push(part);
        // What is late stays in its order: every part waits as long.
        setTimeout(() => (isCut ? near.destroy() : to.write(part)), line.delayMs);
      });
      from.once('end', () => setTimeout(() => to.end(), line.delayMs));
      from.once('close', () => setTimeout(() => to.destroy(), line.delayMs));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, at, resolve));
  servers.add(server);
  return line;
};

const becomes = (state: string) =>
  expect.poll(() => pda.exposure(), { interval: 50 }).toMatchObject({ state, problem: null });

describe('a PDA by TLS that ends in it', () => {
  it('gets its certificate through the tunnel, and is reached under it', async () => {
    await becomes('reachable');
    const exposure = await pda.exposure();
    expect(exposure).toMatchObject({
      address: `https://${NAME}:${relay.port}`,
      certificate: { state: 'good', problem: null },
      probe: { reached: true },
      terms: authority.terms,
    });
    const { signedIn, accessToken } = await signIn();
    expect(signedIn.status).toBe(200);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.iss).toBe(`${NAME}:${relay.port}`);
    // Whatever a visitor says of names in between, no address is made of it.
    const forged = await visit({ headers: { host: `127.0.0.1:${pda.port}` } });
    expect(forged.status).toBe(421);
    await expect(visit({ headers: { host: 'x' }, servername: `bob.${REMOTE}` })).rejects.toThrow();
    // By the right name at the door, and another one within: nobody of this machine, nor of another PDA.
    const port = String(pda.port);
    for (const host of [
      '127.0.0.1',
      `localhost:${port}`,
      `[::1]:${port}`,
      '',
      REMOTE,
      `bob.${REMOTE}`,
      NAME,
      `${NAME}.:${relay.port}`,
    ]) {
      const path = '/api/v2.6/owner/setup';
      const other = await visit({
        method: 'POST',
        path,
        headers: { host, 'x-forwarded-for': '127.0.0.1' },
      });
      expect([host, other.status]).toStrictEqual([host, 421]);
    }
    // A whole address in the place of a path leads to nothing but a page.
    const absolute = await visit({ path: `http://127.0.0.1:${port}/api/v2.6/owner` });
    expect(absolute.body.toString()).not.toContain('"name"');
    // Who was here once is not led back to plain HTTP; at this machine, where there is no TLS, nobody is told that there is.
    expect(signedIn.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await pda.call('GET', '/healthz')).headers['strict-transport-security']).toBeUndefined();
  });

  it('cuts a download that runs when it goes dark', async () => {
    await becomes('reachable');
    const { accessToken } = await signIn();
    const records = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(9000) }));
    await pda.call('POST', '/api/v2.6/data/diary/days', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(records),
    });
    const cut = new Promise<'cut'>((resolve, reject) => {
      const headers = { host: `${NAME}:${relay.port}`, 'x-auth-token': accessToken };
      const options = {
        host: '127.0.0.1',
        port: relay.port,
        servername: NAME,
        ca: authority.trust,
        agent: false,
        headers,
      };
      const asked = request({ ...options, path: '/api/v2.6/data/diary/days?take=1000' }, (answer) => {
        // It has begun, and is read no further.
        answer.once('readable', () => {
          answer.once('error', () => resolve('cut'));
          answer.once('end', () => reject(new Error('it came to its end')));
          void pda.call('POST', '/api/v2.6/owner/go-dark').then(() => answer.resume());
        });
      });
      asked.on('error', () => undefined).end();
    });
    try {
      expect(await cut).toBe('cut');
    } finally {
      await pda.call('POST', '/api/v2.6/owner/go-light');
    }
  });

  it('goes dark and comes back', async () => {
    await becomes('reachable');
    const dark = await pda.call('POST', '/api/v2.6/owner/go-dark');
    expect(dark.json).toMatchObject({ state: 'dark', probe: { reached: false } });
    await expect(visit({ path: '/healthz' })).rejects.toThrow();
    await pda.call('POST', '/api/v2.6/owner/go-light');
    await becomes('reachable');
    expect((await visit({ path: '/healthz' })).status).toBe(200);
    expect(authority.count('order')).toBe(1);
  });
});

describe('a relay that answers in the place of the PDA', () => {
  it('is found out, and let in nowhere, until it is this PDA again', async () => {
    await becomes('reachable');
    // The PDA's claims and connections go on to the relay. Whoever else comes meets somebody with a key of their own, whom everybody trusts.
    const asked: Socket[] = [];
    const pair = await selfSigned(NAME);
    const impostor = createTlsServer({ cert: pair.cert, key: pair.key }, (socket) => {
      asked.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => impostor.listen(relay.port, '127.0.0.2', resolve));
    servers.add(impostor);
    way.pda = '127.0.0.2';
    const found = await pda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(found.json).toMatchObject({ state: 'impostor', visitors: 0, probe: { reached: false } });
    // It was told nothing, not even what was looked for.
    expect(asked.every(({ bytesRead }) => bytesRead === 0)).toBe(true);
    await expect
      .poll(async () =>
        visit({ path: '/healthz' }).then(
          () => 'in',
          () => 'out',
        ),
      )
      .toBe('out');
    // Also by a tunnel that is open for a try, nobody else is let in.
    way.pda = '127.0.0.1';
    const again = await pda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(again.json).toMatchObject({ state: 'reachable', probe: { reached: true } });
    expect((await visit({ path: '/healthz' })).status).toBe(200);
  });
});

describe('by a way on which somebody stands', () => {
  const AT = '127.0.0.3';
  let line: Line;
  beforeAll(async () => {
    line = await openLine(AT, relay.port);
    Object.assign(way, { relay: AT, pda: AT });
    // Everything that was open goes the old way.
    await pda.call('POST', '/api/v2.6/owner/go-dark');
    await pda.call('POST', '/api/v2.6/owner/go-light');
  });

  it('a PDA is read by nobody', async () => {
    await becomes('reachable');
    const { accessToken } = await signIn({ host: AT });
    const canary = 'a canary that sings to nobody';
    const headers = { 'x-auth-token': accessToken, 'content-type': 'application/json' };
    const path = '/api/v2.6/data/diary/nights';
    const stored = await visit({
      host: AT,
      method: 'POST',
      path,
      headers,
      body: JSON.stringify({ text: canary }),
    });
    expect(stored.status).toBe(201);
    const read = await visit({ host: AT, path, headers });
    expect(read.body.toString()).toContain(canary);
    const passed = line.heard();
    // The name is seen, and with it that all of this went by here.
    expect(passed.includes(NAME)).toBe(true);
    expect(passed.length).toBeGreaterThan(5000);
    for (const secret of [canary, 'diary', accessToken, encodeURIComponent(OWNER.password), 'x-auth-token'])
      expect(passed.includes(secret), secret).toBe(false);
  });

  it('a PDA is reached where it is slow and breaks again and again, and is as quick as ever at this machine', async () => {
    await becomes('reachable');
    const look = () =>
      visit({ host: AT, path: '/healthz' }).then(
        ({ status }) => status,
        () => 0,
      );
    Object.assign(line, { delayMs: 150, cutEvery: 3 });
    const found: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      found.push(await look());
      expect((await pda.call('GET', '/healthz')).status).toBe(200);
    }
    // A third of all lines breaks, those of visitors and those of the PDA.
    expect(found.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    Object.assign(line, { delayMs: 0, cutEvery: 0 });
    await expect.poll(look).toBe(200);
    await becomes('reachable');
  });
});
