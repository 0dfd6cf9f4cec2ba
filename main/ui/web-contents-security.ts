import type { ContentsPart, ElectronParts, SessionPart } from '../system/electron-api.ts';
import { destinationOf, mayHave, mayLoad } from './navigation-rules.ts';
import { isShellPage, QUIT, TRY_AGAIN } from './stopped-page-rules.ts';

/** What the links of a page that the shell made itself are for. */
export type ShellLink = 'try-again' | 'quit';

export type Guard = {
  readonly electron: Pick<ElectronParts, 'app' | 'shell'>;
  /** The server's address now; it changes when the server is started again. */
  readonly ourAddress: () => string | null;
  readonly onShellLink: (link: ShellLink) => void;
};

/**
 * Puts every web contents that will ever exist behind the same guard: windows, and whatever a page might manage to create. Call it before the
 * first window.
 */
export function guardAllWebContents(guard: Guard): void {
  guard.electron.app.on('web-contents-created', (_event, contents) => watch(contents, guard));
}

function watch(contents: ContentsPart, guard: Guard): void {
  const { ourAddress } = guard;
  // Electron follows any link by default. Frames are asked too: a page inside ours must not become another one.
  contents.on('will-frame-navigate', (details) => {
    const destination = destinationOf(details.url, ourAddress());
    if (destination === 'inside') return;
    details.preventDefault();
    if (!details.isMainFrame) return;
    if (destination === 'system-browser') openInSystemBrowser(details.url, guard);
    else if (isShellPage(contents.getURL())) followShellLink(details.url, guard);
  });
  // A redirect is a navigation that the far end chose; it never leaves, not even to the browser.
  contents.on('will-redirect', (details) => {
    if (destinationOf(details.url, ourAddress()) !== 'inside') details.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    const destination = destinationOf(url, ourAddress());
    if (destination === 'system-browser') openInSystemBrowser(url, guard);
    // There is one window: a page of ours that asks for another is shown in it.
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
 * Denies what pages ask for: camera, microphone, place, notifications, devices, screens. By default Electron grants all of it. And nothing is
 * fetched but from our own server, whatever a page's own policy says.
 *
 * Both handlers are needed: some features ask, others only check.
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

/** The one door to the outside. It decides once more, so that no caller has to be trusted. */
function openInSystemBrowser(url: string, guard: Guard): void {
  if (destinationOf(url, guard.ourAddress()) !== 'system-browser') return;
  guard.electron.shell.openExternal(url).catch(() => {
    // No browser is set up. There is nothing to be done for the page that asked.
  });
}

async function loadUnlessGone(contents: ContentsPart, url: string): Promise<void> {
  if (contents.isDestroyed()) return;
  try {
    await contents.loadURL(url);
  } catch {
    // A load that another one overtook, or a server that went meanwhile: its state tells the owner.
  }
}
