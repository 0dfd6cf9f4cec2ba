import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { ServerProcess, ServerState } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { AppUpdates } from './app-updates.ts';
import type { UpdateNotice } from './rules.ts';

/**
 * Guards the server during a pending update: nothing starts it until the update has completed. Its state is
 * `starting` until then, and `failed` if neither the new nor the previous server works.
 * @param parts `server`: its command is requested at each start, so that it uses the parts of the last `onParts`;
 * `whyNot`: returns why the home must not be used now, called before an update continues, since a trial run would
 * create a new home in place of a missing one
 */
export function createServerAfterUpdate(parts: {
  readonly server: ServerProcess;
  readonly updates: Pick<AppUpdates, 'isSettled' | 'settle'>;
  /** The parts of this app. */
  readonly ownParts: Parts;
  readonly whyNot: () => string | null;
  /** Called before the server starts with these parts. */
  readonly onParts: (parts: Parts) => void;
  /** Informs the owner once the server starts. A failed start is reported in the state. */
  readonly notify: (notice: UpdateNotice) => void;
  readonly texts: Texts;
}): ServerProcess {
  const { server, updates } = parts;
  const { ending } = parts.texts;
  const listeners = new Set<(state: ServerState) => void>();
  /** State that replaces the server's own. */
  let ownState: ServerState | null = null;
  let settling: { readonly quit: AbortController; readonly completion: Promise<void> } | null = null;
  let closed = false;

  const notifyListeners = (state: ServerState): void => {
    for (const listener of listeners) listener(state);
  };
  const setState = (state: ServerState): void => {
    ownState = state;
    notifyListeners(state);
  };
  server.subscribe((state) => {
    if (ownState === null) notifyListeners(state);
  });

  const startWith = (now: Parts): void => {
    parts.onParts(now);
    ownState = null;
    server.start();
  };

  const settle = async (quit: AbortSignal): Promise<void> => {
    try {
      const settled = await updates.settle(quit);
      if (quit.aborted) return;
      const { notice } = settled;
      if (settled.parts !== null) {
        startWith(settled.parts);
        if (notice !== null) parts.notify(notice);
      } else {
        const reason = notice?.message ?? ending.updateStuck;
        setState({ kind: 'failed', reason, lastLines: [], ...(notice === null ? {} : { notice }) });
      }
    } catch (cause) {
      const why = messageOf(cause);
      if (!quit.aborted) setState({ kind: 'failed', reason: ending.updateStuckBecause(why), lastLines: [] });
    }
  };

  const begin = (): void => {
    const { kind } = server.state();
    // The server is running or restarting by itself: no update is pending.
    if (kind !== 'stopped' && kind !== 'failed') return server.start();
    if (updates.isSettled()) return startWith(parts.ownParts);
    const whyNot = parts.whyNot();
    if (whyNot !== null) return setState({ kind: 'failed', reason: whyNot, lastLines: [], problem: 'unusable' });
    setState({ kind: 'starting' });
    const quit = new AbortController();
    const completion = settle(quit.signal).finally(() => {
      settling = null;
    });
    settling = { quit, completion };
  };

  const stop: ServerProcess['stop'] = async () => {
    if (settling !== null) {
      settling.quit.abort();
      if (ownState?.kind === 'starting') setState({ kind: 'stopping' });
      await settling.completion;
    }
    if (ownState !== null && ownState.kind !== 'stopped') setState({ kind: 'stopped' });
    return server.stop();
  };

  return {
    link: server.link,
    state: () => ownState ?? server.state(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (!closed && settling === null) begin();
    },
    stop,
    async close() {
      closed = true;
      await stop();
      await server.close();
      listeners.clear();
    },
  };
}
