import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthorityKeyIdentifierExtension, X509CertificateGenerator, type Extension } from '@peculiar/x509';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renewalIdOf } from '../server/pda/network/address/certificates/renewal-info.ts';
import { ECDSA, newKey, toCryptoKeys } from '../server/pda/network/address/certificates/x509.ts';
import type { Certificates } from '../server/pda/network/address/service.ts';
import type { Behaviour, Step } from './support/authority.ts';
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

/** Renewal information of the authority, which also signals revocation (RFC 9773). */

let bench: Bench;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  bench = await openBench();
});
afterEach(closeOpened);

const renewalRequests = (): number => bench.authority.count('renewal');
const orders = (): number => bench.authority.count('order');
/** Reconnects the tunnel until a step was requested a number of times. */
const reconnectUntilRequested = (certificates: Certificates, step: Step, times: number) =>
  expect
    .poll(() => {
      certificates.wake();
      return bench.authority.count(step);
    })
    .toBe(times);
const later = (ms: number, also: Behaviour = {}): void => {
  bench.ahead += ms;
  bench.authority.behaviour = { clockMs: bench.ahead, ...also };
};
const first = (): string => {
  const [chain] = bench.authority.issued;
  if (chain === undefined) throw new Error('no certificate was given');
  return chain;
};

describe('a revoked certificate', () => {
  it('is detected within a day, reported and replaced; without renewal information it is kept', async () => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good', problem: null });
    const before = certificates.spki();
    expect(renewalRequests()).toBe(0);
    later(25 * HOUR);
    certificates.wake();
    await expect.poll(renewalRequests).toBe(1);
    await waitForState(certificates, { state: 'good', problem: null });
    expect(orders()).toBe(1);

    bench.authority.revoke(first());
    // Neither reconnects nor a restart cause an earlier request.
    certificates.wake();
    const restarted = await bench.begin();
    await waitForState(restarted, { state: 'good', problem: null });
    expect(renewalRequests()).toBe(1);
    later(7 * HOUR, { refuse: { at: 'order', status: 403, type: 'unauthorized', detail: 'not now' } });
    restarted.wake();
    await waitForState(restarted, { state: 'good', problem: expect.stringContaining('was revoked, or will be') });
    await waitForState(restarted, { problem: expect.stringContaining('not now') });
    // The old certificate stays in use until a new one is issued.
    expect(restarted.spki()).toBe(before);
    later(HOUR);
    restarted.wake();
    await waitForState(restarted, { state: 'good', problem: null });
    expect(restarted.spki()).not.toBe(before);
    expect(renewalRequests()).toBe(2);
    expect((await visit(bench.port, { trust: bench.authority.trust })).authorized).toBe(true);
  });

  it('is remembered as revoked after a restart, also while the authority is down', async () => {
    await waitForState(await bench.begin(), { state: 'good' });
    bench.authority.revoke(first());
    later(25 * HOUR, { hangUp: 'order' });
    await waitForState(await bench.begin(), { problem: expect.stringContaining('was revoked, or will be') });
    later(0, { hangUp: 'directory' });
    await waitForState(await bench.begin(), {
      state: 'good',
      problem: expect.stringContaining('was revoked, or will be'),
    });
  });
});

describe('false renewal information', () => {
  it('uses each certificate for at least a day', async () => {
    const past = { fromMs: -10 * DAY, untilMs: -9 * DAY };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    for (let times = 1; times <= 9; times += 1) {
      const before = renewalRequests() + orders();
      later(6 * HOUR, { renewal: past, fromMs: bench.ahead + 5 * HOUR, untilMs: bench.ahead + 90 * DAY });
      await expect
        .poll(() => {
          certificates.wake();
          return renewalRequests() + orders();
        })
        .toBeGreaterThan(before);
      await expect.poll(() => Date.parse(certificates.view().nextTry ?? '') > bench.now()).toBe(true);
    }
    // The first order, and one for each following day.
    await expect.poll(orders).toBeGreaterThan(1);
    expect(orders()).toBeLessThan(5);
    expect(renewalRequests()).toBeLessThan(12);
    await waitForState(certificates, { state: 'good' });
  });

  it('can neither delay a renewal nor cause requests every minute or none at all', async () => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    const planned = certificates.view().nextTry;
    const far = { fromMs: 500 * DAY, untilMs: 600 * DAY, retryAfter: '0' };
    later(7 * HOUR, { renewal: far });
    certificates.wake();
    await expect.poll(renewalRequests).toBe(1);
    await waitForState(certificates, { state: 'good', nextTry: planned });
    later(5 * HOUR, { renewal: { ...far, retryAfter: '99999999' } });
    certificates.wake();
    expect(renewalRequests()).toBe(1);
    later(2 * HOUR, { renewal: { ...far, retryAfter: '99999999' } });
    await reconnectUntilRequested(certificates, 'renewal', 2);
    later(25 * HOUR, { renewal: far });
    await reconnectUntilRequested(certificates, 'renewal', 3);
    await waitForState(certificates, { state: 'good', nextTry: planned });
  });

  it.each([
    ['no JSON', { nonsense: { at: 'renewal', body: '<html>' } }],
    ['a window that ends before it begins', { renewal: { fromMs: -DAY, untilMs: -2 * DAY } }],
    ['no time at all', { nonsense: { at: 'renewal', body: '{"suggestedWindow":{"start":"now","end":"then"}}' } }],
    ['far too much', { nonsense: { at: 'renewal', body: 'x'.repeat(300_000) } }],
    ['a refusal', { refuse: { at: 'renewal', status: 404, type: 'malformed', detail: 'unknown' } }],
    ['a broken line', { hangUp: 'renewal' }],
  ] as [string, Behaviour][])('is not believed when it says %s, and is asked an hour later', async (_, behaviour) => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    later(7 * HOUR, behaviour);
    certificates.wake();
    await expect.poll(renewalRequests).toBe(1);
    await waitForState(certificates, { state: 'good', problem: null });
    later(HOUR);
    await reconnectUntilRequested(certificates, 'renewal', 2);
    expect(orders()).toBe(1);
  });

  it('is not requested from an authority without it; the directory is fetched once a day', async () => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    const before = bench.authority.count('directory');
    later(7 * HOUR, { noRenewals: true });
    await reconnectUntilRequested(certificates, 'directory', before + 1);
    later(20 * HOUR, { noRenewals: true });
    await reconnectUntilRequested(certificates, 'directory', before + 1);
    later(5 * HOUR, { noRenewals: true });
    await reconnectUntilRequested(certificates, 'directory', before + 2);
    await waitForState(certificates, { state: 'good', problem: null });
    expect([renewalRequests(), orders()]).toStrictEqual([0, 1]);
  });

  it('causes no damage in its stored form', async () => {
    await waitForState(await bench.begin(), { state: 'good' });
    const file = join(bench.folder, 'renewal.json');
    writeFileSync(file, '{"id":');
    later(7 * HOUR);
    await waitForState(await bench.begin(), { state: 'good', problem: null });
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"window"');
  });
});

describe('the certificate identifier (RFC 9773)', () => {
  const certificate = async (serialNumber: string, ...extensions: Extension[]): Promise<Buffer> => {
    const keys = toCryptoKeys(await newKey());
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
    expect(renewalIdOf(await certificate('87654321', keyId))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });

  it('is undefined without the key identifier or for corrupt bytes', async () => {
    expect(renewalIdOf(await certificate('05'))).toBeUndefined();
    const whole = await certificate('05', keyId);
    for (let length = 0; length < whole.length; length += 1)
      expect(renewalIdOf(whole.subarray(0, length))).toBeUndefined();
    for (let at = 0; at < whole.length; at += 1) {
      const bent = Buffer.from(whole);
      bent[at] = (bent[at] ?? 0) ^ 0xff;
      expect(renewalIdOf(bent) ?? '').toMatch(/^[\w.-]*$/u);
    }
  });
});
