import type { Log } from '../../../../platform/log.ts';

/** Does what is due with the exchange, one thing after the other, now and every minute. */
export type Keeper = {
  start(): void;
  /** What is due now, after what is under way. */
  sync(): Promise<void>;
  /** Something else, after what is under way. Never rejects. */
  next(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/** Milliseconds after which it is looked what is due: most of the time nothing is, and nobody is called. */
const LOOK_EVERY_MS = 60_000;

export const createKeeper = (parts: {
  /** Where this PDA stands; nothing else may go on beside it. */
  stand: () => Promise<void>;
  /** What it reads there; it may take its time. */
  read: (isFirst: boolean) => Promise<void>;
  stop: AbortController;
  log: Log;
}): Keeper => {
  const { stand, read, stop, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let chain: Promise<void> = Promise.resolve();
  let isFirst = true;

  const reading = new Set<Promise<void>>();

  const careful = async (job: () => Promise<void>): Promise<void> => {
    if (stop.signal.aborted) return;
    try {
      await job();
    } catch (error) {
      log.warn({ err: error }, 'what was due with the exchange waits for a better moment');
    }
  };

  /** One after the other: two at once would register twice, and leave while they register. */
  const next = (job: () => Promise<void>): Promise<void> => {
    chain = chain.then(() => careful(job));
    return chain;
  };
  const sync = async (): Promise<void> => {
    await next(stand);
    const first = isFirst;
    isFirst = false;
    const work = careful(() => read(first));
    reading.add(work);
    await work.finally(() => reading.delete(work));
  };

  return {
    start() {
      const look = (): void => {
        void sync().finally(() => {
          if (stop.signal.aborted) return;
          timer = setTimeout(look, LOOK_EVERY_MS);
          timer.unref();
        });
      };
      look();
    },
    sync,
    next,
    async close() {
      stop.abort();
      clearTimeout(timer);
      await chain;
      await Promise.all(reading);
    },
  };
};
