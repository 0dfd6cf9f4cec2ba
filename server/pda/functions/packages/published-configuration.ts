import { askConfiguration } from '../runs/execution.ts';
import type { Log } from '../../../platform/log.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import type { Registered, Registry } from '../catalogue/registry.ts';
import type { FunctionStore } from '../store.ts';

/** What functions publish of themselves: asked for when they are registered, kept, and asked for again while it cannot be had. */
export type Configurations = {
  /** Writes down what is registered. */
  register(): Promise<void>;
  /** Asks those of which nothing is known yet, and those elsewhere, which may publish something else by now. */
  start(): void;
  close(): Promise<void>;
};

const FIRST_AGAIN_MS = 60_000;
const LAST_AGAIN_MS = 3_600_000;

export const createConfigurations = (parts: {
  store: FunctionStore;
  registry: Registry;
  askedAt: (registered: Registered) => Promise<{ target: FunctionTarget; host: FunctionHost }>;
  inLine: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  changed: (tx: Transaction, id: string) => void;
  writer: Writer;
  log: Log;
}): Configurations => {
  const { store, registry, writer, log } = parts;
  const timers = new Set<NodeJS.Timeout>();
  const asking = new Set<Promise<void>>();
  const closing = new AbortController();

  const ask = async (registered: Registered): Promise<boolean> => {
    const { id, edition, place } = registered;
    const { target, host } = await parts.askedAt(registered);
    const work = (signal: AbortSignal) => askConfiguration(host, target, signal);
    // One elsewhere takes nothing here, and two gateways that never answer must not stand before everybody else.
    const asked = await (place.kind === 'elsewhere' ? work(closing.signal) : parts.inLine(work));
    if (closing.signal.aborted) return true;
    const configuration = asked.ok ? JSON.stringify(asked.published) : '';
    const before = store.find(id);
    const same = asked.ok && before?.configuration === configuration && before.edition === edition;
    if (same && before.problem === null) return true;
    if (!asked.ok && before?.problem === asked.problem) return false;
    await writer.write((tx) => {
      if (asked.ok) store.configure(tx, { id, configuration, edition });
      else store.setProblem(tx, id, asked.problem);
      parts.changed(tx, id);
    });
    return asked.ok;
  };

  const askAgain = (registered: Registered, again: number): void => {
    const work = ask(registered)
      .catch((error: unknown) => {
        log.warn({ err: error, function: registered.id }, 'a function could not be asked what it is');
        return false;
      })
      .then((known) => {
        if (known || closing.signal.aborted) return;
        const timer = setTimeout(() => {
          timers.delete(timer);
          askAgain(registered, Math.min(LAST_AGAIN_MS, 2 * again));
        }, again);
        timer.unref();
        timers.add(timer);
      })
      .finally(() => asking.delete(work));
    asking.add(work);
  };

  return {
    async register() {
      const fresh = registry.list().filter(({ id, version, location, endpoint }) => {
        const row = store.find(id);
        return row?.version !== version || row.location !== location || row.endpoint !== endpoint;
      });
      if (fresh.length === 0) return;
      await writer.write((tx) => {
        for (const { id, version, location, endpoint } of fresh) {
          store.register(tx, { id, version, location, endpoint });
          parts.changed(tx, id);
        }
      });
    },

    start() {
      for (const registered of registry.list()) {
        const { id, place, problem, package: row, edition } = registered;
        const known = store.find(id);
        if (problem !== undefined) continue;
        // A package published itself when it was installed; another name for it in config.json makes it no other one.
        if (place.kind === 'here' && (row === undefined || known?.edition === edition)) continue;
        askAgain(registered, FIRST_AGAIN_MS);
      }
    },

    async close() {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled(asking);
    },
  };
};
