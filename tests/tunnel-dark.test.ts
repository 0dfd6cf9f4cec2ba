import { Agent, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exposure } from '../server/wire/exposure.ts';
import { openRequest, serve } from './support/http.ts';
import { waitForPublicPort } from './support/forwarder.ts';
import { errorOf, OWNER } from './support/test-pda.ts';
import {
  callWithHost,
  startStandInRelay,
  startTunnelPda,
  type StandInRelay,
  type TunnelPda,
} from './support/tunnel.ts';

let relay: StandInRelay;
let pda: TunnelPda;
afterEach(async () => {
  await pda?.close();
  await relay?.stop();
});

const start = async (config?: unknown): Promise<void> => {
  relay = await startStandInRelay();
  pda = await startTunnelPda({ config: config ?? { tunnel: { relay: relay.url, domain: 'relay.localhost' } } });
};
const waitUntilReachable = () =>
  expect.poll(async () => (await pda.exposure()).state, { interval: 20 }).toBe('reachable');
const publicHost = () => `${OWNER.name}.relay.localhost:${relay.port}`;
const switchExposure = async (method: 'go-dark' | 'go-light'): Promise<Exposure> => {
  const reply = await pda.call('POST', `/api/v2.6/owner/${method}`);
  expect(reply.status).toBe(200);
  return reply.json as Exposure;
};
/** Sends a request from outside. @returns the HTTP status; 0 without a response */
const callFromOutside = (agent?: Agent): Promise<number> =>
  callWithHost(relay.port, publicHost(), 'GET', '/healthz', agent === undefined ? {} : { agent }).then(
    ({ status }) => status,
    () => 0,
  );

describe('going dark', () => {
  it('closes the public address and its connections immediately, and a probe confirms this', async () => {
    await start();
    await waitUntilReachable();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await callFromOutside(agent)).toBe(200);
    const headers = { host: publicHost(), 'x-auth-token': pda.token };
    const stream: IncomingMessage = await openRequest(`http://127.0.0.1:${relay.port}/api/v2.6/owner/events`, {
      headers,
    });
    const streamBroken = new Promise((resolve) => {
      stream.once('aborted', resolve).once('error', resolve).once('end', resolve);
      stream.resume();
    });
    const darkExposure = await switchExposure('go-dark');
    await streamBroken;
    expect(darkExposure).toMatchObject({ state: 'dark', dark: true, visitors: 0, probe: { reached: false } });
    // The probe fails in one of several ways within its time limit of a second.
    expect(darkExposure.probe?.problem).toMatch(/offline|answered|aborted/u);
    expect(Date.parse(darkExposure.probe?.at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(darkExposure.darkSince ?? '') - 5,
    );
    expect([await callFromOutside(agent), await callFromOutside()].every((status) => status !== 200)).toBe(true);
    await expect.poll(() => relay.releasedNames).toStrictEqual([OWNER.name]);
    // Local access is not affected, even after a restart.
    expect((await pda.call('GET', '/api/v2.6/owner')).json).toMatchObject({ publicUrl: `http://${publicHost()}` });
    const claimCount = relay.claims.length;
    await pda.restart();
    expect(await pda.exposure()).toMatchObject({ state: 'dark' });
    expect(relay.claims.length).toBe(claimCount);

    const lightExposure = await switchExposure('go-light');
    expect(lightExposure).toMatchObject({ dark: false, darkSince: null });
    await waitUntilReachable();
    expect(await callFromOutside()).toBe(200);
    const ledger = (await pda.call('GET', '/api/v2.6/owner/ledger')).json as { rows: { action: string }[] };
    expect(ledger.rows.map(({ action }) => action)).toStrictEqual(expect.arrayContaining(['go-dark', 'go-light']));
    agent.destroy();
  });

  it('cuts connections before it notifies the relay', async () => {
    await start();
    await waitUntilReachable();
    const headers = { host: publicHost(), 'x-auth-token': pda.token };
    const stream = await openRequest(`http://127.0.0.1:${relay.port}/api/v2.6/owner/events`, { headers });
    stream.on('error', () => undefined).resume();
    const { exposure } = pda.pda;
    expect(exposure.view('').visitors).toBeGreaterThan(0);
    const visitors: number[] = [];
    relay.onRelease = () => visitors.push(exposure.view('').visitors);
    await switchExposure('go-dark');
    await expect.poll(() => visitors).toStrictEqual([0]);
  });

  it('ends in the state that was requested last if toggled concurrently, even after a restart', async () => {
    await start();
    await waitUntilReachable();
    const origin = { address: '127.0.0.1' };
    const { exposure } = pda.pda;
    await exposure.goDark(origin);
    await Promise.all([exposure.reopen(origin), exposure.goDark(origin)]);
    expect(exposure.view('')).toMatchObject({ dark: true, state: 'dark' });
    expect(await callFromOutside()).not.toBe(200);
    await pda.restart();
    expect(await pda.exposure()).toMatchObject({ dark: true, darkSince: expect.any(String) });
    await Promise.all([pda.pda.exposure.goDark(origin), pda.pda.exposure.reopen(origin)]);
    await waitUntilReachable();
    await pda.restart();
    await waitUntilReachable();
  });

  it('closes the owner’s own address, too, but not local access', async () => {
    // A forwarder in front of the PDA simulates the owner's proxy.
    const proxy = await serve((incoming, response) => {
      callWithHost(port, `127.0.0.1:${new URL(proxy.url).port}`, incoming.method ?? '', incoming.url ?? '', {
        headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      }).then(
        (reply) => response.writeHead(reply.status).end(reply.body),
        () => response.writeHead(502).end(),
      );
    });
    await start({ publicUrl: proxy.url });
    const name = new URL(proxy.url).host;
    const port = await waitForPublicPort(pda.pda);
    const requestHealth = () => callWithHost(port, name, 'GET', '/healthz');
    expect((await requestHealth()).status).toBe(200);
    const probeReply = (await pda.call('POST', '/api/v2.6/owner/exposure/probe')).json as Exposure;
    expect(probeReply).toMatchObject({ way: 'own', fixed: true, state: 'reachable', address: proxy.url });
    const darkExposure = await switchExposure('go-dark');
    expect(darkExposure).toMatchObject({ state: 'dark', probe: { reached: false } });
    await expect(requestHealth()).rejects.toThrow('ECONNREFUSED');
    expect((await pda.call('GET', '/healthz')).status).toBe(200);
    await switchExposure('go-light');
    expect(await waitForPublicPort(pda.pda)).toBe(port);
    expect((await requestHealth()).status).toBe(200);
    await proxy.close();
  });
});

describe('the access mode', () => {
  const changeMode = (json: unknown) => pda.call('PUT', '/api/v2.6/owner/exposure', { json });

  it('can be chosen and removed while the PDA runs', async () => {
    await start({});
    expect(await pda.exposure()).toMatchObject({ way: 'none', state: 'off', address: null, fixed: false, probe: null });
    expect((await pda.call('POST', '/api/v2.6/owner/exposure/probe')).status).toBe(409);
    const accessMode = { way: 'tunnel', relay: relay.url, domain: 'relay.localhost', agreed: false };
    const changeReply = await changeMode(accessMode);
    expect(changeReply.json).toMatchObject({
      way: 'tunnel',
      address: `http://${publicHost()}`,
      name: OWNER.name,
      termsPending: false,
    });
    await waitUntilReachable();
    const signInReply = await callWithHost(relay.port, publicHost(), 'GET', '/users/access_token', {
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    const token = (signInReply.json as { accessToken: string }).accessToken;
    const call = () => pda.call('GET', '/api/v2.6/owner', { token });
    expect((await call()).status).toBe(200);
    expect((await changeMode({ way: 'none' })).json).toMatchObject({
      way: 'none',
      state: 'off',
      address: null,
      relay: null,
    });
    // A token names the address at which it was issued, and that address is no longer valid.
    expect((await call()).status).toBe(401);
    expect(await callFromOutside()).not.toBe(200);
    expect((await changeMode({ way: 'own', publicUrl: 'https://ada.example/' })).json).toMatchObject({
      way: 'own',
      address: 'https://ada.example',
      state: 'unproven',
    });
    expect((await callWithHost(await waitForPublicPort(pda.pda), 'ada.example', 'GET', '/healthz')).status).toBe(200);
    await pda.restart();
    expect(await pda.exposure()).toMatchObject({ way: 'own', address: 'https://ada.example' });
    const ledger = (await pda.call('GET', '/api/v2.6/owner/ledger')).json as { rows: { action: string }[] };
    expect(ledger.rows.filter(({ action }) => action === 'address-change').length).toBe(3);
  });

  it('determines whether the certificate manager considers the terms of the authority accepted', async () => {
    let hasAgreed: (() => boolean) | undefined;
    const noCertificate = {
      state: 'none',
      issuer: null,
      notBefore: null,
      notAfter: null,
      problem: null,
      nextTry: null,
    } as const;
    pda = await startTunnelPda({
      network: { resolve: () => Promise.resolve([]) },
      tunnel: {
        createCertificateManager: (parts) => {
          ({ hasAgreed } = parts);
          return {
            context: () => undefined,
            challengeContext: () => undefined,
            spki: () => undefined,
            view: () => noCertificate,
            onChange: () => () => undefined,
            start: () => undefined,
            wake: () => undefined,
            terms: () => Promise.resolve(null),
            close: () => Promise.resolve(),
          };
        },
      },
    });
    const accessMode = { way: 'tunnel', relay: 'https://relay.example', domain: 'pda.example' };
    expect((await changeMode({ ...accessMode, agreed: false })).json).toMatchObject({
      termsPending: true,
      certificate: noCertificate,
    });
    expect(hasAgreed?.()).toBe(false);
    expect((await changeMode({ ...accessMode, agreed: true })).json).toMatchObject({
      termsPending: false,
      certificate: noCertificate,
    });
    expect(hasAgreed?.()).toBe(true);
    expect((await changeMode({ way: 'none' })).json).toMatchObject({ termsPending: false });
  });

  it('is rejected with an invalid address', async () => {
    const relayUrl = 'https://relay.example';
    const domain = 'pda.example';
    await start({});
    for (const [invalidMode, path] of [
      [{ way: 'tunnel', relay: 'http://relay.example', domain, agreed: true }, 'body.relay'],
      [{ way: 'tunnel', relay: relayUrl, domain: 'pda.localhost', agreed: true }, 'body.relay'],
      [{ way: 'tunnel', relay: 'https://u:p@relay.example', domain, agreed: true }, 'body.relay'],
      [{ way: 'tunnel', relay: 'https://relay.example/x', domain, agreed: true }, 'body.relay'],
      [{ way: 'tunnel', relay: relayUrl, domain: 'pda.example:8443', agreed: true }, 'body.domain'],
      [{ way: 'tunnel', relay: relayUrl, domain: '10.0.0.1', agreed: true }, 'body.domain'],
      [{ way: 'own', publicUrl: 'https://ada.example/path' }, 'body.publicUrl'],
      [{ way: 'own', publicUrl: 'https://a:b@ada.example' }, 'body.publicUrl'],
    ] as const) {
      const reply = await changeMode(invalidMode);
      expect([invalidMode, reply.status]).toStrictEqual([invalidMode, 400]);
      expect([invalidMode, errorOf(reply).details?.map((detail) => detail.path)]).toStrictEqual([invalidMode, [path]]);
      expect(await pda.exposure()).toMatchObject({ way: 'none' });
    }
  });

  it('cannot be changed if it is set in config.json', async () => {
    await start({ publicUrl: 'https://ada.example' });
    expect((await changeMode({ way: 'none' })).status).toBe(409);
  });
});
