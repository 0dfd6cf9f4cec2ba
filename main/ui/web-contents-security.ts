import type { WebContentsApi, ElectronApi, SessionApi } from '../system/electron-api.ts';
import { destinationOf, isFrameAllowed, isPermissionAllowed, isRequestAllowed } from './navigation-rules.ts';
import { isShellPage, QUIT_LINK, START_LINK } from './stopped-page.ts';

export type ShellLink = 'try-again' | 'quit';

export type GuardOptions = {
  readonly electron: Pick<ElectronApi, 'app' | 'shell'>;
  readonly getServerAddress: () => string | null;
  readonly onShellLink: (link: ShellLink) => void;
};

/** Guards all web contents. Must be called before the first window is created. */
export function guardAllWebContents(options: GuardOptions): void {
  options.electron.app.on('web-contents-created', (_event, contents) => guardContents(contents, options));
}

function guardContents(contents: WebContentsApi, options: GuardOptions): void {
  const { getServerAddress } = options;
  // Electron follows any link by default. Frames are also guarded, so that our page shows no page of another origin.
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame) {
      if (!isFrameAllowed(details.url, getServerAddress())) details.preventDefault();
      return;
    }
    const destination = destinationOf(details.url, getServerAddress());
    if (destination === 'inside') return;
    details.preventDefault();
    if (destination === 'system-browser') openInSystemBrowser(details.url, options);
    else if (isShellPage(contents.getURL())) followShellLink(details.url, options);
  });
  // A server chose the target of a redirect, so a redirect never opens the system browser.
  contents.on('will-redirect', (details) => {
    if (destinationOf(details.url, getServerAddress()) !== 'inside') details.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    const destination = destinationOf(url, getServerAddress());
    if (destination === 'system-browser') openInSystemBrowser(url, options);
    // Our own page opens in the existing window, because the app has only one.
    if (destination === 'inside') setImmediate(() => void loadUnlessDestroyed(contents, url));
    return { action: 'deny' };
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function followShellLink(url: string, options: GuardOptions): void {
  if (url === START_LINK) options.onShellLink('try-again');
  if (url === QUIT_LINK) options.onShellLink('quit');
}

/**
 * Denies the permissions that Electron grants by default, except writing to the clipboard, and blocks requests to other
 * servers. Some features request a permission and others check it, so both have a handler.
 */
export function restrictSession(session: SessionApi, getServerAddress: () => string | null): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(isPermissionAllowed(permission, details.requestingUrl, getServerAddress()));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) =>
    isPermissionAllowed(permission, origin, getServerAddress()),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
  session.webRequest.onBeforeRequest({ urls: ['<all_urls>'] }, ({ url }, callback) => {
    callback({ cancel: !isRequestAllowed(url, getServerAddress()) });
  });
}

/** The only function that opens URLs outside the app. Checks the URL again, so that callers need not be trusted. */
function openInSystemBrowser(url: string, options: GuardOptions): void {
  if (destinationOf(url, options.getServerAddress()) !== 'system-browser') return;
  options.electron.shell.openExternal(url).catch(() => {
    // For example, no browser or mail program is installed. The page cannot do anything about this.
  });
}

async function loadUnlessDestroyed(contents: WebContentsApi, url: string): Promise<void> {
  if (contents.isDestroyed()) return;
  try {
    await contents.loadURL(url);
  } catch {
    // Another load superseded this one, or the server stopped, which the owner sees anyway.
  }
}
