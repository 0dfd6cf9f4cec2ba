import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthorityKeyIdentifierExtension, X509CertificateGenerator, type Extension } from '@peculiar/x509';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renewalIdOf } from '../server/pda/network/address/certificates/renewal-info.ts';
import { ECDSA, newKey, toCryptoKeys } from '../server/pda/network/address/certificates/x509.ts';
import type { Certificates } from '../server/pda/network/address/service.ts';
import type { Behaviour, Step } from './support/authority.ts';
import { closeOpened, DAY, HOUR, openBench, reaches, trustFew, visit, type Bench } from './support/authority-client.ts';

/** When the authority wants a certificate replaced: it is how a PDA hears that one was revoked. */

let bench: Bench;
beforeAll(trustFew);
beforeEach(async () => {
  bench = await openBench();
});
afterEach(closeOpened);

const looks = (): number => bench.authority.count('renewal');
const orders = (): number => bench.authority.count('order');
/** The tunnel comes up again and again, until the authority was asked so often. */
const asked = (certificates: Certificates, step: Step, times: number) =>
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

describe('a certificate that was revoked', () => {
  it('is noticed within a day, told, and replaced; without a word from the authority it is left alone', async () => {
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good', problem: null });
    const before = certificates.spki();
    expect(looks()).toBe(0);
    later(25 * HOUR);
    certificates.wake();
    await expect.poll(looks).toBe(1);
    await reaches(certificates, { state: 'good', problem: null });
    expect(orders()).toBe(1);

    bench.authority.revoke(first());
    // Not asked again before its time, however often the tunnel comes and goes, nor by a new start.
    certificates.wake();
    const again = await bench.begin();
    await reaches(again, { state: 'good', problem: null });
    expect(looks()).toBe(1);
    later(7 * HOUR, { refuse: { at: 'order', status: 403, type: 'unauthorized', detail: 'not now' } });
    again.wake();
    await reaches(again, { state: 'good', problem: expect.stringContaining('was revoked, or will be') });
    await reaches(again, { problem: expect.stringContaining('not now') });
    // The old certificate stays in use until a new one is issued.
    expect(again.spki()).toBe(before);
    later(HOUR);
    again.wake();
    await reaches(again, { state: 'good', problem: null });
    expect(again.spki()).not.toBe(before);
    expect(looks()).toBe(2);
    expect((await visit(bench.port, { trust: bench.authority.trust })).authorized).toBe(true);
  });

  it('is known as such after a restart, also when the authority is away', async () => {
    await reaches(await bench.begin(), { state: 'good' });
    bench.authority.revoke(first());
    later(25 * HOUR, { hangUp: 'order' });
    await reaches(await bench.begin(), { problem: expect.stringContaining('was revoked, or will be') });
    later(0, { hangUp: 'directory' });
    await reaches(await bench.begin(), { state: 'good', problem: expect.stringContaining('was revoked, or will be') });
  });
});

describe('an authority that lies about renewals', () => {
  it('uses each certificate for at least a day', async () => {
    const past = { fromMs: -10 * DAY, untilMs: -9 * DAY };
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good' });
    for (let times = 1; times <= 9; times += 1) {
      const before = looks() + orders();
      later(6 * HOUR, { renewal: past, fromMs: bench.ahead + 5 * HOUR, untilMs: bench.ahead + 90 * DAY });
      await expect
        .poll(() => {
          certificates.wake();
          return looks() + orders();
        })
        .toBeGreaterThan(before);
      await expect.poll(() => Date.parse(certificates.view().nextTry ?? '') > bench.now()).toBe(true);
    }
    // The first one, and one for each day that began.
    await expect.poll(orders).toBeGreaterThan(1);
    expect(orders()).toBeLessThan(5);
    expect(looks()).toBeLessThan(12);
    await reaches(certificates, { state: 'good' });
  });

  it('cannot put a renewal off, nor ask to be asked every minute, or never again', async () => {
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good' });
    const planned = certificates.view().nextTry;
    const far = { fromMs: 500 * DAY, untilMs: 600 * DAY, retryAfter: '0' };
    later(7 * HOUR, { renewal: far });
    certificates.wake();
    await expect.poll(looks).toBe(1);
    await reaches(certificates, { state: 'good', nextTry: planned });
    later(5 * HOUR, { renewal: { ...far, retryAfter: '99999999' } });
    certificates.wake();
    expect(looks()).toBe(1);
    later(2 * HOUR, { renewal: { ...far, retryAfter: '99999999' } });
    await asked(certificates, 'renewal', 2);
    later(25 * HOUR, { renewal: far });
    await asked(certificates, 'renewal', 3);
    await reaches(certificates, { state: 'good', nextTry: planned });
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
    await reaches(certificates, { state: 'good' });
    later(7 * HOUR, behaviour);
    certificates.wake();
    await expect.poll(looks).toBe(1);
    await reaches(certificates, { state: 'good', problem: null });
    later(HOUR);
    await asked(certificates, 'renewal', 2);
    expect(orders()).toBe(1);
  });

  it('that knows nothing of renewals is asked for its directory once a day', async () => {
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good' });
    const before = bench.authority.count('directory');
    later(7 * HOUR, { noRenewals: true });
    await asked(certificates, 'directory', before + 1);
    later(20 * HOUR, { noRenewals: true });
    await asked(certificates, 'directory', before + 1);
    later(5 * HOUR, { noRenewals: true });
    await asked(certificates, 'directory', before + 2);
    await reaches(certificates, { state: 'good', problem: null });
    expect([looks(), orders()]).toStrictEqual([0, 1]);
  });

  it('leaves no damage where its word is kept', async () => {
    await reaches(await bench.begin(), { state: 'good' });
    const file = join(bench.folder, 'renewal.json');
    writeFileSync(file, '{"id":');
    later(7 * HOUR);
    await reaches(await bench.begin(), { state: 'good', problem: null });
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"window"');
  });
});

describe('the name by which an authority knows a certificate', () => {
  const certificate = async (serialNumber: string, ...extensions: Extension[]): Promise<Buffer> => {
    const keys = toCryptoKeys(await newKey());
    const made = await X509CertificateGenerator.createSelfSigned({
      keys,
      serialNumber,
      signingAlgorithm: ECDSA,
      extensions,
    });
    return Buffer.from(made.rawData);
  };
  const keyId = new AuthorityKeyIdentifierExtension('69885b6b87464041e1b37b847ba0ae2cde01c8d4');

  it('is that of the standard’s example', async () => {
    expect(renewalIdOf(await certificate('87654321', keyId))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });

  it('is none where it is not said, or the bytes are spoilt', async () => {
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
