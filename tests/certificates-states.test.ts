import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { createSigning } from './support/authority-x509.ts';

let bench: Bench;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  bench = await openBench();
});
afterEach(closeOpened);

/** Sends plain HTTP to the TLS endpoint and returns the response, which must be empty in every state. */
const plain = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let output = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: alice.pda.example\r\n\r\n'));
    socket.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(output));
  });

const refusing = { at: 'order', status: 403, type: 'unauthorized', detail: 'no' } as const;

describe('a certificate', () => {
  it('that has expired is reported and replaced immediately, and plain HTTP gets no response', async () => {
    const first = await bench.begin();
    await waitForState(first, { state: 'good' });
    const { notAfter } = first.view();
    bench.ahead = 91 * DAY;
    bench.authority.behaviour = { clockMs: bench.ahead, refuse: refusing };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'expired', notAfter, problem: expect.stringContaining('refused') });
    expect(certificates.view().problem).toContain('was valid until');
    expect(Date.parse(certificates.view().nextTry ?? '')).toBeGreaterThan(bench.now());
    expect(await plain(bench.port)).not.toContain('HTTP');
    // Visitors see the old certificate, and their browsers explain what is wrong with it.
    expect(certificates.spki()).toBe(first.spki());

    bench.ahead += HOUR;
    bench.authority.behaviour = { clockMs: bench.ahead, fromMs: bench.ahead - HOUR, untilMs: bench.ahead + 90 * DAY };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it('that is not valid yet is reported as a possible clock error, and no other is requested', async () => {
    await waitForState(await bench.begin(), { state: 'good' });
    const stepCount = bench.authority.steps.length;
    bench.ahead = -30 * DAY;
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'notYet', nextTry: null, problem: expect.stringContaining('clock') });
    expect(await plain(bench.port)).not.toContain('HTTP');
    expect(bench.authority.steps).toHaveLength(stepCount);
    bench.ahead = 0;
    await waitForState(certificates, { state: 'good', problem: null });
  });

  it.each([400 * DAY, -400 * DAY])(
    'is not requested with a clock that is off by %i ms, which would cause endless orders',
    async (ahead) => {
      bench.ahead = ahead;
      const certificates = await bench.begin();
      await waitForState(certificates, { state: 'failed', problem: expect.stringContaining('set the clock right') });
      expect(bench.authority.steps).toStrictEqual(['directory']);
      bench.ahead = 0;
      certificates.wake();
      await waitForState(certificates, { state: 'good', problem: null });
    },
  );

  it('of an authority that is no longer trusted is reported and replaced', async () => {
    await waitForState(await bench.begin(), { state: 'good' });
    const other = (await createSigning('Other')).root;
    const certificates = await bench.begin({ trust: other });
    // The authority itself cannot be contacted then, either.
    await waitForState(certificates, { state: 'untrusted', problem: expect.stringContaining('would not trust') });
    await waitForState(certificates, { problem: expect.stringContaining('cannot be reached') });
    expect(await plain(bench.port)).not.toContain('HTTP');
    const restarted = await bench.begin();
    await waitForState(restarted, { state: 'good', problem: null });
  });

  it('that is untrusted is used while there is no other, and a new one is requested after a day', async () => {
    bench.authority.behaviour = { untrusted: true };
    const certificates = await bench.begin();
    await waitForState(certificates, {
      state: 'untrusted',
      issuer: 'Unknown',
      problem: expect.stringContaining('in a day'),
    });
    expect((await visit(bench.port, { trust: bench.authority.trust })).authorized).toBe(false);
    expect(Date.parse(certificates.view().nextTry ?? '') - bench.now()).toBeGreaterThan(23 * HOUR);
    bench.authority.behaviour = {};
    bench.ahead = 25 * HOUR;
    bench.authority.behaviour = { clockMs: bench.ahead };
    certificates.wake();
    await waitForState(certificates, { state: 'good', issuer: 'Test Authority', problem: null });
  });

  it.each([
    ['is untrusted', { untrusted: true }, 'browsers would not trust it'],
    ['is for another name', { wrongName: 'mallory.pda.example' }, 'for another name'],
    ['is for another key', { wrongKey: true }, 'belongs to another key'],
    ['has expired on arrival', { fromMs: 0, untilMs: 1 }, 'has expired'],
    ['is good only from next week on', { fromMs: 72 * DAY }, 'not valid yet'],
  ])('that %s does not take the place of a good one', async (_, behaviour, reason) => {
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    const first = certificates.spki();
    bench.ahead = 65 * DAY;
    bench.authority.behaviour = { clockMs: bench.ahead, ...behaviour };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: expect.stringContaining(reason) });
    expect(certificates.spki()).toBe(first);
    const restarted = await bench.begin();
    await waitForState(restarted, { state: 'good', problem: expect.stringContaining(reason) });
    expect(restarted.spki()).toBe(first);
    // After a restart, the authority also gets a day.
    expect(bench.authority.count('order')).toBe(2);
  });

  it.each([
    ['is for another name', { wrongName: 'mallory.pda.example' }],
    ['is for another key', { wrongKey: true }],
  ])('that %s is not taken where there is none either', async (_, behaviour) => {
    bench.authority.behaviour = behaviour;
    const certificates = await bench.begin();
    await waitForState(certificates, {
      state: 'failed',
      issuer: null,
      problem: expect.stringContaining('unusable certificate'),
    });
    await expect(visit(bench.port)).rejects.toThrow(/./u);
    expect(await plain(bench.port)).not.toContain('HTTP');
  });

  it('with a lifetime of an hour is renewed within it', async () => {
    bench.authority.behaviour = { fromMs: 0, untilMs: HOUR };
    const certificates = await bench.begin();
    await waitForState(certificates, { state: 'good' });
    const planned = Date.parse(certificates.view().nextTry ?? '') - bench.now();
    expect(planned).toBeGreaterThan(0.6 * HOUR);
    expect(planned).toBeLessThan(0.72 * HOUR);
  });

  it('for another host is not used when the name changes', async () => {
    await waitForState(await bench.begin(), { state: 'good' });
    const certificates = await bench.begin({ host: 'alicia.pda.example' });
    expect(certificates.spki()).toBeUndefined();
    expect(certificates.context('alice.pda.example')).toBeUndefined();
  });
});
