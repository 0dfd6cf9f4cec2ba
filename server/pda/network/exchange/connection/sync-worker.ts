import type { Log } from '../../../../platform/log.ts';

/** Most checks find nothing due and send no request. */
const CHECK_INTERVAL_MS = 60_000;

export const createSyncWorker = (parts: {
  /** Runs in the order of `enqueue`, never concurrently with other enqueued work. */
  updateRegistration: () => Promise<void>;
  /** Refreshes lists and claims. Can run concurrently with enqueued work, because a refresh can take a long time. */
  refresh: (isFirst: boolean) => Promise<void>;
  abortController: AbortController;
  log: Log;
}) => {
  const { updateRegistration, refresh, abortController, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let chain: Promise<void> = Promise.resolve();
  let isFirst = true;
  let isStarted = false;

  const refreshes = new Set<Promise<void>>();

  const runLogged = async (work: () => Promise<void>): Promise<void> => {
    if (abortController.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, 'synchronising with the exchange failed, retrying later');
    }
  };

  /**
   * Runs work one at a time. Otherwise concurrent changes could register twice, or leave during a registration. Ignores
   * work before the start, which updates the registration.
   */
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    if (!isStarted) return Promise.resolve();
    chain = chain.then(() => runLogged(work));
    return chain;
  };
  const sync = async (): Promise<void> => {
    if (!isStarted) return;
    await enqueue(updateRegistration);
    const wasFirst = isFirst;
    isFirst = false;
    const work = runLogged(() => refresh(wasFirst));
    refreshes.add(work);
    await work.finally(() => refreshes.delete(work));
  };

  return {
    start(): void {
      isStarted = true;
      const check = (): void => {
        void sync().finally(() => {
          if (abortController.signal.aborted) return;
          timer = setTimeout(check, CHECK_INTERVAL_MS);
          timer.unref();
        });
      };
      check();
    },
    sync,
    enqueue,
    async close(): Promise<void> {
      abortController.abort();
      clearTimeout(timer);
      await chain;
      await Promise.all(refreshes);
    },
  };
};
