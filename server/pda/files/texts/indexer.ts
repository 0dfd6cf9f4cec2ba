import { createBackgroundRun, waitForIdle } from '../../../platform/async/background-run.ts';
import type { Log } from '../../../platform/log.ts';
import { FILE_TEXT_READ_MAX_MS } from '../../../wire/work-limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { SearchSettings } from '../../data/queries/search/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createThreadReader } from '../content/thread-reader.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow, FileStore } from '../store.ts';
import { isTextSearched } from './rules.ts';
import type { FileTextStore } from './store.ts';

/** Reads and indexes the text of files in the background, one file at a time, after each change of files. */
export type FileTextIndexer = {
  /** Examines the files in the queue, unless the indexer is already running. */
  start(): void;
  /** Stops before the next file. */
  close(): Promise<void>;
};

/** Heap of the thread. The content of a file and the streams of a PDF are outside of the heap. */
const THREAD_HEAP_MAX_MB = 256;
const THREAD_BUFFERS_MAX_BYTES = 256_000_000;
/** Files that are queued, or compared with the settings, in one transaction. */
const BATCH_FILES = 100;
/** Characters from which texts are stored. The transaction takes some milliseconds. */
const BATCH_CHARS = 50_000;

export const createFileTextIndexer = (parts: {
  store: FileTextStore;
  files: Pick<FileStore, 'bySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  writer: Writer;
  events: Pick<EventService, 'onTopic'>;
  settings: () => SearchSettings;
  log: Log;
  /** Thread that reads a file, and its time limit in milliseconds; for tests. */
  thread?: { file: URL; maxMs: number };
}): FileTextIndexer => {
  const { store, files, disk, writer, events, settings, log } = parts;
  const reader = createThreadReader<string | null>({
    thread: parts.thread?.file ?? new URL('./thread.ts', import.meta.url),
    maxMs: parts.thread?.maxMs ?? FILE_TEXT_READ_MAX_MS,
    heapMaxMb: THREAD_HEAP_MAX_MB,
    buffersMaxBytes: THREAD_BUFFERS_MAX_BYTES,
    fallback: null,
    subject: 'the text of a file',
    disk,
    log,
  });

  /** Removes the text of files that are not searched. Returns the files whose text must be read. */
  const compare = (tx: Transaction, seqs: readonly number[]): FileRow[] => {
    const current = settings();
    return seqs.flatMap((seq) => {
      const row = files.bySeq(seq);
      if (row === undefined || !isTextSearched(row, current)) store.remove(tx, seq);
      else if (store.isStored(seq)) store.dequeue(tx, seq);
      else return row;
      return [];
    });
  };

  const readAll = async (rows: readonly FileRow[]): Promise<void> => {
    let batch: { row: FileRow; text: string | null }[] = [];
    let chars = 0;
    const storeBatch = async (): Promise<void> => {
      await waitForIdle();
      await writer.write((tx) => {
        for (const { row, text } of batch) store.add(tx, row, text);
      });
      batch = [];
      chars = 0;
    };
    for (const row of rows) {
      const text = await reader.read(row);
      if (background.isClosed()) return;
      // A file that cannot be opened at the moment stays in the queue.
      if (text === undefined) continue;
      batch.push({ row, text });
      chars += text?.length ?? 0;
      if (chars >= BATCH_CHARS) await storeBatch();
    }
    if (batch.length > 0) await storeBatch();
  };

  const examineAll = async (): Promise<void> => {
    for (let hasMore = true; hasMore && !background.isClosed();)
      hasMore = await writer.write((tx) => store.queueNext(tx, BATCH_FILES));
    let after = 0;
    while (!background.isClosed()) {
      const seqs = store.queuedAfter(after, BATCH_FILES);
      const last = seqs.at(-1);
      if (last === undefined) break;
      await waitForIdle();
      await readAll(await writer.write((tx) => compare(tx, seqs)));
      after = last;
    }
    if (!background.isClosed() && !settings().fileTexts) await writer.write(store.emptyUnusedIndex);
  };

  const background = createBackgroundRun({
    run: examineAll,
    log,
    failure: 'failed to index the text of files; indexing is retried in a minute',
  });
  const stopListening = events.onTopic((topic) => {
    if (topic === 'files') background.start();
  });

  return {
    start: background.start,
    async close() {
      stopListening();
      const closing = background.close();
      await reader.close();
      await closing;
    },
  };
};
