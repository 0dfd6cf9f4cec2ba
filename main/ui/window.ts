import { placeWindow, MIN_SIZE } from './window-bounds-rules.ts';
import type { ElectronApi, WindowApi } from '../system/electron-api.ts';
import { readJson, replaceText } from '../system/json-file.ts';

/** Background colours of the dashboard's themes, so that nothing flashes before the first paint. */
const BACKGROUND_COLOURS = { light: '#fbfaf8', dark: '#181715' } as const;
/** A dragged window sends many events per second; one write at the end is enough. */
const SAVE_DELAY_MS = 500;

export type MainWindow = {
  /** Creates the window if there is none. It appears with the first paint of its content. */
  ensureOpen(): void;
  /** Has no effect before the first paint. */
  bringToFront(): void;
  /** Loads a URL, without bringing the window to the front. Has no effect without a window. */
  navigate(url: string): void;
  /** Returns the displayed or loading URL; null without a window or content. */
  url(): string | null;
  isOpen(): boolean;
  close(): void;
};

/**
 * Manages the app's window, which can be closed and created again. The PDA keeps running without it.
 * @param config `isDeveloperMode`: enables the developer tools; `onSessionEnd`: called when Windows ends the user's
 *   session
 */
export function createMainWindow(config: {
  readonly electron: Pick<ElectronApi, 'BrowserWindow' | 'nativeTheme' | 'screen'>;
  readonly boundsFile: string;
  readonly isDeveloperMode: boolean;
  readonly onSessionEnd: () => void;
}): MainWindow {
  const { BrowserWindow, nativeTheme, screen } = config.electron;
  let window: WindowApi | null = null;
  let url: string | null = null;
  let isPainted = false;
  const getBackgroundColor = (): string =>
    nativeTheme.shouldUseDarkColors ? BACKGROUND_COLOURS.dark : BACKGROUND_COLOURS.light;

  const createWindow = (): WindowApi => {
    const newWindow = new BrowserWindow({
      ...placeWindow(
        readJson(config.boundsFile),
        [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea),
      ),
      minWidth: MIN_SIZE.width,
      minHeight: MIN_SIZE.height,
      title: 'Personal Data Account',
      show: false,
      backgroundColor: getBackgroundColor(),
      webPreferences: {
        // Explicit, although most are defaults: a changed default must not weaken the window's security.
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        webviewTag: false,
        navigateOnDragDrop: false,
        // The spell checker would download dictionaries from Google.
        spellcheck: false,
        devTools: config.isDeveloperMode,
      },
    });
    const boundsWriter = persistBounds(newWindow, config.boundsFile);
    newWindow.once('ready-to-show', () => {
      isPainted = true;
      newWindow.show();
    });
    newWindow.on('closed', () => {
      boundsWriter.close();
      if (window === newWindow) reset();
    });
    newWindow.on('session-end', config.onSessionEnd);
    // A crashed page leaves a blank window. Close it, so that the next click creates a new one.
    newWindow.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') newWindow.destroy();
    });
    return newWindow;
  };
  const reset = (): void => {
    window = null;
    url = null;
    isPainted = false;
  };

  nativeTheme.on('updated', () => window?.setBackgroundColor(getBackgroundColor()));

  const load = async (targetWindow: WindowApi, targetUrl: string): Promise<void> => {
    try {
      await targetWindow.loadURL(targetUrl);
    } catch {
      // Another load superseded this one, or the server stopped, which the owner sees anyway.
    }
  };

  return {
    ensureOpen() {
      window ??= createWindow();
    },
    bringToFront() {
      if (window === null || !isPainted) return;
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    navigate(targetUrl) {
      if (window === null) return;
      url = targetUrl;
      void load(window, targetUrl);
    },
    url: () => (window === null || url === null ? null : window.webContents.getURL() || url),
    isOpen: () => window !== null,
    close() {
      window?.destroy();
      reset();
    },
  };
}

function persistBounds(window: WindowApi, file: string): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      replaceText(file, JSON.stringify(window.getNormalBounds()));
    } catch {
      // Losing the position of a window is harmless.
    }
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_DELAY_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('close', save);
  return { close: () => clearTimeout(timer) };
}
