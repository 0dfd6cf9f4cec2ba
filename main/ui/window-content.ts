import { isSetUp, type ServerProcess, type ServerState } from '../server/process.ts';
import { isShellPage, standstillPage } from './stopped-page-rules.ts';
import type { Texts } from '../texts/en.ts';
import type { MainWindow } from './window.ts';

/** Controls what the window shows: the dashboard, or why there is none. */
export type Shown = {
  /** Shows the window, with a page of the dashboard if one is named. */
  open(page: string | null): void;
  close(): void;
};

/**
 * Milliseconds before a stopped server is shown. A crashed server is usually back by then, and the open page
 * reconnects without losing input.
 */
const PATIENCE_MS = 3_000;

/** @param parts `patienceMs`: for tests */
export function createShown(parts: {
  readonly window: MainWindow;
  readonly server: Pick<ServerProcess, 'state' | 'subscribe' | 'start'>;
  readonly texts: Texts;
  readonly patienceMs?: number;
}): Shown {
  const { window, server, texts, patienceMs = PATIENCE_MS } = parts;
  /** Requested page of the dashboard, until a server can show it. */
  let wanted: string | null = null;
  let impatient: NodeJS.Timeout | undefined;
  /** URL of the dashboard before the app's own page replaced it, and the server's address at that time. */
  let before: { readonly url: string; readonly address: string } | null = null;
  let address = '';

  const showWhy = (state: ServerState): void => {
    if (!window.isOpen() || state.kind === 'running' || state.kind === 'stopping') return;
    const url = window.url();
    if (url !== null && !isShellPage(url)) before = { url, address };
    window.lead(standstillPage(state, texts));
  };

  /** Returns the URL that the dashboard should show. */
  const target = (state: Extract<ServerState, { kind: 'running' }>): string => {
    // Before the set-up there is only one page.
    if (!isSetUp(state)) return state.openUrl;
    if (wanted !== null) return `${state.address}/#${wanted}`;
    const last = before?.url.startsWith(`${before.address}/`) === true ? before.url.slice(before.address.length) : '/';
    return `${state.address}${last}`;
  };

  const follow = (state: ServerState): void => {
    clearTimeout(impatient);
    if (state.kind === 'stopping' || state.kind === 'stopped') return;
    if (state.kind !== 'running') {
      // A failed server needs the owner: show it at once and bring the window up.
      if (state.kind === 'failed') {
        window.ask();
        showWhy(state);
        window.bringUp();
      } else if (isShellPage(window.url() ?? '')) showWhy(state);
      else impatient = setTimeout(() => showWhy(server.state()), patienceMs);
      return;
    }
    const isNew = state.address !== address;
    address = state.address;
    const url = window.url();
    // A page of the same address reconnects by itself; after the set-up, a new PDA replaces the set-up page.
    const isThere = url?.startsWith(`${state.address}/`) === true && !isNew && wanted === null;
    if (window.isOpen() && (!isThere || !isSetUp(state))) window.lead(target(state));
    wanted = null;
    before = null;
  };

  const unsubscribe = server.subscribe(follow);
  return {
    open(page) {
      const state = server.state();
      const isNew = !window.isOpen();
      window.ask();
      if (state.kind === 'running') {
        address = state.address;
        wanted = page;
        if (isNew || page !== null) window.lead(target(state));
        wanted = null;
      } else {
        wanted = page ?? wanted;
        // A known reason is shown at once; a start is usually over in a moment.
        if (state.kind === 'starting') follow(state);
        else showWhy(state);
      }
      window.bringUp();
    },
    close() {
      clearTimeout(impatient);
      unsubscribe();
    },
  };
}
