import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../tests/support/is-alive.ts';
import { removeFolders } from '../tests/support/server-process.ts';
import { createAppFixture, endAndWait, NODE, POLL, ROOT, signIn, type AppFixture } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';
import { IS_THOROUGH_RUN } from '../tests/support/long-run.ts';
import { OWNER } from '../tests/support/test-pda.ts';

let fixture: AppFixture;
beforeEach(async () => {
  fixture = await createAppFixture();
});
afterEach(() => fixture.close());
afterAll(removeFolders);

describe('the server', () => {
  it('restarts on the same address after a crash, so that the window keeps its page', async () => {
    const app = fixture.start();
    const initialState = await fixture.waitUntilRunning(app);
    const { webContents } = fixture.window();
    await expect.poll(() => webContents.loadedUrls.length, POLL).toBe(1);
    webContents.url = `${initialState.address}/#/files`;
    process.kill(initialState.pid, 'SIGKILL');
    await expect.poll(() => fixture.tray().labels()[0], POLL).toContain('The server stopped: it was killed by SIGKILL');
    const restartedState = await fixture.waitUntilRunning(app);
    expect(restartedState.pid).not.toBe(initialState.pid);
    expect(restartedState.address).toBe(initialState.address);
    expect(webContents.loadedUrls).toHaveLength(1);
    expect(webContents.url).toBe(`${initialState.address}/#/files`);
  });

  it('is replaced by a failure page while it is down; the window then returns to the previous page', async () => {
    const app = fixture.start({ command: fixture.fakeServer('keeps-port'), stoppedPageDelayMs: 1 });
    const initialState = await fixture.waitUntilRunning(app);
    await expect.poll(() => fixture.window().isShown).toBe(true);
    fixture.window().webContents.url = `${initialState.address}/#/files`;
    process.kill(initialState.pid, 'SIGKILL');
    await expect
      .poll(() => fixture.window().webContents.loadedUrls.some((url) => url.startsWith('data:')), POLL)
      .toBe(true);
    await expect.poll(() => fixture.window().webContents.url, POLL).toBe(`${initialState.address}/#/files`);
  });

  it('is notified when the computer wakes, and is stopped when Windows ends the session', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    await fixture.waitUntilRunning(app);
    fixture.standIn.power.emit('resume');
    const messages = (): string => readFileSync(join(fixture.folder, 'messages'), 'utf8');
    await expect.poll(messages, POLL).toContain('"command":{"type":"woke-up"}');
    fixture.window().emit('session-end');
    await expect.poll(() => readFileSync(join(fixture.folder, 'stops'), 'utf8'), POLL).toContain('SIGTERM');
    await expect.poll(() => app.server.state().kind, POLL).toBe('stopped');
  });

  it('has its home recorded by the app only once it is set up', async () => {
    const app = fixture.start({ command: fixture.fakeServer('setup') });
    expect((await fixture.waitUntilRunning(app)).openUrl).toContain('#/setup');
    expect(existsSync(join(fixture.standIn.app.getPath('userData'), 'home.json'))).toBe(false);
  });

  it('has its set-up and its restarts noticed by the app, so that links open their pages', async () => {
    const argv = ['/opt/pda/app', '--home', join(fixture.folder, 'new-home')];
    const app = fixture.start({ argv });
    await expect.poll(() => app.server.state(), POLL).toMatchObject({ openUrl: expect.stringContaining('code=') });
    const { address, openUrl } = await fixture.waitUntilRunning(app);
    const code = new URLSearchParams(openUrl.split('?')[1]).get('code');
    const post = async (path: string, body: object, token = ''): Promise<unknown> => {
      const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${address}/api/v2.6/owner/${path}`, request)).json();
    };
    const credentials = { code, name: OWNER.name, password: OWNER.password };
    const { accessToken } = z.object({ accessToken: z.string() }).parse(await post('setup', credentials));
    await expect.poll(() => app.server.state(), POLL).toMatchObject({ openUrl: `${address}/` });
    fixture.standIn.app.emit('second-instance', new StandInEvent(), [...argv, 'pda://request/lunch']);
    await expect.poll(() => fixture.window().webContents.url, POLL).toBe(`${address}/#/requests/lunch`);

    let statusCount = 0;
    app.server.link.onStatus(() => void (statusCount += 1));
    await post('erasures', { kind: 'everything', typed: OWNER.name, password: OWNER.password }, accessToken);
    await expect.poll(() => app.server.state(), POLL).toMatchObject({ openUrl: expect.stringContaining('code=') });
    await expect.poll(() => statusCount, POLL).toBeGreaterThan(0);
  });

  it('shuts down cleanly before the app exits and loses no acknowledged write', async () => {
    const app = fixture.start();
    const { address, pid } = await fixture.waitUntilRunning(app);
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
    const writers = Promise.all([write(), write(), write(), write()]);
    await expect.poll(() => storedRecords, POLL).toBeGreaterThan(50);
    const shutdown = new StandInEvent();
    fixture.standIn.power.emit('shutdown', shutdown);
    expect(shutdown.isPrevented).toBe(true);
    await fixture.quit(app);
    await writers;
    expect(isAlive(pid)).toBe(false);
    // Only a clean shutdown removes the marker of a running server.
    expect(existsSync(join(fixture.home, 'running'))).toBe(false);

    const secondApp = fixture.start({}, createStandIn(fixture.folder));
    const secondCall = await signIn((await fixture.waitUntilRunning(secondApp)).address);
    const { json } = await secondCall('GET', 'data/app/writes?take=100000');
    expect(Array.isArray(json) ? json.length : 0).toBeGreaterThanOrEqual(storedRecords);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reports a disconnected disk, creates no new PDA, and recovers when the disk is back',
    async () => {
      const app = fixture.start();
      const { address } = await fixture.waitUntilRunning(app);
      const call = await signIn(address);
      expect((await call('POST', 'data/app/writes', { n: 1 })).status).toBe(201);
      await expect.poll(() => fixture.window().isShown).toBe(true);
      renameSync(fixture.home, `${fixture.home}-away`);
      await expect.poll(() => app.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'unusable' });
      const { webContents } = fixture.window();
      const page = (): string => Buffer.from(webContents.url.split(',')[1] ?? '', 'base64').toString();
      expect(page()).toContain(`The database in ${fixture.home} is missing or was replaced`);
      expect(page()).toContain('Put the folder back and start again');
      expect(page()).toContain('connect the disk first');
      expect(existsSync(fixture.home)).toBe(false);

      // The disk is still missing, so nothing starts, and the page says so.
      webContents.follow('pda-shell:try-again');
      fixture.tray().choose('Start server now');
      expect(app.server.state()).toMatchObject({ kind: 'failed', problem: 'unusable' });
      expect(page()).toContain(`The folder of your PDA, ${fixture.home}, is not available`);
      expect(existsSync(fixture.home)).toBe(false);

      renameSync(`${fixture.home}-away`, fixture.home);
      webContents.follow('pda-shell:try-again');
      const callAfterRestart = await signIn((await fixture.waitUntilRunning(app)).address);
      expect((await callAfterRestart('GET', 'data/app/writes')).json).toMatchObject([{ data: { n: 1 } }]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('stops if the app is killed, and the next app starts on the same home', async () => {
    const program = join(fixture.folder, 'app.mts');
    mkdirSync(fixture.folder, { recursive: true });
    writeFileSync(
      program,
      `import { createServerProcess } from ${JSON.stringify(join(ROOT, 'main/server/process.ts'))};
       import { serverCommand } from ${JSON.stringify(join(ROOT, 'main/server/installation.ts'))};
       import { en } from ${JSON.stringify(join(ROOT, 'main/texts/en.ts'))};
       const server = createServerProcess({ texts: en, command: serverCommand({ root: ${JSON.stringify(ROOT)}, node: ${JSON.stringify(NODE)} }, ${JSON.stringify(fixture.home)}, process.env) });
       server.link.onStatus(() => { const state = server.state(); if (state.kind === 'running') console.log(state.pid); });
       server.start();`,
    );
    const appProcess = spawn(NODE, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(
      await new Promise((resolve) => appProcess.stdout.once('data', (data: Buffer) => resolve(data.toString()))),
    );
    expect(isAlive(pid)).toBe(true);
    await endAndWait(appProcess, () => appProcess.kill('SIGKILL'));
    await expect.poll(() => isAlive(pid), POLL).toBe(false);
    expect(existsSync(join(fixture.home, 'running'))).toBe(false);
    await fixture.waitUntilRunning(fixture.start());
  });
});
