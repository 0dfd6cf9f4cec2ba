import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readDashboardState } from './dashboard.ts';
import { findElectron } from './electron-binary.ts';
import { start } from './start.ts';

const FAKE_SERVER = join(import.meta.dirname, '..', 'main/server/fake-server.test-support.js');
const POLL_OPTIONS = { interval: 10 };

let root: string;
/** Functions that end the processes of a test, in case it failed before it ended them. */
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'start-'));
  write('server/pda/cli/main.js', `await import(${JSON.stringify(FAKE_SERVER)});`);
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const createEnvironment = (
  behaviour: string,
  extraEnv: Record<string, string> = {},
): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  HOME: root,
  CI: '1',
  FAKE_SERVER_BEHAVIOUR: behaviour,
  FAKE_SERVER_FOLDER: root,
  ...extraEnv,
});

/** Runs `npm start` for the tree in `root`, with a fake server, in a separate process. */
function spawnNpmStart(args: readonly string[]) {
  const code = `
    import { start } from ${JSON.stringify(join(import.meta.dirname, 'start.ts'))};
    process.exitCode = await start(${JSON.stringify(root)}, ${JSON.stringify(args)}, process.env);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env: createEnvironment('well'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanups.push(() => {
    child.kill('SIGKILL');
    return exit;
  });
  return { child, output, exit };
}

/** Runs `npm start` in this process, which is faster than a new one. `stop` acts like a signal. */
function runNpmStart(args: readonly string[] = [], behaviour = 'well', extraEnv: Record<string, string> = {}) {
  const output = { out: '', err: '' };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text: string) => void (output.out += `${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text: string) => void (output.err += `${text}\n`)),
  ];
  const otherListeners = process.listeners('SIGTERM');
  const exit = start(root, args, createEnvironment(behaviour, extraEnv)).finally(() =>
    spies.map((spy) => spy.mockRestore()),
  );
  const stop = (): void => {
    for (const listener of process.listeners('SIGTERM')) if (!otherListeners.includes(listener)) listener('SIGTERM');
  };
  cleanups.push(() => {
    stop();
    return exit;
  });
  return { stop, output, exit };
}

const addressIn = (out: string): string | undefined => /^ {2}(http:\/\/localhost:\d+\/\S*)$/m.exec(out)?.[1];
const linesOf = (name: string): string[] =>
  existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8').trim().split('\n') : [];

describe('npm start without an app window', () => {
  it('prints the address, responds there, and shuts down cleanly on Ctrl-C', async () => {
    const { child, output, exit } = spawnNpmStart(['--home', join(root, 'home')]);
    await expect.poll(() => addressIn(output.out), POLL_OPTIONS).toBeDefined();
    expect((await fetch(`${addressIn(output.out)}healthz`)).status).toBe(200);
    expect(output.out).toContain(`Your data is in ${join(root, 'home')}.`);
    expect(output.out).toContain('There is no app window:');
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(linesOf('stops')).toEqual([process.platform === 'win32' ? 'message' : 'SIGTERM']);
    expect(output.err).toBe('');
  });

  it('prints the set-up address before the set-up', async () => {
    const { stop, output, exit } = runNpmStart([], 'setup');
    await expect.poll(() => addressIn(output.out), POLL_OPTIONS).toMatch(/\/#\/setup\?code=one-time$/);
    expect(output.out.match(/http:/g)).toHaveLength(1);
    stop();
    expect(await exit).toBe(0);
  });

  it('prints the log with --logs', async () => {
    const { stop, output, exit } = runNpmStart(['--logs']);
    await expect.poll(() => output.err, POLL_OPTIONS).toContain('fake server starts');
    stop();
    await exit;
  });

  it('restarts the server after a crash and reports it', async () => {
    const { stop, output, exit } = runNpmStart([], 'crash-once');
    await expect.poll(() => addressIn(output.out), POLL_OPTIONS).toBeDefined();
    expect(output.out).toContain('The server stopped: it exited with code 3. Restarting.');
    stop();
    expect(await exit).toBe(0);
  });

  it('exits with 1 and prints the reason if the server cannot run', async () => {
    const { output, exit } = runNpmStart([], 'refuse');
    expect(await exit).toBe(1);
    expect(output.out).toContain('The server is not running: it exited with code 2.');
  });

  it('rejects invalid arguments with exit code 2', async () => {
    expect(await runNpmStart(['--prot', '1']).exit).toBe(2);
    const { output, exit } = runNpmStart(['--port', 'eighty']);
    expect(await exit).toBe(2);
    expect(output.err).toContain('not "eighty"');
    expect(linesOf('starts')).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('npm start with an app window', () => {
  /** Installs a fake Electron that records its arguments. @returns the environment that selects it */
  const installFakeElectron = (): Record<string, string> => {
    write('electron/electron', `#!/bin/sh\nprintf '%s\\n' "$@" > '${join(root, 'arguments')}'\nexit 5\n`);
    chmodSync(join(root, 'electron/electron'), 0o755);
    write('main/main.ts', 'export {};');
    cpSync(join(import.meta.dirname, 'icons'), join(root, 'build/icons'), { recursive: true });
    write('package.json', '{"name":"x","version":"1.2.3","description":"x"}');
    const dist = { ELECTRON_OVERRIDE_DIST_PATH: join(root, 'electron') };
    return { ...dist, CI: '', DISPLAY: ':0', SSH_CONNECTION: '', INIT_CWD: join(root, 'where it was typed') };
  };

  it('opens the app on the requested home and returns its exit code', async () => {
    expect(await runNpmStart(['--home', 'my pda'], 'well', installFakeElectron()).exit).toBe(5);
    expect(linesOf('arguments')).toEqual([
      join(root, 'dist', 'app'),
      '--home',
      join(root, 'where it was typed', 'my pda'),
    ]);
    expect(linesOf('starts'), 'only the app starts the server').toEqual([]);
  });

  it('opens the app on the home in PDA_HOME by default', async () => {
    expect(await runNpmStart([], 'well', { ...installFakeElectron(), PDA_HOME: join(root, 'another') }).exit).toBe(5);
    expect(linesOf('arguments').slice(1)).toEqual(['--home', join(root, 'another')]);
  });
});

describe('the dashboard', () => {
  const setModified = (path: string, seconds: number): void => utimesSync(join(root, path), seconds, seconds);
  beforeEach(() => {
    write('renderer/dashboard/index.html', '');
    write('renderer/pages/home.tsx', '');
    write('server/wire/common.ts', '');
    write('package-lock.json', '');
    for (const path of [
      'renderer/dashboard/index.html',
      'renderer/pages/home.tsx',
      'server/wire/common.ts',
      'package-lock.json',
    ])
      setModified(path, 1_000);
  });

  it('is missing before the first build', () => {
    expect(readDashboardState(root)).toBe('missing');
  });

  it('is fresh if it is newer than its sources', () => {
    write('renderer/dashboard/dist/index.html', '');
    setModified('renderer/dashboard/dist/index.html', 2_000);
    expect(readDashboardState(root)).toBe('fresh');
  });

  it.each(['renderer/pages/home.tsx', 'server/wire/common.ts', 'package-lock.json'])(
    'is stale after a change to %s',
    (path) => {
      write('renderer/dashboard/dist/index.html', '');
      setModified('renderer/dashboard/dist/index.html', 2_000);
      setModified(path, 3_000);
      expect(readDashboardState(root)).toBe('stale');
    },
  );

  it('stays fresh after a change to a test', () => {
    write('renderer/dashboard/dist/index.html', '');
    write('renderer/pages/home.test.ts', '');
    setModified('renderer/dashboard/dist/index.html', 2_000);
    expect(readDashboardState(root)).toBe('fresh');
  });

  it('has no sources in an installed server', () => {
    rmSync(join(root, 'renderer'), { recursive: true });
    expect(readDashboardState(root)).toBe('no-sources');
  });

  it("prevents the start if it cannot be built, and Vite's output is printed", async () => {
    write('node_modules/vite/bin/vite.js', `console.error('something is wrong in home.tsx'); process.exitCode = 1;`);
    const { output, exit } = runNpmStart();
    expect(await exit).toBe(1);
    expect(output.out).toContain('something is wrong in home.tsx');
    expect(linesOf('starts')).toEqual([]);
  });

  it('is no longer built after Ctrl-C, which is not reported as a failed build', async () => {
    write('node_modules/vite/bin/vite.js', 'setTimeout(() => process.exit(1), 10_000);');
    const { stop, output, exit } = runNpmStart();
    await expect.poll(() => output.out, POLL_OPTIONS).toContain('Building the dashboard');
    stop();
    expect(await exit).toBe(0);
    expect(output.out).not.toContain('could not be built');
  });

  it('is built before the server starts', async () => {
    write(
      'node_modules/vite/bin/vite.js',
      `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync('renderer/dashboard/dist', { recursive: true }); writeFileSync('renderer/dashboard/dist/index.html', '');`,
    );
    write('node_modules/vite/package.json', '{"type":"module"}');
    const { stop, output, exit } = runNpmStart();
    await expect.poll(() => addressIn(output.out), POLL_OPTIONS).toBeDefined();
    expect(output.out).toContain('Building the dashboard');
    expect(readDashboardState(root)).toBe('fresh');
    stop();
    await exit;
  });
});

describe('the Electron binary', () => {
  it('is missing before its download, and the check downloads nothing', () => {
    write('node_modules/electron/index.js', `throw new Error('the package was loaded');`);
    expect(findElectron(root, {})).toEqual({ kind: 'missing', reason: expect.stringMatching(/^no Electron binary/) });
  });

  it('is found at the path in path.txt', () => {
    write('node_modules/electron/path.txt', 'electron-of-this-system');
    expect(findElectron(root, {}).kind).toBe('missing');
    write('node_modules/electron/dist/electron-of-this-system', '');
    expect(findElectron(root, {})).toEqual({
      kind: 'found',
      executable: join(root, 'node_modules/electron/dist/electron-of-this-system'),
    });
  });

  it('is found in ELECTRON_OVERRIDE_DIST_PATH', () => {
    write('node_modules/electron/path.txt', 'electron');
    write('elsewhere/electron', '');
    expect(findElectron(root, { ELECTRON_OVERRIDE_DIST_PATH: join(root, 'elsewhere') })).toEqual({
      kind: 'found',
      executable: join(root, 'elsewhere/electron'),
    });
  });
});
