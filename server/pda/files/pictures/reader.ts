import { endsWithin } from '../../../platform/async/deadline.ts';
import type { Log } from '../../../platform/log.ts';
import { createIdleThread } from '../../../platform/workers/idle-thread.ts';
import { PICTURE_READ_MAX_MS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow, FileStore } from '../store.ts';
import { NO_DETAILS, type PictureDetails } from './rules.ts';
import type { PictureStore } from './store.ts';
import type { PictureRequest } from './thread.ts';

/**
 * Reads date, place and camera of new pictures in the background, one picture at a time, after each change of files. At
 * the first start after an update it reads all stored pictures.
 */
export type PictureReader = {
  /** Reads pictures that were not examined yet, unless the reader is already running. */
  start(): void;
  /** Stops before the next picture. */
  close(): Promise<void>;
};

/** Heap of the thread. The content of the picture is outside of the heap. */
const THREAD_HEAP_MAX_MB = 128;
const THREAD_IDLE_MS = 10_000;
/** Pictures whose details are stored in one transaction. */
const BATCH_PICTURES = 200;
/** Delay before reading is retried after an error, such as a full disk. */
const READ_RETRY_MS = 60_000;

const hasDetails = (details: PictureDetails): boolean => Object.values(details).some((value) => value !== null);

export const createPictureReader = (parts: {
  store: PictureStore;
  files: Pick<FileStore, 'bySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  writer: Writer;
  events: Pick<EventService, 'notify' | 'onTopic'>;
  log: Log;
  /** Thread that reads a picture, and its time limit in milliseconds; for tests. */
  thread?: { file: URL; maxMs: number };
}): PictureReader => {
  const { store, files, disk, writer, events, log } = parts;
  const { file: threadFile, maxMs } = parts.thread ?? {
    file: new URL('./thread.ts', import.meta.url),
    maxMs: PICTURE_READ_MAX_MS,
  };
  const thread = createIdleThread<PictureRequest, PictureDetails>({
    file: threadFile,
    idleMs: THREAD_IDLE_MS,
    exitMessage: 'the thread that reads pictures has ended',
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MAX_MB },
  });
  let isClosed = false;
  let isRequested = false;
  let currentRun: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;

  /** Reads the details in the thread. A picture that ends the thread or takes too long has none. */
  const readDetails = async (fd: number, seq: number): Promise<PictureDetails> => {
    const response = thread.send({ fd });
    try {
      if (await endsWithin(maxMs, response)) return await response;
      log.warn({ seq }, 'reading a picture took too long');
      // The thread uses the descriptor until it has ended.
      await thread.close();
      await response.catch(() => undefined);
    } catch (error) {
      if (!isClosed) log.warn({ err: error, seq }, 'a picture could not be read');
    }
    return NO_DETAILS;
  };

  /** Returns the details of a picture; undefined if its content cannot be opened at the moment. */
  const readPicture = async (row: FileRow): Promise<PictureDetails | undefined> => {
    const handle = await disk.open(row).catch((error: unknown) => {
      log.debug({ err: error, seq: row.seq }, 'a picture could not be opened');
      return undefined;
    });
    if (handle === undefined) return undefined;
    try {
      // A request after the thread was closed would start it again.
      return isClosed ? undefined : await readDetails(handle.fd, row.seq);
    } finally {
      await handle.close();
    }
  };

  /**
   * Reads all pictures that were not examined yet. Listeners are notified of each batch with details, and at the end of
   * the others: the owner sees whether all pictures were examined.
   */
  const readAll = async (): Promise<void> => {
    let batch: { row: FileRow; details: PictureDetails }[] = [];
    let isNotificationDue = false;
    const storeBatch = async (isLast: boolean): Promise<void> => {
      await writer.write((tx) => {
        const stored = batch.filter(({ row, details }) => store.setDetails(tx, row, details));
        isNotificationDue ||= stored.length > 0;
        if (!isNotificationDue || !(isLast || stored.some(({ details }) => hasDetails(details)))) return;
        events.notify(tx, 'files');
        isNotificationDue = false;
      });
      batch = [];
    };
    for (let seq = store.unreadAfter(0); seq !== undefined && !isClosed; seq = store.unreadAfter(seq)) {
      const row = files.bySeq(seq);
      const details = row === undefined ? undefined : await readPicture(row);
      // Closing ends the thread, so the result is not that of the picture.
      if (isClosed) return;
      if (row !== undefined && details !== undefined) batch.push({ row, details });
      if (batch.length === BATCH_PICTURES) await storeBatch(false);
    }
    if ((batch.length > 0 || isNotificationDue) && !isClosed) await storeBatch(true);
  };

  const run = async (): Promise<void> => {
    while (isRequested && !isClosed) {
      isRequested = false;
      await readAll();
    }
  };

  const start = (): void => {
    isRequested = true;
    if (isClosed || currentRun !== undefined || retryTimer !== undefined) return;
    currentRun = run()
      .catch((error: unknown) => {
        if (isClosed) return;
        log.warn({ err: error }, 'failed to read pictures; reading is retried in a minute');
        retryTimer = setTimeout(() => {
          retryTimer = undefined;
          start();
        }, READ_RETRY_MS).unref();
      })
      .finally(() => {
        currentRun = undefined;
        // A request may have arrived after the loop ended.
        if (isRequested) start();
      });
  };
  const stopListening = events.onTopic((topic) => {
    if (topic === 'files') start();
  });

  return {
    start,
    async close() {
      isClosed = true;
      stopListening();
      clearTimeout(retryTimer);
      await thread.close();
      await currentRun;
    },
  };
};
