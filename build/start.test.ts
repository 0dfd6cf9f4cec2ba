import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardState } from './dashboard.ts';
import { findElectron } from './electron-binary.ts';

const STAND_IN = join(import.meta.dirname, '..', 'main', 'server.test-support.ts');
const PATIENCE = { timeout: 20_000, interval: 10 };

let root: string;
const children: { kill(): void }[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'start-'));
  write('server/pda/entry.js', `await import(${JSON.stringify(STAND_IN)});`);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Runs `npm start` for the tree in `root`, whose server is the stand-in. */
function npmStart(args: readonly string[] = [], behaviour = 'well') {
  const code = `
    import { start } from ${JSON.stringify(join(import.meta.dirname, 'start.ts'))};
    process.exitCode = await start(${JSON.stringify(root)}, ${JSON.stringify(args)}, process.env);`;
  const env = { PATH: process.env['PATH'], HOME: root, CI: '1', STAND_IN: behaviour, STAND_IN_FOLDER: root };
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push({ kill: () => child.kill('SIGKILL') });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said, exit };
}

const address = (out: string): string | undefined => /^ {2}(http:\/\/127\.0\.0\.1:\d+\/\S*)$/m.exec(out)?.[1];
const lines = (name: string): string[] =>
  existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8').trim().split('\n') : [];

describe('npm start without an app window', () => {
  it('says the address, serves there, and stops in order with Ctrl-C', async () => {
    const { child, said, exit } = npmStart(['--home', join(root, 'home')]);
    await expect.poll(() => address(said.out), PATIENCE).toBeDefined();
    expect((await fetch(`${address(said.out)}healthz`)).status).toBe(200);
    expect(said.out).toContain(`Your data is in ${join(root, 'home')}.`);
    expect(said.out).toContain('There is no app window:');
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(lines('stops')).toEqual([process.platform === 'win32' ? 'message' : 'SIGTERM']);
    expect(said.err).toBe('');
  });

  it('says the address of the set-up while the PDA is not set up', async () => {
    const { child, said, exit } = npmStart([], 'setup');
    await expect.poll(() => address(said.out), PATIENCE).toMatch(/\/#\/setup\?code=one-time$/);
    expect(said.out.match(/http:/g)).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('prints the log when asked to', async () => {
    const { child, said, exit } = npmStart(['--logs']);
    await expect.poll(() => said.err, PATIENCE).toContain('stand-in starts');
    child.kill('SIGTERM');
    await exit;
  });

  it('starts the server again after a crash, and says so', async () => {
    const { child, said, exit } = npmStart([], 'crash-once');
    await expect.poll(() => address(said.out), PATIENCE).toBeDefined();
    expect(said.out).toContain('The server stopped: it ended with exit code 3. It is started again.');
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('ends with 1 and the last words when the server cannot run', async () => {
    const { said, exit } = npmStart([], 'refuse');
    expect(await exit).toBe(1);
    expect(said.out).toContain('The server stopped: it ended with exit code 2.');
  });

  it('refuses arguments that are none, with exit code 2', async () => {
    expect(await npmStart(['--prot', '1']).exit).toBe(2);
    const { said, exit } = npmStart(['--port', 'eighty']);
    expect(await exit).toBe(2);
    expect(said.err).toContain('not "eighty"');
    expect(lines('starts')).toEqual([]);
  });
});

describe('the dashboard', () => {
  const age = (path: string, seconds: number): void => utimesSync(join(root, path), seconds, seconds);
  beforeEach(() => {
    write('renderer/index.html', '');
    write('renderer/pages/home.tsx', '');
    write('server/wire/common.ts', '');
    write('package-lock.json', '');
    for (const path of ['renderer/index.html', 'renderer/pages/home.tsx', 'server/wire/common.ts', 'package-lock.json'])
      age(path, 1_000);
  });

  it('is built when it is missing', () => {
    expect(dashboardState(root)).toBe('missing');
  });

  it('is not built when it is newer than all it is made of', () => {
    write('renderer/dist/index.html', '');
    age('renderer/dist/index.html', 2_000);
    expect(dashboardState(root)).toBe('fresh');
  });

  it.each(['renderer/pages/home.tsx', 'server/wire/common.ts', 'package-lock.json'])(
    'is built again after a change of %s',
    (path) => {
      write('renderer/dist/index.html', '');
      age('renderer/dist/index.html', 2_000);
      age(path, 3_000);
      expect(dashboardState(root)).toBe('stale');
    },
  );

  it('is not built again for a test', () => {
    write('renderer/dist/index.html', '');
    write('renderer/pages/home.test.ts', '');
    age('renderer/dist/index.html', 2_000);
    expect(dashboardState(root)).toBe('fresh');
  });

  it('is left out where its sources are not there', () => {
    rmSync(join(root, 'renderer'), { recursive: true });
    expect(dashboardState(root)).toBe('no-sources');
  });

  it('that cannot be built ends the start with what Vite said', async () => {
    write('node_modules/vite/bin/vite.js', `console.error('something is wrong in home.tsx'); process.exitCode = 1;`);
    const { said, exit } = npmStart();
    expect(await exit).toBe(1);
    expect(said.out).toContain('something is wrong in home.tsx');
    expect(lines('starts')).toEqual([]);
  });

  it('is built before the server starts', async () => {
    write(
      'node_modules/vite/bin/vite.js',
      `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync('renderer/dist'); writeFileSync('renderer/dist/index.html', '');`,
    );
    write('node_modules/vite/package.json', '{"type":"module"}');
    const { child, said, exit } = npmStart();
    await expect.poll(() => address(said.out), PATIENCE).toBeDefined();
    expect(said.out).toContain('Building the dashboard');
    expect(dashboardState(root)).toBe('fresh');
    child.kill('SIGTERM');
    await exit;
  });
});

describe('the Electron binary', () => {
  it('is missing until somebody fetched it; looking for it fetches nothing', () => {
    write('node_modules/electron/index.js', `throw new Error('asked');`);
    expect(findElectron(root, {})).toEqual({ kind: 'missing', why: expect.stringMatching(/^no Electron binary/) });
  });

  it('is where its package says', () => {
    write('node_modules/electron/path.txt', 'electron-of-this-system');
    expect(findElectron(root, {}).kind).toBe('missing');
    write('node_modules/electron/dist/electron-of-this-system', '');
    expect(findElectron(root, {})).toEqual({
      kind: 'found',
      executable: join(root, 'node_modules/electron/dist/electron-of-this-system'),
    });
  });

  it('is where ELECTRON_OVERRIDE_DIST_PATH says', () => {
    write('node_modules/electron/path.txt', 'electron');
    write('elsewhere/electron', '');
    expect(findElectron(root, { ELECTRON_OVERRIDE_DIST_PATH: join(root, 'elsewhere') })).toEqual({
      kind: 'found',
      executable: join(root, 'elsewhere/electron'),
    });
  });
});
