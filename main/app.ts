import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DesktopStatus } from '../server/wire/desktop.ts';
import { appMenu } from './ui/app-menu.ts';
import { createCommands } from './ui/commands.ts';
import { linkIn, pageOfLink, SCHEME } from './system/deep-link-rules.ts';
import type { ElectronParts } from './system/electron-api.ts';
import { ownFolderName, startObstacle } from './system/home-rules.ts';
import { BACKGROUND } from './system/login-item-rules.ts';
import { createLoginItem } from './system/login-item.ts';
import { createNotifications } from './ui/notifications.ts';
import { defaultHome, serverCommand, type Parts } from './server/installation.ts';
import { createServerAfterUpdate } from './updates/guarded-server.ts';
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
import { trayFace } from './ui/tray-rules.ts';
import { createTray } from './ui/tray.ts';
import { createAppUpdates } from './updates/app-updates.ts';
import { createUpdatesCommand } from './updates/command.ts';
import type { UpdateNotice } from './updates/rules.ts';
import type { CompleteUpdateParts } from './updates/pending-update.ts';
import type { Question, Updater } from './updates/update-flow.ts';
import { denyPermissions, guardAllWebContents } from './ui/web-contents-security.ts';
import { createMainWindow } from './ui/window.ts';

/** Must equal `appId` in `electron-builder.yml`: Windows shows notifications only of an app that it knows. */
const APP_ID = 'org.personal-data-account.app';

export type AppParts = {
  readonly electron: ElectronParts;
  /** Locations of the server and its program. */
  readonly parts: Parts;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command line of the app; the first item is the program. */
  readonly argv: readonly string[];
  /** Returns the updater; null if no update source is configured. */
  readonly findUpdater: () => Promise<Updater | null>;
  readonly askOwner: (question: Question) => Promise<boolean>;
  readonly notifyOwner: (notice: UpdateNotice) => void;
  /** Receives the lines of the server's log. */
  readonly onLog: (line: string) => void;
  /**
   * Overrides for tests: the server command, its time limits, and the milliseconds until the window shows that the
   * start takes long.
   */
  readonly command?: ServerCommand;
  readonly limits?: Partial<ServerLimits>;
  readonly stoppedPageDelayMs?: number;
  /** Time limits for testing a new version. */
  readonly updatePatience?: Pick<CompleteUpdateParts, 'responseTimeoutMs' | 'stillAfterMs' | 'healthMs'>;
};

/** The running app, for features such as updates. */
export type RunningApp = {
  readonly server: ServerProcess;
  readonly home: string;
  /** Quits in order, like the menu item Quit. */
  quit(): void;
};

/**
 * Runs the desktop app: single-instance lock per home, security guard, pending update, server, then the user
 * interface. The server starts before anything else that takes time.
 * @returns null if another instance has this home open; that one shows its window, and this one quits
 */
export function runApp(options: AppParts): RunningApp | null {
  const { electron, platform, env, argv } = options;
  const { app } = electron;
  const systemHome = defaultHome({});
  const home = homeOf(argv, env);
  // Electron's lock and data folder belong to this home.
  if (home !== systemHome)
    app.setPath('userData', join(app.getPath('appData'), 'personal-data-account', ownFolderName(home)));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return null;
  }
  app.enableSandbox();
  if (platform === 'win32') app.setAppUserModelId(APP_ID);
  const ownFile = (name: string): string => join(app.getPath('userData'), name);

  // Fixed for the lifetime of the app.
  const texts = textsFor(app.getPreferredSystemLanguages());
  const knownHome = createKnownHome(home, ownFile('home.json'), texts);
  /** Parts of the running server; after a rollback not those that this app carries. */
  let running = options.parts;
  const notify = (notice: UpdateNotice): void => void app.whenReady().then(() => options.notifyOwner(notice));
  const version = app.getVersion();
  const appUpdates = createAppUpdates({
    userData: app.getPath('userData'),
    home,
    version,
    ownParts: options.parts,
    env,
    onLog: options.onLog,
    texts,
    whyNot: knownHome.whyNot,
    ...(options.updatePatience === undefined ? {} : { patience: options.updatePatience }),
  });
  const server = createServerAfterUpdate({
    server: createServerProcess({
      command: () => options.command ?? serverCommand(running, home, env),
      onLog: options.onLog,
      texts,
      whyNot: knownHome.whyNot,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    }),
    updates: appUpdates,
    ownParts: options.parts,
    whyNot: knownHome.whyNot,
    onParts(parts) {
      running = parts;
      void app.whenReady().then(() => updates.runsWith(parts));
    },
    notify,
    texts,
  });
  const updates = createUpdatesCommand({
    version,
    findUpdater: options.findUpdater,
    open: (use) => appUpdates.open({ ...use, server, ask: options.askOwner }),
    notify,
    texts,
    onLog: options.onLog,
  });
  /** Starts the server for the owner, unless an update is using the home. */
  const start = (): void => {
    if (!updates.hasHome()) server.start();
  };
  const ourAddress = (): string | null => {
    const state = server.state();
    return state.kind === 'running' ? state.address : null;
  };
  const quit = (): void => app.quit();
  guardAllWebContents({
    electron,
    ourAddress,
    onShellLink: (link) => (link === 'quit' ? quit() : start()),
  });
  stopServerBeforeQuit(electron, server);
  server.start();

  // The link to open first: macOS reports it before the app is ready, other systems as an argument.
  const first = linkIn(argv);
  let requestedPage = first === undefined ? null : pageOfLink(first);
  let openPage = (page: string): void => {
    requestedPage = page;
  };
  app.on('open-url', (event, url) => {
    event.preventDefault();
    openPage(pageOfLink(url));
  });

  void app.whenReady().then(() => {
    denyPermissions(electron.session.defaultSession, ourAddress);
    if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
    const window = createMainWindow({
      electron,
      boundsFile: ownFile('window.json'),
      developer: !app.isPackaged,
      // Windows ends the app soon after, so the server stops at once.
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
      announcedFile: ownFile('told.json'),
      ask: server.link.ask,
      open: content.open,
      texts,
    });
    const loginItem = app.isPackaged
      ? createLoginItem({
          app,
          platform,
          env,
          // An AppImage is unpacked to another folder at each start.
          program: env['APPIMAGE'] ?? argv[0] ?? '',
          args: home === systemHome ? [] : ['--home', home],
          name: home === systemHome ? 'personal-data-account' : `personal-data-account-${ownFolderName(home)}`,
        })
      : null;
    const run = createCommands({
      ask: server.link.ask,
      start,
      open: content.open,
      quit,
      update: updates.run,
      showMessage: notifications.showMessage,
      loginItem,
      texts,
      onChange: follow,
    });
    const tray = createTray({ electron, platform, icons: app.getAppPath(), run });
    electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(appMenu(platform, !app.isPackaged, run, texts)));

    function follow(): void {
      tray.show(trayFace(server.state(), server.link.status(), loginItem?.isOn() ?? null, updates.state(), texts));
    }
    updates.onChange(follow);
    const stopFollowing = server.subscribe(follow);
    const onStatus = (status: DesktopStatus | null): void => {
      follow();
      if (status === null) return;
      notifications.update(status);
      // Wait for the second message: only that one tells whether the PDA is set up.
      const state = server.state();
      if (state.kind === 'running') knownHome.onRunning(state);
    };
    const stopListening = server.link.onStatus(onStatus);
    onStatus(server.link.status());

    app.on('second-instance', (_event, otherArgv) => {
      const link = linkIn(otherArgv);
      content.open(link === undefined ? null : pageOfLink(link));
    });
    app.on('activate', () => content.open(null));
    electron.powerMonitor.on('resume', () => void server.link.ask({ type: 'woke-up' }));
    electron.powerMonitor.on('shutdown', (event) => {
      // Delays the shutdown of the system for a moment.
      event?.preventDefault();
      quit();
    });
    app.on('will-quit', () => {
      stopFollowing();
      stopListening();
      notifications.close();
      content.close();
      window.close();
      tray.close();
    });

    const isBackground = argv.includes(BACKGROUND) || app.getLoginItemSettings().wasOpenedAtLogin;
    if (!isBackground || requestedPage !== null) content.open(requestedPage);
  });
  return { server, home, quit };
}

/** Returns the home of the command line argument, else that of the environment. */
function homeOf(argv: readonly string[], env: AppParts['env']): string {
  const index = argv.indexOf('--home');
  const folder = index === -1 ? undefined : argv[index + 1];
  const home = folder === undefined ? defaultHome(env) : resolve(folder);
  try {
    // Normalise: one folder can have two names.
    return realpathSync.native(home);
  } catch {
    // The folder may be missing, but its parent may exist.
    return existsSync(dirname(home)) ? join(realpathSync.native(dirname(home)), basename(home)) : home;
  }
}

/** Remembers that the home exists, so that a home on a disconnected disk is not mistaken for a new one. */
function createKnownHome(home: string, file: string, texts: Texts) {
  const database = join(home, 'pda.sqlite');
  return {
    whyNot: (): string | null =>
      startObstacle({ home, wasThere: readJson(file) !== null, isThere: existsSync(database) }, texts),
    onRunning(state: Extract<ServerState, { kind: 'running' }>): void {
      // A home that is not set up contains no data.
      if (!isSetUp(state) || readJson(file) !== null) return;
      try {
        replaceText(file, JSON.stringify({ home }));
      } catch {
        // Only the warning is lost, until the next start.
      }
    },
  };
}

/** Keeps the PDA running without a window. On Quit, the app waits until the server has closed its database. */
function stopServerBeforeQuit({ app }: Pick<ElectronParts, 'app'>, server: ServerProcess): void {
  app.on('window-all-closed', () => {
    // A listener for this event keeps the app from quitting.
  });
  let stopping: 'not yet' | 'now' | 'done' = 'not yet';
  app.on('before-quit', (event) => {
    if (stopping === 'done') return;
    if (stopping === 'now') return event.preventDefault();
    // Nothing to wait for. An installer may be about to start, and on macOS it must not be delayed.
    if (server.state().kind === 'stopped') {
      stopping = 'done';
      void server.close();
      return;
    }
    event.preventDefault();
    stopping = 'now';
    void server.close().finally(() => {
      stopping = 'done';
      app.quit();
    });
  });
}
