import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createBackgroundRun, waitForIdle } from '../../../../platform/async/background-run.ts';
import type { Log } from '../../../../platform/log.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { SearchStore } from './store.ts';

export type SearchIndexer = ReturnType<typeof createSearchIndexer>;

/** Maximum records and bytes per transaction, which takes a few milliseconds. The last record may exceed `bytes`. */
const BATCH_LIMITS = { count: 100, bytes: 256_000 };
/** Time after a change event during which indexing pauses before each batch, so that other writes come first. */
const BUSY_MS = 300;
const BATCH_PAUSE_MS = 50;

/** Fills the search index in the background, in small transactions between other writes. */
export const createSearchIndexer = (parts: {
  store: SearchStore;
  writer: Writer;
  events: Pick<EventService, 'listen'>;
  log: Log;
}) => {
  const { store, writer, events, log } = parts;
  /** `performance.now()` of the last change event. */
  let lastChangeMs = 0;

  const indexAll = async (): Promise<void> => {
    for (let hasMore = store.settings().enabled; hasMore && !background.isClosed();) {
      if (performance.now() - lastChangeMs < BUSY_MS) await pause(BATCH_PAUSE_MS);
      await waitForIdle();
      hasMore = await writer.write((tx) => store.settings().enabled && store.indexNext(tx, BATCH_LIMITS));
    }
  };

  const background = createBackgroundRun({
    run: indexAll,
    log,
    failure: 'failed to index records for the search; indexing is retried in a minute',
  });
  const stopListening = events.listen(() => {
    lastChangeMs = performance.now();
    background.start();
  });

  return {
    start: background.start,
    async close(): Promise<void> {
      stopListening();
      await background.close();
    },
  };
};
