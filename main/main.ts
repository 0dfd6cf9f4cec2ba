import { app, dialog, Menu, session } from 'electron';
import { join } from 'node:path';
import { defaultHome, partsOfCheckout, partsOfInstalledApp, serverCommand } from './places.ts';
import { createServerProcess, type ServerState } from './server-process.ts';
import { failureWords, trayFace } from './tray-rules.ts';
import { createTray } from './tray.ts';
import { denyPermissions, guardAllWebContents } from './web-contents-security.ts';
import { createMainWindow } from './window.ts';

// The order of a start: one instance, the guard, the server, tray and window. The server is asked for first of what takes time.

/** In a checkout the app's bundle is in `<root>/dist/app`. */
const parts = app.isPackaged
  ? partsOfInstalledApp(process.resourcesPath, process.platform)
  : partsOfCheckout(join(app.getAppPath(), '..', '..'), process.platform);

if (app.requestSingleInstanceLock()) run();
else app.quit();

function run(): void {
  app.enableSandbox();
  const server = createServerProcess({
    command: serverCommand(parts, defaultHome(process.env), process.env),
    onLog: (line) => process.stderr.write(`${line}\n`),
  });
  const ourAddress = (): string | null => {
    const state = server.state();
    return state.kind === 'running' ? state.address : null;
  };
  guardAllWebContents(ourAddress);
  stopServerBeforeQuit(server);
  server.start();

  void app.whenReady().then(() => {
    denyPermissions(session.defaultSession, ourAddress);
    Menu.setApplicationMenu(
      Menu.buildFromTemplate([
        ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : [{ role: 'fileMenu' as const }]),
        { role: 'editMenu' },
        { role: 'windowMenu' },
      ]),
    );
    const window = createMainWindow({
      boundsFile: join(app.getPath('userData'), 'window.json'),
      developer: !app.isPackaged,
    });
    /** The owner wants to see the PDA: at the start, and again whenever they ask while it is not running. */
    let wanted = true;
    const openNow = (): void => {
      const state = server.state();
      wanted = state.kind !== 'running';
      if (state.kind === 'running') window.show(state.openUrl);
      else if (state.kind === 'failed') server.start();
    };
    const tray = createTray({ icons: app.getAppPath(), onOpen: openNow, onQuit: () => app.quit() });

    let shownUrl: string | null = null;
    const follow = (state: ServerState): void => {
      tray.show(trayFace(state));
      if (state.kind === 'running' && state.openUrl !== shownUrl) {
        // A server that was started again has another port; the first line of a new PDA is followed by the one with its set-up page.
        shownUrl = state.openUrl;
        if (window.isOpen()) window.lead(state.openUrl);
        else if (wanted) openNow();
      }
      if (state.kind === 'failed') void askAfterFailure(state, { tryAgain: () => server.start() });
    };
    server.subscribe(follow);
    follow(server.state());

    app.on('second-instance', openNow);
    app.on('activate', openNow);
    app.once('will-quit', () => {
      window.close();
      tray.close();
    });
  });
}

/** The PDA goes on without a window; it ends with Quit, and then in order: the app waits until the server has closed its database. */
function stopServerBeforeQuit(server: ReturnType<typeof createServerProcess>): void {
  app.on('window-all-closed', () => {
    // Being listened to is what keeps the app from quitting.
  });
  let stopped = false;
  app.on('before-quit', (event) => {
    if (stopped) return;
    event.preventDefault();
    void server.close().finally(() => {
      stopped = true;
      app.quit();
    });
  });
}

async function askAfterFailure(
  state: Extract<ServerState, { kind: 'failed' }>,
  can: { readonly tryAgain: () => void },
): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    ...failureWords(state),
    buttons: ['Try again', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 0) can.tryAgain();
  else app.quit();
}
