import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeOpened, DAY, HOUR, openBench, reaches, trustFew, visit, type Bench } from './support/authority-client.ts';
import { createSigning } from './support/authority-x509.ts';

let bench: Bench;
beforeAll(trustFew);
beforeEach(async () => {
  bench = await openBench();
});
afterEach(closeOpened);

/** What plain HTTP gets at the door: nothing, whatever state the certificate is in. */
const plain = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: alice.pda.example\r\n\r\n'));
    socket.on('data', (piece: Buffer) => (said += piece.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });

const refusing = { at: 'order', status: 403, type: 'unauthorized', detail: 'no' } as const;

describe('a certificate', () => {
  it('that has expired says so, is asked for at once, and is never answered by plain HTTP', async () => {
    const first = await bench.begin();
    await reaches(first, { state: 'good' });
    const { notAfter } = first.view();
    bench.ahead = 91 * DAY;
    bench.authority.behaviour = { clockMs: bench.ahead, refuse: refusing };
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'expired', notAfter, problem: expect.stringContaining('refused') });
    expect(certificates.view().problem).toContain('was valid until');
    expect(Date.parse(certificates.view().nextTry ?? '')).toBeGreaterThan(bench.now());
    expect(await plain(bench.port)).not.toContain('HTTP');
    // Visitors see the old one, and their browsers say what is wrong with it.
    expect(certificates.spki()).toBe(first.spki());

    bench.ahead += HOUR;
    bench.authority.behaviour = { clockMs: bench.ahead, fromMs: bench.ahead - HOUR, untilMs: bench.ahead + 90 * DAY };
    certificates.wake();
    await reaches(certificates, { state: 'good', problem: null });
  });

  it('that is not good yet by this clock says that the clock may be wrong, and no other is asked for', async () => {
    await reaches(await bench.begin(), { state: 'good' });
    const asked = bench.authority.steps.length;
    bench.ahead = -30 * DAY;
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'notYet', nextTry: null, problem: expect.stringContaining('clock') });
    expect(await plain(bench.port)).not.toContain('HTTP');
    expect(bench.authority.steps).toHaveLength(asked);
    bench.ahead = 0;
    await reaches(certificates, { state: 'good', problem: null });
  });

  it.each([400 * DAY, -400 * DAY])(
    'is not asked for under a clock that is off by %i ms: the authority would be asked for one after the other',
    async (ahead) => {
      bench.ahead = ahead;
      const certificates = await bench.begin();
      await reaches(certificates, { state: 'failed', problem: expect.stringContaining('set the clock right') });
      expect(bench.authority.steps).toStrictEqual(['directory']);
      bench.ahead = 0;
      certificates.wake();
      await reaches(certificates, { state: 'good', problem: null });
    },
  );

  it('whose authority is trusted no more says so, and another one is asked for', async () => {
    await reaches(await bench.begin(), { state: 'good' });
    const other = (await createSigning('Other')).root;
    const certificates = await bench.begin({ trust: other });
    // Nor can the authority itself be asked then.
    await reaches(certificates, { state: 'untrusted', problem: expect.stringContaining('would not trust') });
    await reaches(certificates, { problem: expect.stringContaining('cannot be reached') });
    expect(await plain(bench.port)).not.toContain('HTTP');
    const again = await bench.begin();
    await reaches(again, { state: 'good', problem: null });
  });

  it('uses an untrusted certificate while there is no other, and requests another one in a day', async () => {
    bench.authority.behaviour = { untrusted: true };
    const certificates = await bench.begin();
    await reaches(certificates, {
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
    await reaches(certificates, { state: 'good', issuer: 'Test Authority', problem: null });
  });

  it.each([
    ['is untrusted', { untrusted: true }, 'browsers would not trust it'],
    ['is for another name', { wrongName: 'mallory.pda.example' }, 'for another name'],
    ['is for another key', { wrongKey: true }, 'belongs to another key'],
    ['has expired on arrival', { fromMs: 0, untilMs: 1 }, 'has expired'],
    ['is good only from next week on', { fromMs: 72 * DAY }, 'not valid yet'],
  ])('that %s does not take the place of a good one', async (_, behaviour, reason) => {
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good' });
    const first = certificates.spki();
    bench.ahead = 65 * DAY;
    bench.authority.behaviour = { clockMs: bench.ahead, ...behaviour };
    certificates.wake();
    await reaches(certificates, { state: 'good', problem: expect.stringContaining(reason) });
    expect(certificates.spki()).toBe(first);
    const again = await bench.begin();
    await reaches(again, { state: 'good', problem: expect.stringContaining(reason) });
    expect(again.spki()).toBe(first);
    // Also the next start lets the authority have its day.
    expect(bench.authority.count('order')).toBe(2);
  });

  it.each([
    ['is for another name', { wrongName: 'mallory.pda.example' }],
    ['is for another key', { wrongKey: true }],
  ])('that %s is not taken where there is none either', async (_, behaviour) => {
    bench.authority.behaviour = behaviour;
    const certificates = await bench.begin();
    await reaches(certificates, {
      state: 'failed',
      issuer: null,
      problem: expect.stringContaining('unusable certificate'),
    });
    await expect(visit(bench.port)).rejects.toThrow(/./u);
    expect(await plain(bench.port)).not.toContain('HTTP');
  });

  it('that lives an hour is renewed within it', async () => {
    bench.authority.behaviour = { fromMs: 0, untilMs: HOUR };
    const certificates = await bench.begin();
    await reaches(certificates, { state: 'good' });
    const planned = Date.parse(certificates.view().nextTry ?? '') - bench.now();
    expect(planned).toBeGreaterThan(0.6 * HOUR);
    expect(planned).toBeLessThan(0.72 * HOUR);
  });

  it('of another host is not used when the name changes', async () => {
    await reaches(await bench.begin(), { state: 'good' });
    const certificates = await bench.begin({ host: 'alicia.pda.example' });
    expect(certificates.spki()).toBeUndefined();
    expect(certificates.context('alice.pda.example')).toBeUndefined();
  });
});
