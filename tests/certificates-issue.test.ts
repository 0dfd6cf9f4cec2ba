import { spawn } from 'node:child_process';
import { createHash, createPrivateKey } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AcmeStep } from './support/authority.ts';
import {
  closeFixtures,
  DAY_MS,
  HOST,
  openCertificateFixture,
  ORDER_TIMEOUT_MS,
  waitForState,
  trustOneAuthority,
  connectTls,
  type CertificateFixture,
} from './support/authority-client.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let fixture: CertificateFixture;
beforeAll(trustOneAuthority);
beforeEach(async () => {
  fixture = await openCertificateFixture();
});
afterEach(closeFixtures);

const spkiHashOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('base64');
const pathOf = (name: string): string => join(fixture.folder, name);

describe('a first certificate', () => {
  it('is issued after validation at the TLS endpoint, presented to clients, and reused after restarts', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good', issuer: 'Test Authority', problem: null });
    const clientReport = await connectTls(fixture.port, { trust: fixture.authority.rootPem });
    expect(clientReport).toMatchObject({ isAuthorized: true, greeting: 'hello from the PDA', protocol: 'TLSv1.3' });
    expect(spkiHashOf(clientReport.spki)).toBe(certificates.spki());
    expect(certificates.challengeContext(HOST)).toBeUndefined();
    expect(certificates.context('bob.pda.example')).toBeUndefined();

    const restartedCertificates = await fixture.startPda();
    await waitForState(restartedCertificates, { state: 'good' });
    expect(restartedCertificates.spki()).toBe(certificates.spki());
    expect([fixture.authority.countSteps('order'), fixture.authority.countAccounts()]).toStrictEqual([1, 1]);
  });

  it('has an ECDSA key that other users of the computer cannot read, and leaves no temporary files', async () => {
    await waitForState(await fixture.startPda(), { state: 'good' });
    await expect
      .poll(() => readdirSync(fixture.folder).toSorted())
      .toStrictEqual(['account.json', 'certificate.pem', 'tries.json']);
    expect(statSync(fixture.folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(fixture.folder))
      expect([name, statSync(pathOf(name)).mode & 0o777]).toStrictEqual([name, 0o600]);
    expect(createPrivateKey(readFileSync(pathOf('certificate.pem'))).asymmetricKeyDetails?.namedCurve).toBe(
      'prime256v1',
    );
  });

  it('is requested only after the tunnel is up and the terms are accepted', async () => {
    let [hasAgreed, isUp] = [false, false];
    const certificates = await fixture.startPda({ hasAgreed: () => hasAgreed, isReachable: () => isUp });
    expect(certificates.view()).toMatchObject({
      state: 'none',
      nextTry: null,
      problem: expect.stringContaining('agreed'),
    });
    expect(await certificates.terms()).toBe(fixture.authority.terms);
    expect(fixture.authority.steps).toStrictEqual(['directory']);
    hasAgreed = true;
    certificates.wake();
    await connectTls(fixture.port).catch(() => undefined);
    expect(certificates.view()).toMatchObject({ state: 'none', nextTry: null, problem: null });
    expect(fixture.authority.steps).toStrictEqual(['directory']);
    isUp = true;
    certificates.wake();
    await waitForState(certificates, { state: 'good' });
  });

  it('has its state changes reported to subscribers until they unsubscribe', async () => {
    let unblock: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (unblock = resolve));
    fixture.authority.behaviour = { onStep: (step) => (step === 'finalize' ? gate : undefined) };
    const states: string[] = [];
    let unsubscribedCalls = 0;
    const certificates = await fixture.startPda();
    certificates.onChange(() => void states.push(certificates.view().state));
    certificates.onChange(() => (unsubscribedCalls += 1))();
    await expect.poll(() => fixture.authority.countSteps('finalize')).toBe(1);
    expect(certificates.view().state).toBe('asking');
    unblock();
    await expect.poll(() => states.at(-1)).toBe('good');
    expect(unsubscribedCalls).toBe(0);
  });
});

describe('a renewal', () => {
  it('is requested with a new key after about two thirds of the lifetime and not before the planned time', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const firstSpki = certificates.spki();
    const plannedMs = Date.parse(certificates.view().nextTry ?? '') - fixture.now();
    expect(plannedMs / DAY_MS).toBeGreaterThan(0.62 * 90);
    expect(plannedMs / DAY_MS).toBeLessThan(0.71 * 90);
    fixture.clockAheadMs = plannedMs - 60_000;
    fixture.authority.behaviour.clockMs = fixture.clockAheadMs;
    certificates.wake();
    await connectTls(fixture.port);
    expect(fixture.authority.countSteps('order')).toBe(1);
    fixture.clockAheadMs = plannedMs + 1000;
    fixture.authority.behaviour.fromMs = fixture.clockAheadMs - 3_600_000;
    fixture.authority.behaviour.untilMs = fixture.clockAheadMs + 90 * DAY_MS;
    certificates.wake();
    await expect.poll(() => certificates.spki()).not.toBe(firstSpki);
    await waitForState(certificates, { state: 'good', problem: null });
    expect(spkiHashOf((await connectTls(fixture.port, { trust: fixture.authority.rootPem })).spki)).toBe(
      certificates.spki(),
    );
    expect([fixture.authority.countSteps('order'), fixture.authority.countAccounts()]).toStrictEqual([2, 1]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('keeps the old certificate when it is refused, and reports the reason', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    const firstSpki = certificates.spki();
    fixture.clockAheadMs = 65 * DAY_MS;
    fixture.authority.behaviour = {
      clockMs: fixture.clockAheadMs,
      refuse: { at: 'finalize', status: 403, type: 'unauthorized', detail: 'not\ntoday' },
    };
    certificates.wake();
    await waitForState(certificates, { state: 'good', problem: expect.stringContaining('unauthorized, not today') });
    expect(certificates.spki()).toBe(firstSpki);
    expect((await connectTls(fixture.port, { trust: fixture.authority.rootPem })).isAuthorized).toBe(true);
  });

  it('is visible while it is in progress', async () => {
    const certificates = await fixture.startPda();
    await waitForState(certificates, { state: 'good' });
    fixture.clockAheadMs = 65 * DAY_MS;
    fixture.authority.behaviour = { clockMs: fixture.clockAheadMs, slow: { at: 'order', ms: 300 } };
    certificates.wake();
    await waitForState(certificates, { state: 'renewing' });
  });
});

/** Requests the certificate in a separate process that can be killed at any point. */
const startIssuingProcess = (): { port: Promise<number>; kill: () => Promise<void> } => {
  const moduleUrl = (path: string): string => JSON.stringify(new URL(`../server/${path}`, import.meta.url).href);
  const options = {
    folder: fixture.folder,
    host: HOST,
    directory: fixture.authority.url,
    trust: fixture.authority.rootPem,
  };
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createServer } from 'node:net';
       import { createCertificateManager } from ${moduleUrl('pda/network/address/certificates/manager.ts')};
       import { createTlsTerminator } from ${moduleUrl('pda/network/address/certificates/tls-terminator.ts')};
       import { silentLog } from ${moduleUrl('platform/log.ts')};
       const log = silentLog();
       const certificates = createCertificateManager({ ...${JSON.stringify(options)}, log, hasAgreed: () => true,
         clock: { now: () => Date.now() + ${fixture.clockAheadMs} }, polling: { intervalMs: 10, timeoutMs: ${ORDER_TIMEOUT_MS} } });
       const terminator = createTlsTerminator({ certificates, host: ${JSON.stringify(HOST)}, log, onConnection: (socket) => socket.end() });
       const server = createServer((socket) => terminator.accept(socket, '127.0.0.1')).listen(0, '127.0.0.1', () => {
         console.log(server.address().port);
         certificates.start();
         certificates.wake();
       });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = new Promise<number>((resolve) =>
    createInterface(child.stdout).once('line', (line) => resolve(Number(line))),
  );
  return {
    port,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

describe('a process killed', () => {
  it.each<AcmeStep>(IS_THOROUGH_RUN ? ['order', 'finalize', 'certificate'] : ['certificate'])(
    'during the %s request keeps the old certificate, and the next process completes the renewal',
    async (step) => {
      const certificates = await fixture.startPda();
      await waitForState(certificates, { state: 'good' });
      await certificates.close();
      const oldSpki = certificates.spki();
      const previousPem = readFileSync(pathOf('certificate.pem'), 'utf8');
      fixture.clockAheadMs = 65 * DAY_MS;
      let reportReached: () => void = () => undefined;
      const stepReached = new Promise<void>((resolve) => (reportReached = resolve));
      let unblock: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (unblock = resolve));
      fixture.authority.behaviour = {
        clockMs: fixture.clockAheadMs,
        fromMs: fixture.clockAheadMs - 3_600_000,
        untilMs: fixture.clockAheadMs + 90 * DAY_MS,
        onStep: async (reachedStep) => {
          if (reachedStep !== step) return;
          reportReached();
          await gate;
        },
      };
      const orderCount = fixture.authority.countSteps('order');
      const child = startIssuingProcess();
      try {
        fixture.port = await child.port;
        await stepReached;
      } finally {
        await child.kill();
      }
      unblock();
      delete fixture.authority.behaviour.onStep;
      // The authority completes the request of the killed process before it receives the next one.
      await fixture.authority.waitUntilIdle();
      expect(readFileSync(pathOf('certificate.pem'), 'utf8')).toBe(previousPem);

      const restartedCertificates = await fixture.startPda();
      expect(restartedCertificates.spki()).toBe(oldSpki);
      await expect.poll(() => restartedCertificates.spki()).not.toBe(oldSpki);
      await waitForState(restartedCertificates, { state: 'good', problem: null });
      // If the response to the order was lost, the next process places a second order.
      expect(fixture.authority.countSteps('order') - orderCount).toBe(step === 'order' ? 2 : 1);
      expect(fixture.authority.countAccounts()).toBe(1);
      expect(fixture.authority.issuedChains).toHaveLength(2);
    },
  );
});

describe('damaged files', () => {
  const DAMAGES: readonly (readonly [name: string, title: string, damage: (text: string) => string])[] = [
    ['certificate.pem', 'is cut off', (text: string) => text.slice(0, text.length / 3)],
    ['certificate.pem', 'is empty', () => ''],
    ['certificate.pem', 'is garbage', () => '\u0000\u00ff'.repeat(900)],
    ['certificate.pem', 'is enormous', (text: string) => text + ' '.repeat(300_000)],
    [
      'certificate.pem',
      'has no private key',
      (text: string) => text.replace(/-----BEGIN PRIVATE[^]*?END PRIVATE KEY-----/u, ''),
    ],
    ['account.json', 'is cut off', (text: string) => text.slice(0, 20)],
    [
      'account.json',
      'has the URL of another server',
      (text: string) => text.replace(/"url":"[^"]*"/u, '"url":"https://127.0.0.1:1/"'),
    ],
    ['account.json', 'has a different structure', () => '{"key": 5}'],
    ['tries.json', 'is cut off', (text: string) => text.slice(0, 5)],
  ];
  it.each(DAMAGES.filter(([, title]) => IS_THOROUGH_RUN || title === 'is cut off'))(
    'lead to a new certificate instead of a crash: %s %s',
    async (name, _, damage) => {
      const certificates = await fixture.startPda();
      await waitForState(certificates, { state: 'good' });
      await certificates.close();
      writeFileSync(pathOf(name), damage(readFileSync(pathOf(name), 'utf8')));
      // Removes the certificate, so that the damaged file is read.
      if (name !== 'certificate.pem') rmSync(pathOf('certificate.pem'));
      const restartedCertificates = await fixture.startPda();
      await waitForState(restartedCertificates, { state: 'good', problem: null });
      expect(fixture.authority.countSteps('order')).toBe(2);
      expect((await connectTls(fixture.port, { trust: fixture.authority.rootPem })).isAuthorized).toBe(true);
    },
  );

  it('that are unreadable do not prevent a new certificate, and a folder in place of a file is reported', async () => {
    mkdirSync(pathOf('certificate.pem'), { recursive: true });
    writeFileSync(pathOf('order.json'), '{}');
    chmodSync(pathOf('order.json'), 0o000);
    const certificates = await fixture.startPda();
    // The new file cannot replace a folder. Nothing is lost, and the owner sees the reason.
    await waitForState(certificates, { problem: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST|ENOTDIR/u) });
    rmSync(pathOf('certificate.pem'), { recursive: true });
    fixture.clockAheadMs += 60_000;
    certificates.wake();
    await waitForState(certificates, { state: 'good' });
    expect(fixture.authority.issuedChains).toHaveLength(1);
  });
});
