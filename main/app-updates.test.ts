import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appWith, CHECKOUT, NEW, OLD, REAL, standIn } from '../tests/support/desktop-app.ts';
import { isAlive } from '../tests/support/is-alive.ts';
import { removeFolders } from '../tests/support/server-process.ts';
import type { AppParts, RunningApp } from './app.ts';
import { createBench, PATIENCE, type Bench } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';
import { ownFolderName } from './system/home-rules.ts';
import { createUpdateFile, type UpdateFile } from './updates/update-file.ts';
import { en } from './texts/en.ts';
import { createCopies } from './updates/server-copies.ts';

/** Tests of an app update with a fake Electron, minimal servers and the real copy command. */

const STAND_IN = join(import.meta.dirname, 'server/fake-server.test-support.js');
/** The real command line with a fake server. */
const QUICK = `if (process.argv.includes('serve')) await import(${JSON.stringify(STAND_IN)}); else ${REAL}`;

let bench: Bench;
let userData: string;
let file: UpdateFile;
let keptFolder: string;
beforeEach(async () => {
  bench = await createBench();
  userData = join(bench.folder, 'data', 'personal-data-account', ownFolderName(bench.home));
  file = createUpdateFile(join(userData, 'update.json'));
  keptFolder = appWith(QUICK).root;
});
afterEach(() => bench.close());
afterAll(removeFolders);

const prepared = () => ({ from: OLD, to: NEW, kept: keptFolder, copy: `before-${NEW}` });
const beginnings = (): number[] =>
  existsSync(join(bench.folder, 'beginnings'))
    ? readFileSync(join(bench.folder, 'beginnings'), 'utf8').trim().split('\n').map(Number)
    : [];
/** A server of the new version that records its start, waits for the file `go`, and then runs the fake server. */
const patient = (): string => `
  const { appendFileSync, existsSync } = process.getBuiltinModule('node:fs');
  appendFileSync(${JSON.stringify(join(bench.folder, 'beginnings'))}, process.pid + '\\n');
  const end = () => process.exit(0);
  for (const event of ['SIGTERM', 'disconnect']) process.once(event, end);
  while (!existsSync(${JSON.stringify(join(bench.folder, 'go'))})) await new Promise((done) => setTimeout(done, 20));
  for (const event of ['SIGTERM', 'disconnect']) process.off(event, end);
  await import(${JSON.stringify(STAND_IN)});`;
const go = (): void => writeFileSync(join(bench.folder, 'go'), '');
/** A server of the new version that exits immediately. */
const failingApp = (): string => `
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  appendFileSync(${JSON.stringify(join(bench.folder, 'beginnings'))}, process.pid + '\\n');
  process.exit(3);`;

/** The app of the new version, started on a separate stand-in. */
const startNew = (entry: string, overrides: Partial<AppParts> = {}) => {
  const on = createStandIn(bench.folder);
  on.app.version = NEW;
  // Long limits, so that a slow machine does not look like an unresponsive server.
  const patience = { responseTimeoutMs: 600_000, stillAfterMs: 50, healthMs: 600_000 };
  const app = bench.start({ parts: appWith(entry), updatePatience: patience, stoppedPageDelayMs: 1, ...overrides }, on);
  const page = (): string => {
    const url = on.windows.at(-1)?.webContents.url ?? '';
    return url.startsWith('data:') ? Buffer.from(url.split(',')[1] ?? '', 'base64').toString() : url;
  };
  return { app, on, page };
};
const menuItem = (on: ReturnType<typeof createStandIn>, label: string): void => {
  const items = on.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
  const click = items.find((item) => item.label === label)?.click;
  if (click === undefined) throw new Error(`the menu has no ${label}`);
  Reflect.apply(click, undefined, []);
};
const untilFailed = (app: RunningApp) => expect.poll(() => app.server.state().kind, PATIENCE).toBe('failed');

describe('the start after an update', () => {
  it('tests the new server before any other start; quitting does not count as a failure', async () => {
    file.write({ phase: 'installing', ...prepared() });
    const { app, on, page } = startNew(patient());
    expect(app.server.state()).toEqual({ kind: 'starting' });
    await expect.poll(() => beginnings().length, PATIENCE).toBe(1);
    await expect.poll(page).toContain('Your PDA is starting');
    expect(on.trays[0]?.labels()).not.toContain('Start server now');

    app.server.start();
    on.windows[0]?.webContents.follow('pda-shell:try-again');
    on.app.emit('second-instance', new StandInEvent(), ['/opt/pda/app', '--home', bench.home, 'pda://request/lunch']);
    on.app.emit('open-url', new StandInEvent(), 'pda://request/dinner');
    on.app.emit('activate');
    on.power.emit('resume');
    on.trays[0]?.choose('Open');
    on.trays[0]?.choose('Check for updates…');
    await expect.poll(() => bench.notices.map(({ message }) => message)).toEqual(['Cannot check for updates now']);
    expect(app.server.state()).toEqual({ kind: 'starting' });
    expect(on.windows).toHaveLength(1);

    await bench.quit(app);
    expect(beginnings()).toHaveLength(1);
    expect(isAlive(beginnings()[0] ?? 0)).toBe(false);
    expect(file.read()).toEqual({ phase: 'proving', ...prepared(), attempts: 0 });
    app.server.start();
    expect(app.server.state().kind).toBe('stopped');

    go();
    bench.notices.length = 0;
    const next = startNew(patient());
    const { address } = await bench.upAndRunning(next.app);
    expect(file.read().phase).toBe('settled');
    // One start for the test and one for normal operation.
    expect(beginnings()).toHaveLength(3);
    expect(bench.notices.map(({ message }) => message)).toEqual([`Your PDA was updated to version ${NEW}`]);
    await expect.poll(next.page).toBe(`${address}/`);
  });

  it('rolls back if the new server does not respond, reports it, and can update to the next version', async () => {
    await createCopies({ home: bench.home, env: process.env }).make(CHECKOUT, `before-${NEW}`);
    file.write({ phase: 'installing', ...prepared() });
    const { updater, calls } = standIn('0.3.0');
    const { app, on } = startNew(failingApp(), {
      findUpdater: () => Promise.resolve(updater),
      askOwner: () => Promise.resolve(true),
    });
    const { pid } = await bench.upAndRunning(app);
    expect(beginnings()).toHaveLength(2);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain(keptFolder);
    expect(bench.notices.map(({ message }) => message)).toEqual([`Your PDA went back to version ${OLD}`]);

    // The server is already preserved, so nothing is copied.
    mkdirSync(join(userData, 'servers'), { recursive: true });
    on.trays[0]?.choose('Check for updates…');
    await expect.poll(() => calls, PATIENCE).toEqual(['check', 'download', 'install']);
    expect(file.read()).toMatchObject({ phase: 'installing', from: OLD, to: '0.3.0' });
    // The installer runs, so no process may open the home.
    expect(on.trays[0]?.labels()).toContain('Installing version 0.3.0');
    expect(on.trays[0]?.labels()).not.toContain('Start server now');
    on.trays[0]?.choose('Open');
    on.windows[0]?.webContents.follow('pda-shell:try-again');
    expect(app.server.state().kind).toBe('stopped');
    // The app exits at once when the installer requests it.
    on.app.quit();
    expect(on.app.hasQuit).toBe(true);
  });

  it('reports a failed rollback in the window and retries on request', async () => {
    await createCopies({ home: bench.home, env: process.env }).make(CHECKOUT, `before-${NEW}`);
    file.write({ phase: 'going-back', ...prepared(), reason: 'it exited with code 3' });
    renameSync(keptFolder, `${keptFolder}-away`);
    const { app, on, page } = startNew(failingApp());
    await untilFailed(app);
    await expect.poll(page).toContain('Your PDA is not running');
    expect(page()).toContain(`Going back to version ${OLD} failed`);
    expect(on.trays[0]?.labels()[0]).toBe('Your PDA is not running');
    expect(bench.notices).toEqual([]);
    renameSync(`${keptFolder}-away`, keptFolder);
    on.windows[0]?.webContents.follow('pda-shell:try-again');
    expect(app.server.state()).toEqual({ kind: 'starting' });
    await bench.upAndRunning(app);
    expect(beginnings()).toEqual([]);
    expect(bench.notices.map(({ message }) => message)).toEqual([`Your PDA went back to version ${OLD}`]);
  });

  it('does not continue on a missing home, and continues when the disk is back', async () => {
    writeFileSync(join(bench.folder, 'go'), '');
    file.write({ phase: 'installing', ...prepared() });
    writeFileSync(join(userData, 'home.json'), JSON.stringify({ home: bench.home }));
    renameSync(bench.home, `${bench.home}-away`);
    const { app, on, page } = startNew(patient());
    expect(app.server.state()).toMatchObject({ kind: 'failed', problem: 'unusable' });
    await expect.poll(page).toContain('is not available');
    expect([existsSync(bench.home), beginnings()]).toEqual([false, []]);
    renameSync(`${bench.home}-away`, bench.home);
    on.trays[0]?.choose('Start server now');
    await bench.upAndRunning(app);
    expect(beginnings()).toHaveLength(2);
    expect(file.read().phase).toBe('settled');
  });
});

describe('"Check for updates…"', () => {
  it('reports a missing update source, the latest version, or an error', async () => {
    const takeNotices = (): string[] => bench.notices.splice(0).map(({ message }) => message);
    const command = bench.standInServer();
    const first = bench.start({ command });
    await bench.upAndRunning(first);
    menuItem(bench.standIn, 'Check for updates…');
    await expect.poll(takeNotices).toEqual([en.updates.noPlace]);
    bench.standIn.trays[0]?.choose('Check for updates…');
    await expect.poll(takeNotices).toEqual([en.updates.noPlace]);
    await bench.quit(first);

    const on = createStandIn(bench.folder);
    const { updater } = standIn(OLD);
    await bench.upAndRunning(bench.start({ command, findUpdater: () => Promise.resolve(updater) }, on));
    await expect.poll(() => on.trays[0]?.labels()).toContain('Check for updates…');
    menuItem(on, 'Check for updates…');
    await expect.poll(takeNotices).toEqual(['You have the latest version']);
    updater.checkForUpdates = () => Promise.reject(new Error('no network'));
    menuItem(on, 'Check for updates…');
    await expect.poll(takeNotices).toEqual(['The check for updates failed']);
  });

  it('keeps the PDA running if the installer fails', async () => {
    const { updater, calls } = standIn(NEW);
    const listeners = new Map<string, (error: Error) => void>();
    Object.assign(updater, {
      on: (event: string, listener: (error: Error) => void) => void listeners.set(event, listener),
    });
    const app = bench.start({
      parts: appWith(QUICK),
      findUpdater: () => Promise.resolve(updater),
      askOwner: () => Promise.resolve(true),
    });
    await bench.upAndRunning(app);
    bench.tray().choose('Check for updates…');
    await expect.poll(() => calls, PATIENCE).toEqual(['check', 'download', 'install']);
    expect(app.server.state().kind).toBe('stopped');
    expect(file.read().phase).toBe('installing');
    menuItem(bench.standIn, 'Check for updates…');
    expect(calls).toHaveLength(3);
    listeners.get('error')?.(new Error('no password was given'));
    await bench.upAndRunning(app);
    expect(file.read().phase).toBe('settled');
    expect(bench.notices).toMatchObject([
      { message: `Version ${NEW} was not installed`, detail: expect.stringContaining('no password') as string },
    ]);
    expect(bench.tray().labels()).toContain('Check for updates…');
  });

  it('can install a postponed update later', async () => {
    const { updater, calls } = standIn(NEW);
    const questions: string[] = [];
    const askOwner: AppParts['askOwner'] = ({ yes }) => {
      questions.push(yes);
      return Promise.resolve(yes === 'Download');
    };
    const app = bench.start({
      command: bench.standInServer(),
      findUpdater: () => Promise.resolve(updater),
      askOwner,
    });
    await bench.upAndRunning(app);
    bench.tray().choose('Check for updates…');
    await expect.poll(() => bench.tray().labels()).toContain(`Install version ${NEW}…`);
    bench.tray().choose(`Install version ${NEW}…`);
    await expect.poll(() => questions).toEqual(['Download', 'Install', 'Install']);
    expect(calls).toEqual(['check', 'download']);
    expect(app.server.state().kind).toBe('running');
  });
});
