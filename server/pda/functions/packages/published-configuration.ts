import { requestConfiguration } from '../runs/execution.ts';
import type { Log } from '../../../platform/log.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import type { RegisteredFunction, Registry } from '../catalogue/registry.ts';
import type { FunctionStore } from '../store.ts';

export type PublishedConfigurations = {
  /** Stores the registrations whose version, location or endpoint has changed. */
  register(): Promise<void>;
  /** Requests missing and outdated configurations, and those of remote functions, which may have changed. */
  start(): void;
  close(): Promise<void>;
};

const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

export const createPublishedConfigurations = (parts: {
  store: FunctionStore;
  registry: Registry;
  resolveTarget: (registered: RegisteredFunction) => Promise<{ target: FunctionTarget; host: FunctionHost }>;
  runQueued: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  markChanged: (tx: Transaction, id: string) => void;
  writer: Writer;
  log: Log;
}): PublishedConfigurations => {
  const { store, registry, writer, log } = parts;
  /** Timers of the retries, by function id. */
  const retryTimers = new Map<string, NodeJS.Timeout>();
  const activeRequests = new Set<Promise<void>>();
  const shutdown = new AbortController();

  /** Requests and stores a configuration. Returns false if the request must be retried. */
  const refresh = async (registered: RegisteredFunction): Promise<boolean> => {
    const { id, edition, place } = registered;
    const { target, host } = await parts.resolveTarget(registered);
    const work = (signal: AbortSignal) => requestConfiguration(host, target, signal);
    // Remote requests bypass the queue: they use no local resources, and unresponsive web services must not block other
    // functions.
    const response = await (place.kind === 'elsewhere' ? work(shutdown.signal) : parts.runQueued(work));
    // A newer version is requested separately.
    if (shutdown.signal.aborted || registry.find(id)?.edition !== edition) return true;
    const configuration = response.ok ? JSON.stringify({ ...response.published, id }) : '';
    const existing = store.find(id);
    const isUnchanged = response.ok && existing?.configuration === configuration && existing.edition === edition;
    if (isUnchanged && existing.problem === null) return true;
    if (!response.ok && existing?.problem === response.problem) return false;
    await writer.write((tx) => {
      if (response.ok) store.configure(tx, { id, configuration, edition });
      else store.setProblem(tx, id, response.problem);
      parts.markChanged(tx, id);
    });
    return response.ok;
  };

  const refreshWithRetry = (registered: RegisteredFunction, retryMs: number): void => {
    const { id } = registered;
    const work = refresh(registered)
      .catch((error: unknown) => {
        log.warn({ err: error, function: id }, 'the configuration of a function could not be updated; retrying later');
        return false;
      })
      .then((hasSucceeded) => {
        if (hasSucceeded || shutdown.signal.aborted) return;
        clearTimeout(retryTimers.get(id));
        const timer = setTimeout(() => {
          retryTimers.delete(id);
          // The package may have been replaced or removed.
          const current = registry.find(id);
          if (current !== undefined) refreshWithRetry(current, Math.min(MAX_RETRY_MS, 2 * retryMs));
        }, retryMs);
        retryTimers.set(id, timer.unref());
      })
      .finally(() => activeRequests.delete(work));
    activeRequests.add(work);
  };

  return {
    async register() {
      const changedFunctions = registry.list().filter(({ id, version, location, endpoint }) => {
        const row = store.find(id);
        return row?.version !== version || row.location !== location || row.endpoint !== endpoint;
      });
      if (changedFunctions.length === 0) return;
      await writer.write((tx) => {
        for (const { id, version, location, endpoint } of changedFunctions) {
          store.register(tx, { id, version, location, endpoint });
          parts.markChanged(tx, id);
        }
      });
    },

    start() {
      for (const registered of registry.list()) {
        const { id, place, problem, edition } = registered;
        const existing = store.find(id);
        if (problem !== undefined) continue;
        // The configuration of a local function does not change within an edition.
        if (place.kind === 'here' && existing?.edition === edition) continue;
        clearTimeout(retryTimers.get(id));
        retryTimers.delete(id);
        refreshWithRetry(registered, FIRST_RETRY_MS);
      }
    },

    async close() {
      shutdown.abort();
      for (const timer of retryTimers.values()) clearTimeout(timer);
      await Promise.allSettled(activeRequests);
    },
  };
};
