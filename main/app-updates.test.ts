import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createInstallation,
  CHECKOUT,
  NEW_VERSION,
  OLD_VERSION,
  REAL_SERVER,
  createStandInUpdater,
} from '../tests/support/desktop-app.ts';
import { isAlive } from '../tests/support/is-alive.ts';
import { removeFolders } from '../tests/support/server-process.ts';
import type { AppOptions, RunningApp } from './app.ts';
import { createAppFixture, POLL, type AppFixture } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';
import { dataFolderName } from './system/home-rules.ts';
import { createUpdateFile, type UpdateFile } from './updates/update-file.ts';
import { en } from './texts/en.ts';
import { createDatabaseCopies } from './updates/server-copies.ts';
import { IS_THOROUGH_RUN } from '../tests/support/long-run.ts';

const FAKE_SERVER_FILE = join(import.meta.dirname, 'server/fake-server.test-support.js');
/** Entry point of a server installation: the real command line, with a fake server. */
const FAKE_SERVER = `if (process.argv.includes('serve')) await import(${JSON.stringify(FAKE_SERVER_FILE)}); else ${REAL_SERVER}`;

let fixture: AppFixture;
let userData: string;
let file: UpdateFile;
let preservedServer: string;
beforeEach(async () => {
  fixture = await createAppFixture();
  userData = join(fixture.folder, 'data', 'personal-data-account', dataFolderName(fixture.home));
  file = createUpdateFile(join(userData, 'update.json'));
  preservedServer = createInstallation(FAKE_SERVER).root;
});
afterEach(() => fixture.close());
afterAll(removeFolders);

const preparedUpdate = () => ({
  from: OLD_VERSION,
  to: NEW_VERSION,
  preservedServer,
  copy: `before-${NEW_VERSION}`,
});
/** Returns the process ids of the started servers, oldest first. */
const readServerPids = (): number[] =>
  existsSync(join(fixture.folder, 'server-starts'))
    ? readFileSync(join(fixture.folder, 'server-starts'), 'utf8').trim().split('\n').map(Number)
    : [];
/** Entry point of a server that records its start, waits for the file `go`, and then runs the fake server. */
const waitingServer = (): string => `
  const { appendFileSync, existsSync } = process.getBuiltinModule('node:fs');
  appendFileSync(${JSON.stringify(join(fixture.folder, 'server-starts'))}, process.pid + '\\n');
  const end = () => process.exit(0);
  for (const event of ['SIGTERM', 'disconnect']) process.once(event, end);
  while (!existsSync(${JSON.stringify(join(fixture.folder, 'go'))})) await new Promise((done) => setTimeout(done, 20));
  for (const event of ['SIGTERM', 'disconnect']) process.off(event, end);
  await import(${JSON.stringify(FAKE_SERVER_FILE)});`;
const letServerContinue = (): void => writeFileSync(join(fixture.folder, 'go'), '');
/** Entry point of a server that records its start and exits immediately. */
const failingServer = (): string => `
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  appendFileSync(${JSON.stringify(join(fixture.folder, 'server-starts'))}, process.pid + '\\n');
  process.exit(3);`;

const startNewVersion = (entry: string, overrides: Partial<AppOptions> = {}) => {
  const standIn = createStandIn(fixture.folder);
  standIn.app.version = NEW_VERSION;
  // Long limits, so that a server on a slow machine does not count as unresponsive.
  const updateTimeouts = { responseTimeoutMs: 600_000, secondCheckDelayMs: 50, healthTimeoutMs: 600_000 };
  const app = fixture.start(
    { installation: createInstallation(entry), updateTimeouts, stoppedPageDelayMs: 1, ...overrides },
    standIn,
  );
  const page = (): string => {
    const url = standIn.windows.at(-1)?.webContents.url ?? '';
    return url.startsWith('data:') ? Buffer.from(url.split(',')[1] ?? '', 'base64').toString() : url;
  };
  return { app, standIn, page };
};
const clickMenuItem = (standIn: ReturnType<typeof createStandIn>, label: string): void => {
  const items = standIn.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
  const click = items.find((item) => item.label === label)?.click;
  if (click === undefined) throw new Error(`the menu has no ${label}`);
  Reflect.apply(click, undefined, []);
};
const waitUntilFailed = (app: RunningApp) => expect.poll(() => app.server.state().kind, POLL).toBe('failed');

describe('the start after an update', () => {
  it('tests the new server before any other start; quitting does not count as a failure', async () => {
    file.write({ phase: 'installing', ...preparedUpdate() });
    const { app, standIn, page } = startNewVersion(waitingServer());
    expect(app.server.state()).toEqual({ kind: 'starting' });
    await expect.poll(() => readServerPids().length, POLL).toBe(1);
    await expect.poll(page).toContain('Your PDA is starting');
    expect(standIn.trays[0]?.labels()).not.toContain('Start server now');

    app.server.start();
    standIn.windows[0]?.webContents.follow('pda-shell:try-again');
    standIn.app.emit('second-instance', new StandInEvent(), [
      '/opt/pda/app',
      '--home',
      fixture.home,
      'pda://request/lunch',
    ]);
    standIn.app.emit('open-url', new StandInEvent(), 'pda://request/dinner');
    standIn.app.emit('activate');
    standIn.power.emit('resume');
    standIn.trays[0]?.choose('Open');
    standIn.trays[0]?.choose('Check for updates…');
    await expect.poll(() => fixture.notices.map(({ message }) => message)).toEqual(['Cannot check for updates now']);
    expect(app.server.state()).toEqual({ kind: 'starting' });
    expect(standIn.windows).toHaveLength(1);

    await fixture.quit(app);
    expect(readServerPids()).toHaveLength(1);
    expect(isAlive(readServerPids()[0] ?? 0)).toBe(false);
    expect(file.read()).toEqual({ phase: 'proving', ...preparedUpdate(), attempts: 0 });
    app.server.start();
    expect(app.server.state().kind).toBe('stopped');

    letServerContinue();
    fixture.notices.length = 0;
    const restartedApp = startNewVersion(waitingServer());
    const { address } = await fixture.waitUntilRunning(restartedApp.app);
    expect(file.read().phase).toBe('settled');
    // The restarted app starts the server twice: for the test and for normal operation.
    expect(readServerPids()).toHaveLength(3);
    expect(fixture.notices.map(({ message }) => message)).toEqual([`Your PDA was updated to version ${NEW_VERSION}`]);
    await expect.poll(restartedApp.page).toBe(`${address}/`);
  });

  it('rolls back if the new server exits, reports it, and can update to the next version', async () => {
    await createDatabaseCopies({ home: fixture.home, env: process.env }).create(CHECKOUT, `before-${NEW_VERSION}`);
    file.write({ phase: 'installing', ...preparedUpdate() });
    const { updater, calls } = createStandInUpdater('0.3.0');
    const { app, standIn } = startNewVersion(failingServer(), {
      findUpdater: () => Promise.resolve(updater),
      askOwner: () => Promise.resolve(true),
    });
    const { pid } = await fixture.waitUntilRunning(app);
    expect(readServerPids()).toHaveLength(2);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain(preservedServer);
    expect(fixture.notices.map(({ message }) => message)).toEqual([`Your PDA went back to version ${OLD_VERSION}`]);

    standIn.trays[0]?.choose('Check for updates…');
    await expect.poll(() => calls, POLL).toEqual(['check', 'download', 'install']);
    expect(file.read()).toMatchObject({ phase: 'installing', from: OLD_VERSION, to: '0.3.0' });
    // While the installer runs, no process may open the home.
    expect(standIn.trays[0]?.labels()).toContain('Installing version 0.3.0');
    expect(standIn.trays[0]?.labels()).not.toContain('Start server now');
    standIn.trays[0]?.choose('Open');
    standIn.windows[0]?.webContents.follow('pda-shell:try-again');
    expect(app.server.state().kind).toBe('stopped');
    // The app exits immediately when the installer requests it.
    standIn.app.quit();
    expect(standIn.app.hasQuit).toBe(true);
  });

  it.skipIf(!IS_THOROUGH_RUN)('reports a failed rollback in the window and retries on request', async () => {
    await createDatabaseCopies({ home: fixture.home, env: process.env }).create(CHECKOUT, `before-${NEW_VERSION}`);
    file.write({ phase: 'going-back', ...preparedUpdate(), reason: 'it exited with code 3' });
    renameSync(preservedServer, `${preservedServer}-away`);
    const { app, standIn, page } = startNewVersion(failingServer());
    await waitUntilFailed(app);
    await expect.poll(page).toContain('Your PDA is not running');
    expect(page()).toContain(`Going back to version ${OLD_VERSION} failed`);
    expect(standIn.trays[0]?.labels()[0]).toBe('Your PDA is not running');
    expect(fixture.notices).toEqual([]);
    renameSync(`${preservedServer}-away`, preservedServer);
    standIn.windows[0]?.webContents.follow('pda-shell:try-again');
    expect(app.server.state()).toEqual({ kind: 'starting' });
    await fixture.waitUntilRunning(app);
    expect(readServerPids()).toEqual([]);
    expect(fixture.notices.map(({ message }) => message)).toEqual([`Your PDA went back to version ${OLD_VERSION}`]);
  });

  it('does not continue an update while the home is missing, and continues when it is back', async () => {
    writeFileSync(join(fixture.folder, 'go'), '');
    file.write({ phase: 'installing', ...preparedUpdate() });
    writeFileSync(join(userData, 'home.json'), JSON.stringify({ home: fixture.home }));
    renameSync(fixture.home, `${fixture.home}-away`);
    const { app, standIn, page } = startNewVersion(waitingServer());
    expect(app.server.state()).toMatchObject({ kind: 'failed', problem: 'unusable' });
    await expect.poll(page).toContain('is not available');
    expect([existsSync(fixture.home), readServerPids()]).toEqual([false, []]);
    renameSync(`${fixture.home}-away`, fixture.home);
    standIn.trays[0]?.choose('Start server now');
    await fixture.waitUntilRunning(app);
    expect(readServerPids()).toHaveLength(2);
    expect(file.read().phase).toBe('settled');
  });
});

describe('"Check for updates…"', () => {
  it('reports a missing update source, the latest version, or an error', async () => {
    const takeNotices = (): string[] => fixture.notices.splice(0).map(({ message }) => message);
    const command = fixture.fakeServer();
    const app = fixture.start({ command });
    await fixture.waitUntilRunning(app);
    clickMenuItem(fixture.standIn, 'Check for updates…');
    await expect.poll(takeNotices).toEqual([en.updates.noSource]);
    fixture.standIn.trays[0]?.choose('Check for updates…');
    await expect.poll(takeNotices).toEqual([en.updates.noSource]);
    await fixture.quit(app);

    const standIn = createStandIn(fixture.folder);
    const { updater } = createStandInUpdater(OLD_VERSION);
    await fixture.waitUntilRunning(fixture.start({ command, findUpdater: () => Promise.resolve(updater) }, standIn));
    await expect.poll(() => standIn.trays[0]?.labels()).toContain('Check for updates…');
    clickMenuItem(standIn, 'Check for updates…');
    await expect.poll(takeNotices).toEqual(['You have the latest version']);
    updater.checkForUpdates = () => Promise.reject(new Error('no network'));
    clickMenuItem(standIn, 'Check for updates…');
    await expect.poll(takeNotices).toEqual(['The check for updates failed']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('starts the server again if the installer fails', async () => {
    const { updater, calls } = createStandInUpdater(NEW_VERSION);
    const listeners = new Map<string, (error: Error) => void>();
    Object.assign(updater, {
      on: (event: string, listener: (error: Error) => void) => void listeners.set(event, listener),
    });
    const app = fixture.start({
      installation: createInstallation(FAKE_SERVER),
      findUpdater: () => Promise.resolve(updater),
      askOwner: () => Promise.resolve(true),
    });
    await fixture.waitUntilRunning(app);
    fixture.tray().choose('Check for updates…');
    await expect.poll(() => calls, POLL).toEqual(['check', 'download', 'install']);
    expect(app.server.state().kind).toBe('stopped');
    expect(file.read().phase).toBe('installing');
    clickMenuItem(fixture.standIn, 'Check for updates…');
    expect(calls).toHaveLength(3);
    listeners.get('error')?.(new Error('no password was given'));
    await fixture.waitUntilRunning(app);
    expect(file.read().phase).toBe('settled');
    expect(fixture.notices).toMatchObject([
      { message: `Version ${NEW_VERSION} was not installed`, detail: expect.stringContaining('no password') as string },
    ]);
    expect(fixture.tray().labels()).toContain('Check for updates…');
  });

  it('offers a postponed update again', async () => {
    const { updater, calls } = createStandInUpdater(NEW_VERSION);
    const questions: string[] = [];
    const askOwner: AppOptions['askOwner'] = ({ yes }) => {
      questions.push(yes);
      return Promise.resolve(yes === 'Download');
    };
    const app = fixture.start({
      command: fixture.fakeServer(),
      findUpdater: () => Promise.resolve(updater),
      askOwner,
    });
    await fixture.waitUntilRunning(app);
    fixture.tray().choose('Check for updates…');
    await expect.poll(() => fixture.tray().labels()).toContain(`Install version ${NEW_VERSION}…`);
    fixture.tray().choose(`Install version ${NEW_VERSION}…`);
    await expect.poll(() => questions).toEqual(['Download', 'Install', 'Install']);
    expect(calls).toEqual(['check', 'download']);
    expect(app.server.state().kind).toBe('running');
  });
});
