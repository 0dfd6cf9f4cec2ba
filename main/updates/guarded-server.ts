import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { ServerProcess, ServerState } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { AppUpdates } from './app-updates.ts';
import type { UpdateNotice } from './rules.ts';

/**
 * Guards the server during a pending update: nothing starts it until the update has completed. Its state is
 * `starting` meanwhile, and `failed` if neither the new nor the previous server works.
 * @param parts `server`: its command is requested at each start, so that it uses the parts of the last `onParts`;
 * `whyNot`: returns why the home must not be used now, called before an update continues, since a trial run would
 * create a new home in place of a missing one
 */
export function createServerAfterUpdate(parts: {
  readonly server: ServerProcess;
  readonly updates: Pick<AppUpdates, 'isSettled' | 'settle'>;
  /** The parts of this app. */
  readonly ours: Parts;
  readonly whyNot: () => string | null;
  /** Called before the server starts with these parts. */
  readonly onParts: (parts: Parts) => void;
  /** Informs the owner once the server starts. A failed start is reported in the state. */
  readonly tell: (words: UpdateNotice) => void;
  readonly texts: Texts;
}): ServerProcess {
  const { server, updates } = parts;
  const { ending } = parts.texts;
  const listeners = new Set<(state: ServerState) => void>();
  /** State that replaces the server's own. */
  let own: ServerState | null = null;
  let settling: { readonly quit: AbortController; readonly done: Promise<void> } | null = null;
  let closed = false;

  const say = (state: ServerState): void => {
    for (const listener of listeners) listener(state);
  };
  const setState = (state: ServerState): void => {
    own = state;
    say(state);
  };
  server.subscribe((state) => {
    if (own === null) say(state);
  });

  const startWith = (now: Parts): void => {
    parts.onParts(now);
    own = null;
    server.start();
  };

  const settle = async (quit: AbortSignal): Promise<void> => {
    try {
      const settled = await updates.settle(quit);
      if (quit.aborted) return;
      const { words } = settled;
      if (settled.parts !== null) {
        startWith(settled.parts);
        if (words !== null) parts.tell(words);
      } else {
        const reason = words?.message ?? ending.updateStuck;
        setState({ kind: 'failed', reason, lastLines: [], ...(words === null ? {} : { words }) });
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
    if (updates.isSettled()) return startWith(parts.ours);
    const whyNot = parts.whyNot();
    if (whyNot !== null) return setState({ kind: 'failed', reason: whyNot, lastLines: [], problem: 'unusable' });
    setState({ kind: 'starting' });
    const quit = new AbortController();
    const done = settle(quit.signal).finally(() => {
      settling = null;
    });
    settling = { quit, done };
  };

  const stop: ServerProcess['stop'] = async () => {
    if (settling !== null) {
      settling.quit.abort();
      if (own?.kind === 'starting') setState({ kind: 'stopping' });
      await settling.done;
    }
    if (own !== null && own.kind !== 'stopped') setState({ kind: 'stopped' });
    return server.stop();
  };

  return {
    link: server.link,
    state: () => own ?? server.state(),
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
