import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { ServerProcess, ServerState } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { AppUpdates } from './app-updates.ts';
import type { UpdateWords } from './rules.ts';

/**
 * The server, behind what an update left to be done: until that has come to an end nothing starts it, whoever asks. It looks like any other meanwhile:
 * `starting`, and `failed` when the PDA can run with neither the new server nor the one of before.
 *
 * @param parts `server`: its command is asked for at each start, so that it runs with what `onParts` was told last; `whyNot`: why nothing must touch the
 *   home now, asked before an update is gone on with: a trial of the new server would make a new home in the place of one that is away
 */
export function createServerAfterUpdate(parts: {
  readonly server: ServerProcess;
  readonly updates: Pick<AppUpdates, 'isSettled' | 'settle'>;
  /** What this app carries. */
  readonly ours: Parts;
  readonly whyNot: () => string | null;
  /** Called before the server is started with them. */
  readonly onParts: (parts: Parts) => void;
  /** Told once the server starts. Words about one that does not are in its state. */
  readonly tell: (words: UpdateWords) => void;
  readonly texts: Texts;
}): ServerProcess {
  const { server, updates } = parts;
  const { ending } = parts.texts;
  const listeners = new Set<(state: ServerState) => void>();
  /** What is said instead of the server's own state. */
  let own: ServerState | null = null;
  let settling: { readonly quit: AbortController; readonly done: Promise<void> } | null = null;
  let closed = false;

  const say = (state: ServerState): void => {
    for (const listener of listeners) listener(state);
  };
  const become = (state: ServerState): void => {
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
        become({ kind: 'failed', reason, lastLines: [], ...(words === null ? {} : { words }) });
      }
    } catch (cause) {
      const why = messageOf(cause);
      if (!quit.aborted) become({ kind: 'failed', reason: ending.updateStuckBecause(why), lastLines: [] });
    }
  };

  const begin = (): void => {
    const { kind } = server.state();
    // What runs, or starts again by itself, is past all this.
    if (kind !== 'stopped' && kind !== 'failed') return server.start();
    if (updates.isSettled()) return startWith(parts.ours);
    const whyNot = parts.whyNot();
    if (whyNot !== null) return become({ kind: 'failed', reason: whyNot, lastLines: [], problem: 'unusable' });
    become({ kind: 'starting' });
    const quit = new AbortController();
    const done = settle(quit.signal).finally(() => {
      settling = null;
    });
    settling = { quit, done };
  };

  const stop: ServerProcess['stop'] = async () => {
    if (settling !== null) {
      settling.quit.abort();
      if (own?.kind === 'starting') become({ kind: 'stopping' });
      await settling.done;
    }
    if (own !== null && own.kind !== 'stopped') become({ kind: 'stopped' });
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
