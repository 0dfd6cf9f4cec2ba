import { placeWindow, SMALLEST } from './window-bounds-rules.ts';
import type { ElectronParts, WindowPart } from '../system/electron-api.ts';
import { readJson, replaceText } from '../system/json-file.ts';

/** The paper of the dashboard's two themes, so that nothing flashes before the first paint. */
const PAPER = { light: '#f4f2ee', dark: '#151412' } as const;
/** A window that is dragged moves a hundred times a second; one write at the end is enough. */
const SAVE_AFTER_MS = 500;

export type MainWindow = {
  /** Makes it, without anything in it: it is seen with the first paint of what it is led to. */
  ask(): void;
  /** Brings it up as it is. */
  bringUp(): void;
  /** Leads it to `url` if there is one; does not bring it up. */
  lead(url: string): void;
  /** What it shows or is about to; null without one, or while nothing is in it. */
  url(): string | null;
  isOpen(): boolean;
  close(): void;
};

/**
 * The one window. It is closed and made again as the owner likes; the PDA keeps running without it.
 *
 * @param config `boundsFile`: where its place is remembered; `developer`: whether the developer tools can be opened; `onSessionEnd`: the system
 *   ends the owner's session
 */
export function createMainWindow(config: {
  readonly electron: Pick<ElectronParts, 'BrowserWindow' | 'nativeTheme' | 'screen'>;
  readonly boundsFile: string;
  readonly developer: boolean;
  readonly onSessionEnd: () => void;
}): MainWindow {
  const { BrowserWindow, nativeTheme, screen } = config.electron;
  let window: WindowPart | null = null;
  let url: string | null = null;
  /** Before it has painted there is nothing to bring up. */
  let isPainted = false;
  const paper = (): string => (nativeTheme.shouldUseDarkColors ? PAPER.dark : PAPER.light);

  const make = (): WindowPart => {
    const made = new BrowserWindow({
      ...placeWindow(
        readJson(config.boundsFile),
        [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea),
      ),
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      title: 'Personal Data Account',
      show: false,
      backgroundColor: paper(),
      webPreferences: {
        // Said in full although most are defaults today: a default that changes must not open the window.
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
        // It would fetch dictionaries from its maker's servers.
        spellcheck: false,
        devTools: config.developer,
      },
    });
    const place = rememberPlace(made, config.boundsFile);
    made.once('ready-to-show', () => {
      isPainted = true;
      made.show();
    });
    made.on('closed', () => {
      place.close();
      if (window === made) forget();
    });
    made.on('session-end', config.onSessionEnd);
    // A page that crashed leaves a blank window; a new one is a click away.
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') made.destroy();
    });
    return made;
  };
  const forget = (): void => {
    window = null;
    url = null;
    isPainted = false;
  };

  nativeTheme.on('updated', () => window?.setBackgroundColor(paper()));

  const load = async (into: WindowPart, to: string): Promise<void> => {
    try {
      await into.loadURL(to);
    } catch {
      // The server went meanwhile, or another load overtook this one. What there is to say is shown by whoever follows the server.
    }
  };

  return {
    ask() {
      window ??= make();
    },
    bringUp() {
      if (window === null || !isPainted) return;
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    lead(to) {
      if (window === null) return;
      url = to;
      void load(window, to);
    },
    url: () => (window === null || url === null ? null : window.webContents.getURL() || url),
    isOpen: () => window !== null,
    close() {
      window?.destroy();
      forget();
    },
  };
}

/** Writes the place of a window to `file` a moment after it last moved, and when it closes. */
function rememberPlace(window: WindowPart, file: string): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      replaceText(file, JSON.stringify(window.getNormalBounds()));
    } catch {
      // The place of a window is not worth a word.
    }
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS);
  };
  window.on('resize', soon);
  window.on('move', soon);
  window.on('close', save);
  return { close: () => clearTimeout(timer) };
}
