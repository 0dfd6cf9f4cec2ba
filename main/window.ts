import { BrowserWindow, nativeTheme, screen } from 'electron';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { placeWindow, SMALLEST } from './bounds-rules.ts';

/** The paper of the dashboard's two themes, so that nothing flashes before the first paint. */
const PAPER = { light: '#f4f2ee', dark: '#151412' } as const;
/** A window that is dragged moves a hundred times a second; one write at the end is enough. */
const SAVE_AFTER_MS = 500;

export type MainWindow = {
  /** Brings the window up, as it is; without one makes one that shows `url`. */
  show(url: string): void;
  /** Leads the window to `url` if there is one; does not bring it up. */
  lead(url: string): void;
  isOpen(): boolean;
  close(): void;
};

/**
 * The one window. It is closed and made again as the owner likes; the PDA keeps running without it.
 *
 * @param config `boundsFile`: where its place is remembered; `developer`: whether the developer tools can be opened
 */
export function createMainWindow(config: { readonly boundsFile: string; readonly developer: boolean }): MainWindow {
  let window: BrowserWindow | null = null;

  const make = (): BrowserWindow => {
    const made = new BrowserWindow({
      ...placeWindow(
        readJson(config.boundsFile),
        [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea),
      ),
      minWidth: SMALLEST.width,
      minHeight: SMALLEST.height,
      title: 'Personal Data Account',
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? PAPER.dark : PAPER.light,
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
    made.once('ready-to-show', () => made.show());
    made.on('closed', () => {
      place.close();
      if (window === made) window = null;
    });
    // A page that crashed leaves a blank window; a new one is a click away.
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') made.destroy();
    });
    return made;
  };

  const load = async (into: BrowserWindow, url: string): Promise<void> => {
    try {
      await into.loadURL(url);
    } catch {
      // The server went meanwhile, or another load overtook this one. The server's state tells the owner.
      if (!into.isDestroyed()) into.show();
    }
  };

  return {
    show(url) {
      if (window === null) {
        window = make();
        void load(window, url);
        return;
      }
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    lead(url) {
      if (window !== null) void load(window, url);
    },
    isOpen: () => window !== null,
    close() {
      window?.destroy();
      window = null;
    },
  };
}

/** Writes the place of a window to `file` a moment after it last moved, and when it closes. */
function rememberPlace(window: BrowserWindow, file: string): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    timer = undefined;
    try {
      mkdirSync(dirname(file), { recursive: true });
      // In one step: half a file would be read at the next start.
      writeFileSync(`${file}.new`, JSON.stringify(window.getNormalBounds()));
      renameSync(`${file}.new`, file);
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

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
