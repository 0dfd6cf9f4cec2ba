import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../server/platform/clock.ts';
import { silentLog } from '../server/platform/log.ts';
import { openNameRegistry, type NameRegistry } from '../server/relay/names/registry.ts';
import { newTestKey, sharedKey, type TestKey } from './support/keys.ts';
import {
  requestRelay,
  claimName,
  holdTunnel,
  keyHeader,
  newRelayFolder,
  openConnection,
  proofFor,
  REMOTE_DOMAIN,
  removeRelayFolders,
  sessionOf,
  startRelay,
  type TestRelay,
} from './support/relay.ts';

// Tests the registration of names at the relay. A name belongs to the first key that claims it.

const openRegistry = (home: string, maxNames = 10): Promise<NameRegistry> =>
  openNameRegistry({ home, maxNames, clock: systemClock, log: silentLog() });

let otherKey: TestKey;
let relay: TestRelay;
beforeAll(async () => {
  otherKey = newTestKey();
  relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { newNameBurst: 100 } });
});
afterAll(async () => {
  await relay.close();
  removeRelayFolders();
});

describe('claiming a name', () => {
  it('registers a free name and returns the fields that localtunnel expects, plus session and secret', async () => {
    const response = await claimName(relay, 'alice');
    expect(response.status).toBe(200);
    expect(response.json).toStrictEqual({
      id: 'alice',
      port: relay.port,
      max_conn_count: 100,
      url: `https://alice.${REMOTE_DOMAIN}:${relay.port}`,
      session: expect.stringMatching(/^[\w-]{22}$/u),
      secret: expect.stringMatching(/^[\w-]{43}$/u),
    });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('starts a new session for the same key and refuses other keys', async () => {
    const firstSession = sessionOf(await claimName(relay, 'bea'));
    const secondSession = sessionOf(await claimName(relay, 'bea'));
    expect(secondSession.session).not.toBe(firstSession.session);
    expect(secondSession.secret.equals(firstSession.secret)).toBe(false);
    const refusal = await claimName(relay, 'bea', { key: otherKey });
    expect([refusal.status, refusal.json['error'], refusal.json['cause']]).toStrictEqual([
      403,
      'forbidden',
      'This name is not registered with this key.',
    ]);
    expect(refusal.text).not.toContain('secret');
    // The refused claim has not ended the session.
    await openConnection(relay, secondSession, 1).ready;
  });

  it('registers the name for one of two keys that claim it concurrently', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const key = index % 2 === 0 ? sharedKey() : otherKey;
        return [index % 2, (await claimName(relay, 'raced', { key })).status] as const;
      }),
    );
    const winners = new Set(statuses.filter(([, status]) => status === 200).map(([keyIndex]) => keyIndex));
    expect(winners.size).toBe(1);
    expect(statuses.filter(([, status]) => status === 403)).toHaveLength(4);
  });

  it.each(['-a', 'a-', 'a.b', 'A', 'a_b', 'a/b', '%C3%A4', 'a'.repeat(63), '..', '%61'])(
    'refuses the invalid name %j',
    async (name) => {
      expect((await claimName(relay, name)).status).toBe(400);
    },
  );
});

describe('claims are refused', () => {
  const claimStatus = async (createClaim: () => Promise<{ token: string; key?: TestKey }>): Promise<number> => {
    const { token, key = sharedKey() } = await createClaim();
    return (await claimName(relay, 'mallory', { token, key })).status;
  };

  it('if the token was used before, even for concurrent claims', async () => {
    const token = await proofFor(relay, 'once');
    expect((await claimName(relay, 'once', { token })).status).toBe(200);
    expect((await claimName(relay, 'once', { token })).status).toBe(401);
    expect((await claimName(relay, 'once', { token, method: 'DELETE' })).status).toBe(401);
    const sharedToken = await proofFor(relay, 'once');
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await claimName(relay, 'once', { token: sharedToken })).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toStrictEqual([200, 401, 401, 401]);
  });

  it('if they are for another relay, name, purpose or key, or lack the token or key', async () => {
    expect(
      await claimStatus(async () => ({ token: await proofFor(relay, 'mallory', { resource: 'relay.example' }) })),
    ).toBe(401);
    expect(
      await claimStatus(async () => ({ token: await proofFor(relay, 'mallory', { resource: REMOTE_DOMAIN }) })),
    ).toBe(401);
    expect(await claimStatus(async () => ({ token: await proofFor(relay, 'alice') }))).toBe(401);
    expect(
      await claimStatus(async () => ({ token: await proofFor(relay, 'mallory', { iss: `mallory.${REMOTE_DOMAIN}` }) })),
    ).toBe(401);
    expect(await claimStatus(async () => ({ token: await proofFor(relay, 'mallory', { accessScope: 'proof' }) }))).toBe(
      401,
    );
    expect(await claimStatus(async () => ({ token: await proofFor(relay, 'mallory'), key: otherKey }))).toBe(401);
    expect(await claimStatus(async () => ({ token: 'a.b.c' }))).toBe(401);
    expect((await requestRelay(relay, { path: '/mallory' })).status).toBe(401);
    const token = await proofFor(relay, 'mallory');
    const keylessReply = await requestRelay(relay, { path: '/mallory', headers: { authorization: `Bearer ${token}` } });
    expect([keylessReply.status, keylessReply.json['error']]).toStrictEqual([401, 'not_authenticated']);
    // The name is still free.
    expect((await claimName(relay, 'mallory', { key: otherKey })).status).toBe(200);
  });

  it('if the token is older than five minutes or issued in the future', async () => {
    const clockWithOffset = (ms: number) => ({ clock: { now: () => Date.now() + ms } });
    for (const offsetMs of [-301_000, 120_000]) {
      const token = await proofFor(relay, 'mallory', clockWithOffset(offsetMs));
      expect(await claimStatus(async () => ({ token }))).toBe(401);
    }
  });

  it('if the key is malformed, too long or too short', async () => {
    const token = await proofFor(relay, 'mallory');
    for (const key of ['x', '!!', 'A'.repeat(3000), 'AAAA', Buffer.from('-----BEGIN').toString('base64')]) {
      const response = await requestRelay(relay, {
        path: '/mallory',
        headers: { authorization: `Bearer ${token}`, 'x-pda-key': key },
      });
      expect([key.slice(0, 5), response.status]).toStrictEqual([key.slice(0, 5), 401]);
    }
  });

  it('over plain HTTP, without a redirect', async () => {
    const queryReply = await requestRelay(relay, { isPlain: true, path: '/alice?proof=p&key=k' });
    expect([queryReply.status, queryReply.headers.location]).toStrictEqual([403, undefined]);
    const token = await proofFor(relay, 'mallory');
    const response = await requestRelay(relay, {
      path: '/mallory',
      isPlain: true,
      headers: { authorization: `Bearer ${token}`, 'x-pda-key': keyHeader(sharedKey()) },
    });
    expect(response.status).toBe(403);
  });
});

describe('the relay after a restart', () => {
  let restartedRelay: TestRelay | undefined;
  afterEach(() => restartedRelay?.close());

  it('keeps names and used claims, and removes incomplete files left by a crash', async () => {
    const firstRelay = await startRelay({ domain: REMOTE_DOMAIN });
    const token = await proofFor(firstRelay, 'ada');
    expect((await claimName(firstRelay, 'ada', { token })).status).toBe(200);
    await firstRelay.close();
    // Leaves a truncated line and an unfinished registration.
    writeFileSync(join(firstRelay.home, 'used-claims'), '1234 abc', { flag: 'a' });
    writeFileSync(join(firstRelay.home, 'names', '.new-x'), '{"na');
    restartedRelay = await startRelay({ domain: REMOTE_DOMAIN, home: firstRelay.home, port: firstRelay.port });
    expect((await claimName(restartedRelay, 'ada', { token })).status).toBe(401);
    expect((await claimName(restartedRelay, 'ada', { key: otherKey })).status).toBe(403);
    expect((await claimName(restartedRelay, 'ada')).status).toBe(200);
    expect(readdirSync(join(firstRelay.home, 'names'))).toStrictEqual(['ada.json']);
  });

  it('keeps a name with a corrupt file registered and refuses all claims of it', async () => {
    const firstRelay = await startRelay({ domain: REMOTE_DOMAIN });
    expect((await claimName(firstRelay, 'ada')).status).toBe(200);
    await firstRelay.close();
    writeFileSync(join(firstRelay.home, 'names', 'ada.json'), '{"name":"ada"');
    restartedRelay = await startRelay({ domain: REMOTE_DOMAIN, home: firstRelay.home, port: firstRelay.port });
    expect((await claimName(restartedRelay, 'ada', { key: otherKey })).status).toBe(503);
    expect((await claimName(restartedRelay, 'ada')).status).toBe(503);
  });
});

describe('releasing a name', () => {
  it('ends the tunnel on DELETE by its holder and keeps the name registered', async () => {
    const tunnel = await holdTunnel(relay, 'ended', () => undefined, { idleConnections: 2 });
    expect((await claimName(relay, 'ended', { method: 'DELETE', key: otherKey })).status).toBe(403);
    expect(relay.relay.sessions.find('ended')).toBeDefined();
    const response = await claimName(relay, 'ended', { method: 'DELETE' });
    expect([response.status, response.json]).toStrictEqual([200, { id: 'ended', ended: true }]);
    await Promise.all([...tunnel.connections].map((connection) => connection.closed));
    await expect(openConnection(relay, tunnel, 99).ready).rejects.toThrow('closed');
    expect((await claimName(relay, 'ended', { method: 'DELETE' })).json).toStrictEqual({ id: 'ended', ended: false });
    expect((await claimName(relay, 'ended', { key: otherKey })).status).toBe(403);
  });

  it('ends the tunnel and frees the name when the operator releases it while the relay runs', async () => {
    const tunnel = await holdTunnel(relay, 'released', () => undefined, { idleConnections: 2 });
    const names = await openRegistry(relay.home);
    expect((await names.list()).map(({ name }) => name)).toContain('released');
    await names.release('released');
    await Promise.all([...tunnel.connections].map((connection) => connection.closed));
    await expect.poll(() => relay.relay.sessions.find('released')).toBeUndefined();
    expect((await claimName(relay, 'released', { key: otherKey })).status).toBe(200);
    expect((await claimName(relay, 'released')).status).toBe(403);
    await expect(names.release('unknown')).rejects.toThrow('The name unknown is not registered.');
  });
});

describe('the registry of names', () => {
  it('keeps an unfinished registration of a running relay when the command line opens it', async () => {
    const home = newRelayFolder();
    await (await openRegistry(home)).register('ada', 'k'.repeat(43));
    writeFileSync(join(home, 'names', '.new-x'), '{"na');
    const names = await openRegistry(home);
    expect((await names.list()).map(({ name }) => name)).toStrictEqual(['ada']);
    expect(readdirSync(join(home, 'names')).toSorted()).toStrictEqual(['.new-x', 'ada.json']);
  });

  it('counts a released name once, even after several file events', async () => {
    const home = newRelayFolder();
    const names = await openRegistry(home, 3);
    const releasedNames = new Set<string>();
    const watcher = names.watch((name) => releasedNames.add(name));
    try {
      for (const name of ['one', 'two', 'three']) await names.register(name, 'k'.repeat(43));
      // A change and the removal are two events for the first file.
      utimesSync(join(home, 'names', 'one.json'), 1, 1);
      for (const name of ['one', 'two']) rmSync(join(home, 'names', `${name}.json`));
      await expect.poll(() => [...releasedNames].toSorted()).toStrictEqual(['one', 'two']);
      for (const name of ['four', 'five']) await names.register(name, 'k'.repeat(43));
      await expect(names.register('six', 'k'.repeat(43))).rejects.toThrow('This relay accepts no more names.');
    } finally {
      watcher.close();
    }
  });
});

describe('limits of the relay', () => {
  it('bound new names per network, names in total and claims per name', async () => {
    // The limits do not refill within this test.
    const smallRelay = await startRelay({
      limits: { newNameBurst: 2, maxNames: 3, claimPerNameBurst: 2, claimPerNameIntervalMs: 600_000 },
    });
    try {
      expect((await claimName(smallRelay, 'one')).status).toBe(200);
      expect((await claimName(smallRelay, 'two')).status).toBe(200);
      const thirdReply = await claimName(smallRelay, 'three');
      expect([thirdReply.status, thirdReply.json['error'], Number(thirdReply.headers['retry-after'])]).toStrictEqual([
        429,
        'rate_limited',
        expect.toSatisfy((seconds: number) => seconds > 3600),
      ]);
      // Another network may register names, up to the total.
      const otherNetwork = { ...smallRelay, localAddress: '127.0.0.9' };
      expect((await claimName(otherNetwork, 'three')).status).toBe(200);
      expect((await claimName(otherNetwork, 'four')).status).toBe(503);
      // The registration itself does not count against the rate limit of the holder.
      expect((await claimName(smallRelay, 'one')).status).toBe(200);
      expect((await claimName(smallRelay, 'one')).status).toBe(200);
      const limitedReply = await claimName(smallRelay, 'one');
      expect([limitedReply.status, limitedReply.json['error']]).toStrictEqual([429, 'rate_limited']);
    } finally {
      await smallRelay.close();
    }
  });

  it('bound claims per network before the proof is verified', async () => {
    const smallRelay = await startRelay({ limits: { claimBurst: 3, claimIntervalMs: 600_000 } });
    try {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1)
        statuses.push((await claimName(smallRelay, 'x', { token: 'a.b.c' })).status);
      expect(statuses).toStrictEqual([401, 401, 401, 429, 429]);
      expect((await claimName({ ...smallRelay, localAddress: '127.0.0.9' }, 'x')).status).toBe(200);
    } finally {
      await smallRelay.close();
    }
  });
});
