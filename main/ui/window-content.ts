import { isSetUp, type ServerProcess, type ServerState } from '../server/process.ts';
import { isShellPage, stoppedPage } from './stopped-page-rules.ts';
import type { Texts } from '../texts/en.ts';
import type { MainWindow } from './window.ts';

/** Controls what the window shows: the dashboard, or why there is none. */
export type WindowContent = {
  /** Shows the window, with a page of the dashboard if one is named. */
  open(page: string | null): void;
  close(): void;
};

/**
 * Milliseconds before a stopped server is shown. A crashed server is usually back by then, and the open page
 * reconnects without losing input.
 */
const STOPPED_PAGE_DELAY_MS = 3_000;

/** @param parts `stoppedPageDelayMs`: for tests */
export function createWindowContent(parts: {
  readonly window: MainWindow;
  readonly server: Pick<ServerProcess, 'state' | 'subscribe' | 'start'>;
  readonly texts: Texts;
  readonly stoppedPageDelayMs?: number;
}): WindowContent {
  const { window, server, texts, stoppedPageDelayMs = STOPPED_PAGE_DELAY_MS } = parts;
  /** Requested page of the dashboard, until a server can show it. */
  let requestedPage: string | null = null;
  let stoppedPageTimer: NodeJS.Timeout | undefined;
  /** URL of the dashboard before the app's own page replaced it, and the server's address at that time. */
  let before: { readonly url: string; readonly address: string } | null = null;
  let address = '';

  const showStoppedPage = (state: ServerState): void => {
    if (!window.isOpen() || state.kind === 'running' || state.kind === 'stopping') return;
    const url = window.url();
    if (url !== null && !isShellPage(url)) before = { url, address };
    window.navigate(stoppedPage(state, texts));
  };

  /** Returns the URL that the dashboard should show. */
  const target = (state: Extract<ServerState, { kind: 'running' }>): string => {
    // Before the set-up there is only one page.
    if (!isSetUp(state)) return state.openUrl;
    if (requestedPage !== null) return `${state.address}/#${requestedPage}`;
    const last = before?.url.startsWith(`${before.address}/`) === true ? before.url.slice(before.address.length) : '/';
    return `${state.address}${last}`;
  };

  const follow = (state: ServerState): void => {
    clearTimeout(stoppedPageTimer);
    if (state.kind === 'stopping' || state.kind === 'stopped') return;
    if (state.kind !== 'running') {
      // A failed server needs the owner: show it at once and bring the window up.
      if (state.kind === 'failed') {
        window.ensureOpen();
        showStoppedPage(state);
        window.bringToFront();
      } else if (isShellPage(window.url() ?? '')) showStoppedPage(state);
      else stoppedPageTimer = setTimeout(() => showStoppedPage(server.state()), stoppedPageDelayMs);
      return;
    }
    const isNew = state.address !== address;
    address = state.address;
    const url = window.url();
    // A page of the same address reconnects by itself; after the set-up, a new PDA replaces the set-up page.
    const isThere = url?.startsWith(`${state.address}/`) === true && !isNew && requestedPage === null;
    if (window.isOpen() && (!isThere || !isSetUp(state))) window.navigate(target(state));
    requestedPage = null;
    before = null;
  };

  const unsubscribe = server.subscribe(follow);
  return {
    open(page) {
      const state = server.state();
      const isNew = !window.isOpen();
      window.ensureOpen();
      if (state.kind === 'running') {
        address = state.address;
        requestedPage = page;
        if (isNew || page !== null) window.navigate(target(state));
        requestedPage = null;
      } else {
        requestedPage = page ?? requestedPage;
        // A known reason is shown at once; a start is usually over in a moment.
        if (state.kind === 'starting') follow(state);
        else showStoppedPage(state);
      }
      window.bringToFront();
    },
    close() {
      clearTimeout(stoppedPageTimer);
      unsubscribe();
    },
  };
}
