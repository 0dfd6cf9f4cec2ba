import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { createSigner } from './support/authority-x509.ts';

let fixture: CertificateFixture;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  fixture = await openCertificateFixture();
});
afterEach(closeFixtures);

/** Sends plain HTTP to the TLS endpoint and returns the response, which must never be HTTP. */
const sendPlainHttp = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let output = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: alice.pda.example\r\n\r\n'));
    socket.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(output));
  });

const refusal = { at: 'order', status: 403, type: 'unauthorized', detail: 'no' } as const;

describe('a certificate', () => {
  it('is reported as expired until the authority issues a new one, and plain HTTP gets no HTTP response', async () => {
    const initialCertificates = await fixture.startPda();
    await waitForState(initialCertificates, { state: 'good' });
    const { notAfter } = initialCertificates.view();
    fixture.clockAheadMs = 91 * DAY_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs, refuse: refusal };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'expired', notAfter, problem: expect.stringContaining('refused') });
    expect(certificates.view().problem).toContain('was valid until');
    expect(Date.parse(certificates.view().nextTry ?? '')).toBeGreaterThan(fixture.now());
    expect(await sendPlainHttp(fixture.port)).not.toContain('HTTP');
    // Clients still receive the expired certificate, about which browsers warn.
    expect(certificates.spki()).toBe(initialCertificates.spki());

    fixture.clockAheadMs += HOUR_MS;
    fixture.authority.behaviour = {
      clockMs: fixture.clockAheadMs,
      fromMs: fixture.clockAheadMs - HOUR_MS,
      untilMs: fixture.clockAheadMs + 90 * DAY_MS,
    };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it('is reported as a possible clock error if not valid yet, and no new one is requested', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    const stepCount = fixture.authority.steps.length;
    fixture.clockAheadMs = -30 * DAY_MS;
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'notYet', nextTry: null, problem: expect.stringContaining('clock') });
    expect(await sendPlainHttp(fixture.port)).not.toContain('HTTP');
    expect(fixture.authority.steps).toHaveLength(stepCount);
    fixture.clockAheadMs = 0;
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it.each([400 * DAY_MS, -400 * DAY_MS])(
    'is not requested with a clock that is off by %i ms, which would cause endless orders',
    async (aheadMs) => {
      fixture.clockAheadMs = aheadMs;
      const certificates = await fixture.startPda();
      await waitForState(certificates, {
        state: 'failed',
        problem: expect.stringContaining('Set the clock of this computer'),
      });
      expect(fixture.authority.steps).toStrictEqual(['directory']);
      fixture.clockAheadMs = 0;
      certificates.wake();
      await waitForState(certificates, { state: 'good', problem: null });
    },
  );

  it('is reported if its authority is no longer trusted, and a new certificate is requested', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    const otherRoot = (await createSigner('Other')).root;
    const certificates = await fixture.startPda({ trust: otherRoot });
    // A PDA that trusts only the other root cannot contact the authority either.
    await waitForState(certificates, { state: 'untrusted', problem: expect.stringContaining('would not trust') });
    await waitForState(certificates, { problem: expect.stringContaining('cannot be reached') });
    expect(await sendPlainHttp(fixture.port)).not.toContain('HTTP');
    const restartedCertificates = await fixture.startPda();
    await waitForState(restartedCertificates, { state: 'good', problem: null });
  });

  it('is used while untrusted if there is no other, and a new one is requested after a day', async () => {
    fixture.authority.behaviour = { isUntrusted: true };
    const certificates = await fixture.startPda();
    await waitForState(certificates, {
      state: 'untrusted',
      issuer: 'Unknown',
      problem: expect.stringContaining('will be requested later'),
    });
    expect((await connectTls(fixture.port, { trust: fixture.authority.rootPem })).isAuthorized).toBe(false);
    expect(Date.parse(certificates.view().nextTry ?? '') - fixture.now()).toBeGreaterThan(23 * HOUR_MS);
    fixture.clockAheadMs = 25 * HOUR_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs };
    certificates.wake();
    await waitForState(certificates, { state: 'good', issuer: 'Test Authority', problem: null });
  });

  it.each([
    ['is untrusted', { isUntrusted: true }, 'browsers would not trust it'],
    ['is for a different name', { wrongName: 'mallory.pda.example' }, 'not valid for'],
    ['is for a different key', { hasWrongKey: true }, 'belongs to a different key'],
    ['has expired on arrival', { fromMs: 0, untilMs: 1 }, 'has expired'],
    ['is valid only from next week on', { fromMs: 72 * DAY_MS }, 'not valid yet'],
  ])('that %s does not replace a valid one', async (_, behaviour, reason) => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const firstSpki = certificates.spki();
    fixture.clockAheadMs = 65 * DAY_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs, ...behaviour };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: expect.stringContaining(reason) });
    expect(certificates.spki()).toBe(firstSpki);
    const restartedCertificates = await fixture.startPda();
    await waitForState(restartedCertificates, { state: 'good', problem: expect.stringContaining(reason) });
    expect(restartedCertificates.spki()).toBe(firstSpki);
    // A restart does not shorten the wait of a day before the next order.
    expect(fixture.authority.countSteps('order')).toBe(2);
  });

  it.each([
    ['is for a different name', { wrongName: 'mallory.pda.example' }],
    ['is for a different key', { hasWrongKey: true }],
  ])('that %s is rejected even if there is no other', async (_, behaviour) => {
    fixture.authority.behaviour = behaviour;
    const certificates = await fixture.startPda();
    await waitForState(certificates, {
      state: 'failed',
      issuer: null,
      problem: expect.stringContaining('unusable certificate'),
    });
    await expect(connectTls(fixture.port)).rejects.toThrow(/./u);
    expect(await sendPlainHttp(fixture.port)).not.toContain('HTTP');
  });

  it('is due for renewal within its lifetime even if that is only an hour', async () => {
    fixture.authority.behaviour = { fromMs: 0, untilMs: HOUR_MS };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const plannedMs = Date.parse(certificates.view().nextTry ?? '') - fixture.now();
    expect(plannedMs).toBeGreaterThan(0.6 * HOUR_MS);
    expect(plannedMs).toBeLessThan(0.72 * HOUR_MS);
  });

  it('is not used for another host when the name changes', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    const certificates = await fixture.startPda({ host: 'alicia.pda.example' });
    expect(certificates.spki()).toBeUndefined();
    expect(certificates.context('alice.pda.example')).toBeUndefined();
  });
});
