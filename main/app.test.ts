import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../tests/support/server-process.ts';
import { runApp } from './app.ts';
import { createBench, POLL, proposal, signIn, type Bench } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.close());
afterAll(removeFolders);

describe('the start', () => {
  it('locks the home, creates the window immediately and shows it at the first paint', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    await bench.standIn.app.whenReady();
    expect(bench.standIn.windows).toHaveLength(1);
    const window = bench.window();
    expect(window.isShown).toBe(false);
    expect(window.options).toMatchObject({
      show: false,
      backgroundColor: '#f4f2ee',
      webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
    });
    const { address } = await bench.waitUntilRunning(app);
    await expect.poll(() => window.isShown).toBe(true);
    expect(window.webContents.loaded).toEqual([`${address}/`]);
    expect(bench.standIn.app.calls[0]).toMatch(/^lock .*\/personal-data-account\/home-[\da-f]{16}$/);
    expect(bench.standIn.app.calls).toContain('sandbox');
    expect(bench.tray().labels()).toEqual([
      'Private: reachable only from this computer',
      'Open',
      'Pause functions',
      'Start when I log in',
      'Check for updates…',
      'Quit',
    ]);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it('quits a second instance for the same home and shows the window of the first', async () => {
    const second = createStandIn(bench.folder);
    second.app.isFirstInstance = false;
    const argv = ['/opt/pda/app', '--home', bench.home];
    expect(runApp(bench.optionsFor(second))).toBeNull();
    expect(second.app.hasQuit).toBe(true);
    expect(second.windows).toHaveLength(0);

    const app = bench.start({ command: bench.fakeServer() });
    const { address } = await bench.waitUntilRunning(app);
    await expect.poll(() => bench.window().isShown).toBe(true);
    bench.standIn.app.emit('second-instance', new StandInEvent(), argv);
    await expect.poll(() => bench.window().focusCount).toBe(1);
    bench.standIn.app.emit('second-instance', new StandInEvent(), [...argv, 'pda://request/lunch']);
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/requests/lunch`);
    bench.standIn.app.emit('second-instance', new StandInEvent(), [...argv, 'pda://approve/lunch']);
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/`);
    const macLink = new StandInEvent();
    bench.standIn.app.emit('open-url', macLink, 'pda://request/dinner');
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/requests/dinner`);
    expect(macLink.isPrevented).toBe(true);
  });

  it('opens no window with --background, and opens the page of a link', async () => {
    const app = bench.start({
      command: bench.fakeServer(),
      argv: ['/opt/pda/app', '--home', bench.home, '--background'],
    });
    const { address } = await bench.waitUntilRunning(app);
    expect(bench.standIn.windows).toHaveLength(0);
    bench.tray().choose('Open');
    await expect.poll(() => bench.window().isShown).toBe(true);
    expect(bench.window().webContents.url).toBe(`${address}/`);
    await bench.quit(app);

    const otherStandIn = createStandIn(bench.folder);
    const secondApp = bench.start(
      { command: bench.fakeServer(), argv: ['/opt/pda/app', '--home', bench.home, 'pda://request/lunch'] },
      otherStandIn,
    );
    const state = await bench.waitUntilRunning(secondApp);
    await expect.poll(() => otherStandIn.windows[0]?.webContents.url).toBe(`${state.address}/#/requests/lunch`);
  });

  it('reports a home that is in use and starts when it is released', async () => {
    const app = bench.start({ command: bench.fakeServer('locked-out'), limits: { maxQuickCrashes: 1 } });
    await expect.poll(() => app.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'in_use' });
    await expect.poll(() => bench.window().isShown).toBe(true);
    const page = Buffer.from(bench.window().webContents.url.split(',')[1] ?? '', 'base64').toString();
    expect(page).toContain('Another process uses it.');
    writeFileSync(join(bench.folder, 'let-in'), '');
    // The app handles the page's link itself and starts the server, so the page does not navigate.
    expect(bench.window().webContents.follow('pda-shell:try-again')).toBe(false);
    const { address } = await bench.waitUntilRunning(app);
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/`);
  });

  it('creates no new home if the disk is disconnected', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    await bench.waitUntilRunning(app);
    await bench.quit(app);
    renameSync(bench.home, `${bench.home}-away`);

    const otherStandIn = createStandIn(bench.folder);
    const secondApp = bench.start({ command: bench.fakeServer() }, otherStandIn);
    await expect.poll(() => secondApp.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'unusable' });
    expect(existsSync(bench.home)).toBe(false);
    renameSync(`${bench.home}-away`, bench.home);
    await expect.poll(() => otherStandIn.trays[0]?.labels()).toContain('Start server now');
    otherStandIn.trays[0]?.choose('Start server now');
    await bench.waitUntilRunning(secondApp);
  });
});

describe('pages', () => {
  it('can navigate only within the PDA; other links open in the browser, and other requests are blocked', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    const { address } = await bench.waitUntilRunning(app);
    const { webContents } = bench.window();
    expect(webContents.follow(`${address}/#/files`)).toBe(true);
    expect(webContents.follow('https://example.org/')).toBe(false);
    expect(webContents.follow('https://example.org/frame', false)).toBe(false);
    // The previews of public pages are frames with `srcdoc`.
    expect([webContents.follow('about:srcdoc', false), webContents.follow('about:srcdoc')]).toEqual([true, false]);
    expect(webContents.follow('file:///etc/passwd')).toBe(false);
    // Only the app's own pages may follow its links. This page is the dashboard.
    expect(webContents.follow('pda-shell:quit')).toBe(false);
    expect(bench.standIn.app.hasQuit).toBe(false);
    const open = (url: string): unknown =>
      webContents.openHandler?.({
        url,
        frameName: '',
        features: '',
        disposition: 'new-window',
        referrer: { url: '', policy: 'no-referrer' },
      });
    expect(open('https://example.org/terms')).toEqual({ action: 'deny' });
    expect(open('javascript:alert(1)')).toEqual({ action: 'deny' });
    expect(bench.standIn.openedUrls).toEqual(['https://example.org/', 'https://example.org/terms']);
    const attach = new StandInEvent();
    webContents.emit('will-attach-webview', attach);
    const redirect = Object.assign(new StandInEvent(), { url: 'https://example.org/' });
    webContents.emit('will-redirect', redirect);
    expect([attach.isPrevented, redirect.isPrevented]).toEqual([true, true]);
    expect(bench.standIn.session.allows(`${address}/assets/app.js`)).toBe(true);
    expect(bench.standIn.session.allows('https://example.org/pixel.png')).toBe(false);
    expect(bench.standIn.session.allows('http://127.0.0.1:1/')).toBe(false);
  });

  it('are granted only the permission to write to the clipboard', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    const { address } = await bench.waitUntilRunning(app);
    const { permissionCheckHandler, devicePermissionHandler, displayMediaHandler } = bench.standIn.session;
    const isGranted = (permission: 'media' | 'geolocation' | 'clipboard-sanitized-write'): boolean | undefined =>
      permissionCheckHandler?.(null, permission, address, {
        embeddingOrigin: address,
        isMainFrame: true,
        requestingUrl: address,
        securityOrigin: address,
      });
    expect([isGranted('media'), isGranted('geolocation'), isGranted('clipboard-sanitized-write')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(bench.standIn.session.permissionRequestHandler).not.toBeNull();
    expect(devicePermissionHandler).not.toBeNull();
    expect(displayMediaHandler).not.toBeNull();
  });
});

describe('a request', () => {
  it('is announced once, even after a restart, and can be denied from the notification', async () => {
    const app = bench.start({ platform: 'darwin' });
    const { address } = await bench.waitUntilRunning(app);
    const call = await signIn(address);
    expect((await call('POST', 'data-debit/lunch', proposal('lunch', { name: 'name' }))).status).toBe(201);
    await expect.poll(() => bench.shownNotifications().length, POLL).toBe(1);
    const [note] = bench.shownNotifications();
    expect(note?.options).toMatchObject({
      title: '“Lunch” (lunch.example) asks for data',
      actions: [{ text: 'Deny' }, { text: 'Approve' }],
    });
    expect(bench.tray().labels()).toContain('1 request waiting');
    note?.press('Deny');
    await expect
      .poll(async () => (await call('GET', 'data-debit/lunch')).json, POLL)
      .toMatchObject({ state: 'rejected' });
    await expect.poll(() => bench.tray().labels()).not.toContain('1 request waiting');

    // A request for entire records cannot be approved in the notification.
    await call('POST', 'data-debit/all', proposal('all'));
    await expect
      .poll(() => bench.shownNotifications().at(-1)?.options.actions, POLL)
      .toMatchObject([{ text: 'Deny' }, { text: 'View' }]);
    bench.shownNotifications().at(-1)?.press('View');
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/requests/all`);
    await bench.quit(app);

    const otherStandIn = createStandIn(bench.folder);
    const secondApp = bench.start({ platform: 'darwin' }, otherStandIn);
    await bench.waitUntilRunning(secondApp);
    await expect.poll(() => otherStandIn.trays[0]?.labels(), POLL).toContain('1 request waiting');
    expect(otherStandIn.notifications).toHaveLength(0);
  });

  it('can be approved from the notification; several requests are grouped, and decided ones are closed', async () => {
    const app = bench.start({ platform: 'darwin' });
    const { address } = await bench.waitUntilRunning(app);
    const call = await signIn(address);
    await call('POST', 'data-debit/lunch', proposal('lunch', { name: 'name' }));
    await expect.poll(() => bench.shownNotifications().length, POLL).toBe(1);
    bench.shownNotifications()[0]?.press('Approve');
    await expect
      .poll(async () => (await call('GET', 'data-debit/lunch')).json, POLL)
      .toMatchObject({ state: 'enabled' });

    // The request changes after its notification, so approving it fails with an error.
    await call('POST', 'data-debit/trap', proposal('trap', { name: 'name' }));
    await expect.poll(() => bench.standIn.notifications.length, POLL).toBe(2);
    const trap = bench.standIn.notifications[1];
    await call('PUT', 'data-debit/trap', proposal('trap', { name: 'diagnosis' }));
    trap?.press('Approve');
    await expect
      .poll(() => bench.standIn.notifications.some(({ options }) => options.title === 'Not approved'), POLL)
      .toBe(true);
    expect((await call('GET', 'data-debit/trap')).json).toMatchObject({ state: 'pending' });

    await call('POST', 'data-debit/more', proposal('more', { name: 'name' }));
    await expect.poll(() => bench.shownNotifications().at(-1)?.options.title, POLL).toBe('2 requests for your data');
    bench.shownNotifications().at(-1)?.emit('click');
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/requests`);
    await call('POST', 'data-debit/last', proposal('last', { name: 'name' }));
    await expect.poll(() => bench.shownNotifications().at(-1)?.options.title, POLL).toContain('Lunch');
    const last = bench.shownNotifications().at(-1);
    await call('POST', 'data-debit/last/reject');
    await expect.poll(() => last?.state, POLL).toBe('closed');
  });
});

describe('the menu', () => {
  it('has shortcuts for common commands only', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    const { address } = await bench.waitUntilRunning(app);
    const items = bench.standIn.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    expect(items.flatMap(({ accelerator }) => accelerator ?? [])).toEqual([
      'CmdOrCtrl+Shift+O',
      'CmdOrCtrl+Shift+R',
      'CmdOrCtrl+Shift+D',
      'CmdOrCtrl+Q',
    ]);
    const requests = items.find(({ label }) => label === 'Requests')?.click;
    if (requests === undefined) throw new Error('the menu has no item Requests');
    Reflect.apply(requests, undefined, []);
    await expect.poll(() => bench.window().webContents.url).toBe(`${address}/#/requests`);
  });
});

describe('the tray', () => {
  it('pauses functions, and stays when the window is closed', async () => {
    const app = bench.start();
    const { address } = await bench.waitUntilRunning(app);
    const call = await signIn(address);
    bench.tray().choose('Pause functions');
    await expect.poll(() => bench.tray().labels(), POLL).toContain('Functions paused');
    expect((await call('GET', 'owner/functions-paused')).json).toMatchObject({ since: expect.any(String) });
    bench.tray().choose('Resume functions');
    await expect.poll(() => bench.tray().labels(), POLL).not.toContain('Functions paused');
    bench.window().close();
    bench.standIn.app.emit('window-all-closed');
    expect(bench.standIn.app.hasQuit).toBe(false);
    expect(app.server.state().kind).toBe('running');
    bench.tray().choose('Open');
    expect(bench.standIn.windows).toHaveLength(2);
    await bench.quit(app);
    expect(bench.tray().exists).toBe(false);
  });

  it('reports an overdue backup until there is a new one', async () => {
    const app = bench.start({ command: bench.fakeServer('backup-old') });
    const { address } = await bench.waitUntilRunning(app);
    await expect.poll(() => bench.tray().labels(), POLL).toContain('A backup is overdue');
    bench.tray().choose('View backups');
    await expect.poll(() => bench.window().webContents.url, POLL).toBe(`${address}/#/settings/backup`);
    writeFileSync(join(bench.folder, 'backed-up'), '');
    await expect.poll(() => bench.tray().labels().join(), POLL).not.toContain('backup');
  });

  it('adds and removes an autostart entry', async () => {
    const app = bench.start({
      command: bench.fakeServer(),
      env: { PATH: process.env['PATH'], APPIMAGE: '/apps/My PDA.AppImage' },
    });
    await bench.waitUntilRunning(app);
    const entries = join(bench.folder, 'owner', '.config', 'autostart');
    bench.tray().choose('Start when I log in');
    const [name = ''] = readdirSync(entries);
    expect(readdirSync(entries)).toHaveLength(1);
    expect(readFileSync(join(entries, name), 'utf8')).toContain(
      `Exec="/apps/My PDA.AppImage" "--home" "${app.home}" "--background"`,
    );
    expect(bench.tray().menu.find(({ label }) => label === 'Start when I log in')?.checked).toBe(true);
    bench.tray().choose('Start when I log in');
    expect(readdirSync(entries)).toEqual([]);
  });

  it.each(['darwin', 'win32'] as const)('uses the login item of the system on %s', async (platform) => {
    const app = bench.start({ command: bench.fakeServer(), platform });
    await bench.waitUntilRunning(app);
    bench.tray().choose('Start when I log in');
    expect(bench.standIn.app.loginItem.openAtLogin).toBe(true);
    expect(existsSync(join(bench.folder, 'owner', '.config'))).toBe(false);
    const loginLine = bench.standIn.app.calls.find((line) => line.startsWith('login ')) ?? '';
    expect(loginLine.includes('--background')).toBe(platform === 'win32');
  });
});

describe('the window', () => {
  it('restores its bounds and follows the system theme', async () => {
    const app = bench.start({ command: bench.fakeServer() });
    await bench.waitUntilRunning(app);
    bench.window().bounds = { x: 100, y: 50, width: 800, height: 600 };
    bench.window().close();
    bench.standIn.theme.shouldUseDarkColors = true;
    bench.tray().choose('Open');
    expect(bench.window().options).toMatchObject({
      x: 100,
      y: 50,
      width: 800,
      height: 600,
      backgroundColor: '#151412',
    });
    bench.standIn.theme.shouldUseDarkColors = false;
    bench.standIn.theme.emit('updated');
    expect(bench.window().colour).toBe('#f4f2ee');
  });
});
