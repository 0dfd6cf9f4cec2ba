import { isSetUp, type ServerProcess, type ServerState } from '../server/process.ts';
import { isShellPage, buildStoppedPageUrl } from './stopped-page.ts';
import type { Texts } from '../texts/en.ts';
import type { MainWindow } from './window.ts';

/** Delay before the stopped page is shown during a start or after a crash. The server is usually running sooner. */
const STOPPED_PAGE_DELAY_MS = 3_000;

export function createWindowContent(options: {
  readonly window: MainWindow;
  readonly server: Pick<ServerProcess, 'state' | 'subscribe' | 'start'>;
  readonly texts: Texts;
  readonly stoppedPageDelayMs?: number;
}) {
  const { window, server, texts, stoppedPageDelayMs = STOPPED_PAGE_DELAY_MS } = options;
  let requestedPage: string | null = null;
  let stoppedPageTimer: NodeJS.Timeout | undefined;
  /** Dashboard URL that the stopped page replaced, and the server's address at that time. */
  let replacedPage: { readonly url: string; readonly address: string } | null = null;
  let address = '';

  const showStoppedPage = (state: ServerState): void => {
    if (!window.isOpen() || state.kind === 'running' || state.kind === 'stopping') return;
    const url = window.url();
    if (url !== null && !isShellPage(url)) replacedPage = { url, address };
    window.navigate(buildStoppedPageUrl(state, texts));
  };

  const dashboardUrlOf = (state: Extract<ServerState, { kind: 'running' }>): string => {
    // Before the set-up, only the set-up page exists.
    if (!isSetUp(state)) return state.openUrl;
    if (requestedPage !== null) return `${state.address}/#${requestedPage}`;
    const path =
      replacedPage?.url.startsWith(`${replacedPage.address}/`) === true
        ? replacedPage.url.slice(replacedPage.address.length)
        : '/';
    return `${state.address}${path}`;
  };

  const onServerState = (state: ServerState): void => {
    clearTimeout(stoppedPageTimer);
    if (state.kind === 'stopping' || state.kind === 'stopped') return;
    if (state.kind !== 'running') {
      // A failure needs the owner's attention, so the window shows it immediately.
      if (state.kind === 'failed') {
        window.ensureOpen();
        showStoppedPage(state);
        window.bringToFront();
      } else if (isShellPage(window.url() ?? '')) showStoppedPage(state);
      else stoppedPageTimer = setTimeout(() => showStoppedPage(server.state()), stoppedPageDelayMs);
      return;
    }
    const hasNewAddress = state.address !== address;
    address = state.address;
    const url = window.url();
    // An open dashboard at the same address reconnects by itself. The set-up page must be loaded again.
    const canKeepPage = url?.startsWith(`${state.address}/`) === true && !hasNewAddress && requestedPage === null;
    if (window.isOpen() && (!canKeepPage || !isSetUp(state))) window.navigate(dashboardUrlOf(state));
    requestedPage = null;
    replacedPage = null;
  };

  const unsubscribe = server.subscribe(onServerState);
  return {
    open(page: string | null): void {
      const state = server.state();
      const wasClosed = !window.isOpen();
      window.ensureOpen();
      if (state.kind === 'running') {
        address = state.address;
        requestedPage = page;
        if (wasClosed || page !== null) window.navigate(dashboardUrlOf(state));
        requestedPage = null;
      } else {
        requestedPage = page ?? requestedPage;
        // A failure is shown immediately. A start usually takes a moment, so its page is delayed.
        if (state.kind === 'starting') onServerState(state);
        else showStoppedPage(state);
      }
      window.bringToFront();
    },
    close(): void {
      clearTimeout(stoppedPageTimer);
      unsubscribe();
    },
  };
}
