import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
beforeAll(async () => {
  relay = await startStandInRelay();
  pda = await startTunnelPda({ config: { tunnel: { relay: relay.url, domain: 'relay.localhost' } } });
});
beforeEach(() => waitUntilReachable());
afterAll(async () => {
  await pda?.close();
  await relay?.stop();
});

const readState = async (): Promise<string> => (await pda.exposure()).state;
const waitUntilReachable = () => expect.poll(readState, { interval: 20 }).toBe('reachable');
const publicHost = () => `${OWNER.name}.relay.localhost:${relay.port}`;

describe('a PDA at a relay', () => {
  it('is reachable under its public name and reports its state', async () => {
    const exposure = await pda.exposure();
    expect(exposure).toMatchObject({
      way: 'tunnel',
      fixed: true,
      address: `http://${publicHost()}`,
      problem: null,
      tries: 0,
      certificate: null,
      probe: { reached: true, problem: null },
    });
    const signInReply = await callWithHost(relay.port, publicHost(), 'GET', '/users/access_token', {
      headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
    });
    expect(signInReply.status).toBe(200);
    const { accessToken } = signInReply.json as { accessToken: string };
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect([claims.iss, claims.resource]).toStrictEqual([publicHost(), publicHost()]);
    const sessions = (await pda.call('GET', '/api/v2.6/owner/sessions')).json as { address: string }[];
    expect(sessions.map(({ address }) => address)).toContain('203.0.113.9');
    const ownerReply = await callWithHost(relay.port, publicHost(), 'GET', '/api/v2.6/owner', {
      headers: { 'x-auth-token': accessToken },
    });
    expect(ownerReply.json).toMatchObject({ publicUrl: `http://${publicHost()}` });
  });

  it('responds to its public name only through the tunnel, and to no other name there', async () => {
    // Both the public name at the loopback port and other names through the tunnel get 421.
    expect((await pda.call('GET', '/healthz', { headers: { host: publicHost() } })).status).toBe(421);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const publicReply = await callWithHost(relay.port, publicHost(), 'GET', '/healthz', { agent });
    expect(publicReply.status).toBe(200);
    for (const name of [`127.0.0.1:${pda.port}`, `localhost:${pda.port}`, 'evil.example', OWNER.name]) {
      const reply = await callWithHost(relay.port, name, 'GET', '/healthz', {
        agent,
        headers: { 'x-forwarded-host': publicHost(), forwarded: `host=${publicHost()}` },
      });
      expect([name, reply.status, errorOf(reply).error]).toStrictEqual([name, 421, 'misdirected_request']);
    }
    agent.destroy();
  });

  it('reconnects after an outage of the relay, and stays usable locally', async () => {
    await relay.stop();
    await expect.poll(readState).toBe('connecting');
    expect((await pda.call('GET', '/api/v2.6/owner')).status).toBe(200);
    const exposure = await pda.exposure();
    expect(exposure.problem).toMatch(/could not be reached|the connection/iu);
    await relay.start();
    await waitUntilReachable();
    expect((await callWithHost(relay.port, publicHost(), 'GET', '/healthz')).status).toBe(200);
  });

  it('is probed again if a second report of sleep arrives during the probe after the first', async () => {
    relay.forge = (line) => {
      relay.forge = undefined;
      pda.pda.exposure.wake();
      return line;
    };
    pda.pda.exposure.wake();
    await expect.poll(() => relay.forge).toBeUndefined();
    await waitUntilReachable();
  });

  it('keeps a few more connections open than clients need', async () => {
    await expect.poll(() => relay.waitingCount()).toBe(4);
    const agents = Array.from({ length: 20 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const replies = await Promise.all(
      agents.map(async (agent) => {
        // Waits for a free connection, as the relay does.
        await expect.poll(() => relay.waitingCount()).toBeGreaterThan(0);
        return callWithHost(relay.port, publicHost(), 'GET', '/healthz', { agent });
      }),
    );
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(3);
    await expect.poll(() => relay.waitingCount()).toBe(4);
    for (const agent of agents) agent.destroy();
    await expect.poll(async () => (await pda.exposure()).visitors).toBe(0);
  });
});
