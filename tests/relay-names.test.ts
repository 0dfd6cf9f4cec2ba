import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../server/platform/clock.ts';
import { createLog } from '../server/platform/log.ts';
import { openNames } from '../server/relay/names.ts';
import {
  ask,
  claim,
  holdTunnel,
  keyHeader,
  newKey,
  openConnection,
  proofFor,
  REMOTE,
  removeFolders,
  sessionOf,
  sharedKey,
  startRelay,
  type PdaKey,
  type TestRelay,
} from './support/relay.ts';

/** Whose a name is at the relay: the key's that claimed it first, and nobody else's. */

let other: PdaKey;
let relay: TestRelay;
beforeAll(async () => {
  other = newKey();
  relay = await startRelay({ domain: REMOTE, limits: { newNameBurst: 100 } });
});
afterAll(async () => {
  await relay.close();
  removeFolders();
});

describe('a name', () => {
  it('is given to the first who claims it, in the words of localtunnel and with a session of ours', async () => {
    const answer = await claim(relay, 'alice');
    expect(answer.status).toBe(200);
    expect(answer.json).toStrictEqual({
      id: 'alice',
      port: relay.port,
      max_conn_count: 100,
      url: `https://alice.${REMOTE}:${relay.port}`,
      session: expect.stringMatching(/^[\w-]{22}$/u),
      secret: expect.stringMatching(/^[\w-]{43}$/u),
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is given again to the same key, and to no other', async () => {
    const first = sessionOf(await claim(relay, 'bea'));
    const second = sessionOf(await claim(relay, 'bea'));
    expect(second.session).not.toBe(first.session);
    expect(second.secret.equals(first.secret)).toBe(false);
    const refused = await claim(relay, 'bea', { key: other });
    expect([refused.status, refused.json['error'], refused.json['cause']]).toStrictEqual([
      403,
      'forbidden',
      'This name belongs to another PDA.',
    ]);
    expect(refused.text).not.toContain('secret');
    // What the other one tried changed nothing.
    await openConnection(relay, second, 1).ready;
  });

  it('goes to one of two who claim it in the same moment', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const key = index % 2 === 0 ? sharedKey() : other;
        return [index % 2, (await claim(relay, 'raced', { key })).status] as const;
      }),
    );
    const winners = new Set(statuses.filter(([, status]) => status === 200).map(([who]) => who));
    expect(winners.size).toBe(1);
    expect(statuses.filter(([, status]) => status === 403)).toHaveLength(4);
  });

  it.each(['-a', 'a-', 'a.b', 'A', 'a_b', 'healthz', '%C3%A4', 'a'.repeat(63), '', '..', '%61'])(
    '%j is none',
    async (name) => {
      const answer = await ask(relay, { path: `/x/${name}`, headers: { 'x-pda-key': keyHeader(sharedKey()) } });
      expect(answer.status).toBe(400);
    },
  );
});

describe('a claim counts for nothing', () => {
  const claims = async (make: () => Promise<{ token: string; key?: PdaKey }>): Promise<number> => {
    const { token, key = sharedKey() } = await make();
    return (await claim(relay, 'mallory', { token, key })).status;
  };

  it('a second time', async () => {
    const token = await proofFor(relay, 'once');
    expect((await claim(relay, 'once', { token })).status).toBe(200);
    expect((await claim(relay, 'once', { token })).status).toBe(401);
    expect((await claim(relay, 'once', { token, method: 'DELETE' })).status).toBe(401);
    const both = await proofFor(relay, 'once');
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await claim(relay, 'once', { token: both })).status),
    );
    expect(statuses.toSorted((one, other) => one - other)).toStrictEqual([200, 401, 401, 401]);
  });

  it('for another relay, another name, another purpose, another key, or without anything', async () => {
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', { resource: 'relay.example' }) }))).toBe(
      401,
    );
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', { resource: REMOTE }) }))).toBe(401);
    expect(await claims(async () => ({ token: await proofFor(relay, 'alice') }))).toBe(401);
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', { iss: `mallory.${REMOTE}` }) }))).toBe(
      401,
    );
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', { accessScope: 'proof' }) }))).toBe(401);
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory'), key: other }))).toBe(401);
    expect(await claims(async () => ({ token: 'a.b.c' }))).toBe(401);
    expect((await ask(relay, { path: '/mallory' })).status).toBe(401);
    const token = await proofFor(relay, 'mallory');
    const bare = await ask(relay, { path: '/mallory', headers: { authorization: `Bearer ${token}` } });
    expect([bare.status, bare.json['error']]).toStrictEqual([401, 'not_authenticated']);
    // Nothing of all that took the name.
    expect((await claim(relay, 'mallory', { key: other })).status).toBe(200);
  });

  it('that is older than five minutes, or of a clock far ahead', async () => {
    const at = (ms: number) => ({ clock: { now: () => Date.now() + ms } });
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', at(-301_000)) }))).toBe(401);
    expect(await claims(async () => ({ token: await proofFor(relay, 'mallory', at(120_000)) }))).toBe(401);
  });

  it('with a key that is none, or too small a one', async () => {
    const token = await proofFor(relay, 'mallory');
    for (const key of ['x', '!!', 'A'.repeat(3000), 'AAAA', Buffer.from('-----BEGIN').toString('base64')]) {
      const answer = await ask(relay, {
        path: '/mallory',
        headers: { authorization: `Bearer ${token}`, 'x-pda-key': key },
      });
      expect([key.slice(0, 5), answer.status]).toStrictEqual([key.slice(0, 5), 401]);
    }
  });

  it('in the clear: the relay wants TLS, and says so', async () => {
    const inQuery = await ask(relay, { plain: true, path: '/alice?proof=p&key=k' });
    expect([inQuery.status, inQuery.headers.location]).toStrictEqual([403, undefined]);
    const token = await proofFor(relay, 'mallory');
    const answer = await ask(relay, {
      path: '/mallory',
      plain: true,
      headers: { authorization: `Bearer ${token}`, 'x-pda-key': keyHeader(sharedKey()) },
    });
    expect(answer.status).toBe(403);
  });
});

describe('after a restart', () => {
  let again: TestRelay | undefined;
  afterEach(() => again?.close());

  it('a name still belongs to its key, and a used claim was used', async () => {
    const before = await startRelay({ domain: REMOTE });
    const token = await proofFor(before, 'kept');
    expect((await claim(before, 'kept', { token })).status).toBe(200);
    await before.close();
    // The end of a line that a power cut tore off, and a name that was being given.
    writeFileSync(join(before.home, 'used-claims'), '1234 abc', { flag: 'a' });
    writeFileSync(join(before.home, 'names', '.new-x'), '{"na');
    again = await startRelay({ domain: REMOTE, home: before.home, port: before.port });
    expect((await claim(again, 'kept', { token })).status).toBe(401);
    expect((await claim(again, 'kept', { key: other })).status).toBe(403);
    expect((await claim(again, 'kept')).status).toBe(200);
    expect(readdirSync(join(before.home, 'names'))).toStrictEqual(['kept.json']);
  });

  it('a name whose file is spoilt is nobody’s, and not free', async () => {
    const before = await startRelay({ domain: REMOTE });
    expect((await claim(before, 'kept')).status).toBe(200);
    await before.close();
    writeFileSync(join(before.home, 'names', 'kept.json'), '{"name":"kept"');
    again = await startRelay({ domain: REMOTE, home: before.home, port: before.port });
    expect((await claim(again, 'kept', { key: other })).status).toBe(503);
    expect((await claim(again, 'kept')).status).toBe(503);
  });
});

describe('a name is given back', () => {
  it('by DELETE with a proof: its tunnel is over, and the name stays', async () => {
    const tunnel = await holdTunnel(relay, 'ended', () => undefined, { idle: 2 });
    expect((await claim(relay, 'ended', { method: 'DELETE', key: other })).status).toBe(403);
    expect(relay.relay.sessions.find('ended')).toBeDefined();
    const answer = await claim(relay, 'ended', { method: 'DELETE' });
    expect([answer.status, answer.json]).toStrictEqual([200, { id: 'ended', ended: true }]);
    await Promise.all([...tunnel.lines].map((line) => line.closed));
    await expect(openConnection(relay, tunnel, 99).ready).rejects.toThrow('closed');
    expect((await claim(relay, 'ended', { method: 'DELETE' })).json).toStrictEqual({ id: 'ended', ended: false });
    expect((await claim(relay, 'ended', { key: other })).status).toBe(403);
  });

  it('by the operator, while the relay runs: everything of it ends, and whoever comes first has it', async () => {
    const tunnel = await holdTunnel(relay, 'lost', () => undefined, { idle: 2 });
    const names = await openNames({
      home: relay.home,
      most: 10,
      clock: systemClock,
      log: createLog({ level: 'silent' }),
    });
    expect((await names.list()).map(({ name }) => name)).toContain('lost');
    await names.forget('lost');
    await Promise.all([...tunnel.lines].map((line) => line.closed));
    await expect.poll(() => relay.relay.sessions.find('lost')).toBeUndefined();
    expect((await claim(relay, 'lost', { key: other })).status).toBe(200);
    expect((await claim(relay, 'lost')).status).toBe(403);
    await expect(names.forget('nobody')).rejects.toThrow('Nobody has the name');
  });
});

describe('names are bounded', () => {
  it('by network and day, by name, and in all', async () => {
    const small = await startRelay({ limits: { newNameBurst: 2, names: 3, claimPerNameBurst: 2 } });
    try {
      expect((await claim(small, 'one')).status).toBe(200);
      expect((await claim(small, 'two')).status).toBe(200);
      const third = await claim(small, 'three');
      expect([third.status, third.json['error'], Number(third.headers['retry-after'])]).toStrictEqual([
        429,
        'rate_limited',
        expect.toSatisfy((seconds: number) => seconds > 3600),
      ]);
      // Another network may, until there are as many as may be.
      const elsewhere = { ...small, from: '127.0.0.9' };
      expect((await claim(elsewhere, 'three')).status).toBe(200);
      expect((await claim(elsewhere, 'four')).status).toBe(503);
      // What gave the name was no claim of its holder yet.
      expect((await claim(small, 'one')).status).toBe(200);
      expect((await claim(small, 'one')).status).toBe(200);
      const often = await claim(small, 'one');
      expect([often.status, often.json['error']]).toStrictEqual([429, 'rate_limited']);
    } finally {
      await small.close();
    }
  });

  it('claims are, by network, before any proof is looked at', async () => {
    const small = await startRelay({ limits: { claimBurst: 3 } });
    try {
      const statuses: number[] = [];
      for (let at = 0; at < 5; at += 1) statuses.push((await claim(small, 'x', { token: 'a.b.c' })).status);
      expect(statuses).toStrictEqual([401, 401, 401, 429, 429]);
      expect((await claim({ ...small, from: '127.0.0.9' }, 'x')).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});
