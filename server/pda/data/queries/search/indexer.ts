import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../../platform/log.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { SearchStore } from './store.ts';

/** Fills the search index in the background, in small transactions between other writes. */
export type SearchIndexer = {
  /** Starts to index records that are missing, unless it is already running or the index is disabled. */
  start(): void;
  close(): Promise<void>;
};

/** Bounds of one transaction, which takes a few milliseconds. */
const BATCH = { count: 100, bytes: 256_000 };
/** Milliseconds after a change of records during which indexing pauses after each batch, so that other writes come first. */
const BUSY_MS = 300;
const PAUSE_MS = 50;
/** Milliseconds until indexing is tried again after an error, such as a full disk. */
const RETRY_MS = 60_000;

export const createSearchIndexer = (parts: {
  store: SearchStore;
  writer: Writer;
  events: Pick<EventService, 'listen'>;
  log: Log;
}): SearchIndexer => {
  const { store, writer, events, log } = parts;
  let closed = false;
  let isRequested = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** Time of the last change of records, in milliseconds of `performance.now`. */
  let changed = 0;

  const run = async (): Promise<void> => {
    while (isRequested && !closed) {
      isRequested = false;
      for (let isLeft = store.settings().enabled; isLeft && !closed;) {
        if (performance.now() - changed < BUSY_MS) await pause(PAUSE_MS);
        isLeft = await writer.write((tx) => store.settings().enabled && store.indexNext(tx, BATCH));
      }
    }
  };

  const start = (): void => {
    isRequested = true;
    if (closed || running !== undefined || retry !== undefined) return;
    running = run()
      .catch((error: unknown) => {
        if (closed) return;
        log.warn({ err: error }, 'records could not be indexed for the search; indexing is tried again in a minute');
        retry = setTimeout(() => {
          retry = undefined;
          start();
        }, RETRY_MS).unref();
      })
      .finally(() => {
        running = undefined;
        // Requested between the end of the work and now.
        if (isRequested) start();
      });
  };
  const stopListening = events.listen(() => {
    changed = performance.now();
    start();
  });

  return {
    start,
    async close() {
      closed = true;
      stopListening();
      clearTimeout(retry);
      await running;
    },
  };
};
