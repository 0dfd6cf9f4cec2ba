import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../tests/support/server-process.ts';
import { runApp } from './app.ts';
import { createAppFixture, POLL, buildProposal, signIn, type AppFixture } from './app.test-support.ts';
import { createStandIn, StandInEvent } from './electron.test-support.ts';
import { IS_THOROUGH_RUN } from '../tests/support/long-run.ts';

let fixture: AppFixture;
beforeEach(async () => {
  fixture = await createAppFixture();
});
afterEach(() => fixture.close());
afterAll(removeFolders);

describe('the start', () => {
  it('takes the single-instance lock, creates the window immediately and shows it at the first paint', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    await fixture.standIn.app.whenReady();
    expect(fixture.standIn.windows).toHaveLength(1);
    const window = fixture.window();
    expect(window.isShown).toBe(false);
    expect(window.options).toMatchObject({
      show: false,
      backgroundColor: '#fbfaf8',
      webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
    });
    const { address } = await fixture.waitUntilRunning(app);
    await expect.poll(() => window.isShown).toBe(true);
    expect(window.webContents.loadedUrls).toEqual([`${address}/`]);
    expect(fixture.standIn.app.calls[0]).toMatch(/^lock .*\/personal-data-account\/home-[\da-f]{16}$/);
    expect(fixture.standIn.app.calls).toContain('sandbox');
    expect(fixture.tray().labels()).toEqual([
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
    const secondInstance = createStandIn(fixture.folder);
    secondInstance.app.isFirstInstance = false;
    const argv = ['/opt/pda/app', '--home', fixture.home];
    expect(runApp(fixture.optionsFor(secondInstance))).toBeNull();
    expect(secondInstance.app.hasQuit).toBe(true);
    expect(secondInstance.windows).toHaveLength(0);

    const app = fixture.start({ command: fixture.fakeServer() });
    const { address } = await fixture.waitUntilRunning(app);
    await expect.poll(() => fixture.window().isShown).toBe(true);
    fixture.standIn.app.emit('second-instance', new StandInEvent(), argv);
    await expect.poll(() => fixture.window().focusCount).toBe(1);
    fixture.standIn.app.emit('second-instance', new StandInEvent(), [...argv, 'pda://request/lunch']);
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/requests/lunch`);
    fixture.standIn.app.emit('second-instance', new StandInEvent(), [...argv, 'pda://approve/lunch']);
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/`);
    const macLink = new StandInEvent();
    fixture.standIn.app.emit('open-url', macLink, 'pda://request/dinner');
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/requests/dinner`);
    expect(macLink.isPrevented).toBe(true);
  });

  it('opens no window with --background, and opens the page of a link', async () => {
    const app = fixture.start({
      command: fixture.fakeServer(),
      argv: ['/opt/pda/app', '--home', fixture.home, '--background'],
    });
    const { address } = await fixture.waitUntilRunning(app);
    expect(fixture.standIn.windows).toHaveLength(0);
    fixture.tray().choose('Open');
    await expect.poll(() => fixture.window().isShown).toBe(true);
    expect(fixture.window().webContents.url).toBe(`${address}/`);
    await fixture.quit(app);

    const otherStandIn = createStandIn(fixture.folder);
    const secondApp = fixture.start(
      { command: fixture.fakeServer(), argv: ['/opt/pda/app', '--home', fixture.home, 'pda://request/lunch'] },
      otherStandIn,
    );
    const state = await fixture.waitUntilRunning(secondApp);
    await expect.poll(() => otherStandIn.windows[0]?.webContents.url).toBe(`${state.address}/#/requests/lunch`);
  });

  it('reports a home that is in use, and starts on request once it is released', async () => {
    const app = fixture.start({ command: fixture.fakeServer('locked-out'), limits: { maxQuickCrashes: 1 } });
    await expect.poll(() => app.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'in_use' });
    await expect.poll(() => fixture.window().isShown).toBe(true);
    const page = Buffer.from(fixture.window().webContents.url.split(',')[1] ?? '', 'base64').toString();
    expect(page).toContain('Another process uses it.');
    writeFileSync(join(fixture.folder, 'let-in'), '');
    // The app handles the page's link itself and starts the server, so the page does not navigate.
    expect(fixture.window().webContents.follow('pda-shell:try-again')).toBe(false);
    const { address } = await fixture.waitUntilRunning(app);
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/`);
  });

  it('creates no new home if the disk is disconnected', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    await fixture.waitUntilRunning(app);
    await fixture.quit(app);
    renameSync(fixture.home, `${fixture.home}-away`);

    const otherStandIn = createStandIn(fixture.folder);
    const secondApp = fixture.start({ command: fixture.fakeServer() }, otherStandIn);
    await expect.poll(() => secondApp.server.state(), POLL).toMatchObject({ kind: 'failed', problem: 'unusable' });
    expect(existsSync(fixture.home)).toBe(false);
    renameSync(`${fixture.home}-away`, fixture.home);
    await expect.poll(() => otherStandIn.trays[0]?.labels()).toContain('Start server now');
    otherStandIn.trays[0]?.choose('Start server now');
    await fixture.waitUntilRunning(secondApp);
  });
});

describe('pages', () => {
  it('can navigate only within the PDA; other links open in the browser, and other requests are blocked', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    const { address } = await fixture.waitUntilRunning(app);
    const { webContents } = fixture.window();
    expect(webContents.follow(`${address}/#/files`)).toBe(true);
    expect(webContents.follow('https://example.org/')).toBe(false);
    expect(webContents.follow('https://example.org/frame', false)).toBe(false);
    // The previews of public pages are frames with `srcdoc`.
    expect([webContents.follow('about:srcdoc', false), webContents.follow('about:srcdoc')]).toEqual([true, false]);
    expect(webContents.follow('file:///etc/passwd')).toBe(false);
    // Only the app's own pages may follow its links. This page is the dashboard.
    expect(webContents.follow('pda-shell:quit')).toBe(false);
    expect(fixture.standIn.app.hasQuit).toBe(false);
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
    expect(fixture.standIn.openedUrls).toEqual(['https://example.org/', 'https://example.org/terms']);
    const attach = new StandInEvent();
    webContents.emit('will-attach-webview', attach);
    const redirect = Object.assign(new StandInEvent(), { url: 'https://example.org/' });
    webContents.emit('will-redirect', redirect);
    expect([attach.isPrevented, redirect.isPrevented]).toEqual([true, true]);
    expect(fixture.standIn.session.allows(`${address}/assets/app.js`)).toBe(true);
    expect(fixture.standIn.session.allows('https://example.org/pixel.png')).toBe(false);
    expect(fixture.standIn.session.allows('http://127.0.0.1:1/')).toBe(false);
  });

  it('are granted only the permission to write to the clipboard', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    const { address } = await fixture.waitUntilRunning(app);
    const { permissionCheckHandler, devicePermissionHandler, displayMediaHandler } = fixture.standIn.session;
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
    expect(fixture.standIn.session.permissionRequestHandler).not.toBeNull();
    expect(devicePermissionHandler).not.toBeNull();
    expect(displayMediaHandler).not.toBeNull();
  });
});

describe('a request', () => {
  it('is announced once, even after a restart, and can be denied from the notification', async () => {
    const app = fixture.start({ platform: 'darwin' });
    const { address } = await fixture.waitUntilRunning(app);
    const call = await signIn(address);
    expect((await call('POST', 'data-debit/lunch', buildProposal('lunch', { name: 'name' }))).status).toBe(201);
    await expect.poll(() => fixture.shownNotifications().length, POLL).toBe(1);
    const [notification] = fixture.shownNotifications();
    expect(notification?.options).toMatchObject({
      title: '“Lunch” (lunch.example) asks for data',
      actions: [{ text: 'Deny' }, { text: 'Approve' }],
    });
    expect(fixture.tray().labels()).toContain('1 request waiting');
    notification?.press('Deny');
    await expect
      .poll(async () => (await call('GET', 'data-debit/lunch')).json, POLL)
      .toMatchObject({ state: 'rejected' });
    await expect.poll(() => fixture.tray().labels()).not.toContain('1 request waiting');

    // A request for entire records cannot be approved in the notification.
    await call('POST', 'data-debit/all', buildProposal('all'));
    await expect
      .poll(() => fixture.shownNotifications().at(-1)?.options.actions, POLL)
      .toMatchObject([{ text: 'Deny' }, { text: 'View' }]);
    fixture.shownNotifications().at(-1)?.press('View');
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/requests/all`);
    await fixture.quit(app);

    const otherStandIn = createStandIn(fixture.folder);
    const secondApp = fixture.start({ platform: 'darwin' }, otherStandIn);
    await fixture.waitUntilRunning(secondApp);
    await expect.poll(() => otherStandIn.trays[0]?.labels(), POLL).toContain('1 request waiting');
    expect(otherStandIn.notifications).toHaveLength(0);
  });

  it('can be approved in its notification, which is grouped with others and closes after a decision', async () => {
    const app = fixture.start({ platform: 'darwin' });
    const { address } = await fixture.waitUntilRunning(app);
    const call = await signIn(address);
    await call('POST', 'data-debit/lunch', buildProposal('lunch', { name: 'name' }));
    await expect.poll(() => fixture.shownNotifications().length, POLL).toBe(1);
    fixture.shownNotifications()[0]?.press('Approve');
    await expect
      .poll(async () => (await call('GET', 'data-debit/lunch')).json, POLL)
      .toMatchObject({ state: 'enabled' });

    // The request changes after its notification, so approving it fails with an error.
    await call('POST', 'data-debit/trap', buildProposal('trap', { name: 'name' }));
    await expect.poll(() => fixture.standIn.notifications.length, POLL).toBe(2);
    const trap = fixture.standIn.notifications[1];
    await call('PUT', 'data-debit/trap', buildProposal('trap', { name: 'diagnosis' }));
    trap?.press('Approve');
    await expect
      .poll(() => fixture.standIn.notifications.some(({ options }) => options.title === 'Not approved'), POLL)
      .toBe(true);
    expect((await call('GET', 'data-debit/trap')).json).toMatchObject({ state: 'pending' });

    await call('POST', 'data-debit/more', buildProposal('more', { name: 'name' }));
    await expect.poll(() => fixture.shownNotifications().at(-1)?.options.title, POLL).toBe('2 requests for your data');
    fixture.shownNotifications().at(-1)?.emit('click');
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/requests`);
    await call('POST', 'data-debit/last', buildProposal('last', { name: 'name' }));
    await expect.poll(() => fixture.shownNotifications().at(-1)?.options.title, POLL).toContain('Lunch');
    const lastNotification = fixture.shownNotifications().at(-1);
    await call('POST', 'data-debit/last/reject');
    await expect.poll(() => lastNotification?.state, POLL).toBe('closed');
  });
});

describe('the menu', () => {
  it.skipIf(!IS_THOROUGH_RUN)('has shortcuts for common commands only', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    const { address } = await fixture.waitUntilRunning(app);
    const items = fixture.standIn.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    expect(items.flatMap(({ accelerator }) => accelerator ?? [])).toEqual([
      'CmdOrCtrl+Shift+O',
      'CmdOrCtrl+Shift+R',
      'CmdOrCtrl+Shift+D',
      'CmdOrCtrl+Q',
    ]);
    const requests = items.find(({ label }) => label === 'Requests')?.click;
    if (requests === undefined) throw new Error('the menu has no item Requests');
    Reflect.apply(requests, undefined, []);
    await expect.poll(() => fixture.window().webContents.url).toBe(`${address}/#/requests`);
  });
});

describe('the tray', () => {
  it.skipIf(!IS_THOROUGH_RUN)('pauses functions, and stays when the window is closed', async () => {
    const app = fixture.start();
    const { address } = await fixture.waitUntilRunning(app);
    const call = await signIn(address);
    fixture.tray().choose('Pause functions');
    await expect.poll(() => fixture.tray().labels(), POLL).toContain('Functions paused');
    expect((await call('GET', 'owner/functions-paused')).json).toMatchObject({ since: expect.any(String) });
    fixture.tray().choose('Resume functions');
    await expect.poll(() => fixture.tray().labels(), POLL).not.toContain('Functions paused');
    fixture.window().close();
    fixture.standIn.app.emit('window-all-closed');
    expect(fixture.standIn.app.hasQuit).toBe(false);
    expect(app.server.state().kind).toBe('running');
    fixture.tray().choose('Open');
    expect(fixture.standIn.windows).toHaveLength(2);
    await fixture.quit(app);
    expect(fixture.tray().exists).toBe(false);
  });

  it('reports an overdue backup until there is a new one', async () => {
    const app = fixture.start({ command: fixture.fakeServer('backup-old') });
    const { address } = await fixture.waitUntilRunning(app);
    await expect.poll(() => fixture.tray().labels(), POLL).toContain('A backup is overdue');
    fixture.tray().choose('View backups');
    await expect.poll(() => fixture.window().webContents.url, POLL).toBe(`${address}/#/settings/backup`);
    writeFileSync(join(fixture.folder, 'backed-up'), '');
    await expect.poll(() => fixture.tray().labels().join(), POLL).not.toContain('backup');
  });

  it('adds and removes an autostart entry', async () => {
    const app = fixture.start({
      command: fixture.fakeServer(),
      env: { PATH: process.env['PATH'], APPIMAGE: '/apps/My PDA.AppImage' },
    });
    await fixture.waitUntilRunning(app);
    const autostartFolder = join(fixture.folder, 'owner', '.config', 'autostart');
    fixture.tray().choose('Start when I log in');
    const [name = ''] = readdirSync(autostartFolder);
    expect(readdirSync(autostartFolder)).toHaveLength(1);
    expect(readFileSync(join(autostartFolder, name), 'utf8')).toContain(
      `Exec="/apps/My PDA.AppImage" "--home" "${app.home}" "--background"`,
    );
    expect(fixture.tray().menu.find(({ label }) => label === 'Start when I log in')?.checked).toBe(true);
    fixture.tray().choose('Start when I log in');
    expect(readdirSync(autostartFolder)).toEqual([]);
  });

  it.each(['darwin', 'win32'] as const)('uses the login item of the system on %s', async (platform) => {
    const app = fixture.start({ command: fixture.fakeServer(), platform });
    await fixture.waitUntilRunning(app);
    fixture.tray().choose('Start when I log in');
    expect(fixture.standIn.app.loginItem.openAtLogin).toBe(true);
    expect(existsSync(join(fixture.folder, 'owner', '.config'))).toBe(false);
    const loginLine = fixture.standIn.app.calls.find((line) => line.startsWith('login ')) ?? '';
    expect(loginLine.includes('--background')).toBe(platform === 'win32');
  });
});

describe('the window', () => {
  it('restores its bounds and follows the system theme', async () => {
    const app = fixture.start({ command: fixture.fakeServer() });
    await fixture.waitUntilRunning(app);
    fixture.window().bounds = { x: 100, y: 50, width: 800, height: 600 };
    fixture.window().close();
    fixture.standIn.theme.shouldUseDarkColors = true;
    fixture.tray().choose('Open');
    expect(fixture.window().options).toMatchObject({
      x: 100,
      y: 50,
      width: 800,
      height: 600,
      backgroundColor: '#181715',
    });
    fixture.standIn.theme.shouldUseDarkColors = false;
    fixture.standIn.theme.emit('updated');
    expect(fixture.window().colour).toBe('#fbfaf8');
  });
});
