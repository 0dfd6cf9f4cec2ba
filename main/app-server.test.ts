import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../tests/support/is-alive.ts';
import { removeFolders } from '../tests/support/server-process.ts';
import { createBench, endAndWait, NODE, POLL, ROOT, signIn, type Bench } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';
import { IS_THOROUGH_RUN } from '../tests/support/at-length.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.close());
afterAll(removeFolders);

describe('the server', () => {
  it('restarts on the same address after a crash and keeps the open page', async () => {
    const app = bench.start();
    const first = await bench.waitUntilRunning(app);
    const { webContents } = bench.window();
    await expect.poll(() => webContents.loaded.length, POLL).toBe(1);
    webContents.url = `${first.address}/#/files`;
    process.kill(first.pid, 'SIGKILL');
    await expect.poll(() => bench.tray().labels()[0], POLL).toContain('The server stopped: it was killed by SIGKILL');
    const second = await bench.waitUntilRunning(app);
    expect(second.pid).not.toBe(first.pid);
    expect(second.address).toBe(first.address);
    expect(webContents.loaded).toHaveLength(1);
    expect(webContents.url).toBe(`${first.address}/#/files`);
  });

  it('makes the window show a failure page while it is down, and the open page again afterwards', async () => {
    const app = bench.start({ command: bench.fakeServer('keeps-port'), stoppedPageDelayMs: 1 });
    const first = await bench.waitUntilRunning(app);
    await expect.poll(() => bench.window().isShown).toBe(true);
    bench.window().webContents.url = `${first.address}/#/files`;
    process.kill(first.pid, 'SIGKILL');
    await expect.poll(() => bench.window().webContents.loaded.some((url) => url.startsWith('data:')), POLL).toBe(true);
    await expect.poll(() => bench.window().webContents.url, POLL).toBe(`${first.address}/#/files`);
  });

  it('is notified when the computer wakes, and is stopped when Windows ends the session', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    await bench.waitUntilRunning(app);
    bench.standIn.power.emit('resume');
    const messages = (): string => readFileSync(join(bench.folder, 'messages'), 'utf8');
    await expect.poll(messages, POLL).toContain('"command":{"type":"woke-up"}');
    bench.window().emit('session-end');
    await expect.poll(() => readFileSync(join(bench.folder, 'stops'), 'utf8'), POLL).toContain('SIGTERM');
    await expect.poll(() => app.server.state().kind, POLL).toBe('stopped');
  });

  it('leaves no record of a home that is not set up', async () => {
    const app = bench.start({ command: bench.fakeServer('setup') });
    expect((await bench.waitUntilRunning(app)).openUrl).toContain('#/setup');
    expect(existsSync(join(bench.standIn.app.getPath('userData'), 'home.json'))).toBe(false);
  });

  it('shuts down cleanly before the app exits and loses no acknowledged write', async () => {
    const app = bench.start();
    const { address, pid } = await bench.waitUntilRunning(app);
    const call = await signIn(address);
    let storedRecords = 0;
    let isStopped = false;
    const write = async (): Promise<void> => {
      while (!isStopped) {
        try {
          const { status } = await call('POST', 'data/app/writes', { stored: storedRecords });
          if (status === 201) storedRecords += 1;
          else isStopped = true;
        } catch {
          // The connection broke, so the write was not acknowledged.
          isStopped = true;
        }
      }
    };
    const writing = Promise.all([write(), write(), write(), write()]);
    await expect.poll(() => storedRecords, POLL).toBeGreaterThan(50);
    const shutdown = new StandInEvent();
    bench.standIn.power.emit('shutdown', shutdown);
    expect(shutdown.isPrevented).toBe(true);
    await bench.quit(app);
    await writing;
    expect(isAlive(pid)).toBe(false);
    // Only a clean shutdown removes the marker of a running server.
    expect(existsSync(join(bench.home, 'running'))).toBe(false);

    const secondApp = bench.start({}, createStandIn(bench.folder));
    const secondCall = await signIn((await bench.waitUntilRunning(secondApp)).address);
    const { json } = await secondCall('GET', 'data/app/writes?take=100000');
    expect(Array.isArray(json) ? json.length : 0).toBeGreaterThanOrEqual(storedRecords);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reports a disconnected disk, creates no new PDA, and recovers when the disk is back',
    async () => {
      const app = bench.start();
      const { address } = await bench.waitUntilRunning(app);
      const call = await signIn(address);
      expect((await call('POST', 'data/app/writes', { n: 1 })).status).toBe(201);
      await expect.poll(() => bench.window().isShown).toBe(true);
      renameSync(bench.home, `${bench.home}-away`);
      await expect.poll(() => app.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'unusable' });
      const { webContents } = bench.window();
      const page = (): string => Buffer.from(webContents.url.split(',')[1] ?? '', 'base64').toString();
      expect(page()).toContain(`The folder ${bench.home} is missing`);
      expect(page()).toContain('Put the folder back and start again');
      expect(page()).toContain('connect the disk first');
      expect(existsSync(bench.home)).toBe(false);

      // The disk is still missing, so nothing starts, and the page says so.
      webContents.follow('pda-shell:try-again');
      bench.tray().choose('Start server now');
      expect(app.server.state()).toMatchObject({ kind: 'failed', problem: 'unusable' });
      expect(page()).toContain(`The folder of your PDA, ${bench.home}, is not available`);
      expect(existsSync(bench.home)).toBe(false);

      renameSync(`${bench.home}-away`, bench.home);
      webContents.follow('pda-shell:try-again');
      const newSession = await signIn((await bench.waitUntilRunning(app)).address);
      expect((await newSession('GET', 'data/app/writes')).json).toMatchObject([{ data: { n: 1 } }]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('stops if the app is killed, and the next app starts on the same home', async () => {
    const program = join(bench.folder, 'app.mts');
    mkdirSync(bench.folder, { recursive: true });
    writeFileSync(
      program,
      `import { createServerProcess } from ${JSON.stringify(join(ROOT, 'main/server/process.ts'))};
       import { serverCommand } from ${JSON.stringify(join(ROOT, 'main/server/installation.ts'))};
       import { en } from ${JSON.stringify(join(ROOT, 'main/texts/en.ts'))};
       const server = createServerProcess({ texts: en, command: serverCommand({ root: ${JSON.stringify(ROOT)}, node: ${JSON.stringify(NODE)} }, ${JSON.stringify(bench.home)}, process.env) });
       server.link.onStatus(() => { const state = server.state(); if (state.kind === 'running') console.log(state.pid); });
       server.start();`,
    );
    const shell = spawn(NODE, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(
      await new Promise((resolve) => shell.stdout.once('data', (data: Buffer) => resolve(data.toString()))),
    );
    expect(isAlive(pid)).toBe(true);
    await endAndWait(shell, () => shell.kill('SIGKILL'));
    await expect.poll(() => isAlive(pid), POLL).toBe(false);
    expect(existsSync(join(bench.home, 'running'))).toBe(false);
    await bench.waitUntilRunning(bench.start());
  });
});
