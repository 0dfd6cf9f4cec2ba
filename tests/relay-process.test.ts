import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../server/relay/commands.ts';
import { endProcesses, startProcess, startRelayProcess } from './support/relay-process.ts';
import {
  ask,
  claim,
  holdTunnel,
  LOCAL,
  newFolder,
  newKey,
  openConnection,
  proofFor,
  REMOTE,
  removeFolders,
  startRelay,
  type Where,
} from './support/relay.ts';
import { runHere } from './support/run-command.ts';
import { selfSigned } from './support/self-signed.ts';

/** The relay as its operator meets it, and what signals do to it and to PDAs. */

const PDA = 'tests/support/relay-pda.ts';
const FINE = 0;
const FAILED = 1;
const WRONG_ARGUMENTS = 2;

vi.stubEnv('PDA_LOG_LEVEL', 'silent');
const run = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
  const { code, stdout, stderr } = await runHere(args, main);
  return { code, out: stdout, err: stderr };
};
afterAll(() => {
  endProcesses();
  vi.unstubAllEnvs();
  removeFolders();
});

const greet = async (where: Where, name: string): Promise<string> => (await ask(where, { name })).text;

describe('wrong arguments end with 2, and nothing is done', () => {
  it.each([
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
  ])('%j', async (...args) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toStrictEqual([WRONG_ARGUMENTS, '']);
    expect(err).not.toBe('');
  });
});

describe('a relay without a certificate of its own', () => {
  it('does not start where names lead elsewhere, and says what is missing', async () => {
    const home = newFolder();
    expect(await run('serve', '--domain', REMOTE, '--home', home)).toStrictEqual({
      code: FAILED,
      out: '',
      err: `The relay's own name, ${REMOTE}, needs a certificate: --cert FILE and --key FILE.\n`,
    });
    const [cert, key] = [join(home, 'cert'), join(home, 'key')];
    writeFileSync(cert, (await selfSigned(REMOTE)).cert);
    writeFileSync(key, (await selfSigned(REMOTE)).key);
    const mixed = await run('serve', '--domain', REMOTE, '--home', home, '--cert', cert, '--key', key);
    expect([mixed.code, mixed.err]).toStrictEqual([
      FAILED,
      expect.stringMatching(/the key is not that of the certificate/u),
    ]);
  });
});

describe('a folder', () => {
  const home = newFolder();
  const args = ['--domain', LOCAL, '--home', home];
  let first: Awaited<ReturnType<typeof startRelayProcess>>;
  let again: typeof first;
  beforeAll(async () => {
    first = await startRelayProcess(...args);
  });

  it('is that of one relay: a second one is kept out', async () => {
    const second = await run('serve', ...args);
    expect([second.code, second.out]).toStrictEqual([FAILED, '']);
    expect(second.err).toMatch(/Another relay is using .+ Stop it first/u);
    // It did the first one no harm, and single names are looked at by it.
    expect((await claim({ port: first.port, domain: LOCAL }, 'alice')).status).toBe(200);
    expect((await run('name', 'list', '--home', home)).out).toMatch(/^alice\t/u);
  });

  it('is let go of by a relay that is killed: the next knows names and used claims, and takes the tunnels in again', async () => {
    const where = { port: first.port, domain: LOCAL };
    const token = await proofFor(where, 'alice');
    expect((await claim(where, 'alice', { token })).status).toBe(200);
    const tunnel = await holdTunnel(where, 'alice', () => undefined);
    first.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    await Promise.all([...tunnel.lines].map((line) => line.closed));
    again = await startRelayProcess(...args, '--port', String(first.port));
    expect((await claim(where, 'alice', { token })).status).toBe(401);
    expect((await claim(where, 'alice', { key: newKey() })).status).toBe(403);
    // The session before is nobody's.
    await expect(openConnection(where, tunnel, 50).ready).rejects.toThrow('closed');
    const pda = await startProcess(PDA, [String(where.port), LOCAL, 'bea']);
    expect(pda.line).toBe('up');
    expect(await greet(where, 'bea')).toBe('hello');
  });

  it('is let go of in order when it is told to stop: its waiting lines end at once, a visit comes to its end, and it exits with 0', async () => {
    const where = { port: again.port, domain: LOCAL };
    let finish: () => void = () => undefined;
    const tunnel = await holdTunnel(
      where,
      'carl',
      (socket) => {
        socket.resume().on('error', () => undefined);
        finish = () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlast');
      },
      { idle: 2 },
    );
    const asked = greet(where, 'carl');
    await expect.poll(() => tunnel.visits.length).toBe(1);
    await expect.poll(() => tunnel.lines.size).toBe(3);
    again.kill('SIGTERM');
    await expect.poll(() => tunnel.lines.size).toBe(1);
    finish();
    expect(await asked).toBe('last');
    expect(await again.ended).toBe(FINE);
    tunnel.close();
  });
});

describe('the operator', () => {
  it('sees who has which name, and takes one back', async () => {
    const relay = await startRelay();
    try {
      const { home } = relay;
      expect((await claim(relay, 'alice')).status).toBe(200);
      expect((await claim(relay, 'bea')).status).toBe(200);
      const listed = await run('name', 'list', '--home', home);
      expect(listed.out).toMatch(/^alice\t[\w-]{43}\t\S+Z\nbea\t[\w-]{43}\t\S+Z\n$/u);
      const key = newKey();
      expect((await claim(relay, 'bea', { key })).status).toBe(403);
      expect(await run('name', 'forget', 'bea', '--home', home)).toStrictEqual({
        code: FINE,
        out: 'name bea is forgotten\n',
        err: '',
      });
      expect((await claim(relay, 'bea', { key })).status).toBe(200);
      expect((await run('name', 'forget', 'nobody', '--home', home)).code).toBe(FAILED);
    } finally {
      await relay.close();
    }
  });

  it('renews its certificate by writing the files: no restart, and a spoilt one changes nothing', async () => {
    const relay = await startRelay({ domain: REMOTE, lookMs: 50 });
    try {
      const health = async (ca: string): Promise<number> => (await ask({ ...relay, ca }, { path: '/healthz' })).status;
      expect(await health(readFileSync(relay.certFile, 'utf8'))).toBe(200);
      const next = await selfSigned(REMOTE);
      writeFileSync(relay.keyFile, next.key);
      writeFileSync(relay.certFile, next.cert);
      await expect.poll(() => health(next.cert).catch(() => 0)).toBe(200);
      await expect(health(relay.ca ?? '')).rejects.toThrow(/self-signed|signature|certificate/iu);
      writeFileSync(relay.certFile, 'nothing');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await health(next.cert)).toBe(200);
    } finally {
      await relay.close();
    }
  });
});

describe('a relay that is told to stop', () => {
  it('does not wait for one that goes on and on, or says nothing', async () => {
    const relay = await startRelayProcess('--domain', LOCAL, '--home', newFolder());
    const where = { port: relay.port, domain: LOCAL };
    const tunnel = await holdTunnel(where, 'alice', (socket) => socket.resume().on('error', () => undefined));
    const silent = connect(relay.port, '127.0.0.1').on('error', () => undefined);
    const asked = greet(where, 'alice').catch(() => 'broken');
    await expect.poll(() => tunnel.visits.length).toBe(1);
    relay.kill('SIGTERM');
    expect(await relay.ended).toBe(FINE);
    expect(await asked).toBe('broken');
    silent.destroy();
    tunnel.close();
  });
});

describe('a PDA that stands still', () => {
  it('is given up within the time: its visitors wait no longer than they must, and then hear that it is offline', async () => {
    const relay = await startRelay({
      // The visit before may not be quite over on the side that stands still: it has its own bound.
      limits: { silentMs: 1500, emptyMs: 300, sweepMs: 100, goMs: 200, visitorWaitMs: 600, visitIdleMs: 2000 },
    });
    try {
      const pda = await startProcess(PDA, [String(relay.port), LOCAL, 'alice']);
      expect(await greet(relay, 'alice')).toBe('hello');
      pda.kill('SIGSTOP');
      // Its lines still stand: the system of a stopped process answers for it.
      expect((await ask(relay, { name: 'alice' })).status).toBe(503);
      await expect.poll(() => relay.relay.sessions.connections()).toBe(0);
      await expect.poll(() => relay.relay.sessions.find('alice')).toBeUndefined();
      expect((await ask(relay, { name: 'alice' })).status).toBe(503);
      pda.kill('SIGKILL');
      await pda.ended;
    } finally {
      await relay.close();
    }
  });

  it('and one that is killed is offline at once', async () => {
    const relay = await startRelay({ limits: { emptyMs: 200, sweepMs: 50 } });
    try {
      const pda = await startProcess(PDA, [String(relay.port), LOCAL, 'alice']);
      expect(await greet(relay, 'alice')).toBe('hello');
      pda.kill('SIGKILL');
      await expect.poll(() => relay.relay.sessions.find('alice')).toBeUndefined();
      expect((await ask(relay, { name: 'alice' })).status).toBe(503);
    } finally {
      await relay.close();
    }
  });
});
