import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import { isMissing, hashFile } from '../../../platform/io/file-system.ts';
import { receiveChunk } from '../../../platform/io/chunk-receiver.ts';
import { MAX_FILE_BYTES } from '../../../wire/limits.ts';
import type { UploadState } from '../../../wire/files.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { describeContent, discard, receive, type ReceivedContent } from '../content/operations.ts';
import { createUploadWriterPool } from '../content/upload-writer-pool.ts';
import type { Quota } from './quota.ts';
import type { FileRow, FileStore } from '../store.ts';

/**
 * Receives uploads. Until the file is completed, its content is in `uploads/`, named by the sequence number of the file:
 * `<seq>.in` during an upload in one request, `<seq>.part` during a chunked upload, `<seq>` when the content is complete.
 */
export const INCOMING = '.in';
export const PART = '.part';

/** @param bytes declared size of the content, if known */
export type UploadContent = { stream: Readable; bytes: number | undefined };

export type Uploads = {
  /**
   * Receives the whole content of a file.
   * @param requireRight throws when the principal has lost the right to upload
   * @throws Failure wrong_state | too_large | out_of_disk | not_found, or errors of `requireRight`
   */
  receiveWhole(row: FileRow, content: UploadContent, requireRight: () => void): Promise<void>;
  /**
   * Appends a chunk. If the connection breaks, the received bytes are kept.
   * @throws Failure wrong_state | too_large | out_of_disk | not_found | invalid_input
   */
  receiveChunk(row: FileRow, at: { offset: number; size: number }, content: Readable): Promise<UploadState>;
  state(row: FileRow): Promise<UploadState>;
  /** Cancels an upload and deletes its content and its file record. */
  abandon(row: FileRow): Promise<void>;
  /** Returns the path of complete content before the file is completed. */
  contentOf(row: Pick<FileRow, 'seq'>): string;
  isRunning(seq: number): boolean;
  /** Ends the worker thread. Running uploads end when their connections are closed. */
  close(): Promise<void>;
};

export const createUploads = (parts: {
  store: FileStore;
  writer: Writer;
  quota: Quota;
  folder: string;
  notify: (tx: Transaction) => void;
}): Uploads => {
  const { store, writer, quota, folder, notify } = parts;
  const running = new Set<number>();
  const threads = createUploadWriterPool();

  const contentOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, String(seq));
  const partOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${PART}`);
  const incomingOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${INCOMING}`);
  const uploaderOf = (row: FileRow) => ({ kind: row.uploader, application: row.application });

  /** Allows one upload of a file at a time, because two would overwrite each other. */
  const withUploadLock = async <T>(row: FileRow, work: () => Promise<T>): Promise<T> => {
    if (running.has(row.seq)) throw new Failure('wrong_state', 'Another upload of this file is running.');
    running.add(row.seq);
    try {
      return await work();
    } finally {
      running.delete(row.seq);
    }
  };

  const requireOpen = (seq: number): FileRow => {
    const current = store.bySeq(seq);
    if (current === undefined || current.status === 'Deleted') throw new Failure('not_found', 'There is no such file.');
    if (current.status !== 'New' || current.size !== null)
      throw new Failure('wrong_state', 'The content of this file was uploaded already. Nothing was changed.');
    return current;
  };

  /** Makes received content durable and records it. */
  const commit = async (row: FileRow, file: string, received: ReceivedContent): Promise<void> => {
    const content = await describeContent(file, row.name, received);
    await rename(file, contentOf(row));
    try {
      await writer.write((tx) => {
        requireOpen(row.seq);
        store.setReceived(tx, row.seq, content);
        notify(tx);
      });
    } catch (error) {
      // Under the final name, content that is unknown to the database would not be counted.
      await rename(contentOf(row), file);
      throw error;
    }
  };

  return {
    contentOf,
    isRunning: (seq) => running.has(seq),
    close: () => threads.close(),

    receiveWhole: (row, { stream, bytes: declaredSize }, requireRight) =>
      withUploadLock(row, async () => {
        requireOpen(row.seq);
        const reservation = await quota.open(uploaderOf(row));
        const file = incomingOf(row);
        let storedBytes = 0;
        let size = 0;
        let reserved = 0;
        const reserveUpTo = (bytes: number): void => {
          if (bytes > MAX_FILE_BYTES)
            throw new Failure('too_large', `A file may have at most ${MAX_FILE_BYTES} bytes. Nothing was stored.`);
          if (bytes <= reserved) return;
          reservation.take(bytes - reserved);
          reserved = bytes;
        };
        try {
          // An upload interrupted by a shutdown or crash may have left a file.
          await discard(file);
          // A declared size is reserved at once, so that of many concurrent uploads only the last are refused and not all of them.
          if (declaredSize !== undefined) reserveUpTo(declaredSize);
          const reserve = (bytes: number): void => {
            requireRight();
            size += bytes;
            reserveUpTo(size);
          };
          const received = await receive(stream, file, reserve, (fd) => threads.open(fd, declaredSize));
          requireRight();
          await commit(row, file, received);
          storedBytes = received.size;
          await discard(partOf(row));
        } catch (error) {
          await discard(file);
          throw error;
        } finally {
          reservation.end(storedBytes);
        }
      }),

    receiveChunk: (row, { offset, size }, content) =>
      withUploadLock(row, async () => {
        requireOpen(row.seq);
        if (size > MAX_FILE_BYTES) throw new Failure('too_large', `A file may have at most ${MAX_FILE_BYTES} bytes.`);
        const part = partOf(row);
        const stored = await sizeOf(part);
        if (offset > stored)
          throw new Failure('wrong_state', `Only ${stored} bytes have been received. Continue from there.`);
        const reservation = await quota.open(uploaderOf(row));
        let storedBytes = 0;
        try {
          // The whole size is reserved before the chunk is accepted.
          reservation.take(size, size - stored);
          const received = await receiveChunk(part, offset, size, content);
          if (received < size) return { received, done: false };
          await commit(row, part, { size, sha256: await hashFile(part) });
          storedBytes = size;
          return { received, done: true };
        } finally {
          reservation.end(storedBytes);
        }
      }),

    async state(row) {
      if (row.size !== null) return { received: row.size, done: true };
      return { received: await sizeOf(partOf(row)), done: false };
    },

    abandon: (row) =>
      withUploadLock(row, async () => {
        const size = await writer.write((tx) => {
          const current = store.bySeq(row.seq);
          // A file whose content is being moved into place counts as complete.
          if (current?.status !== 'New' || current.moving === 1)
            throw new Failure('wrong_state', 'This file is complete. Delete the file instead.');
          store.erase(tx, row.seq);
          notify(tx);
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
