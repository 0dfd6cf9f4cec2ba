import { writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import type { Server, Socket } from 'node:net';
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

const start = async () => {
  const there = await startRelay({ domain: REMOTE });
  relay = there;
  const certifier = await openAuthority(() => ({ host: '127.0.0.1', port: there.port }));
  authority = certifier;
  const authorities = join(there.home, 'authorities.pem');
  writeFileSync(authorities, `${certifier.trust}\n${there.ca ?? ''}`);
  /** Where the name of the PDA leads to; that of the relay leads to the relay. */
  const way = { to: '127.0.0.1' };
  const one = await startTunnelPda({
    config: {
      tunnel: { relay: `https://${REMOTE}:${there.port}`, domain: REMOTE, authority: certifier.url },
      development: { authorities },
    },
    network: {
      resolve: (name) => Promise.resolve([{ address: name === NAME ? way.to : '127.0.0.1', family: 4 }]),
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
