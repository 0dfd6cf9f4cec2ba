import { messageOf } from '../../server/wire/values.ts';
import type { Installation } from '../server/installation.ts';
import type { ServerProcess, ServerState } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { AppUpdates } from './app-updates.ts';
import type { UpdateNotice } from './rules.ts';

/**
 * Guards the server during a pending update: `start` completes the update first, and until then the state is
 * `starting`. The state becomes `failed` if the update cannot be completed.
 * @param options `findStartObstacle`: called before an update continues, because a test of the new server would create
 *   a new home in place of a missing home
 */
export function createGuardedServer(options: {
  readonly server: ServerProcess;
  readonly updates: Pick<AppUpdates, 'isSettled' | 'completeUpdate'>;
  readonly ownInstallation: Installation;
  readonly findStartObstacle: () => string | null;
  readonly onInstallation: (installation: Installation) => void;
  readonly notify: (notice: UpdateNotice) => void;
  readonly texts: Texts;
}): ServerProcess {
  const { server, updates } = options;
  const { exitReasons } = options.texts;
  const listeners = new Set<(state: ServerState) => void>();
  let ownState: ServerState | null = null;
  let pendingUpdate: { readonly quit: AbortController; readonly completion: Promise<void> } | null = null;
  let isClosed = false;

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

  const startWith = (installation: Installation): void => {
    options.onInstallation(installation);
    ownState = null;
    server.start();
  };

  const completeAndStart = async (quit: AbortSignal): Promise<void> => {
    try {
      const completedUpdate = await updates.completeUpdate(quit);
      if (quit.aborted) return;
      const { notice } = completedUpdate;
      if (completedUpdate.installation !== null) {
        startWith(completedUpdate.installation);
        if (notice !== null) options.notify(notice);
      } else {
        const reason = notice?.message ?? exitReasons.updateUnfinished;
        setState({ kind: 'failed', reason, lastLines: [], ...(notice === null ? {} : { notice }) });
      }
    } catch (cause) {
      const reason = exitReasons.updateUnfinishedBecause(messageOf(cause));
      if (!quit.aborted) setState({ kind: 'failed', reason, lastLines: [] });
    }
  };

  const startOrCompleteUpdate = (): void => {
    const { kind } = server.state();
    // The server is active, so no update is pending.
    if (kind !== 'stopped' && kind !== 'failed') return server.start();
    if (updates.isSettled()) return startWith(options.ownInstallation);
    const obstacle = options.findStartObstacle();
    if (obstacle !== null) return setState({ kind: 'failed', reason: obstacle, lastLines: [], problem: 'unusable' });
    setState({ kind: 'starting' });
    const quit = new AbortController();
    const completion = completeAndStart(quit.signal).finally(() => {
      pendingUpdate = null;
    });
    pendingUpdate = { quit, completion };
  };

  const stop: ServerProcess['stop'] = async () => {
    if (pendingUpdate !== null) {
      pendingUpdate.quit.abort();
      if (ownState?.kind === 'starting') setState({ kind: 'stopping' });
      await pendingUpdate.completion;
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
      if (!isClosed && pendingUpdate === null) startOrCompleteUpdate();
    },
    stop,
    async close() {
      isClosed = true;
      await stop();
      await server.close();
      listeners.clear();
    },
  };
}
