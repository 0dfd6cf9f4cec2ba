import type {
  App,
  BrowserWindowConstructorOptions,
  LoginItemSettings,
  LoginItemSettingsOptions,
  MenuItemConstructorOptions,
  NativeTheme,
  NotificationConstructorOptions,
  Rectangle,
  SafeStorage,
  Session,
  Shell,
  WebContents,
} from 'electron';

/**
 * The subset of Electron's API that the app uses, apart from the dialogs of updates. `main.ts` passes Electron itself,
 * and tests pass a stand-in. `main.ts` compiles only if Electron matches this type, which detects changed and removed
 * functions. Listener types are explicit, because Electron's `on` has an overload for each event.
 */
export type ElectronApi = {
  readonly app: AppApi;
  readonly BrowserWindow: new (options: BrowserWindowConstructorOptions) => WindowApi;
  readonly Menu: {
    buildFromTemplate(template: MenuItemConstructorOptions[]): object;
    setApplicationMenu(menu: object | null): void;
  };
  readonly Notification: { new (options: NotificationConstructorOptions): NotificationApi; isSupported(): boolean };
  readonly Tray: new (image: string) => TrayApi;
  readonly nativeTheme: Pick<NativeTheme, 'shouldUseDarkColors'> & {
    on(event: 'updated', listener: () => void): unknown;
  };
  readonly powerMonitor: {
    on(event: 'resume', listener: () => void): unknown;
    /** Electron passes an event, but its types declare a listener without arguments. */
    on(event: 'shutdown', listener: (event?: Preventable) => void): unknown;
  };
  readonly safeStorage: SafeStorageApi;
  readonly screen: { getPrimaryDisplay(): DisplayApi; getAllDisplays(): DisplayApi[] };
  readonly session: { readonly defaultSession: SessionApi };
  readonly shell: Pick<Shell, 'openExternal'>;
};

export type Preventable = { preventDefault(): void };
type DisplayApi = { readonly workArea: Rectangle };

export type AppApi = Pick<
  App,
  | 'quit'
  | 'whenReady'
  | 'enableSandbox'
  | 'isPackaged'
  | 'getAppPath'
  | 'getVersion'
  | 'getPreferredSystemLanguages'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setLoginItemSettings'
  | 'setPath'
> & {
  getPath(name: 'userData' | 'appData' | 'home'): string;
  getLoginItemSettings(options?: LoginItemSettingsOptions): Pick<LoginItemSettings, 'openAtLogin' | 'wasOpenedAtLogin'>;
  on(event: 'second-instance', listener: (event: Preventable, argv: string[]) => void): unknown;
  on(event: 'open-url', listener: (event: Preventable, url: string) => void): unknown;
  on(event: 'before-quit', listener: (event: Preventable) => void): unknown;
  on(event: 'activate' | 'window-all-closed' | 'will-quit', listener: () => void): unknown;
  on(event: 'web-contents-created', listener: (event: Preventable, contents: WebContentsApi) => void): unknown;
};

export type WebContentsApi = Pick<WebContents, 'setWindowOpenHandler' | 'loadURL' | 'isDestroyed' | 'getURL'> & {
  on(
    event: 'will-frame-navigate',
    listener: (details: Preventable & { readonly url: string; readonly isMainFrame: boolean }) => void,
  ): unknown;
  on(event: 'will-redirect', listener: (details: Preventable & { readonly url: string }) => void): unknown;
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown;
  on(
    event: 'render-process-gone',
    listener: (event: Preventable, details: { readonly reason: string }) => void,
  ): unknown;
};

export type WindowApi = {
  readonly webContents: WebContentsApi;
  loadURL(url: string): Promise<void>;
  show(): void;
  focus(): void;
  restore(): void;
  isMinimized(): boolean;
  destroy(): void;
  getNormalBounds(): Rectangle;
  setBackgroundColor(colour: string): void;
  once(event: 'ready-to-show', listener: () => void): unknown;
  on(event: 'closed' | 'resize' | 'move', listener: () => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  /** Windows only: the user's session ends. */
  on(event: 'session-end', listener: () => void): unknown;
};

export type NotificationApi = {
  show(): void;
  close(): void;
  on(event: 'click' | 'close', listener: () => void): unknown;
  on(event: 'action', listener: (details: { readonly actionIndex: number }) => void): unknown;
};

export type TrayApi = {
  setToolTip(text: string): void;
  setContextMenu(menu: object | null): void;
  destroy(): void;
  on(event: 'click', listener: () => void): unknown;
};

export type SafeStorageApi = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>;

export type SessionApi = Pick<
  Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
> & {
  readonly webRequest: {
    onBeforeRequest(
      filter: { urls: string[] },
      listener: (details: { readonly url: string }, callback: (response: { cancel?: boolean }) => void) => void,
    ): void;
  };
};
