import type { LoginItemSettings, MenuItemConstructorOptions, NotificationConstructorOptions, Session } from 'electron';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type {
  AppApi,
  WebContentsApi,
  ElectronApi,
  NotificationApi,
  Preventable,
  SafeStorageApi,
  SessionApi,
  TrayApi,
  WindowApi,
} from './system/electron-api.ts';

// A stand-in for Electron, typed by Electron's own types through `ElectronApi`. It records the app's calls, and lets
// tests act as the system or the owner.

export class StandInEvent implements Preventable {
  isPrevented = false;
  preventDefault(): void {
    this.isPrevented = true;
  }
}

class StandInContents extends EventEmitter implements WebContentsApi {
  url = '';
  readonly loadedUrls: string[] = [];
  openHandler: Parameters<WebContentsApi['setWindowOpenHandler']>[0] | undefined;
  destroyed = false;
  loadURL(url: string): Promise<void> {
    this.url = url;
    this.loadedUrls.push(url);
    return Promise.resolve();
  }
  getURL(): string {
    return this.url;
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
  setWindowOpenHandler(handler: Parameters<WebContentsApi['setWindowOpenHandler']>[0]): void {
    this.openHandler = handler;
  }
  /** Follows a link in the page or in a frame. Returns true if navigation was allowed. */
  follow(url: string, isMainFrame = true): boolean {
    const event = Object.assign(new StandInEvent(), { url, isMainFrame });
    this.emit('will-frame-navigate', event);
    return !event.isPrevented;
  }
}

export class StandInWindow extends EventEmitter implements WindowApi {
  readonly webContents = new StandInContents();
  readonly options: ConstructorParameters<ElectronApi['BrowserWindow']>[0];
  isShown = false;
  focusCount = 0;
  colour: string | undefined;
  minimized = false;
  bounds = { x: 10, y: 20, width: 900, height: 700 };
  constructor(options: ConstructorParameters<ElectronApi['BrowserWindow']>[0]) {
    super();
    this.options = options;
    this.colour = options.backgroundColor;
  }
  async loadURL(url: string): Promise<void> {
    await this.webContents.loadURL(url);
    setImmediate(() => this.emit('ready-to-show'));
  }
  show(): void {
    this.isShown = true;
  }
  focus(): void {
    this.focusCount += 1;
  }
  restore(): void {
    this.minimized = false;
  }
  isMinimized(): boolean {
    return this.minimized;
  }
  destroy(): void {
    if (this.webContents.destroyed) return;
    this.webContents.destroyed = true;
    this.emit('closed');
  }
  close(): void {
    this.emit('close');
    this.destroy();
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return this.bounds;
  }
  setBackgroundColor(colour: string): void {
    this.colour = colour;
  }
}

export class StandInNotification extends EventEmitter implements NotificationApi {
  readonly options: NotificationConstructorOptions;
  state: 'created' | 'shown' | 'closed' = 'created';
  constructor(options: NotificationConstructorOptions) {
    super();
    this.options = options;
  }
  show(): void {
    this.state = 'shown';
  }
  close(): void {
    this.state = 'closed';
  }
  press(label: string): void {
    const actionIndex = (this.options.actions ?? []).findIndex(({ text }) => text === label);
    if (actionIndex === -1) throw new Error(`there is no button ${label}`);
    this.emit('action', { actionIndex });
  }
}

type Template = MenuItemConstructorOptions[];

export class StandInTray extends EventEmitter implements TrayApi {
  readonly image: string;
  tooltip = '';
  menu: Template = [];
  exists = true;
  constructor(image: string) {
    super();
    this.image = image;
  }
  setToolTip(text: string): void {
    this.tooltip = text;
  }
  setContextMenu(menu: object | null): void {
    this.menu = menu instanceof StandInMenu ? menu.template : [];
  }
  destroy(): void {
    this.exists = false;
  }
  labels(): string[] {
    return this.menu.flatMap(({ label }) => (label === undefined ? [] : [label]));
  }
  choose(label: string): void {
    const click = this.menu.find((item) => item.label === label)?.click;
    if (click === undefined) throw new Error(`the tray has no ${label}, only ${this.labels().join(', ')}`);
    // Electron passes the item, the window and the event, which the app does not use.
    Reflect.apply(click, undefined, []);
  }
}

class StandInMenu {
  readonly template: Template;
  constructor(template: Template) {
    this.template = template;
  }
}

class StandInApp extends EventEmitter implements AppApi {
  isPackaged = true;
  version = '0.1.0';
  languages: string[] = [];
  readonly folder: string;
  readonly paths: Record<string, string>;
  readonly calls: string[] = [];
  isFirstInstance = true;
  loginItem: Pick<LoginItemSettings, 'openAtLogin' | 'wasOpenedAtLogin'> = {
    openAtLogin: false,
    wasOpenedAtLogin: false,
  };
  hasQuit = false;
  constructor(folder: string) {
    super();
    this.folder = folder;
    this.paths = { userData: join(folder, 'user'), appData: join(folder, 'data'), home: join(folder, 'owner') };
  }
  /** Like Electron, emits `before-quit` and quits unless a listener prevents it. */
  quit(): void {
    const event = new StandInEvent();
    this.emit('before-quit', event);
    if (event.isPrevented || this.hasQuit) return;
    this.hasQuit = true;
    this.emit('will-quit', new StandInEvent());
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  enableSandbox(): void {
    this.calls.push('sandbox');
  }
  getPreferredSystemLanguages(): string[] {
    return this.languages;
  }
  getVersion(): string {
    return this.version;
  }
  getAppPath(): string {
    return this.folder;
  }
  getPath(name: string): string {
    return this.paths[name] ?? '';
  }
  setPath(name: string, path: string): void {
    this.paths[name] = path;
  }
  requestSingleInstanceLock(): boolean {
    this.calls.push(`lock ${this.getPath('userData')}`);
    return this.isFirstInstance;
  }
  setAppUserModelId(id: string): void {
    this.calls.push(`id ${id}`);
  }
  setAsDefaultProtocolClient(scheme: string): boolean {
    this.calls.push(`scheme ${scheme}`);
    return true;
  }
  getLoginItemSettings(): Pick<LoginItemSettings, 'openAtLogin' | 'wasOpenedAtLogin'> {
    return this.loginItem;
  }
  setLoginItemSettings(settings: Parameters<AppApi['setLoginItemSettings']>[0]): void {
    this.loginItem = { ...this.loginItem, openAtLogin: settings.openAtLogin ?? false };
    this.calls.push(`login ${JSON.stringify(settings)}`);
  }
}

class StandInSession implements SessionApi {
  permissionRequestHandler: Parameters<Session['setPermissionRequestHandler']>[0] = null;
  permissionCheckHandler: Parameters<Session['setPermissionCheckHandler']>[0] = null;
  devicePermissionHandler: Parameters<Session['setDevicePermissionHandler']>[0] = null;
  displayMediaHandler: Parameters<Session['setDisplayMediaRequestHandler']>[0] = null;
  requestListener: Parameters<SessionApi['webRequest']['onBeforeRequest']>[1] | undefined;
  readonly webRequest: SessionApi['webRequest'] = {
    onBeforeRequest: (_filter, listener) => {
      this.requestListener = listener;
    },
  };
  setPermissionRequestHandler(handler: Parameters<Session['setPermissionRequestHandler']>[0]): void {
    this.permissionRequestHandler = handler;
  }
  setPermissionCheckHandler(handler: Parameters<Session['setPermissionCheckHandler']>[0]): void {
    this.permissionCheckHandler = handler;
  }
  setDevicePermissionHandler(handler: Parameters<Session['setDevicePermissionHandler']>[0]): void {
    this.devicePermissionHandler = handler;
  }
  setDisplayMediaRequestHandler(handler: Parameters<Session['setDisplayMediaRequestHandler']>[0]): void {
    this.displayMediaHandler = handler;
  }
  allows(url: string): boolean {
    let cancelled: boolean | undefined;
    this.requestListener?.({ url }, ({ cancel }) => {
      cancelled = cancel;
    });
    return cancelled === false;
  }
}

export class StandInSafeStorage implements SafeStorageApi {
  backend: ReturnType<SafeStorageApi['getSelectedStorageBackend']> = 'gnome_libsecret';
  available = true;
  /** Key of the system's key store. Secrets that were encrypted with a different key cannot be decrypted. */
  key = 'k1';
  shouldReEncrypt = false;
  isAsyncEncryptionAvailable(): Promise<boolean> {
    return Promise.resolve(this.available);
  }
  getSelectedStorageBackend(): ReturnType<SafeStorageApi['getSelectedStorageBackend']> {
    return this.backend;
  }
  encryptStringAsync(text: string): Promise<Buffer> {
    return Promise.resolve(Buffer.from(`${this.key}:${[...text].toReversed().join('')}`));
  }
  decryptStringAsync(encrypted: Buffer): Promise<{ shouldReEncrypt: boolean; result: string }> {
    const [key, ...textParts] = encrypted.toString().split(':');
    if (key !== this.key) return Promise.reject(new Error('encrypted with a different key'));
    return Promise.resolve({
      shouldReEncrypt: this.shouldReEncrypt,
      result: [...textParts.join(':')].toReversed().join(''),
    });
  }
}

export type StandIn = {
  readonly electron: ElectronApi;
  readonly app: StandInApp;
  readonly session: StandInSession;
  readonly safeStorage: StandInSafeStorage;
  readonly power: EventEmitter;
  readonly theme: EventEmitter & { shouldUseDarkColors: boolean };
  readonly windows: StandInWindow[];
  readonly notifications: StandInNotification[];
  readonly trays: StandInTray[];
  readonly openedUrls: string[];
  menu: Template;
  canNotify: boolean;
};

/** @param folder contains all folders of the app */
export function createStandIn(folder: string): StandIn {
  const app = new StandInApp(folder);
  const session = new StandInSession();
  const safeStorage = new StandInSafeStorage();
  const power = new EventEmitter();
  const theme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false });
  const windows: StandInWindow[] = [];
  const notifications: StandInNotification[] = [];
  const trays: StandInTray[] = [];
  const openedUrls: string[] = [];
  const workArea = { x: 0, y: 0, width: 1920, height: 1040 };

  const standIn: StandIn = {
    app,
    session,
    safeStorage,
    power,
    theme,
    windows,
    notifications,
    trays,
    openedUrls,
    menu: [],
    canNotify: true,
    electron: {
      app,
      BrowserWindow: class extends StandInWindow {
        constructor(options: ConstructorParameters<ElectronApi['BrowserWindow']>[0]) {
          super(options);
          windows.push(this);
          app.emit('web-contents-created', new StandInEvent(), this.webContents);
        }
      },
      Menu: {
        buildFromTemplate: (template) => new StandInMenu(template),
        setApplicationMenu(menu) {
          standIn.menu = menu instanceof StandInMenu ? menu.template : [];
        },
      },
      Notification: class extends StandInNotification {
        static isSupported(): boolean {
          return standIn.canNotify;
        }
        constructor(options: NotificationConstructorOptions) {
          super(options);
          notifications.push(this);
        }
      },
      Tray: class extends StandInTray {
        constructor(image: string) {
          super(image);
          trays.push(this);
        }
      },
      nativeTheme: theme,
      powerMonitor: power,
      safeStorage,
      screen: { getPrimaryDisplay: () => ({ workArea }), getAllDisplays: () => [{ workArea }] },
      session: { defaultSession: session },
      shell: {
        openExternal(url) {
          openedUrls.push(url);
          return Promise.resolve();
        },
      },
    },
  };
  return standIn;
}
