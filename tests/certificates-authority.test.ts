import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthorityBehaviour } from './support/authority.ts';
import {
  closeFixtures,
  DAY_MS,
  HOUR_MS,
  openCertificateFixture,
  waitForState,
  trustOneAuthority,
  connectTls,
  type CertificateFixture,
} from './support/authority-client.ts';

let fixture: CertificateFixture;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  fixture = await openCertificateFixture();
});
afterEach(closeFixtures);

const msUntil = (time: string | null): number => Date.parse(time ?? '') - fixture.now();
const minutesUntil = (time: string | null): number => msUntil(time) / 60_000;

describe('a certificate authority', () => {
  it('is not contacted again before its Retry-After, even after many reconnects and a restart of the PDA', async () => {
    const refuse = { at: 'order', status: 429, type: 'rateLimited', detail: 'too many', retryAfter: '18000' } as const;
    fixture.authority.behaviour = { refuse };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('rateLimited, too many') });
    expect(minutesUntil(certificates.view().nextTry)).toBeCloseTo(300, 0);
    const stepCount = fixture.authority.steps.length;
    for (let wakes = 0; wakes < 50; wakes += 1) certificates.wake();
    const restartedCertificates = await fixture.startPda();
    await waitForState(restartedCertificates, { state: 'failed', problem: expect.stringContaining('too many') });
    fixture.clockAheadMs = 4.9 * HOUR_MS;
    restartedCertificates.wake();
    await connectTls(fixture.port).catch(() => undefined);
    expect(fixture.authority.steps).toHaveLength(stepCount);
    fixture.clockAheadMs = 5.1 * HOUR_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs };
    restartedCertificates.wake();
    await waitForState(restartedCertificates, { state: 'good', problem: null });
  });

  it('can delay requests with Retry-After by a week at most', async () => {
    const refuse = { at: 'order', status: 503, type: 'serverInternal', detail: 'down' } as const;
    fixture.authority.behaviour = {
      refuse: { ...refuse, retryAfter: new Date(fixture.now() + 3 * HOUR_MS).toUTCString() },
    };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'failed' });
    expect(minutesUntil(certificates.view().nextTry)).toBeCloseTo(180, -1);
    fixture.clockAheadMs = 4 * HOUR_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs, refuse: { ...refuse, retryAfter: '999999999' } };
    certificates.wake();
    await expect.poll(() => minutesUntil(certificates.view().nextTry)).toBeCloseTo(7 * 24 * 60, -1);
  });

  it('is contacted at most four times per hour and twelve times per day if it always refuses', async () => {
    fixture.authority.behaviour = { refuse: { at: 'order', status: 403, type: 'unauthorized', detail: 'no' } };
    const certificates = await fixture.startPda();
    const times: number[] = [];
    for (let aheadMs = 0; aheadMs < DAY_MS; aheadMs += msUntil(certificates.view().nextTry) + 1000) {
      fixture.clockAheadMs = aheadMs;
      fixture.authority.behaviour.clockMs = aheadMs;
      certificates.wake();
      times.push(fixture.now());
      await expect.poll(() => fixture.authority.countSteps('order'), { interval: 5 }).toBe(times.length);
      await waitForState(certificates, { state: 'failed', nextTry: expect.any(String) });
    }
    for (const windowStart of times)
      expect(times.filter((time) => time >= windowStart && time < windowStart + HOUR_MS).length).toBeLessThanOrEqual(4);
    expect(times.length).toBeGreaterThan(4);
    expect(times.length).toBeLessThan(13);
  });

  it('is contacted again after an outage when the tunnel reconnects, without the full back-off', async () => {
    fixture.authority.behaviour = { hangUp: 'directory' };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('cannot be reached') });
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      fixture.clockAheadMs += msUntil(certificates.view().nextTry) + 1000;
      fixture.authority.behaviour.clockMs = fixture.clockAheadMs;
      certificates.wake();
      await expect.poll(() => fixture.authority.countSteps('directory'), { interval: 5 }).toBe(attempt);
      await waitForState(certificates, { state: 'failed', nextTry: expect.any(String) });
    }
    expect(minutesUntil(certificates.view().nextTry)).toBeGreaterThan(1.5);
    // Not even a reconnect triggers an immediate retry, which could overload the authority.
    certificates.wake();
    expect(minutesUntil(certificates.view().nextTry)).toBeGreaterThan(0);
    fixture.clockAheadMs += 11_000;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it('is reported as unreachable if it refuses connections', async () => {
    const certificates = await fixture.startPda({ directory: 'https://127.0.0.1:1/directory' });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('(ECONNREFUSED)') });
  });

  it.each<[string, AuthorityBehaviour, string]>([
    ['whose directory is not JSON', { invalidResponse: { at: 'directory', body: '<html>' } }, 'invalid response'],
    [
      'with a directory that points to another server',
      {
        invalidResponse: {
          at: 'directory',
          body: '{"newNonce":"https://127.0.0.1:1/","newAccount":"https://127.0.0.1:1/","newOrder":"https://127.0.0.1:1/"}',
        },
      },
      'URL of another server',
    ],
    [
      'whose finalize URL points to another server',
      { finalizeAt: 'https://127.0.0.1:1/finalize' },
      'URL of another server',
    ],
    ['whose finalize URL is not HTTPS', { finalizeAt: 'http://127.0.0.1:1/finalize' }, 'URL of another server'],
    [
      'that sends an oversized response',
      { invalidResponse: { at: 'order-status', body: Buffer.alloc(5_000_000, 'x') } },
      'too large',
    ],
    ['whose order is empty', { invalidResponse: { at: 'order-status', body: '{}' } }, 'invalid response'],
    [
      'that sends an invalid certificate',
      { invalidResponse: { at: 'certificate', body: 'certainly' } },
      'not a certificate chain',
    ],
    ['that does not offer the TLS challenge', { challenge: 'dns-01' }, 'does not offer the challenge'],
    ['that rejects every nonce', { staleNonces: 1000 }, 'badNonce'],
    [
      'that requires agreement to new terms',
      { refuse: { at: 'account', status: 403, type: 'userActionRequired', detail: 'new terms' } },
      'new terms',
    ],
    [
      'that sends control characters in an error',
      { refuse: { at: 'order', status: 400, type: 'malformed', detail: `\u001B[31m${'a\n'.repeat(5000)}` } },
      'malformed, [31ma a',
    ],
  ])('%s is not contacted again for at least a minute, and the owner sees the reason', async (_, behaviour, reason) => {
    fixture.authority.behaviour = behaviour;
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining(reason) });
    const { problem, nextTry } = certificates.view();
    expect(problem?.length).toBeLessThan(500);
    expect(minutesUntil(nextTry)).toBeGreaterThan(1);
  });

  it('issues the certificate in spite of expired nonces and slow responses', async () => {
    fixture.authority.behaviour = { staleNonces: 2, slow: { at: 'order', ms: 200 } };
    await waitForState(await fixture.startPda(), { state: 'good', problem: null });
  });

  it('is reported with the reason if it cannot validate the name', async () => {
    const certificates = await fixture.startPda();
    fixture.port = 1;
    await waitForState(certificates, {
      state: 'failed',
      problem: expect.stringMatching(/could not verify this address: .*ECONNREFUSED/u),
    });
    expect(certificates.challengeContext('alice.pda.example')).toBeUndefined();
  });

  it('may leave an order pending, which the PDA resumes later', async () => {
    fixture.authority.behaviour = { staysPending: true };
    const certificates = await fixture.startPda({ polling: { intervalMs: 10, timeoutMs: 200 } });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('in time') });
    fixture.clockAheadMs = HOUR_MS;
    fixture.authority.behaviour = { clockMs: HOUR_MS };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
    expect(fixture.authority.countSteps('order')).toBe(1);
  });

  it('receives a new registration and order if it has lost the account', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    fixture.authority.forget();
    fixture.clockAheadMs = 65 * DAY_MS;
    fixture.authority.behaviour = {
      clockMs: fixture.clockAheadMs,
      fromMs: fixture.clockAheadMs,
      untilMs: fixture.clockAheadMs + 90 * DAY_MS,
    };
    const firstSpki = certificates.spki();
    certificates.wake();
    await expect.poll(() => certificates.spki()).not.toBe(firstSpki);
    await waitForState(certificates, { state: 'good', problem: null });
    expect(fixture.authority.countAccounts()).toBe(1);
  });

  it('with a URL that is not HTTPS is never contacted', async () => {
    const certificates = await fixture.startPda({ directory: fixture.authority.url.replace('https', 'http') });
    await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('https') });
    expect(fixture.authority.steps).toStrictEqual([]);
    await expect(certificates.terms()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('does not delay the shutdown of the PDA with slow responses', async () => {
    // The authority never responds, so a close that waited for it would hang.
    const { promise: neverSettled } = Promise.withResolvers<void>();
    fixture.authority.behaviour = { onStep: (step) => (step === 'order' ? neverSettled : undefined) };
    const certificates = await fixture.startPda();
    await expect.poll(() => fixture.authority.countSteps('order')).toBe(1);
    await certificates.close();
  });
});
