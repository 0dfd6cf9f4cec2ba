import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DesktopStatus } from '../server/wire/desktop.ts';
import { buildAppMenu } from './ui/app-menu.ts';
import { createCommandRunner } from './ui/commands.ts';
import { findLink, pageOfLink, SCHEME } from './system/deep-link-rules.ts';
import type { ElectronApi } from './system/electron-api.ts';
import { dataFolderName, findStartObstacle } from './system/home-rules.ts';
import { BACKGROUND_ARGUMENT } from './system/login-item-rules.ts';
import { createLoginItem } from './system/login-item.ts';
import { createNotifications } from './ui/notifications.ts';
import { defaultHome, serverCommand, type Installation } from './server/installation.ts';
import { createGuardedServer } from './updates/guarded-server.ts';
import {
  createServerProcess,
  isSetUp,
  type ServerLimits,
  type ServerProcess,
  type ServerState,
} from './server/process.ts';
import type { ServerCommand } from './server/launch.ts';
import { createWindowContent } from './ui/window-content.ts';
import { readJson, replaceText } from './system/json-file.ts';
import type { Texts } from './texts/en.ts';
import { textsFor } from './texts/catalogue.ts';
import { buildTrayContent } from './ui/tray-rules.ts';
import { createTray } from './ui/tray.ts';
import { createAppUpdates } from './updates/app-updates.ts';
import { createUpdatesCommand } from './updates/command.ts';
import type { UpdateNotice } from './updates/rules.ts';
import type { CompleteUpdateOptions } from './updates/pending-update.ts';
import type { Question, Updater } from './updates/update-flow.ts';
import { guardAllWebContents, restrictSession } from './ui/web-contents-security.ts';
import { createMainWindow } from './ui/window.ts';

/** Must equal `appId` in `electron-builder.yml`, because Windows shows notifications only from registered apps. */
const APP_ID = 'org.personal-data-account.app';

export type AppOptions = {
  readonly electron: ElectronApi;
  readonly installation: Installation;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly argv: readonly string[];
  readonly findUpdater: () => Promise<Updater | null>;
  readonly askOwner: (question: Question) => Promise<boolean>;
  readonly notifyOwner: (notice: UpdateNotice) => void;
  readonly onLog: (line: string) => void;
  /** Replaces the command of the installation. For tests, like the other optional fields. */
  readonly command?: ServerCommand;
  readonly limits?: Partial<ServerLimits>;
  readonly stoppedPageDelayMs?: number;
  readonly updateTimeouts?: Pick<CompleteUpdateOptions, 'responseTimeoutMs' | 'secondCheckDelayMs' | 'healthTimeoutMs'>;
};

export type RunningApp = {
  readonly server: ServerProcess;
  readonly home: string;
  quit(): void;
};

/**
 * Runs the desktop app.
 * @returns null if another instance has this home open; that instance shows its window, and this one quits
 */
export function runApp(options: AppOptions): RunningApp | null {
  const { electron, platform, env, argv } = options;
  const { app } = electron;
  const systemHome = defaultHome({});
  const home = resolveHome(argv, env);
  // Electron's lock and data folder must be separate for each home.
  if (home !== systemHome)
    app.setPath('userData', join(app.getPath('appData'), 'personal-data-account', dataFolderName(home)));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return null;
  }
  app.enableSandbox();
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
  const userDataPath = (name: string): string => join(app.getPath('userData'), name);

  const texts = textsFor(app.getPreferredSystemLanguages());
  const homeMarker = createHomeMarker(home, userDataPath('home.json'), texts);
  /** Installation of the running server: after a rollback the preserved installation, otherwise the app's own. */
  let runningInstallation = options.installation;
  const notify = (notice: UpdateNotice): void => void app.whenReady().then(() => options.notifyOwner(notice));
  const version = app.getVersion();
  const appUpdates = createAppUpdates({
    userData: app.getPath('userData'),
    home,
    version,
    ownInstallation: options.installation,
    env,
    onLog: options.onLog,
    texts,
    findStartObstacle: homeMarker.findStartObstacle,
    timeouts: options.updateTimeouts,
  });
  const server = createGuardedServer({
    server: createServerProcess({
      command: () => options.command ?? serverCommand(runningInstallation, home, env),
      onLog: options.onLog,
      texts,
      findStartObstacle: homeMarker.findStartObstacle,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    }),
    updates: appUpdates,
    ownInstallation: options.installation,
    findStartObstacle: homeMarker.findStartObstacle,
    onInstallation(installation) {
      runningInstallation = installation;
      void app.whenReady().then(() => updates.setInstallation(installation));
    },
    notify,
    texts,
  });
  const updates = createUpdatesCommand({
    version,
    findUpdater: options.findUpdater,
    createFlow: (context) => appUpdates.createFlow({ ...context, server, askOwner: options.askOwner }),
    notify,
    texts,
    onLog: options.onLog,
  });
  const start = (): void => {
    if (!updates.isUsingHome()) server.start();
  };
  const getServerAddress = (): string | null => {
    const state = server.state();
    return state.kind === 'running' ? state.address : null;
  };
  const quit = (): void => app.quit();
  guardAllWebContents({
    electron,
    getServerAddress,
    onShellLink: (link) => (link === 'quit' ? quit() : start()),
  });
  stopServerBeforeQuit(electron, server);
  server.start();

  // On macOS, an event reports the link to open, even before the app is ready. Other systems pass it as an argument.
  const startLink = findLink(argv);
  let requestedPage = startLink === undefined ? null : pageOfLink(startLink);
  let openPage = (page: string): void => {
    requestedPage = page;
  };
  app.on('open-url', (event, url) => {
    event.preventDefault();
    openPage(pageOfLink(url));
  });

  void app.whenReady().then(() => {
    restrictSession(electron.session.defaultSession, getServerAddress);
    if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
    const window = createMainWindow({
      electron,
      boundsFile: userDataPath('window.json'),
      isDeveloperMode: !app.isPackaged,
      // Windows kills the app soon after this event, so the server must stop immediately.
      onSessionEnd: () => void server.stop(),
    });
    const content = createWindowContent({
      window,
      server,
      texts,
      ...(options.stoppedPageDelayMs === undefined ? {} : { stoppedPageDelayMs: options.stoppedPageDelayMs }),
    });
    openPage = content.open;
    const notifications = createNotifications({
      electron,
      platform,
      announcedFile: userDataPath('told.json'),
      sendCommand: server.link.sendCommand,
      open: content.open,
      texts,
    });
    const loginItem = app.isPackaged
      ? createLoginItem({
          app,
          platform,
          env,
          // An AppImage is mounted at a different path at each start.
          program: env['APPIMAGE'] ?? argv[0] ?? '',
          args: home === systemHome ? [] : ['--home', home],
          name: home === systemHome ? 'personal-data-account' : `personal-data-account-${dataFolderName(home)}`,
        })
      : null;
    const runCommand = createCommandRunner({
      sendCommand: server.link.sendCommand,
      start,
      open: content.open,
      quit,
      update: updates.run,
      showMessage: notifications.showMessage,
      loginItem,
      texts,
      onChange: updateTray,
    });
    const tray = createTray({ electron, platform, icons: app.getAppPath(), runCommand });
    electron.Menu.setApplicationMenu(
      electron.Menu.buildFromTemplate(buildAppMenu(platform, !app.isPackaged, runCommand, texts)),
    );

    function updateTray(): void {
      tray.show(
        buildTrayContent(server.state(), server.link.status(), loginItem?.isOn() ?? null, updates.state(), texts),
      );
    }
    updates.onChange(updateTray);
    const unsubscribeFromState = server.subscribe(updateTray);
    const onStatus = (status: DesktopStatus | null): void => {
      updateTray();
      if (status === null) return;
      notifications.update(status);
      // The server sends its status after its announcement, whose URL shows whether the PDA is set up.
      const state = server.state();
      if (state.kind === 'running') homeMarker.onRunning(state);
    };
    const unsubscribeFromStatus = server.link.onStatus(onStatus);
    onStatus(server.link.status());

    app.on('second-instance', (_event, otherArgv) => {
      const link = findLink(otherArgv);
      content.open(link === undefined ? null : pageOfLink(link));
    });
    app.on('activate', () => content.open(null));
    electron.powerMonitor.on('resume', () => void server.link.sendCommand({ type: 'woke-up' }));
    electron.powerMonitor.on('shutdown', (event) => {
      event?.preventDefault();
      quit();
    });
    app.on('will-quit', () => {
      unsubscribeFromState();
      unsubscribeFromStatus();
      notifications.close();
      content.close();
      window.close();
      tray.close();
    });

    const isBackground = argv.includes(BACKGROUND_ARGUMENT) || app.getLoginItemSettings().wasOpenedAtLogin;
    if (!isBackground || requestedPage !== null) content.open(requestedPage);
  });
  return { server, home, quit };
}

function resolveHome(argv: readonly string[], env: AppOptions['env']): string {
  const index = argv.indexOf('--home');
  const folder = index === -1 ? undefined : argv[index + 1];
  const home = folder === undefined ? defaultHome(env) : resolve(folder);
  try {
    // Normalised, because a folder can have several paths.
    return realpathSync.native(home);
  } catch {
    // The folder may be missing, but its parent may exist.
    return existsSync(dirname(home)) ? join(realpathSync.native(dirname(home)), basename(home)) : home;
  }
}

/** Records that the home has existed, so that a home on a disconnected disk is not mistaken for a new home. */
function createHomeMarker(home: string, file: string, texts: Texts) {
  const database = join(home, 'pda.sqlite');
  return {
    findStartObstacle: (): string | null =>
      findStartObstacle({ home, existedBefore: readJson(file) !== null, exists: existsSync(database) }, texts),
    onRunning(state: Extract<ServerState, { kind: 'running' }>): void {
      // A home that is not set up contains no data.
      if (!isSetUp(state) || readJson(file) !== null) return;
      try {
        replaceText(file, JSON.stringify({ home }));
      } catch {
        // Without the file, only the check for a disconnected disk is lost. The next status message retries the write.
      }
    },
  };
}

/** Keeps the PDA running without a window. On quit, waits until the server has stopped. */
function stopServerBeforeQuit({ app }: Pick<ElectronApi, 'app'>, server: ServerProcess): void {
  app.on('window-all-closed', () => {
    // Without a listener for this event, Electron quits the app.
  });
  let shutdown: 'not-started' | 'running' | 'done' = 'not-started';
  app.on('before-quit', (event) => {
    if (shutdown === 'done') return;
    if (shutdown === 'running') return event.preventDefault();
    // An installer may be about to start. On macOS, the quit must not be delayed in that case.
    if (server.state().kind === 'stopped') {
      shutdown = 'done';
      void server.close();
      return;
    }
    event.preventDefault();
    shutdown = 'running';
    void server.close().finally(() => {
      shutdown = 'done';
      app.quit();
    });
  });
}
