import type { ContentsPart, ElectronParts, SessionPart } from '../system/electron-api.ts';
import { destinationOf, mayHave, mayLoad } from './navigation-rules.ts';
import { isShellPage, QUIT, TRY_AGAIN } from './stopped-page-rules.ts';

/** Actions of links on pages that the app created. */
export type ShellLink = 'try-again' | 'quit';

export type Guard = {
  readonly electron: Pick<ElectronParts, 'app' | 'shell'>;
  /** Returns the current address of the server, which can change with a restart. */
  readonly ourAddress: () => string | null;
  readonly onShellLink: (link: ShellLink) => void;
};

/**
 * Guards all web contents: windows, and anything that a page might create. Call it before the first window is
 * created.
 */
export function guardAllWebContents(guard: Guard): void {
  guard.electron.app.on('web-contents-created', (_event, contents) => watch(contents, guard));
}

function watch(contents: ContentsPart, guard: Guard): void {
  const { ourAddress } = guard;
  // Electron follows any link by default. Frames are guarded too: a page inside ours must not be replaced.
  contents.on('will-frame-navigate', (details) => {
    const destination = destinationOf(details.url, ourAddress());
    if (destination === 'inside') return;
    details.preventDefault();
    if (!details.isMainFrame) return;
    if (destination === 'system-browser') openInSystemBrowser(details.url, guard);
    else if (isShellPage(contents.getURL())) followShellLink(details.url, guard);
  });
  // The remote server chose the target of a redirect, so it never opens, not even in the browser.
  contents.on('will-redirect', (details) => {
    if (destinationOf(details.url, ourAddress()) !== 'inside') details.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    const destination = destinationOf(url, ourAddress());
    if (destination === 'system-browser') openInSystemBrowser(url, guard);
    // There is one window: pages of ours that request another one are shown in it.
    if (destination === 'inside') setImmediate(() => void loadUnlessGone(contents, url));
    return { action: 'deny' };
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function followShellLink(url: string, guard: Guard): void {
  if (url === TRY_AGAIN) guard.onShellLink('try-again');
  if (url === QUIT) guard.onShellLink('quit');
}

/**
 * Denies permissions that pages request (camera, microphone, location, notifications, devices, screens), which
 * Electron grants by default, and blocks requests to other servers, regardless of a page's own policy. Both handlers
 * are needed: some features request a permission, others only check it.
 */
export function denyPermissions(session: SessionPart, ourAddress: () => string | null): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(mayHave(permission, details.requestingUrl, ourAddress()));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => mayHave(permission, origin, ourAddress()));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
  session.webRequest.onBeforeRequest({ urls: ['<all_urls>'] }, ({ url }, callback) => {
    callback({ cancel: !mayLoad(url, ourAddress()) });
  });
}

/** The only function that opens URLs outside the app. Checks the URL again, so that callers need not be trusted. */
function openInSystemBrowser(url: string, guard: Guard): void {
  if (destinationOf(url, guard.ourAddress()) !== 'system-browser') return;
  guard.electron.shell.openExternal(url).catch(() => {
    // No browser is set up. The page cannot do anything about it.
  });
}

async function loadUnlessGone(contents: ContentsPart, url: string): Promise<void> {
  if (contents.isDestroyed()) return;
  try {
    await contents.loadURL(url);
  } catch {
    // The load was superseded, or the server stopped: the server's state informs the owner.
  }
}
