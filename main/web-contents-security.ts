import { app, shell, type Session, type WebContents } from 'electron';
import { destinationOf, mayHave } from './navigation-rules.ts';

/**
 * Puts every web contents that will ever exist behind the same guard: windows, and whatever a page might manage to create. Call it before the
 * first window.
 *
 * @param ourAddress the server's address now; it changes when the server is started again
 */
export function guardAllWebContents(ourAddress: () => string | null): void {
  app.on('web-contents-created', (_event, contents) => guard(contents, ourAddress));
}

function guard(contents: WebContents, ourAddress: () => string | null): void {
  // Electron follows any link by default. Frames are asked too: a page inside ours must not become another one.
  contents.on('will-frame-navigate', (details) => {
    const destination = destinationOf(details.url, ourAddress());
    if (destination === 'inside') return;
    details.preventDefault();
    if (destination === 'system-browser' && details.isMainFrame) openInSystemBrowser(details.url, ourAddress());
  });
  // A redirect is a navigation that the far end chose; it never leaves, not even to the browser.
  contents.on('will-redirect', (details) => {
    if (destinationOf(details.url, ourAddress()) !== 'inside') details.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    const destination = destinationOf(url, ourAddress());
    if (destination === 'system-browser') openInSystemBrowser(url, ourAddress());
    // There is one window: a page of ours that asks for another is shown in it.
    if (destination === 'inside') setImmediate(() => void loadUnlessGone(contents, url));
    return { action: 'deny' };
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

/**
 * Denies what pages ask for: camera, microphone, place, notifications, devices, screens. By default Electron grants all of it.
 *
 * Both handlers are needed: some features ask, others only check.
 */
export function denyPermissions(session: Session, ourAddress: () => string | null): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(mayHave(permission, details.requestingUrl, ourAddress()));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => mayHave(permission, origin, ourAddress()));
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
}

/** The one door to the outside. It decides once more, so that no caller has to be trusted. */
export function openInSystemBrowser(url: string, ourAddress: string | null): void {
  if (destinationOf(url, ourAddress) !== 'system-browser') return;
  shell.openExternal(url).catch(() => {
    // No browser is set up. There is nothing to be done for the page that asked.
  });
}

async function loadUnlessGone(contents: WebContents, url: string): Promise<void> {
  if (contents.isDestroyed()) return;
  try {
    await contents.loadURL(url);
  } catch {
    // A load that another one overtook, or a server that went meanwhile: its state tells the owner.
  }
}
