import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthorityKeyIdentifierExtension, X509CertificateGenerator, type Extension } from '@peculiar/x509';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renewalIdOf } from '../server/pda/network/address/certificates/renewal-info.ts';
import { ECDSA, generateEcKeyPair, toCryptoKeys } from '../server/pda/network/address/certificates/x509.ts';
import type { CertificateManager } from '../server/pda/network/address/service.ts';
import type { AuthorityBehaviour, AcmeStep } from './support/authority.ts';
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

// Tests how a PDA uses the renewal information of the authority, which also signals revocation (RFC 9773).

let fixture: CertificateFixture;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  fixture = await openCertificateFixture();
});
afterEach(closeFixtures);

const countRenewalInfoRequests = (): number => fixture.authority.countSteps('renewal');
const countOrders = (): number => fixture.authority.countSteps('order');
/** Waits until the PDA has processed all responses, so that the clock can advance. */
const waitUntilProcessed = () => expect.poll(() => fixture.authority.connections.size).toBe(0);
/** Reconnects the tunnel until a step has been requested `times` times, and waits until the response is processed. */
const reconnectUntilRequested = async (
  certificates: CertificateManager,
  step: AcmeStep,
  times: number,
): Promise<void> => {
  await expect
    .poll(() => {
      certificates.wake();
      return fixture.authority.countSteps(step);
    })
    .toBe(times);
  await waitUntilProcessed();
};
const advanceClock = (ms: number, behaviour: AuthorityBehaviour = {}): void => {
  fixture.clockAheadMs += ms;
  fixture.authority.behaviour = { clockMs: fixture.clockAheadMs, ...behaviour };
};
const firstCertificate = (): string => {
  const [chain] = fixture.authority.issuedChains;
  if (chain === undefined) throw new Error('the authority has issued no certificate');
  return chain;
};

describe('a revoked certificate', () => {
  it('is detected within a day, reported and replaced', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good', problem: null });
    const firstSpki = certificates.spki();
    expect(countRenewalInfoRequests()).toBe(0);
    advanceClock(25 * HOUR_MS);
    await reconnectUntilRequested(certificates, 'renewal', 1);
    await waitForState(certificates, { state: 'good', problem: null });
    expect(countOrders()).toBe(1);

    fixture.authority.revoke(firstCertificate());
    // Neither reconnects nor a restart causes an earlier request.
    certificates.wake();
    const restartedCertificates = await fixture.startPda();
    await waitForState(restartedCertificates, { state: 'good', problem: null });
    expect(countRenewalInfoRequests()).toBe(1);
    advanceClock(7 * HOUR_MS, { refuse: { at: 'order', status: 403, type: 'unauthorized', detail: 'not now' } });
    restartedCertificates.wake();
    await waitForState(restartedCertificates, { state: 'good', problem: expect.stringContaining('may have revoked') });
    await waitForState(restartedCertificates, { problem: expect.stringContaining('not now') });
    // The old certificate stays in use until a new one is issued.
    expect(restartedCertificates.spki()).toBe(firstSpki);
    advanceClock(HOUR_MS);
    restartedCertificates.wake();
    await waitForState(restartedCertificates, { state: 'good', problem: null });
    expect(restartedCertificates.spki()).not.toBe(firstSpki);
    expect(countRenewalInfoRequests()).toBe(2);
    expect((await connectTls(fixture.port, { trust: fixture.authority.rootPem })).isAuthorized).toBe(true);
  });

  it('is remembered as revoked after a restart, even while the authority is down', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    fixture.authority.revoke(firstCertificate());
    advanceClock(25 * HOUR_MS, { hangUp: 'order' });
    await waitForState(await fixture.startPda(), { problem: expect.stringContaining('may have revoked') });
    advanceClock(0, { hangUp: 'directory' });
    await waitForState(await fixture.startPda(), {
      state: 'good',
      problem: expect.stringContaining('may have revoked'),
    });
  });
});

describe('invalid or missing renewal information', () => {
  it('never replaces a certificate within a day of its issue', async () => {
    const pastWindow = { fromMs: -10 * DAY_MS, untilMs: -9 * DAY_MS };
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    for (let times = 1; times <= 9; times += 1) {
      const previousCount = countRenewalInfoRequests() + countOrders();
      advanceClock(6 * HOUR_MS, {
        renewal: pastWindow,
        fromMs: fixture.clockAheadMs + 5 * HOUR_MS,
        untilMs: fixture.clockAheadMs + 90 * DAY_MS,
      });
      await expect
        .poll(() => {
          certificates.wake();
          return countRenewalInfoRequests() + countOrders();
        })
        .toBeGreaterThan(previousCount);
      await expect.poll(() => Date.parse(certificates.view().nextTry ?? '') > fixture.now()).toBe(true);
    }
    // The first order, and one for each following day.
    await expect.poll(countOrders).toBeGreaterThan(1);
    expect(countOrders()).toBeLessThan(5);
    expect(countRenewalInfoRequests()).toBeLessThan(12);
    await waitForState(certificates, { state: 'good' });
  });

  it('neither delays a renewal nor sets an interval of seconds or years for fetching the information', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const plannedTry = certificates.view().nextTry;
    const distantWindow = { fromMs: 500 * DAY_MS, untilMs: 600 * DAY_MS, retryAfter: '0' };
    advanceClock(7 * HOUR_MS, { renewal: distantWindow });
    await reconnectUntilRequested(certificates, 'renewal', 1);
    await waitForState(certificates, { state: 'good', nextTry: plannedTry });
    advanceClock(5 * HOUR_MS, { renewal: { ...distantWindow, retryAfter: '99999999' } });
    certificates.wake();
    expect(countRenewalInfoRequests()).toBe(1);
    advanceClock(2 * HOUR_MS, { renewal: { ...distantWindow, retryAfter: '99999999' } });
    await reconnectUntilRequested(certificates, 'renewal', 2);
    advanceClock(25 * HOUR_MS, { renewal: distantWindow });
    await reconnectUntilRequested(certificates, 'renewal', 3);
    await waitForState(certificates, { state: 'good', nextTry: plannedTry });
  });

  it.each([
    ['invalid JSON', { invalidResponse: { at: 'renewal', body: '<html>' } }],
    ['a window that ends before it begins', { renewal: { fromMs: -DAY_MS, untilMs: -2 * DAY_MS } }],
    ['invalid times', { invalidResponse: { at: 'renewal', body: '{"suggestedWindow":{"start":"now","end":"then"}}' } }],
    ['an oversized response', { invalidResponse: { at: 'renewal', body: 'x'.repeat(300_000) } }],
    ['a refusal', { refuse: { at: 'renewal', status: 404, type: 'malformed', detail: 'unknown' } }],
    ['a dropped connection', { hangUp: 'renewal' }],
  ] as [string, AuthorityBehaviour][])('is ignored and requested again after an hour: %s', async (_, behaviour) => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    advanceClock(7 * HOUR_MS, behaviour);
    await reconnectUntilRequested(certificates, 'renewal', 1);
    await waitForState(certificates, { state: 'good', problem: null });
    advanceClock(HOUR_MS);
    await reconnectUntilRequested(certificates, 'renewal', 2);
    expect(countOrders()).toBe(1);
  });

  it('is not requested from an authority that does not offer it; the directory is fetched once a day', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const previousCount = fixture.authority.countSteps('directory');
    advanceClock(7 * HOUR_MS, { hasNoRenewalInfo: true });
    await reconnectUntilRequested(certificates, 'directory', previousCount + 1);
    advanceClock(20 * HOUR_MS, { hasNoRenewalInfo: true });
    await reconnectUntilRequested(certificates, 'directory', previousCount + 1);
    advanceClock(5 * HOUR_MS, { hasNoRenewalInfo: true });
    await reconnectUntilRequested(certificates, 'directory', previousCount + 2);
    await waitForState(certificates, { state: 'good', problem: null });
    expect([countRenewalInfoRequests(), countOrders()]).toStrictEqual([0, 1]);
  });

  it('in a corrupt renewal.json is fetched again', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    const file = join(fixture.folder, 'renewal.json');
    writeFileSync(file, '{"id":');
    advanceClock(7 * HOUR_MS);
    await waitForState(await fixture.startPda(), { state: 'good', problem: null });
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"window"');
  });
});

describe('the certificate identifier (RFC 9773)', () => {
  const createCertificate = async (serialNumber: string, ...extensions: Extension[]): Promise<Buffer> => {
    const keys = toCryptoKeys(await generateEcKeyPair());
    const sample = await X509CertificateGenerator.createSelfSigned({
      keys,
      serialNumber,
      signingAlgorithm: ECDSA,
      extensions,
    });
    return Buffer.from(sample.rawData);
  };
  const keyId = new AuthorityKeyIdentifierExtension('69885b6b87464041e1b37b847ba0ae2cde01c8d4');

  it('matches the example of the specification', async () => {
    expect(renewalIdOf(await createCertificate('87654321', keyId))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });

  it('is undefined without the key identifier or if truncated, and has only safe characters if corrupt', async () => {
    expect(renewalIdOf(await createCertificate('05'))).toBeUndefined();
    const encodedCertificate = await createCertificate('05', keyId);
    for (let length = 0; length < encodedCertificate.length; length += 1)
      expect(renewalIdOf(encodedCertificate.subarray(0, length))).toBeUndefined();
    for (let index = 0; index < encodedCertificate.length; index += 1) {
      const corruptedCertificate = Buffer.from(encodedCertificate);
      corruptedCertificate[index] = (corruptedCertificate[index] ?? 0) ^ 0xff;
      expect(renewalIdOf(corruptedCertificate) ?? '').toMatch(/^[\w.-]*$/u);
    }
  });
});
