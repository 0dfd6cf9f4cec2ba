import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../server/relay/commands.ts';
import { endProcesses, startProcess, startRelayProcess } from './support/relay-process.ts';
import { newTestKey } from './support/keys.ts';
import {
  requestRelay,
  claimName,
  holdTunnel,
  LOCAL_DOMAIN,
  newRelayFolder,
  openConnection,
  proofFor,
  REMOTE_DOMAIN,
  removeRelayFolders,
  startRelay,
  type RelayTarget,
} from './support/relay.ts';
import { runInProcess } from './support/run-command.ts';
import { createSelfSigned } from './support/self-signed.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const PDA_SCRIPT = 'tests/support/relay-pda.ts';
const EXIT_OK = 0;
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

vi.stubEnv('PDA_LOG_LEVEL', 'silent');
const run = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
  const { code, stdout, stderr } = await runInProcess(args, main);
  return { code, out: stdout, err: stderr };
};
afterAll(() => {
  endProcesses();
  vi.unstubAllEnvs();
  removeRelayFolders();
});

const fetchText = async (target: RelayTarget, name: string): Promise<string> =>
  (await requestRelay(target, { name })).text;

describe('the relay command with invalid arguments', () => {
  const INVALID_ARGUMENTS = [
    [],
    ['explode'],
    ['serve'],
    ['serve', '--domain', 'https://x'],
    ['serve', '--domain', 'x.example:8443'],
    ['serve', '--domain', '127.0.0.1'],
    ['serve', '--domain', 'localhost', '--port', '70000'],
    ['name'],
    ['name', 'forget'],
    ['name', 'forget', 'A B'],
  ];
  it.each(INVALID_ARGUMENTS.map((args) => [args]))('exits with 2 and prints an error message: %j', async (args) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toStrictEqual([EXIT_USAGE, '']);
    expect(err).not.toBe('');
  });
});

describe('serve without a valid certificate', () => {
  it('fails for a non-local domain and prints the reason', async () => {
    const home = newRelayFolder();
    expect(await run('serve', '--domain', REMOTE_DOMAIN, '--home', home)).toStrictEqual({
      code: EXIT_FAILURE,
      out: '',
      err: `The domain ${REMOTE_DOMAIN} needs a certificate. Pass --cert FILE and --key FILE.\n`,
    });
    const [cert, key] = [join(home, 'cert'), join(home, 'key')];
    writeFileSync(cert, (await createSelfSigned(REMOTE_DOMAIN)).cert);
    writeFileSync(key, (await createSelfSigned(REMOTE_DOMAIN)).key);
    const mismatchResult = await run('serve', '--domain', REMOTE_DOMAIN, '--home', home, '--cert', cert, '--key', key);
    expect([mismatchResult.code, mismatchResult.err]).toStrictEqual([
      EXIT_FAILURE,
      expect.stringMatching(/the key does not match the certificate/u),
    ]);
  });
});

describe('a relay process', () => {
  const home = newRelayFolder();
  const args = ['--domain', LOCAL_DOMAIN, '--home', home];
  let firstRelay: Awaited<ReturnType<typeof startRelayProcess>>;
  let restartedRelay: typeof firstRelay;
  beforeAll(async () => {
    firstRelay = await startRelayProcess(...args);
  });

  it('locks its folder against a second relay', async () => {
    const secondRun = await run('serve', ...args);
    expect([secondRun.code, secondRun.out]).toStrictEqual([EXIT_FAILURE, '']);
    expect(secondRun.err).toMatch(/Another relay is using .+ Stop it first/u);
    // The first relay still works, and the command line can read names.
    expect((await claimName({ port: firstRelay.port, domain: LOCAL_DOMAIN }, 'alice')).status).toBe(200);
    expect((await run('name', 'list', '--home', home)).out).toMatch(/^alice\t/u);
  });

  it('releases its folder when it is killed; the next relay keeps names and used claims and accepts new tunnels', async () => {
    const target = { port: firstRelay.port, domain: LOCAL_DOMAIN };
    const token = await proofFor(target, 'alice');
    expect((await claimName(target, 'alice', { token })).status).toBe(200);
    const tunnel = await holdTunnel(target, 'alice', () => undefined);
    firstRelay.kill('SIGKILL');
    expect(await firstRelay.exitStatus).toBe('SIGKILL');
    await Promise.all([...tunnel.connections].map((connection) => connection.closed));
    restartedRelay = await startRelayProcess(...args, '--port', String(firstRelay.port));
    expect((await claimName(target, 'alice', { token })).status).toBe(401);
    expect((await claimName(target, 'alice', { key: newTestKey() })).status).toBe(403);
    // Sessions do not survive a restart.
    await expect(openConnection(target, tunnel, 50).ready).rejects.toThrow('closed');
    const pda = await startProcess(PDA_SCRIPT, [String(target.port), LOCAL_DOMAIN, 'bea']);
    expect(pda.firstLine).toBe('up');
    expect(await fetchText(target, 'bea')).toBe('hello');
  });

  it('on SIGTERM closes idle connections, finishes the request in progress and exits with 0', async () => {
    const target = { port: restartedRelay.port, domain: LOCAL_DOMAIN };
    let finish: () => void = () => undefined;
    const tunnel = await holdTunnel(
      target,
      'carl',
      (socket) => {
        socket.resume().on('error', () => undefined);
        finish = () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlast');
      },
      { idleConnections: 2 },
    );
    const reply = fetchText(target, 'carl');
    await expect.poll(() => tunnel.peers.length).toBe(1);
    await expect.poll(() => tunnel.connections.size).toBe(3);
    // The PDA responds as soon as the idle connections have closed, because the relay waits only a few seconds.
    for (const { closed } of tunnel.connections)
      void closed.then(() => {
        if (tunnel.connections.size === 1) finish();
      });
    restartedRelay.kill('SIGTERM');
    expect(await reply).toBe('last');
    expect(await restartedRelay.exitStatus).toBe(EXIT_OK);
    tunnel.close();
  });
});

describe('the operator', () => {
  it('lists names and releases one', async () => {
    const relay = await startRelay();
    try {
      const { home } = relay;
      expect((await claimName(relay, 'alice')).status).toBe(200);
      expect((await claimName(relay, 'bea')).status).toBe(200);
      const list = await run('name', 'list', '--home', home);
      expect(list.out).toMatch(/^alice\t[\w-]{43}\t\S+Z\nbea\t[\w-]{43}\t\S+Z\n$/u);
      const key = newTestKey();
      expect((await claimName(relay, 'bea', { key })).status).toBe(403);
      expect(await run('name', 'forget', 'bea', '--home', home)).toStrictEqual({
        code: EXIT_OK,
        out: 'name bea released\n',
        err: '',
      });
      expect((await claimName(relay, 'bea', { key })).status).toBe(200);
      expect((await run('name', 'forget', 'unknown', '--home', home)).code).toBe(EXIT_FAILURE);
    } finally {
      await relay.close();
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'renews the certificate by writing its files; an invalid file changes nothing',
    async () => {
      const relay = await startRelay({ domain: REMOTE_DOMAIN, pollMs: 50 });
      try {
        const readHealth = async (ca: string): Promise<number> =>
          (await requestRelay({ ...relay, ca }, { path: '/healthz' })).status;
        expect(await readHealth(readFileSync(relay.certFile, 'utf8'))).toBe(200);
        const newCertificate = await createSelfSigned(REMOTE_DOMAIN);
        writeFileSync(relay.keyFile, newCertificate.key);
        writeFileSync(relay.certFile, newCertificate.cert);
        await expect.poll(() => readHealth(newCertificate.cert).catch(() => 0)).toBe(200);
        await expect(readHealth(relay.ca ?? '')).rejects.toThrow(/self-signed|signature|certificate/iu);
        writeFileSync(relay.certFile, 'nothing');
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(await readHealth(newCertificate.cert)).toBe(200);
      } finally {
        await relay.close();
      }
    },
  );
});

describe('relay shutdown on SIGTERM', () => {
  it.skipIf(!IS_THOROUGH_RUN)('closes silent connections and aborts requests that exceed the drain time', async () => {
    const relay = await startRelayProcess('--domain', LOCAL_DOMAIN, '--home', newRelayFolder());
    const target = { port: relay.port, domain: LOCAL_DOMAIN };
    const tunnel = await holdTunnel(target, 'alice', (socket) => socket.resume().on('error', () => undefined));
    const silentSocket = connect(relay.port, '127.0.0.1').on('error', () => undefined);
    const reply = fetchText(target, 'alice').catch(() => 'aborted');
    await expect.poll(() => tunnel.peers.length).toBe(1);
    relay.kill('SIGTERM');
    expect(await relay.exitStatus).toBe(EXIT_OK);
    expect(await reply).toBe('aborted');
    silentSocket.destroy();
    tunnel.close();
  });
});

describe('an unresponsive PDA', () => {
  // The clock of the relay advances only when a test advances it, so that a slow PDA does not look unresponsive.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());
  /** Advances the time by `stepMs` milliseconds before each poll of a value. */
  const waitWhileTimePasses = (stepMs: number, read: () => unknown) =>
    expect.poll(async () => {
      await vi.advanceTimersByTimeAsync(stepMs);
      return read();
    });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is offline after a timeout, and its clients receive 503 after the wait limit',
    async () => {
      const relay = await startRelay();
      const { sessions } = relay.relay;
      try {
        const pda = await startProcess(PDA_SCRIPT, [String(relay.port), LOCAL_DOMAIN, 'alice']);
        expect(await fetchText(relay, 'alice')).toBe('hello');
        await expect.poll(() => sessions.clientCount()).toBe(0);
        pda.kill('SIGSTOP');
        // The kernel keeps the connections of a stopped process open.
        let status: number | undefined;
        const reply = requestRelay(relay, { name: 'alice' }).then((response) => {
          ({ status } = response);
        });
        await expect.poll(() => sessions.clientCount()).toBe(1);
        await waitWhileTimePasses(1000, () => status).toBe(503);
        await reply;
        await waitWhileTimePasses(10_000, () => sessions.connectionCount()).toBe(0);
        await waitWhileTimePasses(10_000, () => sessions.find('alice')).toBeUndefined();
        expect((await requestRelay(relay, { name: 'alice' })).status).toBe(503);
        pda.kill('SIGKILL');
        await pda.exitStatus;
      } finally {
        vi.useRealTimers();
        await relay.close();
      }
    },
  );

  it('is offline soon after it is killed', async () => {
    const relay = await startRelay();
    const { sessions } = relay.relay;
    try {
      const pda = await startProcess(PDA_SCRIPT, [String(relay.port), LOCAL_DOMAIN, 'alice']);
      expect(await fetchText(relay, 'alice')).toBe('hello');
      pda.kill('SIGKILL');
      await expect.poll(() => sessions.connectionCount()).toBe(0);
      await waitWhileTimePasses(5000, () => sessions.find('alice')).toBeUndefined();
      expect((await requestRelay(relay, { name: 'alice' })).status).toBe(503);
    } finally {
      vi.useRealTimers();
      await relay.close();
    }
  });
});
