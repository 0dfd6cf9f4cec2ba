import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../../platform/log.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { SearchStore } from './store.ts';

/** Fills the search index in the background, in small transactions between other writes. */
export type SearchIndexer = {
  /** Indexes missing records in the background, unless the indexer is already running or the index is disabled. */
  start(): void;
  /** Stops after the current transaction. */
  close(): Promise<void>;
};

/** Maximum records and bytes per transaction. A transaction takes a few milliseconds. */
const BATCH_LIMITS = { count: 100, bytes: 256_000 };
/** Time after a change of records during which indexing pauses before each batch, so that other writes come first. */
const BUSY_MS = 300;
const BATCH_PAUSE_MS = 50;
/** Before a batch, the indexer waits until the event loop is mostly idle, so that requests come first. */
const IDLE_PROBE_MS = 2;
const IDLE_MAX_UTILIZATION = 0.5;
/** Longest wait for an idle event loop, after which a batch runs beside requests. */
const IDLE_MAX_WAIT_MS = 100;
/** Delay before indexing is retried after an error, such as a full disk. */
const INDEXING_RETRY_MS = 60_000;

/** Waits until the event loop was idle for half of a short time, at most IDLE_MAX_WAIT_MS. */
const waitForIdle = async (): Promise<void> => {
  for (let waitedMs = 0; waitedMs < IDLE_MAX_WAIT_MS; waitedMs += IDLE_PROBE_MS) {
    const before = performance.eventLoopUtilization();
    await pause(IDLE_PROBE_MS);
    if (performance.eventLoopUtilization(before).utilization < IDLE_MAX_UTILIZATION) return;
  }
};

export const createSearchIndexer = (parts: {
  store: SearchStore;
  writer: Writer;
  events: Pick<EventService, 'listen'>;
  log: Log;
}): SearchIndexer => {
  const { store, writer, events, log } = parts;
  let isClosed = false;
  let isRequested = false;
  let currentRun: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  /** Time of the last change of records, as `performance.now` returns it. */
  let lastChangeMs = 0;

  const run = async (): Promise<void> => {
    while (isRequested && !isClosed) {
      isRequested = false;
      for (let hasMore = store.settings().enabled; hasMore && !isClosed;) {
        if (performance.now() - lastChangeMs < BUSY_MS) await pause(BATCH_PAUSE_MS);
        await waitForIdle();
        hasMore = await writer.write((tx) => store.settings().enabled && store.indexNext(tx, BATCH_LIMITS));
      }
    }
  };

  const start = (): void => {
    isRequested = true;
    if (isClosed || currentRun !== undefined || retryTimer !== undefined) return;
    currentRun = run()
      .catch((error: unknown) => {
        if (isClosed) return;
        log.warn({ err: error }, 'failed to index records for the search; indexing is retried in a minute');
        retryTimer = setTimeout(() => {
          retryTimer = undefined;
          start();
        }, INDEXING_RETRY_MS).unref();
      })
      .finally(() => {
        currentRun = undefined;
        // A request may have arrived after the loop ended.
        if (isRequested) start();
      });
  };
  const stopListening = events.listen(() => {
    lastChangeMs = performance.now();
    start();
  });

  return {
    start,
    async close() {
      isClosed = true;
      stopListening();
      clearTimeout(retryTimer);
      await currentRun;
    },
  };
};
