import { isSetUp, type ServerProcess, type ServerState } from '../server/process.ts';
import { isShellPage, standstillPage } from './stopped-page-rules.ts';
import type { Texts } from '../texts/en.ts';
import type { MainWindow } from './window.ts';

/** What the window shows: the dashboard, or why there is none. */
export type Shown = {
  /** The owner wants to see it, and a page of the dashboard if one is named. */
  open(page: string | null): void;
  close(): void;
};

/** Milliseconds. A server that crashed is mostly back before that, and the page that is open finds it again with all that is typed into it. */
const PATIENCE_MS = 3_000;

/** @param parts `patienceMs`: for tests */
export function createShown(parts: {
  readonly window: MainWindow;
  readonly server: Pick<ServerProcess, 'state' | 'subscribe' | 'start'>;
  readonly texts: Texts;
  readonly patienceMs?: number;
}): Shown {
  const { window, server, texts, patienceMs = PATIENCE_MS } = parts;
  /** Of the dashboard, once there is a server to show it. */
  let wanted: string | null = null;
  let impatient: NodeJS.Timeout | undefined;
  /** The dashboard as it was before our own page took its place, and the address of the server then. */
  let before: { readonly url: string; readonly address: string } | null = null;
  let address = '';

  const showWhy = (state: ServerState): void => {
    if (!window.isOpen() || state.kind === 'running' || state.kind === 'stopping') return;
    const url = window.url();
    if (url !== null && !isShellPage(url)) before = { url, address };
    window.lead(standstillPage(state, texts));
  };

  /** Where the dashboard is to be. */
  const target = (state: Extract<ServerState, { kind: 'running' }>): string => {
    // Before it is set up there is one page.
    if (!isSetUp(state)) return state.openUrl;
    if (wanted !== null) return `${state.address}/#${wanted}`;
    const last = before?.url.startsWith(`${before.address}/`) === true ? before.url.slice(before.address.length) : '/';
    return `${state.address}${last}`;
  };

  const follow = (state: ServerState): void => {
    clearTimeout(impatient);
    if (state.kind === 'stopping' || state.kind === 'stopped') return;
    if (state.kind !== 'running') {
      // Given up at once, since it will not come by itself; and brought up, since nobody else tells.
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
    // A page of the same address finds its server again by itself; the set-up page follows the first word of a new PDA.
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
        // Told why at once where it is known; a start is mostly over in a moment.
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
