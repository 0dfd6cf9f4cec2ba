import { writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openAuthority, type Authority } from './support/authority.ts';
import { selfSigned } from './support/self-signed.ts';
import { REMOTE, removeFolders, startRelay, type TestRelay } from './support/relay.ts';
import { OWNER } from './support/test-pda.ts';
import { startTunnelPda, type TunnelPda } from './support/tunnel.ts';

/** The whole way: the relay as it ships, a certificate from an authority, and a visitor who trusts nobody but that. */

let relay: TestRelay | undefined;
let authority: Authority | undefined;
let pda: TunnelPda | undefined;
const servers = new Set<Server>();
afterEach(async () => {
  await pda?.close();
  await relay?.close();
  await authority?.close();
  for (const server of servers) server.close();
  servers.clear();
  removeFolders();
});

const NAME = `${OWNER.name}.${REMOTE}`;

/** @param at where the relay is found: by what stands there, everything comes and goes */
const start = async (at = '127.0.0.1') => {
  const there = await startRelay({ domain: REMOTE });
  relay = there;
  const certifier = await openAuthority(() => ({ host: '127.0.0.1', port: there.port }));
  authority = certifier;
  const authorities = join(there.home, 'authorities.pem');
  writeFileSync(authorities, `${certifier.trust}\n${there.ca ?? ''}`);
  /** Where the name of the PDA leads to; that of the relay leads to the relay. */
  const way = { to: at };
  const one = await startTunnelPda({
    config: {
      tunnel: { relay: `https://${REMOTE}:${there.port}`, domain: REMOTE, authority: certifier.url },
      development: { authorities },
    },
    network: {
      resolve: (name) => Promise.resolve([{ address: name === NAME ? way.to : at, family: 4 }]),
    },
  });
  pda = one;
  return { relay: there, authority: certifier, pda: one, way };
};

type Seen = { status: number; body: Buffer };

const visit = (port: number, trust: string, options: RequestOptions & { body?: string } = {}): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const { body, headers, ...rest } = options;
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        servername: NAME,
        ca: trust,
        agent: false,
        headers: { host: `${NAME}:${port}`, ...(headers as Record<string, string>) },
        ...rest,
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts) }));
      },
    );
    sent.on('error', reject).end(body);
  });

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

const becomes = (one: TunnelPda, state: string) =>
  expect.poll(() => one.exposure(), { timeout: 15_000, interval: 50 }).toMatchObject({ state, problem: null });

describe('a PDA by TLS that ends in it', () => {
  it('gets its certificate through the tunnel, and is reached under it', { timeout: 40_000 }, async () => {
    const t = await start();
    await becomes(t.pda, 'reachable');
    const exposure = await t.pda.exposure();
    expect(exposure).toMatchObject({
      address: `https://${NAME}:${t.relay.port}`,
      certificate: { state: 'good', problem: null },
      probe: { reached: true },
      terms: t.authority.terms,
    });
    const { trust } = t.authority;
    const signedIn = await visit(t.relay.port, trust, {
      path: '/users/access_token',
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    expect(signedIn.status).toBe(200);
    const { accessToken } = JSON.parse(signedIn.body.toString()) as { accessToken: string };
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.iss).toBe(`${NAME}:${t.relay.port}`);
    // Whatever a visitor says of names in between, no address is made of it.
    const forged = await visit(t.relay.port, trust, { headers: { host: `127.0.0.1:${t.pda.port}` } });
    expect(forged.status).toBe(421);
    await expect(visit(t.relay.port, trust, { headers: { host: 'x' }, servername: `bob.${REMOTE}` })).rejects.toThrow();
  });

  it('is read by nobody on the way', { timeout: 40_000 }, async () => {
    const AT = '127.0.0.3';
    const t = await start(AT);
    const { heard } = await openLine(AT, t.relay.port);
    await becomes(t.pda, 'reachable');
    const { trust } = t.authority;
    const signedIn = await visit(t.relay.port, trust, {
      host: AT,
      path: '/users/access_token',
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    const { accessToken } = JSON.parse(signedIn.body.toString()) as { accessToken: string };
    const canary = 'a canary that sings to nobody';
    const headers = { 'x-auth-token': accessToken, 'content-type': 'application/json' };
    const path = '/api/v2.6/data/diary/days';
    const stored = await visit(t.relay.port, trust, {
      host: AT,
      method: 'POST',
      path,
      headers,
      body: JSON.stringify({ text: canary }),
    });
    expect(stored.status).toBe(201);
    const read = await visit(t.relay.port, trust, { host: AT, path, headers });
    expect(read.body.toString()).toContain(canary);
    const passed = heard();
    // The name is seen, and with it that all of this went by here.
    expect(passed.includes(NAME)).toBe(true);
    expect(passed.length).toBeGreaterThan(5000);
    for (const secret of [canary, 'diary', accessToken, encodeURIComponent(OWNER.password), 'x-auth-token'])
      expect(passed.includes(secret), secret).toBe(false);
  });

  it(
    'is reached over a slow line that breaks again and again, and is as quick as ever at this machine',
    {
      timeout: 60_000,
    },
    async () => {
      const AT = '127.0.0.4';
      const t = await start(AT);
      const line = await openLine(AT, t.relay.port);
      await becomes(t.pda, 'reachable');
      const { trust } = t.authority;
      const look = () =>
        visit(t.relay.port, trust, { host: AT, path: '/healthz' }).then(
          ({ status }) => status,
          () => 0,
        );
      Object.assign(line, { delayMs: 150, cutEvery: 3 });
      const found: number[] = [];
      for (let round = 0; round < 6; round += 1) {
        found.push(await look());
        const begun = performance.now();
        expect((await t.pda.call('GET', '/healthz')).status).toBe(200);
        expect(performance.now() - begun).toBeLessThan(1000);
      }
      // A third of all lines breaks, those of visitors and those of the PDA.
      expect(found.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
      Object.assign(line, { delayMs: 0, cutEvery: 0 });
      await expect.poll(look, { timeout: 10_000 }).toBe(200);
      await becomes(t.pda, 'reachable');
    },
  );

  it('cuts a download that runs when it goes dark', { timeout: 40_000 }, async () => {
    const t = await start();
    await becomes(t.pda, 'reachable');
    const { trust } = t.authority;
    const signedIn = await visit(t.relay.port, trust, {
      path: '/users/access_token',
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    const { accessToken } = JSON.parse(signedIn.body.toString()) as { accessToken: string };
    const records = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(9000) }));
    await t.pda.call('POST', '/api/v2.6/data/diary/days', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(records),
    });
    const cut = new Promise<number>((resolve, reject) => {
      const headers = { host: `${NAME}:${t.relay.port}`, 'x-auth-token': accessToken };
      const options = { host: '127.0.0.1', port: t.relay.port, servername: NAME, ca: trust, agent: false, headers };
      const asked = request({ ...options, path: '/api/v2.6/data/diary/days?take=1000' }, (answer) => {
        // It has begun, and is read no further.
        answer.once('readable', () => {
          const begun = performance.now();
          answer.once('error', () => resolve(performance.now() - begun));
          answer.once('end', () => reject(new Error('it came to its end')));
          void t.pda.call('POST', '/api/v2.6/owner/go-dark').then(() => answer.resume());
        });
      });
      asked.on('error', () => undefined).end();
    });
    expect(await cut).toBeLessThan(4000);
  });

  it('goes dark and comes back', { timeout: 40_000 }, async () => {
    const t = await start();
    await becomes(t.pda, 'reachable');
    const begun = performance.now();
    const dark = await t.pda.call('POST', '/api/v2.6/owner/go-dark');
    expect(dark.json).toMatchObject({ state: 'dark', probe: { reached: false } });
    await expect(visit(t.relay.port, t.authority.trust, { path: '/healthz' })).rejects.toThrow();
    expect(performance.now() - begun).toBeLessThan(4000);
    await t.pda.call('POST', '/api/v2.6/owner/go-light');
    await becomes(t.pda, 'reachable');
    expect((await visit(t.relay.port, t.authority.trust, { path: '/healthz' })).status).toBe(200);
    expect(t.authority.count('order')).toBe(1);
  });
});

describe('a relay that answers in the place of the PDA', () => {
  it('is found out, and let in nowhere, until it is this PDA again', { timeout: 40_000 }, async () => {
    const t = await start();
    await becomes(t.pda, 'reachable');
    // The PDA's claims and connections go on to the relay. Whoever else comes meets somebody with a key of their own, whom everybody trusts.
    const asked: Socket[] = [];
    const pair = selfSigned(NAME);
    const impostor = createTlsServer({ cert: pair.cert, key: pair.key }, (socket) => {
      asked.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => impostor.listen(t.relay.port, '127.0.0.2', resolve));
    servers.add(impostor);
    t.way.to = '127.0.0.2';
    const found = await t.pda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(found.json).toMatchObject({ state: 'impostor', visitors: 0, probe: { reached: false } });
    // It was told nothing, not even what was looked for.
    expect(asked.every(({ bytesRead }) => bytesRead === 0)).toBe(true);
    await expect
      .poll(async () =>
        visit(t.relay.port, t.authority.trust, { path: '/healthz' }).then(
          () => 'in',
          () => 'out',
        ),
      )
      .toBe('out');
    // Also by a tunnel that is open for a try, nobody else is let in.
    t.way.to = '127.0.0.1';
    const again = await t.pda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(again.json).toMatchObject({ state: 'reachable', probe: { reached: true } });
    expect((await visit(t.relay.port, t.authority.trust, { path: '/healthz' })).status).toBe(200);
  });
});
