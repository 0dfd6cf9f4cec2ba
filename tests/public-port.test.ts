import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ANONYMOUS_BURST } from '../server/wire/limits.ts';
import type { Exposure } from '../server/wire/exposure.ts';
import { waitForPublicPort, startForwarder, type Forwarder } from './support/forwarder.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { runWithStoppedClock } from './support/stopped-clock.ts';
import { callWithHost } from './support/tunnel.ts';
import { addAuthenticatorApp } from './support/second-factor.ts';

// Tests requests from clients behind a plain TCP forwarder. Only the listener distinguishes them from the owner on this
// machine.

const PUBLIC_HOST = 'ada.example';
let pda: TestPda;
let forwarder: Forwarder;
afterEach(async () => {
  await forwarder?.close();
  await pda?.close();
});

const start = async (config: object = {}): Promise<void> => {
  pda = await startTestPda({
    publicUrl: `https://${PUBLIC_HOST}`,
    config,
    network: { resolve: () => Promise.resolve([]) },
  });
  forwarder = await startForwarder(await pda.publicPort());
};
const signIn = (password: string, headers: Record<string, string> = {}) =>
  callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/users/access_token', {
    headers: { username: OWNER.name, password: encodeURIComponent(password), ...headers },
  });

it('the public port serves the public host and refuses every loopback host with 421', async () => {
  await start();
  expect((await callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/healthz')).status).toBe(200);
  const ports = [pda.port, await pda.publicPort(), forwarder.port];
  const names = ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => ports.map((port) => `${name}:${port}`));
  for (const host of [...names, 'localhost', '127.0.0.1']) {
    const reply = await callWithHost(forwarder.port, host, 'GET', '/healthz');
    expect([host, reply.status, errorOf(reply).error]).toStrictEqual([host, 421, 'misdirected_request']);
  }
});

it('the public port requires the second factor', async () => {
  await start();
  await addAuthenticatorApp(pda);
  const reply = await signIn(OWNER.password);
  expect([reply.status, errorOf(reply).error]).toStrictEqual([401, 'second_factor_required']);
});

it("the public port limits sign-in attempts without locking out the owner on the PDA's own machine", async () => {
  await start();
  for (let count = 0; count < 10; count += 1) expect((await signIn('wrong')).status).toBe(401);
  expect((await signIn('wrong')).status).toBe(429);
  const localReply = await pda.call('GET', '/users/access_token', {
    token: null,
    headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  expect(localReply.status).toBe(200);
});

/** Number of names that `failSignInFrom` has used. It uses each once, so that only the limit per network applies. */
let nameCount = 0;
const failSignInFrom = (forwardedFor: string): Promise<number> =>
  callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/users/access_token', {
    headers: { username: `name${(nameCount += 1)}`, password: 'wrong', 'x-forwarded-for': forwardedFor },
  }).then(({ status }) => status);

it('the public port ignores x-forwarded-for without trusted proxies', async () => {
  await start();
  for (let count = 0; count < 10; count += 1) expect(await failSignInFrom(`203.0.113.${count}`)).toBe(401);
  expect(await failSignInFrom('203.0.113.99')).toBe(429);
  pda.clock.advance(60_000);
  expect((await signIn(OWNER.password, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(200);
  expect(pda.pda.owner.sessions('').map(({ address }) => address)).not.toContain('203.0.113.7');
});

it('the public port uses the address that a trusted proxy appended, not the entries of the client', async () => {
  await start({ proxies: 1 });
  for (let count = 0; count < 10; count += 1)
    expect(await failSignInFrom(`198.51.100.${count}, 203.0.113.7`)).toBe(401);
  expect(await failSignInFrom('198.51.100.99, 203.0.113.7')).toBe(429);
  expect(await failSignInFrom('203.0.113.7, 203.0.113.8')).toBe(401);
  expect((await signIn(OWNER.password, { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' })).status).toBe(200);
  expect(pda.pda.owner.sessions('').map(({ address }) => address)).toContain('203.0.113.9');
});

it('the public port uses the address of the connection if x-forwarded-for has too few entries', async () => {
  await start({ proxies: 2 });
  for (let count = 0; count < 10; count += 1) expect(await failSignInFrom(`203.0.113.${count}`)).toBe(401);
  expect(await failSignInFrom('203.0.113.99')).toBe(429);
  expect(await failSignInFrom('203.0.113.99, 192.0.2.1')).toBe(401);
});

it('the public port lets the owner sign in from a known network while others guess the password', async () => {
  await start({ proxies: 1 });
  const signInFrom = (password: string, address: string) =>
    signIn(password, { 'x-forwarded-for': address }).then(({ status }) => status);
  expect(await signInFrom(OWNER.password, '203.0.113.7')).toBe(200);
  for (let count = 0; count < 10; count += 1) await signInFrom('wrong', `198.51.100.${count}`);
  expect(await signInFrom(OWNER.password, '203.0.113.8')).toBe(429);
  expect(await signInFrom(OWNER.password, '203.0.113.7')).toBe(200);
  // Entries written by the client itself are ignored.
  expect(await signInFrom(OWNER.password, '203.0.113.7, 203.0.113.8')).toBe(429);
});

it('the public port treats clients of a forwarder without headers as an unknown network', async () => {
  await start();
  expect((await signIn(OWNER.password)).status).toBe(200);
  for (let count = 0; count < 10; count += 1) await signIn('wrong');
  expect((await signIn(OWNER.password)).status).toBe(429);
});

it('the PDA evaluates x-forwarded-for on the public port only', async () => {
  await start({ proxies: 1 });
  const headers = { username: OWNER.name, password: OWNER.password, 'x-forwarded-for': '203.0.113.7' };
  expect((await pda.call('GET', '/users/access_token', { token: null, headers })).status).toBe(200);
  expect(pda.pda.owner.sessions('').map(({ address }) => address)).not.toContain('203.0.113.7');
});

it('the public port limits anonymous requests', async () => {
  await start();
  // The requests are pipelined. The 429 response closes the connection, so the remaining requests get no response.
  const socket = connect(forwarder.port, '127.0.0.1').setEncoding('latin1');
  let responses = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => (responses += chunk));
  const closed = once(socket, 'close');
  await runWithStoppedClock(async () => {
    for (let sentCount = 0; sentCount < 2 * ANONYMOUS_BURST && !responses.includes(' 429 '); sentCount += 50) {
      socket.write(`GET /healthz HTTP/1.1\r\nhost: ${PUBLIC_HOST}\r\n\r\n`.repeat(50));
      while (!socket.destroyed && !responses.includes(' 429 ') && responses.split('HTTP/1.1 ').length <= sentCount + 50)
        await Promise.race([once(socket, 'data'), closed]);
    }
  });
  socket.destroy();
  expect(responses).toContain(' 429 ');
  expect((await pda.call('GET', '/healthz', { token: null })).status).toBe(200);
});

it('the public port refuses requests that are permitted only on this machine, such as the guide and backups', async () => {
  await start();
  expect((await callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/docs/guide/start.html')).status).toBe(404);
  const setUpReply = await callWithHost(forwarder.port, PUBLIC_HOST, 'POST', '/api/v2.6/owner/backup/set-up', {
    headers: { 'x-auth-token': pda.token },
    json: { folder: '/tmp/backup', passphrase: 'a long and unguessable passphrase' },
  });
  expect(setUpReply.status).toBe(403);
});

it('the public port refuses requests before the setup', async () => {
  pda = await startTestPda({
    setUp: false,
    publicUrl: `https://${PUBLIC_HOST}`,
    network: { resolve: () => Promise.resolve([]) },
  });
  forwarder = await startForwarder(await pda.publicPort());
  const reply = await callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/api/v2.6/owner/setup');
  expect([reply.status, errorOf(reply).error]).toStrictEqual([403, 'setup_only_local']);
});

it('going dark closes the public port, which keeps its number when it opens again, even after a restart', async () => {
  await start();
  const port = await pda.publicPort();
  await pda.call('POST', '/api/v2.6/owner/go-dark');
  expect(await callWithHost(port, PUBLIC_HOST, 'GET', '/healthz').catch((error: unknown) => Object(error).code)).toBe(
    'ECONNREFUSED',
  );
  for (const host of [PUBLIC_HOST, pda.host])
    expect(await callWithHost(forwarder.port, host, 'GET', '/healthz').catch(() => 'refused')).toBe('refused');
  await pda.call('POST', '/api/v2.6/owner/go-light');
  expect(await waitForPublicPort(pda.pda)).toBe(port);
  expect((await callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/healthz')).status).toBe(200);
  await pda.restart();
  expect(await pda.publicPort()).toBe(port);
});

it('the local port names the public port to a proxy that forwards to the local port by mistake', async () => {
  await start();
  forwarder.target = pda.port;
  const reply = await callWithHost(forwarder.port, PUBLIC_HOST, 'GET', '/healthz');
  expect(reply.status).toBe(421);
  expect(errorOf(reply).cause).toContain(`http://127.0.0.1:${await pda.publicPort()}`);
});

it('the public address is probed again soon after the computer wakes from sleep', async () => {
  forwarder = await startForwarder(1);
  const scheduled = new Set<{ ms: number; work: () => void }>();
  const runTimer = (ms: number): void => {
    const timer = [...scheduled].find((candidate) => candidate.ms === ms);
    if (timer === undefined) throw new Error(`no timer of ${ms} ms is scheduled`);
    scheduled.delete(timer);
    timer.work();
  };
  pda = await startTestPda({
    publicUrl: `http://ada.example:${forwarder.port}`,
    network: { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
    tunnel: {
      timers: {
        schedule(ms, work) {
          const timer = { ms, work };
          scheduled.add(timer);
          return () => scheduled.delete(timer);
        },
      },
    },
  });
  forwarder.target = await pda.publicPort();
  const readState = async (): Promise<string> =>
    ((await pda.call('GET', '/api/v2.6/owner/exposure')).json as Exposure).state;
  await pda.call('POST', '/api/v2.6/owner/exposure/probe');
  expect(await readState()).toBe('reachable');
  pda.clock.advance(60_000);
  // Runs the check for sleep, which compares the clock with the expected time.
  runTimer(5000);
  expect(await readState()).toBe('unproven');
  runTimer(10_000);
  await expect.poll(readState).toBe('reachable');
});

it('the reachability check reports a forwarder that makes remote clients count as local', async () => {
  forwarder = await startForwarder(1);
  const url = `http://ada.example:${forwarder.port}`;
  pda = await startTestPda({
    publicUrl: url,
    network: { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
  });
  const probe = async (): Promise<Exposure> =>
    (await pda.call('POST', '/api/v2.6/owner/exposure/probe')).json as Exposure;
  forwarder.target = await pda.publicPort();
  const exposure = await probe();
  expect(exposure).toMatchObject({
    state: 'reachable',
    publicListener: `http://127.0.0.1:${forwarder.target}`,
    probe: { reached: true, localAccess: false },
  });
  forwarder.target = pda.port;
  const misroutedExposure = await probe();
  expect(misroutedExposure).toMatchObject({ state: 'unreachable', probe: { reached: false, localAccess: true } });
  expect(misroutedExposure.problem).toContain(exposure.publicListener);
});

it('a public address on this computer needs no second port, and the reachability check reaches it', async () => {
  pda = await startTestPda();
  const url = `http://${pda.host}`;
  await pda.call('PUT', '/api/v2.6/owner/exposure', { json: { way: 'own', publicUrl: url } });
  expect((await pda.call('POST', '/api/v2.6/owner/exposure/probe')).json).toMatchObject({
    state: 'reachable',
    publicListener: null,
    probe: { reached: true, localAccess: false },
  });
});

it('a PDA without a public address opens no second port', async () => {
  pda = await startTestPda();
  expect((await pda.call('GET', '/api/v2.6/owner/exposure')).json).toMatchObject({ publicListener: null });
});
