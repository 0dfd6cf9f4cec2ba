import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../tests/support/is-alive.ts';
import {
  createServerProcess,
  type ServerLimits,
  type ServerProcess,
  type ServerState,
  type StopOutcome,
} from './process.ts';
import { en } from '../texts/en.ts';

const FAKE_SERVER = join(import.meta.dirname, 'fake-server.test-support.js');
const POLL = { interval: 10 };
const LONG_LIMITS = { startMs: 600_000, stopMs: 600_000, healthTimeoutMs: 600_000 };

let folder: string;
const servers: ServerProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-process-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function createServer(behaviour: string, limits: Partial<ServerLimits> = {}, program = process.execPath) {
  const states: ServerState[] = [];
  const log: string[] = [];
  const server = createServerProcess({
    command: {
      program,
      args: [FAKE_SERVER, 'serve', '--home', folder, '--port', '0'],
      cwd: folder,
      env: { PATH: process.env['PATH'], FAKE_SERVER_BEHAVIOUR: behaviour, FAKE_SERVER_FOLDER: folder },
    },
    texts: en,
    // Maximum jitter, so that the back-off is short.
    random: () => 1,
    limits: { ...LONG_LIMITS, ...limits },
    onLog: (line) => void log.push(line),
  });
  servers.push(server);
  server.subscribe((state) => void states.push(state));
  return { server, states, log, kinds: () => states.map(({ kind }) => kind) };
}

const createTriggerFile = (name: string): void => writeFileSync(join(folder, name), '');
const linesOf = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];

async function waitForState<K extends ServerState['kind']>(
  server: ServerProcess,
  kind: K,
): Promise<Extract<ServerState, { kind: K }>> {
  await expect.poll(() => server.state().kind, POLL).toBe(kind);
  const state = server.state();
  const hasKind = (state: ServerState): state is Extract<ServerState, { kind: K }> => state.kind === kind;
  if (!hasKind(state)) throw new Error(`the state changed from ${kind} to ${state.kind}`);
  return state;
}

describe('a well-behaved server', () => {
  it('starts, announces its address, responds, and shuts down cleanly', async () => {
    const { server, kinds } = createServer('well');
    expect(server.state()).toEqual({ kind: 'stopped' });
    server.start();
    expect(server.state().kind).toBe('starting');
    const { address, openUrl, pid } = await waitForState(server, 'running');
    expect(openUrl).toBe(`${address}/`);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect(await server.stop()).toEqual({ kind: 'clean' });
    expect(isAlive(pid)).toBe(false);
    expect(kinds()).toEqual(['starting', 'running', 'stopping', 'stopped']);
  });

  it('announces the set-up page while the PDA is not set up', async () => {
    const { server } = createServer('setup');
    server.start();
    const { address } = await waitForState(server, 'running');
    expect(address).toMatch(/^http:\/\/localhost:\d+$/u);
    await expect
      .poll(() => server.state(), POLL)
      .toMatchObject({ kind: 'running', openUrl: `${address}/#/setup?code=one-time` });
  });

  it('is recognised despite other output', async () => {
    const { server } = createServer('noise');
    server.start();
    const { address } = await waitForState(server, 'running');
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it('stays in the state "starting" until it responds', async () => {
    const { server, kinds } = createServer('slow');
    server.start();
    await expect.poll(() => linesOf('starts'), POLL).toHaveLength(1);
    expect(server.state().kind).toBe('starting');
    createTriggerFile('answer');
    await waitForState(server, 'running');
    expect(kinds()).toEqual(['starting', 'running']);
  });

  it('cannot make the app open an address of another host', async () => {
    const { server, states } = createServer('other-host setup');
    server.start();
    // The set-up's `open` line follows the line with the other host, so both have been read.
    await expect.poll(() => states.at(-1), POLL).toMatchObject({ openUrl: expect.stringContaining('one-time') });
    expect(JSON.stringify(states)).not.toContain('evil');
  });

  it('receives only the given environment and the allocator settings', async () => {
    const { server } = createServer('well');
    server.start();
    const { address } = await waitForState(server, 'running');
    const body: unknown = await (await fetch(`${address}/`)).json();
    const { env } = body as { env: Record<string, string> };
    expect(
      Object.keys(env)
        .filter((name) => !name.startsWith('NODE_CHANNEL_'))
        .toSorted(),
    ).toEqual(['FAKE_SERVER_BEHAVIOUR', 'FAKE_SERVER_FOLDER', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'PATH']);
  });

  it('runs only once, even if it is started repeatedly', async () => {
    const { server } = createServer('well');
    server.start();
    server.start();
    await waitForState(server, 'running');
    server.start();
    expect(linesOf('starts')).toHaveLength(1);
  });

  it('can be restarted', async () => {
    const { server } = createServer('well');
    server.start();
    const firstRun = await waitForState(server, 'running');
    await server.stop();
    server.start();
    const secondRun = await waitForState(server, 'running');
    expect(secondRun.pid).not.toBe(firstRun.pid);
  });

  it('forwards its log', async () => {
    const { server, log } = createServer('well');
    server.start();
    await waitForState(server, 'running');
    await expect.poll(() => log.join('\n'), POLL).toContain('fake server starts');
  });

  it('reports no states to listeners that unsubscribed', async () => {
    const { server } = createServer('well');
    const kinds: string[] = [];
    const unsubscribe = server.subscribe(({ kind }) => void kinds.push(kind));
    server.start();
    unsubscribe();
    await waitForState(server, 'running');
    expect(kinds).toEqual(['starting']);
  });
});

describe('a crashing server', () => {
  it('is restarted if it exits before it responds', async () => {
    const { server, states } = createServer('crash-once');
    server.start();
    await waitForState(server, 'running');
    expect(linesOf('starts')).toHaveLength(2);
    expect(states.map(({ kind }) => kind)).toEqual(['starting', 'waiting', 'starting', 'running']);
    expect(states[1]).toMatchObject({
      reason: 'it exited with code 3',
      restartInMs: 250,
      lastLines: expect.arrayContaining(['something broke']),
    });
  });

  it('is restarted if it is killed while it runs', async () => {
    const { server, states, kinds } = createServer('well');
    server.start();
    const { pid } = await waitForState(server, 'running');
    process.kill(pid, 'SIGKILL');
    // The back-off is too short for polling, so the recorded states are checked.
    await expect.poll(kinds, POLL).toEqual(['starting', 'running', 'waiting', 'starting', 'running']);
    const restartedState = await waitForState(server, 'running');
    expect(restartedState.pid).not.toBe(pid);
    expect(states.find(({ kind }) => kind === 'waiting')).toMatchObject({ reason: 'it was killed by SIGKILL' });
  });

  it('fails after several quick crashes with the reason and the last output', async () => {
    const { server, kinds } = createServer('crash', { maxQuickCrashes: 3 });
    server.start();
    const failedState = await waitForState(server, 'failed');
    expect(failedState.reason).toBe('it exited with code 3');
    expect(failedState.lastLines.at(-1)).toBe('something broke');
    expect(kinds()).toEqual(['starting', 'waiting', 'starting', 'waiting', 'starting', 'failed']);
  });

  it('can be started manually after it failed', async () => {
    const { server } = createServer('crash-once', { maxQuickCrashes: 1 });
    server.start();
    await waitForState(server, 'failed');
    server.start();
    await waitForState(server, 'running');
  });

  it('is not restarted after invalid arguments', async () => {
    const { server } = createServer('refuse');
    server.start();
    expect((await waitForState(server, 'failed')).reason).toBe('it exited with code 2');
    expect(linesOf('starts')).toHaveLength(1);
  });

  it('is not restarted if the program is missing', async () => {
    const { server } = createServer('well', {}, join(folder, 'no-such-program'));
    server.start();
    expect((await waitForState(server, 'failed')).reason).toMatch(/^it could not be started \(.*ENOENT/);
  });

  it('is reported with the last 50 lines of its log, each truncated to 1,000 characters', async () => {
    const { server } = createServer('flood', { maxQuickCrashes: 1 });
    server.start();
    const { lastLines } = await waitForState(server, 'failed');
    expect(lastLines).toHaveLength(50);
    expect(lastLines.at(-1)).toBe('the last line');
    expect(Math.max(...lastLines.map((line) => line.length))).toBe(1_000);
  });

  it('is not restarted if it is stopped during the back-off', async () => {
    const { server } = createServer('crash');
    const { promise: outcome, resolve } = Promise.withResolvers<StopOutcome>();
    server.subscribe((state) => {
      if (state.kind === 'waiting') void server.stop().then(resolve);
    });
    server.start();
    expect(await outcome).toEqual({ kind: 'was-not-running' });
    const starts = linesOf('starts').length;
    // Wait until another server with the same back-off has been restarted.
    const otherServer = createServer('crash', { maxQuickCrashes: 2 });
    otherServer.server.start();
    await waitForState(otherServer.server, 'failed');
    const startsOfOther = otherServer.kinds().filter((kind) => kind === 'starting').length;
    expect(startsOfOther).toBe(2);
    expect(linesOf('starts')).toHaveLength(starts + startsOfOther);
    expect(server.state()).toEqual({ kind: 'stopped' });
  });
});

describe('a hanging server', () => {
  it('is killed if it never responds', async () => {
    const { server } = createServer('slow', { startMs: 300, maxQuickCrashes: 1 });
    server.start();
    expect((await waitForState(server, 'failed')).reason).toMatch(/^it did not respond within/);
    for (const pid of linesOf('starts')) expect(isAlive(Number(pid))).toBe(false);
  });

  it('is killed and restarted if it stops responding', async () => {
    const { server, states } = createServer('well', {
      healthEveryMs: 20,
      healthTimeoutMs: 500,
      healthMisses: 2,
      // On a slow machine, the restarted server may also fail to respond to health checks.
      maxQuickCrashes: 20,
    });
    server.start();
    const { pid } = await waitForState(server, 'running');
    await expect.poll(() => linesOf('health'), POLL).not.toEqual([]);
    createTriggerFile('hang');
    await expect
      .poll(() => states.find(({ kind }) => kind === 'waiting'), POLL)
      .toMatchObject({
        reason: 'it failed to respond 2 times in a row',
      });
    rmSync(join(folder, 'hang'));
    expect((await waitForState(server, 'running')).pid).not.toBe(pid);
  });

  it('is not killed while it responds with 503', async () => {
    const { server, kinds } = createServer('busy', { healthEveryMs: 5, healthMisses: 1 });
    server.start();
    await waitForState(server, 'running');
    await expect.poll(() => Number(linesOf('health')[0] ?? 0), POLL).toBeGreaterThan(5);
    expect(kinds()).toEqual(['starting', 'running']);
  });

  it('is killed if it does not stop in time', async () => {
    // Time passes only after the server has received the request.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { server, kinds } = createServer('stubborn', { stopMs: 300 });
    server.start();
    const { pid } = await waitForState(server, 'running');
    const outcome = server.stop();
    await expect.poll(() => linesOf('stops'), POLL).toEqual([process.platform === 'win32' ? 'message' : 'SIGTERM']);
    expect(isAlive(pid)).toBe(true);
    vi.advanceTimersByTime(300);
    expect(await outcome).toEqual({ kind: 'killed-after-timeout' });
    expect(isAlive(pid)).toBe(false);
    expect(kinds().at(-1)).toBe('stopped');
  });
});

describe('stopping', () => {
  it('stops a server that is still starting', async () => {
    const { server } = createServer('slow');
    server.start();
    await expect.poll(() => linesOf('starts'), POLL).toHaveLength(1);
    await server.stop();
    expect(server.state()).toEqual({ kind: 'stopped' });
    expect(isAlive(Number(linesOf('starts')[0]))).toBe(false);
  });

  it('reports an unclean exit', async () => {
    const { server } = createServer('bad-exit');
    server.start();
    await waitForState(server, 'running');
    expect(await server.stop()).toEqual({ kind: 'unclean', reason: 'it exited with code 7' });
  });

  it('shares one stop among concurrent callers', async () => {
    const { server } = createServer('well');
    server.start();
    await waitForState(server, 'running');
    expect(await Promise.all([server.stop(), server.stop(), server.close()])).toEqual([
      { kind: 'clean' },
      { kind: 'clean' },
      undefined,
    ]);
    expect(linesOf('stops')).toHaveLength(1);
  });

  it('does nothing if the server is not running', async () => {
    expect(await createServer('well').server.stop()).toEqual({ kind: 'was-not-running' });
  });
});

describe('a closed server', () => {
  it('cannot be started again', async () => {
    const { server, states } = createServer('well');
    server.start();
    await waitForState(server, 'running');
    await server.close();
    const stateCount = states.length;
    server.start();
    expect(server.state()).toEqual({ kind: 'stopped' });
    expect(states).toHaveLength(stateCount);
  });
});

describe('the server of an app that was killed', () => {
  it('stops when the IPC channel closes', async () => {
    const shell = `
      import { createServerProcess } from ${JSON.stringify(join(import.meta.dirname, 'process.ts'))};
      import { en } from ${JSON.stringify(join(import.meta.dirname, '../texts/en.ts'))};
      const env = { PATH: process.env.PATH, FAKE_SERVER_FOLDER: ${JSON.stringify(folder)} };
      createServerProcess({ command: { program: process.execPath, args: [${JSON.stringify(FAKE_SERVER)}], cwd: '.', env }, texts: en }).start();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', shell], { cwd: folder, stdio: 'ignore' });
    await expect.poll(() => linesOf('starts'), POLL).toHaveLength(1);
    child.kill('SIGKILL');
    const pid = Number(linesOf('starts')[0]);
    await expect.poll(() => linesOf('stops'), POLL).toEqual(['disconnect']);
    await expect.poll(() => isAlive(pid), POLL).toBe(false);
  });
});

describe('the IPC link', () => {
  it('subscribes to the status and transports commands and responses', async () => {
    const { server } = createServer('bad-ipc');
    const statuses: unknown[] = [];
    server.link.onStatus((status) => statuses.push(status));
    expect(await server.link.sendCommand({ type: 'go-dark' })).toMatchObject({ done: false });
    server.start();
    await waitForState(server, 'running');
    await expect.poll(() => server.link.status(), POLL).toMatchObject({ requestsWaiting: 0 });
    expect(await server.link.sendCommand({ type: 'go-dark' })).toEqual({ done: true });
    expect(linesOf('messages').map((line): unknown => JSON.parse(line))).toEqual([
      { type: 'watch' },
      { type: 'command', id: expect.any(Number), command: { type: 'go-dark' } },
    ]);
    await server.stop();
    expect(server.link.status()).toBeNull();
    expect(statuses.at(-1)).toBeNull();
  });

  it('subscribes again after a restart within the process, which can also complete the set-up', async () => {
    const { server } = createServer('setup restarts');
    server.start();
    await expect.poll(() => linesOf('messages'), POLL).toEqual(['{"type":"watch"}']);
    const { address } = await waitForState(server, 'running');
    createTriggerFile('restart');
    await expect.poll(() => linesOf('messages'), POLL).toEqual(['{"type":"watch"}', '{"type":"watch"}']);
    await expect.poll(() => server.state(), POLL).toMatchObject({ kind: 'running', openUrl: `${address}/` });
  });

  it('drops and logs invalid messages', async () => {
    const { server, log } = createServer('bad-ipc');
    server.start();
    await expect.poll(() => server.link.status(), POLL).not.toBeNull();
    expect(log.filter((line) => line.includes('an invalid message'))).toHaveLength(4);
  });

  it('reports that the result of an unanswered command is unknown', async () => {
    const { server } = createServer('silent');
    server.start();
    await waitForState(server, 'running');
    const outcome = server.link.sendCommand({ type: 'pause-functions' });
    await expect.poll(() => linesOf('messages'), POLL).toHaveLength(2);
    await server.stop();
    expect(await outcome).toEqual({ done: false, reason: expect.stringContaining('stopped before it responded') });
  });
});

describe('a home that cannot be opened', () => {
  it('is retried while another process uses it, and fails with the reason that the server reported', async () => {
    const { server, kinds } = createServer('locked-out', { maxQuickCrashes: 2 });
    server.start();
    expect(await waitForState(server, 'failed')).toMatchObject({
      reason: 'Another process uses it',
      problem: 'in_use',
    });
    expect(kinds()).toEqual(['starting', 'waiting', 'starting', 'failed']);
  });

  it('is not retried for permanent problems', async () => {
    const { server, kinds } = createServer('locked-out newer');
    server.start();
    expect(await waitForState(server, 'failed')).toMatchObject({ problem: 'newer' });
    expect(kinds()).toEqual(['starting', 'failed']);
  });
});
