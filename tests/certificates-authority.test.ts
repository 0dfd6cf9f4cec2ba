import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from './support/authority.ts';
import {
  closeOpened,
  DAY,
  HOUR,
  openBench,
  waitForState,
  trustOneAuthority,
  visit,
  type Bench,
} from './support/authority-client.ts';

let bench: Bench;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  bench = await openBench();
});
afterEach(closeOpened);

const minutesUntil = (time: string | null): number => (Date.parse(time ?? '') - bench.now()) / 60_000;

describe('a certificate authority', () => {
  it('with a Retry-After is not asked again earlier, however often the tunnel reconnects and the PDA restarts', async () => {
    const refuse = { at: 'order', status: 429, type: 'rateLimited', detail: 'too many', retryAfter: '18000' } as const;
    bench.authority.behaviour = { refuse };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('rateLimited, too many') });
    expect(minutesUntil(certificates.view().nextTry)).toBeCloseTo(300, 0);
    const stepCount = bench.authority.steps.length;
    for (let wakes = 0; wakes < 50; wakes += 1) certificates.wake();
    const restarted = await bench.begin();
    await waitForState(restarted, { state: 'failed', problem: expect.stringContaining('too many') });
    bench.ahead = 4.9 * HOUR;
    restarted.wake();
    await visit(bench.port).catch(() => undefined);
    expect(bench.authority.steps).toHaveLength(stepCount);
    bench.ahead = 5.1 * HOUR;
    bench.authority.behaviour = { clockMs: bench.ahead };
    restarted.wake();
    await waitForState(restarted, { state: 'good', problem: null });
  });

  it('with a Retry-After date or of a thousand years is obeyed for at most a week', async () => {
    const refuse = { at: 'order', status: 503, type: 'serverInternal', detail: 'down' } as const;
    bench.authority.behaviour = { refuse: { ...refuse, retryAfter: new Date(Date.now() + 3 * HOUR).toUTCString() } };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'failed' });
    expect(minutesUntil(certificates.view().nextTry)).toBeCloseTo(180, -1);
    bench.ahead = 4 * HOUR;
    bench.authority.behaviour = { clockMs: bench.ahead, refuse: { ...refuse, retryAfter: '999999999' } };
    certificates.wake();
    await expect.poll(() => minutesUntil(certificates.view().nextTry)).toBeCloseTo(7 * 24 * 60, -1);
  });

  it('that always refuses is asked a few times in an hour, with increasing back-off', async () => {
    bench.authority.behaviour = { refuse: { at: 'order', status: 403, type: 'unauthorized', detail: 'no' } };
    const certificates = await bench.begin();
    const times: number[] = [];
    for (let at = 0; at < DAY; at = Date.parse(certificates.view().nextTry ?? '') - Date.now() + 1000) {
      bench.ahead = at;
      bench.authority.behaviour.clockMs = at;
      certificates.wake();
      times.push(bench.now());
      await expect.poll(() => bench.authority.count('order'), { interval: 5 }).toBe(times.length);
      await waitForState(certificates, { state: 'failed', nextTry: expect.any(String) });
    }
    // Allows for the seconds that the test itself takes.
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + HOUR - 10_000).length).toBeLessThanOrEqual(4);
    expect(times.length).toBeGreaterThan(4);
    expect(times.length).toBeLessThan(13);
  });

  it('after an outage is asked again when the tunnel reconnects, without the full back-off', async () => {
    bench.authority.behaviour = { hangUp: 'directory' };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('cannot be reached') });
    for (let tries = 2; tries <= 5; tries += 1) {
      const { nextTry } = certificates.view();
      bench.ahead = Date.parse(nextTry ?? '') - Date.now() + 1000;
      bench.authority.behaviour.clockMs = bench.ahead;
      certificates.wake();
      await expect.poll(() => bench.authority.count('directory'), { interval: 5 }).toBe(tries);
      await waitForState(certificates, { state: 'failed', nextTry: expect.any(String) });
    }
    expect(minutesUntil(certificates.view().nextTry)).toBeGreaterThan(1.5);
    // An immediate retry would overload the authority, whatever triggers it.
    certificates.wake();
    expect(minutesUntil(certificates.view().nextTry)).toBeGreaterThan(0);
    bench.ahead += 11_000;
    bench.authority.behaviour = { clockMs: bench.ahead };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it('reports an authority that is not reachable', async () => {
    const certificates = await bench.begin({ directory: 'https://127.0.0.1:1/directory' });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('(ECONNREFUSED)') });
  });

  it.each<[string, Behaviour, string]>([
    ['whose directory is no JSON', { nonsense: { at: 'directory', body: '<html>' } }, 'invalid response'],
    [
      'whose directory leads elsewhere',
      {
        nonsense: {
          at: 'directory',
          body: '{"newNonce":"https://127.0.0.1:1/","newAccount":"https://127.0.0.1:1/","newOrder":"https://127.0.0.1:1/"}',
        },
      },
      'URL of another server',
    ],
    ['whose order leads elsewhere', { finalizeAt: 'https://127.0.0.1:1/finalize' }, 'URL of another server'],
    ['whose order leads out of TLS', { finalizeAt: 'http://127.0.0.1:1/finalize' }, 'URL of another server'],
    ['whose answer is enormous', { nonsense: { at: 'order-status', body: Buffer.alloc(5_000_000, 'x') } }, 'too large'],
    ['whose order is empty', { nonsense: { at: 'order-status', body: '{}' } }, 'invalid response'],
    ['whose certificate is none', { nonsense: { at: 'certificate', body: 'certainly' } }, 'not a certificate chain'],
    ['that offers no challenge by TLS', { challenge: 'dns-01' }, 'does not offer the challenge'],
    ['that knows no nonce', { staleNonces: 1000 }, 'badNonce'],
    [
      'that wants something else agreed to',
      { refuse: { at: 'account', status: 403, type: 'userActionRequired', detail: 'new terms' } },
      'new terms',
    ],
    [
      'that swears',
      { refuse: { at: 'order', status: 400, type: 'malformed', detail: `\u001B[31m${'a\n'.repeat(5000)}` } },
      'malformed, [31ma a',
    ],
  ])('%s is given up for now, in words for the owner', async (_, behaviour, pattern) => {
    // Without a Date header in the directory, nothing more is requested in either case.
    bench.authority.behaviour = behaviour;
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining(pattern) });
    const { problem, nextTry } = certificates.view();
    expect(problem?.length).toBeLessThan(500);
    expect(minutesUntil(nextTry)).toBeGreaterThan(1);
  });

  it('with an expired nonce or slow responses is asked again', async () => {
    bench.authority.behaviour = { staleNonces: 2, slow: { at: 'order', ms: 200 } };
    await waitForState(await bench.begin(), { state: 'good', problem: null });
  });

  it('that cannot validate the name is reported with its reason', async () => {
    const certificates = await bench.begin();
    bench.port = 1;
    await waitForState(certificates, {
      state: 'failed',
      problem: expect.stringMatching(/could not verify this address: .*ECONNREFUSED/u),
    });
    expect(certificates.challengeContext('alice.pda.example')).toBeUndefined();
  });

  it('with a pending order is left, and the same order is resumed', async () => {
    bench.authority.behaviour = { staysPending: true };
    const certificates = await bench.begin({ polling: { intervalMs: 10, timeoutMs: 200 } });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('in time') });
    bench.ahead = HOUR;
    bench.authority.behaviour = { clockMs: HOUR };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
    expect(bench.authority.count('order')).toBe(1);
  });

  it('registers or orders again if the authority has lost the account or the order', async () => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    bench.authority.forget();
    bench.ahead = 65 * DAY;
    bench.authority.behaviour = { clockMs: bench.ahead, fromMs: bench.ahead, untilMs: bench.ahead + 90 * DAY };
    const first = certificates.spki();
    certificates.wake();
    await expect.poll(() => certificates.spki()).not.toBe(first);
    await waitForState(certificates, { state: 'good', problem: null });
    expect(bench.authority.accounts()).toBe(1);
  });

  it('configured by the owner without HTTPS is never contacted', async () => {
    const certificates = await bench.begin({ directory: bench.authority.url.replace('https', 'http') });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('https') });
    expect(bench.authority.steps).toStrictEqual([]);
    await expect(certificates.terms()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('with slow responses does not delay the shutdown of the PDA', async () => {
    // The authority never responds, so a close that waited for it would hang.
    const { promise: never } = Promise.withResolvers<void>();
    bench.authority.behaviour = { onStep: (step) => (step === 'order' ? never : undefined) };
    const certificates = await bench.begin();
    await expect.poll(() => bench.authority.count('order')).toBe(1);
    await certificates.close();
  });
});
