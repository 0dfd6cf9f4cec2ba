import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import { isMissing, hashFile } from '../../../platform/io/file-system.ts';
import { receiveChunk } from '../../../platform/io/chunk-receiver.ts';
import { MAX_FILE_BYTES } from '../../../wire/limits.ts';
import type { UploadState } from '../../../wire/files.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { describeContent, discard, receive, type Received } from '../content/operations.ts';
import { createIntakeThreads } from '../content/upload-writer-pool.ts';
import type { Quota } from './quota.ts';
import type { FileRow, FileStore } from '../store.ts';

/**
 * Content on its way in. Until its file is completed it lies in `uploads/`, named by the place of the file: `<seq>.in` while it comes at once,
 * `<seq>.part` while it comes in pieces, `<seq>` when it is whole.
 */
export const INCOMING = '.in';
export const PART = '.part';

/** @param bytes declared size of the content, if known */
export type Incoming = { stream: Readable; bytes: number | undefined };

export type Uploads = {
  /**
   * Receives the whole content of a file.
   * @param still throws when the sender has lost the right
   * @throws Failure wrong_state | too_large | out_of_disk | not_found, or errors of `still`
   */
  whole(row: FileRow, content: Incoming, still: () => void): Promise<void>;
  /** Takes a piece; a line that breaks keeps what arrived. @throws the same, and invalid_input */
  piece(row: FileRow, at: { offset: number; size: number }, content: Readable): Promise<UploadState>;
  state(row: FileRow): Promise<UploadState>;
  /** Nothing of it stays. */
  giveUp(row: FileRow): Promise<void>;
  /** Where whole content waits to be completed. */
  contentOf(row: Pick<FileRow, 'seq'>): string;
  /** What runs when the server is asked to stop ends by itself: its line is cut. */
  isRunning(seq: number): boolean;
  close(): Promise<void>;
};

export const createUploads = (parts: {
  store: FileStore;
  writer: Writer;
  quota: Quota;
  folder: string;
  tell: (tx: Transaction) => void;
}): Uploads => {
  const { store, writer, quota, folder, tell } = parts;
  const running = new Set<number>();
  const threads = createIntakeThreads();

  const contentOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, String(seq));
  const partOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${PART}`);
  const incomingOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${INCOMING}`);
  const uploaderOf = (row: FileRow) => ({ kind: row.uploader, application: row.application });

  /** One upload of a file at a time: two would write over each other. */
  const alone = async <T>(row: FileRow, work: () => Promise<T>): Promise<T> => {
    if (running.has(row.seq)) throw new Failure('wrong_state', 'Another upload of this file is running.');
    running.add(row.seq);
    try {
      return await work();
    } finally {
      running.delete(row.seq);
    }
  };

  const requireOpen = (seq: number): FileRow => {
    const now = store.bySeq(seq);
    if (now === undefined || now.status === 'Deleted') throw new Failure('not_found', 'There is no such file.');
    if (now.status !== 'New' || now.size !== null)
      throw new Failure('wrong_state', 'The content of this file has come already. Nothing was changed.');
    return now;
  };

  /** From here on the content counts, whatever happens to the server. */
  const keep = async (row: FileRow, file: string, received: Received): Promise<void> => {
    const content = await describeContent(file, row.name, received);
    await rename(file, contentOf(row));
    try {
      await writer.write((tx) => {
        requireOpen(row.seq);
        store.received(tx, row.seq, content);
        tell(tx);
      });
    } catch (error) {
      // Unknown to the database it would take room that is not counted.
      await rename(contentOf(row), file);
      throw error;
    }
  };

  return {
    contentOf,
    isRunning: (seq) => running.has(seq),
    close: () => threads.close(),

    whole: (row, { stream, bytes: expected }, still) =>
      alone(row, async () => {
        requireOpen(row.seq);
        const room = await quota.open(uploaderOf(row));
        const file = incomingOf(row);
        let kept = 0;
        let size = 0;
        let taken = 0;
        const takeTo = (bytes: number): void => {
          if (bytes > MAX_FILE_BYTES)
            throw new Failure('too_large', `A file may have ${MAX_FILE_BYTES} bytes. Nothing was kept.`);
          if (bytes <= taken) return;
          room.take(bytes - taken);
          taken = bytes;
        };
        try {
          // What an upload left behind that was cut off by a stop.
          await discard(file);
          // What says how much it is has room for all of it or for nothing: of many at one time the last are refused, not all of them.
          if (expected !== undefined) takeTo(expected);
          const take = (bytes: number): void => {
            still();
            size += bytes;
            takeTo(size);
          };
          const received = await receive(stream, file, take, (fd) => threads.open(fd, expected));
          still();
          await keep(row, file, received);
          kept = received.size;
          await discard(partOf(row));
        } catch (error) {
          await discard(file);
          throw error;
        } finally {
          room.end(kept);
        }
      }),

    piece: (row, { offset, size }, content) =>
      alone(row, async () => {
        requireOpen(row.seq);
        if (size > MAX_FILE_BYTES) throw new Failure('too_large', `A file may have ${MAX_FILE_BYTES} bytes.`);
        const part = partOf(row);
        const here = await sizeOf(part);
        if (offset > here) throw new Failure('wrong_state', `Only ${here} bytes of it are here. Go on from there.`);
        const room = await quota.open(uploaderOf(row));
        let kept = 0;
        try {
          // All of it must have room before any of it is taken.
          room.take(size, size - here);
          const received = await receiveChunk(part, offset, size, content);
          if (received < size) return { received, done: false };
          await keep(row, part, { size, sha256: await hashFile(part) });
          kept = size;
          return { received, done: true };
        } finally {
          room.end(kept);
        }
      }),

    async state(row) {
      if (row.size !== null) return { received: row.size, done: true };
      return { received: await sizeOf(partOf(row)), done: false };
    },

    giveUp: (row) =>
      alone(row, async () => {
        const size = await writer.write((tx) => {
          const current = store.bySeq(row.seq);
          // While its content is on its way to its place, it is as good as complete.
          if (current?.status !== 'New' || current.moving === 1)
            throw new Failure('wrong_state', 'This file is complete. Delete it, if it is to go.');
          store.erase(tx, row.seq);
          tell(tx);
          return current.size;
        });
        if (size !== null) quota.changed(uploaderOf(row), -size);
        await Promise.all([partOf(row), contentOf(row)].map(discard));
      }),
  };
};

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
};
