import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { buildFailureText } from '../main/ui/failure-text-rules.ts';
import { serverCommand } from '../main/server/installation.ts';
import { createServerProcess, type ServerProcess, type ServerState } from '../main/server/process.ts';
import { en } from '../main/texts/en.ts';
import { findInconsistencies } from './support/database-check.ts';
import { CHECKOUT, PATIENT_LIMITS, signInAt, waitUntilRunning } from './support/desktop-app.ts';
import { isAlive } from './support/is-alive.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { newHome, removeFolders, until } from './support/server-process.ts';
import { canMountDisk, growDisk, mountSmallDisk, removeDisk, removeDisks } from './support/small-disk.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests how the desktop shell supervises the real server during failures of the machine. It must inform the owner, and
// no data may be lost.

const canMount = canMountDisk();

const runningServers: ServerProcess[] = [];
const shellPids: number[] = [];
afterEach(async () => {
  for (const pid of shellPids.splice(0)) killQuietly(pid);
  for (const server of runningServers.splice(0)) await server.close();
  await closeHomes();
  removeDisks();
});
afterAll(removeFolders);

const killQuietly = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
};

const superviseServer = (home: string, options: Partial<Parameters<typeof createServerProcess>[0]> = {}) => {
  const states: ServerState[] = [];
  const server = createServerProcess({
    command: serverCommand(CHECKOUT, home, process.env, 0),
    texts: en,
    random: () => 1,
    ...options,
    limits: { ...PATIENT_LIMITS, ...options.limits },
  });
  runningServers.push(server);
  server.subscribe((state) => void states.push(state));
  return { server, states };
};
type FailedState = Extract<ServerState, { kind: 'failed' }>;
const waitUntilFailed = (server: ServerProcess): Promise<FailedState> =>
  until(() => {
    const state = server.state();
    return state.kind === 'failed' && state;
  }, 'the server has failed');

/** Signs in and returns functions that send requests as the dashboard does. */
const signIn = async (address: string) => {
  const token = await signInAt(address);
  return {
    store: async (firstNumber: number, count: number, size = 10): Promise<number> => {
      const records = Array.from({ length: count }, (_, n) => ({ n: firstNumber + n, text: 'x'.repeat(size) }));
      const { status } = await fetch(`${address}/api/v2.6/data/diary/entries`, {
        method: 'POST',
        headers: { 'x-auth-token': token, 'content-type': 'application/json' },
        body: JSON.stringify(records),
      });
      return status;
    },
    readNumbers: async (): Promise<number[]> => {
      const reply = await fetch(`${address}/api/v2.6/data/diary/entries?take=100000`, {
        headers: { 'x-auth-token': token },
      });
      return ((await reply.json()) as { data: { n: number } }[]).map(({ data }) => data.n).toSorted((a, b) => a - b);
    },
  };
};
/** Opens the home in this process and returns the numbers of the stored records in ascending order. */
const readStoredNumbers = async (home: string): Promise<number[]> => {
  const server = await openHome(home);
  const { json } = await server.call('GET', '/api/v2.6/data/diary/entries?take=100000');
  await server.close();
  return (json as { data: { n: number } }[]).map(({ data }) => data.n).toSorted((a, b) => a - b);
};
const numbersBelow = (limit: number): number[] => Array.from({ length: limit }, (_, n) => n);

/** Starts a shell process that supervises a server as the app does, so that it can be killed. */
const startShell = async (home: string): Promise<{ shellPid: number; serverPid: number; address: string }> => {
  const code = `
    const { createServerProcess } = await import('${pathToFileURL(join(CHECKOUT.root, 'main/server/process.ts')).href}');
    const { serverCommand } = await import('${pathToFileURL(join(CHECKOUT.root, 'main/server/installation.ts')).href}');
    const { en } = await import('${pathToFileURL(join(CHECKOUT.root, 'main/texts/en.ts')).href}');
    const server = createServerProcess({ texts: en, command: serverCommand(${JSON.stringify(CHECKOUT)}, ${JSON.stringify(home)}, process.env, 0) });
    server.subscribe((state) => console.log(JSON.stringify(state)));
    server.start();`;
  const child = spawn(CHECKOUT.node, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  shellPids.push(child.pid ?? 0);
  for await (const line of createInterface({ input: child.stdout })) {
    const state = JSON.parse(line) as ServerState;
    if (state.kind === 'running') return { shellPid: child.pid ?? 0, serverPid: state.pid, address: state.address };
  }
  throw new Error('the shell ended');
};

describe('a killed server', () => {
  it('is reported with its reason and restarted, with all acknowledged data', async () => {
    const home = await newHome();
    const { server, states } = superviseServer(home);
    server.start();
    const { address, pid } = await waitUntilRunning(server);
    expect(await (await signIn(address)).store(0, 50)).toBe(201);
    process.kill(pid, 'SIGKILL');
    await until(() => states.some(({ kind }) => kind === 'waiting'), 'the restart is announced');
    const waitingState = states.find((state) => state.kind === 'waiting');
    if (waitingState?.kind !== 'waiting') throw new Error('no restart was announced');
    const failureText = buildFailureText(waitingState);
    expect(failureText.paragraphs.join(' ')).toContain(
      'The server is not running: it was killed by SIGKILL. All saved data is safe.',
    );
    expect(failureText.paragraphs.join(' ')).toMatch(/restarts in 1 second/u);
    const restartedServer = await waitUntilRunning(server);
    expect(restartedServer.pid).not.toBe(pid);
    expect(await (await signIn(restartedServer.address)).readNumbers()).toEqual(numbersBelow(50));
  });
});

describe('a killed shell', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'stops its server gracefully, and the next start finds all data and needs no check',
    async () => {
      const home = await newHome();
      const { shellPid, serverPid, address } = await startShell(home);
      expect(await (await signIn(address)).store(0, 20)).toBe(201);
      process.kill(shellPid, 'SIGKILL');
      await until(() => !isAlive(serverPid), 'the server has exited too');
      expect(existsSync(join(home, 'running')), 'the server stopped gracefully').toBe(false);
      expect(await readStoredNumbers(home)).toEqual(numbersBelow(20));
    },
  );
});

describe('a power failure', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'loses no acknowledged write when shell and server are killed simultaneously',
    async () => {
      const home = await newHome();
      const { shellPid, serverPid, address } = await startShell(home);
      const owner = await signIn(address);
      let acknowledgedCount = 0;
      const writes = (async () => {
        for (; acknowledgedCount < 100_000; acknowledgedCount += 1)
          if ((await owner.store(acknowledgedCount, 1)) !== 201) return;
      })().catch(() => undefined);
      await until(() => acknowledgedCount > 30, 'writes are acknowledged');
      // The stopped shell can neither restart its server nor end it gracefully.
      process.kill(shellPid, 'SIGSTOP');
      for (const victim of [-serverPid, shellPid]) process.kill(victim, 'SIGKILL');
      await writes;
      await until(() => !isAlive(serverPid), 'the server has exited');
      expect(existsSync(join(home, 'running')), 'the server was killed').toBe(true);
      const storedNumbers = await readStoredNumbers(home);
      expect(storedNumbers.slice(0, acknowledgedCount)).toEqual(numbersBelow(acknowledgedCount));
      // The write in progress may have completed.
      expect(storedNumbers.length).toBeLessThanOrEqual(acknowledgedCount + 1);
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});

describe('a second instance', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is refused with a message and changes nothing; the first continues', async () => {
    const home = await newHome();
    const { server: firstServer } = superviseServer(home);
    firstServer.start();
    const { address, pid } = await waitUntilRunning(firstServer);
    const originalFiles = readdirSync(home).toSorted();
    const { server: secondServer } = superviseServer(home, { limits: { maxQuickCrashes: 1 } });
    secondServer.start();
    const failedState = await waitUntilFailed(secondServer);
    expect(failedState.problem).toBe('in_use');
    const failureText = buildFailureText(failedState);
    expect(failureText.paragraphs[0]).toContain(`Another process is using ${home}`);
    expect(failureText.paragraphs.join(' ')).toContain('Nothing was changed');
    expect(firstServer.state()).toMatchObject({ kind: 'running', pid });
    expect(await (await signIn(address)).store(0, 3)).toBe(201);
    expect(readdirSync(home).toSorted()).toEqual(originalFiles);
  });
});

describe.skipIf(!canMount)('a server on a full disk', () => {
  it.skipIf(!IS_THOROUGH_RUN)('refuses writes that do not fit, keeps stored data, and is not restarted', async () => {
    const disk = mountSmallDisk() ?? '';
    const home = await newHome(join(disk, 'home'));
    const { server, states } = superviseServer(home, { limits: { healthEveryMs: 50 } });
    server.start();
    const { address, pid } = await waitUntilRunning(server);
    const owner = await signIn(address);
    // Fills half of the disk.
    writeFileSync(join(disk, 'filler'), Buffer.alloc(12_000_000));
    let acknowledgedCount = 0;
    let status = 201;
    while (status === 201) {
      status = await owner.store(acknowledgedCount, 20, 20_000);
      if (status === 201) acknowledgedCount += 20;
    }
    expect(status).toBe(507);
    expect(acknowledgedCount).toBeGreaterThan(0);
    expect(await owner.readNumbers()).toEqual(numbersBelow(acknowledgedCount));
    expect(server.state()).toMatchObject({ kind: 'running', pid });
    expect(states.filter(({ kind }) => kind === 'waiting' || kind === 'failed')).toEqual([]);
    growDisk(disk);
    expect(await owner.store(acknowledgedCount, 10)).toBe(201);
    expect(await server.stop()).toEqual({ kind: 'clean' });
  });
});

describe('a home on a removed disk', () => {
  const HOME_MISSING = /The database in .* is missing or was replaced: the disk was removed, or the folder was moved/u;

  it.skipIf(!IS_THOROUGH_RUN)(
    'stops the server, is named as the reason, and has all data when the disk is back',
    async () => {
      const home = await newHome();
      const { server } = superviseServer(home);
      server.start();
      const { address, pid } = await waitUntilRunning(server);
      expect(await (await signIn(address)).store(0, 40)).toBe(201);
      renameSync(home, `${home}-elsewhere`);
      const failedState = await waitUntilFailed(server);
      expect(failedState.problem).toBe('unusable');
      const [headline, advice] = buildFailureText(failedState).paragraphs;
      expect(headline).toMatch(HOME_MISSING);
      expect(advice).toContain('connect the disk first');
      expect(isAlive(pid)).toBe(false);
      expect(existsSync(home), 'no new home was created').toBe(false);

      renameSync(`${home}-elsewhere`, home);
      server.start();
      expect(await (await signIn((await waitUntilRunning(server)).address)).readNumbers()).toEqual(numbersBelow(40));
      await server.close();
      expect(findInconsistencies(home)).toEqual([]);
    },
  );

  it.skipIf(!canMount || !IS_THOROUGH_RUN)(
    'is detected even when another folder replaces it, and that folder is not changed',
    async () => {
      const disk = mountSmallDisk() ?? '';
      const home = await newHome(join(disk, 'home'));
      const { server } = superviseServer(home);
      server.start();
      const { address } = await waitUntilRunning(server);
      expect(await (await signIn(address)).store(0, 5)).toBe(201);
      removeDisk(disk);
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'pda.sqlite'), 'of another program');
      expect(buildFailureText(await waitUntilFailed(server)).paragraphs[0]).toMatch(HOME_MISSING);
      expect(readdirSync(home)).toEqual(['pda.sqlite']);
      rmSync(home, { recursive: true });
    },
  );
});
