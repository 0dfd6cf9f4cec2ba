import { createBackgroundRun, waitForIdle } from '../../../platform/async/background-run.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { FILE_TEXT_READ_MAX_MS } from '../../../wire/work-limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { SearchSettings } from '../../data/queries/search/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createThreadReader } from '../content/thread-reader.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow, FileStore } from '../store.ts';
import { firstBatchOf, isGivenUp, isTextSearched, type FileText, type QueuedFile } from './rules.ts';
import type { FileTextStore } from './store.ts';

export type FileTextIndexer = ReturnType<typeof createFileTextIndexer>;

/** The content of a file and the streams of a PDF are outside the heap. */
const THREAD_HEAP_MAX_MB = 256;
const THREAD_BUFFERS_MAX_BYTES = 256_000_000;
/** Files that are queued in one transaction. */
const QUEUE_BATCH_FILES = 5000;
/** Files that are queued again, or compared with the settings, in one transaction. */
const BATCH_FILES = 100;
/** A transaction with this many characters takes a few milliseconds. A single text can have more. */
const BATCH_CHARS = 50_000;
/** Milliseconds after which texts are stored, so that a restart repeats little work. */
const STORE_INTERVAL_MS = 5000;

/** Reads the text of one file at a time in the background, at startup and after each change to files. */
export const createFileTextIndexer = (parts: {
  store: FileTextStore;
  files: Pick<FileStore, 'findBySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  writer: Writer;
  events: Pick<EventService, 'onTopic'>;
  settings: () => SearchSettings;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** For tests. `maxMs`: time limit for one file. */
  thread?: { file: URL; maxMs: number };
}) => {
  const { store, files, disk, writer, events, settings, clock, log } = parts;
  const reader = createThreadReader<FileText | null>({
    thread: parts.thread?.file ?? new URL('./thread.ts', import.meta.url),
    maxMs: parts.thread?.maxMs ?? FILE_TEXT_READ_MAX_MS,
    heapMaxMb: THREAD_HEAP_MAX_MB,
    buffersMaxBytes: THREAD_BUFFERS_MAX_BYTES,
    fallback: null,
    subject: 'the text of a file',
    disk,
    log,
  });
  let retryTimer: NodeJS.Timeout | undefined;
  /** Files with an unfinished attempt, which is not counted again after a failed run, for example on a full disk. */
  const startedSeqs = new Set<number>();

  const writeWhenIdle = async <Result>(job: (tx: Transaction) => Result): Promise<Result> => {
    await waitForIdle();
    return writer.write(job);
  };

  const selectFilesToRead = (tx: Transaction, queuedFiles: readonly QueuedFile[]): FileRow[] => {
    const currentSettings = settings();
    const isFull = store.isFull();
    return queuedFiles.flatMap((file) => {
      const { seq } = file;
      const row = files.findBySeq(seq);
      if (row === undefined || !isTextSearched(row, currentSettings)) store.remove(tx, seq);
      else if (store.isExamined(seq)) store.dequeue(tx, seq);
      else if (isFull) store.leaveOut(tx, row);
      else if (isGivenUp(file)) {
        log.warn({ seq }, 'the process ended repeatedly while reading the text of a file; it will not be read again');
        store.add(tx, row, null);
      } else {
        if (!startedSeqs.has(seq)) store.beginReading(tx, seq);
        return row;
      }
      return [];
    });
  };

  const readAll = async (rows: readonly FileRow[]): Promise<void> => {
    let texts: { row: FileRow; text: FileText | null }[] = [];
    let unopenedRows: FileRow[] = [];
    let chars = 0;
    let storedAt = performance.now();
    /** @param unreadRows files that are not read, because the indexer is closed */
    const storeBatch = async (unreadRows: readonly FileRow[] = []): Promise<void> => {
      await writeWhenIdle((tx) => {
        for (const { row, text } of texts) store.add(tx, row, text);
        for (const { seq } of unopenedRows) store.postpone(tx, seq, clock.now());
        for (const { seq } of unreadRows) store.cancelReading(tx, seq);
      });
      for (const row of [...texts.map((text) => text.row), ...unopenedRows]) startedSeqs.delete(row.seq);
      texts = [];
      unopenedRows = [];
      chars = 0;
      storedAt = performance.now();
    };
    for (const { seq } of rows) startedSeqs.add(seq);
    for (const [index, row] of rows.entries()) {
      const text = await reader.read(row);
      if (background.isClosed()) {
        await storeBatch(rows.slice(index));
        return;
      }
      if (text === undefined) unopenedRows.push(row);
      else {
        const textChars = text?.text.length ?? 0;
        if (texts.length > 0 && chars + textChars > BATCH_CHARS) await storeBatch();
        texts.push({ row, text });
        chars += textChars;
      }
      // It may have taken a long time to find that a file is unreadable, so the result is stored at once.
      if (text === null || performance.now() - storedAt >= STORE_INTERVAL_MS) await storeBatch();
    }
    if (texts.length > 0 || unopenedRows.length > 0) await storeBatch();
  };

  const readQueue = async (): Promise<void> => {
    let after = 0;
    while (!background.isClosed()) {
      const queuedFiles = firstBatchOf(store.listQueuedAfter({ after, count: BATCH_FILES, now: clock.now() }));
      const last = queuedFiles.at(-1);
      if (last === undefined) return;
      await readAll(await writeWhenIdle((tx) => selectFilesToRead(tx, queuedFiles)));
      after = last.seq;
    }
  };

  const writeAll = async (job: (tx: Transaction) => boolean): Promise<void> => {
    for (let hasMore = true; hasMore && !background.isClosed();) hasMore = await writeWhenIdle(job);
  };

  const examineAll = async (): Promise<void> => {
    clearTimeout(retryTimer);
    await writeAll((tx) => store.queueOutdated(tx, BATCH_FILES));
    await writeAll((tx) => store.queueNext(tx, QUEUE_BATCH_FILES));
    do await readQueue();
    while (!background.isClosed() && (await writer.write((tx) => store.queueLeftOut(tx, BATCH_FILES))));
    if (background.isClosed()) return;
    if (!settings().fileTexts) await writer.write(store.emptyUnusedIndex);
    const retryAt = store.nextRetry();
    if (retryAt !== undefined) retryTimer = setTimeout(background.start, Math.max(0, retryAt - clock.now())).unref();
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
    /** A call during a run causes another run. */
    start: background.start,
    /** Stops after the texts that were read are stored. */
    async close(): Promise<void> {
      stopListening();
      const closePromise = background.close();
      clearTimeout(retryTimer);
      await reader.close();
      await closePromise;
    },
  };
};
