import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startLocaltunnelServer, type LocaltunnelServer } from './support/localtunnel-server.ts';
import { errorOf, OWNER } from './support/test-pda.ts';
import { callWithHost, startTunnelPda, type TunnelPda } from './support/tunnel.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests a PDA at the real localtunnel server.

const NAME = 'adalace';
const POLL_OPTIONS = { interval: 20 };

let server: LocaltunnelServer;
let pda: TunnelPda | undefined;
beforeAll(async () => {
  server = await startLocaltunnelServer();
});
afterEach(async () => {
  await pda?.close();
  pda = undefined;
  // The server releases a name a second after its last connection.
  await expect.poll(() => server.isNameTaken(NAME), POLL_OPTIONS).toBe(false);
});
afterAll(() => server?.kill());

const start = async (options: { passwordSignIn?: boolean } = {}): Promise<TunnelPda> => {
  const tunnel = { way: 'localtunnel', host: server.url, subdomain: NAME, readableBy: 'localhost', ...options };
  // Uses the shortest back-off.
  pda = await startTunnelPda({ config: { tunnel }, tunnel: { random: () => 0 } });
  return pda;
};
const stateOf = async (tunnelPda: TunnelPda): Promise<string> => (await tunnelPda.exposure()).state;
const waitForState = (tunnelPda: TunnelPda, state: string) =>
  expect.poll(() => stateOf(tunnelPda), POLL_OPTIONS).toBe(state);
const callFromOutside = (path: string, headers: Record<string, string> = {}) =>
  callWithHost(server.port, server.hostOf(NAME), 'GET', path, { headers });
/** Credentials of an unknown account, because password attempts are also limited per account. */
const unknownCredentials = { username: 'unknown', password: 'wrong' };
const signIn = (password: string, headers: Record<string, string> = {}) =>
  callFromOutside('/users/access_token', { username: OWNER.name, password: encodeURIComponent(password), ...headers });

describe('a PDA at a localtunnel server', () => {
  it('is reachable at the address that the server assigned, and reports who can read the traffic', async () => {
    const tunnelPda = await start();
    await waitForState(tunnelPda, 'readable');
    expect((await callFromOutside('/healthz')).status).toBe(200);
    expect(await tunnelPda.exposure()).toMatchObject({
      way: 'localtunnel',
      fixed: true,
      address: `http://${server.hostOf(NAME)}`,
      localtunnel: { host: server.url, subdomain: NAME, readableBy: 'localhost', passwordSignIn: false },
      publicListener: null,
      certificate: null,
      problem: null,
      probe: { reached: true, localAccess: false },
    });
    expect(tunnelPda.pda.exposure.summary()).toStrictEqual({
      state: 'readable',
      address: `http://${server.hostOf(NAME)}`,
      readableBy: 'localhost',
    });
  });

  it('serves its public name only through the tunnel and without local access, and can go dark', async () => {
    const tunnelPda = await start();
    await waitForState(tunnelPda, 'readable');
    expect((await tunnelPda.call('GET', '/healthz', { headers: { host: server.hostOf(NAME) } })).status).toBe(421);
    expect((await callFromOutside('/docs/guide/start.html')).status).toBe(404);
    const darkReply = await tunnelPda.call('POST', '/api/v2.6/owner/go-dark');
    expect(darkReply.json).toMatchObject({ state: 'dark', probe: { reached: false } });
    await expect.poll(() => server.isNameTaken(NAME), POLL_OPTIONS).toBe(false);
    await tunnelPda.call('POST', '/api/v2.6/owner/go-light');
    await waitForState(tunnelPda, 'readable');
    expect((await callFromOutside('/healthz')).status).toBe(200);
  });

  it.skipIf(!IS_THOROUGH_RUN)('counts only connections with a request as visitors', async () => {
    const tunnelPda = await start();
    await waitForState(tunnelPda, 'readable');
    // The server keeps one connection open after its last request.
    await expect.poll(async () => (await tunnelPda.exposure()).visitors, POLL_OPTIONS).toBeLessThanOrEqual(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reconnects after the server was killed and restarted, and stays usable locally',
    async () => {
      const tunnelPda = await start();
      await waitForState(tunnelPda, 'readable');
      await server.kill();
      await waitForState(tunnelPda, 'connecting');
      expect((await tunnelPda.call('GET', '/api/v2.6/owner')).status).toBe(200);
      await expect
        .poll(async () => (await tunnelPda.exposure()).problem, POLL_OPTIONS)
        .toMatch(/could not be reached/u);
      await server.start();
      await waitForState(tunnelPda, 'readable');
      expect((await callFromOutside('/healthz')).status).toBe(200);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'refuses a name that it did not request, and uses the requested one once it is free',
    async () => {
      const otherTunnel = await server.claimName(NAME);
      const tunnelPda = await start();
      await waitForState(tunnelPda, 'refused');
      const refusedExposure = await tunnelPda.exposure();
      expect(refusedExposure).toMatchObject({ address: null, visitors: 0 });
      expect(refusedExposure.problem).toMatch(/in place of adalace/u);
      otherTunnel.release();
      await waitForState(tunnelPda, 'readable');
      expect((await tunnelPda.exposure()).problem).toBe(null);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('closes the tunnel when the server assigns its name to another client', async () => {
    const tunnelPda = await start();
    await waitForState(tunnelPda, 'readable');
    // The server assigns a name to any client that sends a token.
    const thief = await server.claimName(NAME, { query: '?secret_token=thief' });
    expect(thief.url).toBe(`http://${server.hostOf(NAME)}`);
    const probeReply = await tunnelPda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(probeReply.json).toMatchObject({ state: 'impostor', visitors: 0 });
    thief.release();
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'claims the name again when its address stops responding, and reports a refusal',
    async () => {
      const tunnelPda = await start();
      await waitForState(tunnelPda, 'readable');
      const claimName = () => server.claimName(NAME, { query: '?secret_token=thief', status: 404 });
      const thieves = [await claimName()];
      const stateAfterProbe = async (): Promise<string> => {
        // The server frees a name one second after its last connection closes. Another client takes the name if it is
        // free, or if the PDA has claimed it again.
        if (!(await server.isNameTaken(NAME)) || (await callFromOutside('/healthz')).status === 200)
          thieves.push(await claimName());
        await tunnelPda.call('POST', '/api/v2.6/owner/exposure/probe');
        return stateOf(tunnelPda);
      };
      await expect.poll(stateAfterProbe, POLL_OPTIONS).toBe('refused');
      for (const thief of thieves) thief.release();
      await waitForState(tunnelPda, 'readable');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('refuses passwords at an address that others can read', async () => {
    const tunnelPda = await start();
    await waitForState(tunnelPda, 'readable');
    for (const password of [OWNER.password, 'wrong']) {
      const refusedSignIn = await signIn(password);
      expect(refusedSignIn.status).toBe(403);
      expect(errorOf(refusedSignIn).error).toBe('forbidden');
      expect(errorOf(refusedSignIn).cause).toContain('localhost could read them');
    }
    const localReply = await tunnelPda.call('GET', '/users/access_token', {
      token: null,
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    expect(localReply.status).toBe(200);
    const change = { password: OWNER.password, newPassword: 'another horse, another battery' };
    const changeReply = await callWithHost(server.port, server.hostOf(NAME), 'POST', '/api/v2.6/owner/password', {
      headers: { 'x-auth-token': tunnelPda.token },
      json: change,
    });
    expect([changeReply.status, errorOf(changeReply).error]).toStrictEqual([403, 'forbidden']);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'accepts passwords at an address that others can read if the owner has agreed to this',
    async () => {
      const tunnelPda = await start({ passwordSignIn: true });
      await waitForState(tunnelPda, 'readable');
      const signInReply = await signIn(OWNER.password);
      expect(signInReply.status).toBe(200);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('uses the last entry of x-forwarded-for as the address of the client', async () => {
    const tunnelPda = await start({ passwordSignIn: true });
    await waitForState(tunnelPda, 'readable');
    // A public server appends the client's address to the header that the client sent. This server appends nothing.
    const forwardedFrom = (address: string) => ({ 'x-forwarded-for': `192.0.2.99, ${address}` });
    expect((await signIn(OWNER.password, forwardedFrom('203.0.113.9'))).status).toBe(200);
    const sessions = (await tunnelPda.call('GET', '/api/v2.6/owner/sessions')).json as { address: string }[];
    expect(sessions.map(({ address }) => address)).toContain('203.0.113.9');
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100)
      statuses.push(
        (await callFromOutside('/users/access_token', { ...unknownCredentials, ...forwardedFrom('203.0.113.7') }))
          .status,
      );
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn(OWNER.password, forwardedFrom('203.0.113.8'))).status).toBe(200);
  });
});

describe('consent to a localtunnel server that can read all traffic', () => {
  it('must name the host in config.json', async () => {
    const tunnel = { way: 'localtunnel', host: server.url, subdomain: NAME };
    for (const readableBy of [undefined, '', 'relay.example', 'true'])
      await expect(startTunnelPda({ config: { tunnel: { ...tunnel, readableBy } } })).rejects.toThrow(
        /tunnel\.readableBy: write "localhost" here if you agree/u,
      );
    await expect(
      startTunnelPda({ config: { tunnel: { ...tunnel, readableBy: 'localhost', agreed: true } } }),
    ).rejects.toThrow(/agreed/u);
  });

  it.skipIf(!IS_THOROUGH_RUN)('must name the host in the request of the dashboard, and is stored', async () => {
    const tunnelPda = (pda = await startTunnelPda({ tunnel: { random: () => 0 } }));
    const chooseMode = (fields: Record<string, unknown>) =>
      tunnelPda.call('PUT', '/api/v2.6/owner/exposure', {
        json: { way: 'localtunnel', host: server.url, subdomain: NAME, passwordSignIn: false, ...fields },
      });
    for (const invalidFields of [{}, { readableBy: '' }, { readableBy: 'relay.example' }, { readableBy: true }])
      expect((await chooseMode(invalidFields)).status).toBe(400);
    expect(await stateOf(tunnelPda)).toBe('off');
    for (const invalidFields of [
      { host: 'http://lt.example', readableBy: 'lt.example' },
      { host: `${server.url}/path`, readableBy: 'localhost' },
      { subdomain: 'a.b', readableBy: 'localhost' },
    ])
      expect((await chooseMode(invalidFields)).status).toBe(400);
    expect((await chooseMode({ readableBy: 'localhost' })).status).toBe(200);
    await waitForState(tunnelPda, 'readable');
    await tunnelPda.restart();
    await waitForState(tunnelPda, 'readable');
    expect((await tunnelPda.exposure()).localtunnel).toStrictEqual({
      host: server.url,
      subdomain: NAME,
      readableBy: 'localhost',
      passwordSignIn: false,
    });
  });
});
