import { createBackgroundRun } from '../../../platform/async/background-run.ts';
import type { Log } from '../../../platform/log.ts';
import { PICTURE_READ_MAX_MS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import { createThreadReader } from '../content/thread-reader.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow, FileStore } from '../store.ts';
import { NO_DETAILS, type PictureDetails } from './rules.ts';
import type { PictureStore } from './store.ts';

export type PictureReader = ReturnType<typeof createPictureReader>;

/** The content of the picture is outside the heap. */
const THREAD_HEAP_MAX_MB = 128;
const BATCH_PICTURES = 200;

const hasDetails = (details: PictureDetails): boolean => Object.values(details).some((value) => value !== null);

/** Reads the details of one picture at a time in the background, at startup and after each change to files. */
export const createPictureReader = (parts: {
  store: PictureStore;
  files: Pick<FileStore, 'findBySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  writer: Writer;
  events: Pick<EventService, 'notify' | 'onTopic'>;
  log: Log;
  /** For tests. `maxMs`: time limit for one picture. */
  thread?: { file: URL; maxMs: number };
}) => {
  const { store, files, disk, writer, events, log } = parts;
  const reader = createThreadReader<PictureDetails>({
    thread: parts.thread?.file ?? new URL('./thread.ts', import.meta.url),
    maxMs: parts.thread?.maxMs ?? PICTURE_READ_MAX_MS,
    heapMaxMb: THREAD_HEAP_MAX_MB,
    fallback: NO_DETAILS,
    subject: 'a picture',
    disk,
    log,
  });

  /**
   * Reads all unread pictures. Notifies clients when details are stored. Pictures without details cause only one
   * notification, at the end, so that the owner sees that all pictures have been read.
   */
  const readAll = async (): Promise<void> => {
    let batch: { row: FileRow; details: PictureDetails }[] = [];
    let isNotificationDue = false;
    const storeBatch = async (isLast: boolean): Promise<void> => {
      await writer.write((tx) => {
        const storedItems = batch.filter(({ row, details }) => store.setDetails(tx, row, details));
        isNotificationDue ||= storedItems.length > 0;
        if (!isNotificationDue || !(isLast || storedItems.some(({ details }) => hasDetails(details)))) return;
        events.notify(tx, 'files');
        isNotificationDue = false;
      });
      batch = [];
    };
    for (
      let seq = store.findUnreadAfter(0);
      seq !== undefined && !background.isClosed();
      seq = store.findUnreadAfter(seq)
    ) {
      const row = files.findBySeq(seq);
      const details = row === undefined ? undefined : await reader.read(row);
      if (background.isClosed()) return;
      if (row !== undefined && details !== undefined) batch.push({ row, details });
      if (batch.length === BATCH_PICTURES) await storeBatch(false);
    }
    if ((batch.length > 0 || isNotificationDue) && !background.isClosed()) await storeBatch(true);
  };

  const background = createBackgroundRun({
    run: readAll,
    log,
    failure: 'failed to read pictures; reading is retried in a minute',
  });
  const stopListening = events.onTopic((topic) => {
    if (topic === 'files') background.start();
  });

  return {
    /** A call during a run causes another run. */
    start: background.start,
    /** Pictures whose details are not stored yet are read again after the next start. */
    async close(): Promise<void> {
      stopListening();
      const closePromise = background.close();
      await reader.close();
      await closePromise;
    },
  };
};
