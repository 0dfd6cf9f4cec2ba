import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import { isMissing, hashFile, syncFolderAsync } from '../../../platform/io/file-system.ts';
import { receiveChunk } from '../../../platform/io/chunk-receiver.ts';
import { MAX_FILE_BYTES } from '../../../wire/limits.ts';
import type { UploadState } from '../../../wire/files.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { describeContent, discard, receive, type ReceivedContent } from '../content/operations.ts';
import { createUploadWriterFactory } from '../content/upload-writer-factory.ts';
import { uploaderOf, type Quota } from './quota.ts';
import type { FileRow, FileStore } from '../store.ts';

/**
 * Until a file is completed, its content is in `uploads/`, named after the sequence number of the file: `<seq>.in`
 * during an upload in one request, `<seq>.part` during a chunked upload, `<seq>` when the content is complete.
 */
export const INCOMING_SUFFIX = '.in';
export const PART_SUFFIX = '.part';

export type UploadContent = {
  stream: Readable;
  bytes: number | undefined;
};

export type Uploads = ReturnType<typeof createUploads>;

export const createUploads = (parts: {
  store: FileStore;
  writer: Writer;
  quota: Quota;
  folder: string;
  notify: (tx: Transaction) => void;
}) => {
  const { store, writer, quota, folder, notify } = parts;
  const runningUploads = new Set<number>();
  const writerFactory = createUploadWriterFactory();

  const contentPathOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, String(seq));
  const partPathOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${PART_SUFFIX}`);
  const incomingPathOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folder, `${seq}${INCOMING_SUFFIX}`);

  /**
   * Holds the upload lock of the file during the work. Throws if an upload of the file is running, because two uploads
   * would overwrite each other.
   */
  const withUploadLock = async <T>(row: FileRow, work: () => Promise<T>): Promise<T> => {
    if (runningUploads.has(row.seq))
      throw new Failure('wrong_state', 'An upload of this file is running. Try again when it has ended.');
    runningUploads.add(row.seq);
    try {
      return await work();
    } finally {
      runningUploads.delete(row.seq);
    }
  };

  /** @throws Failure not_found for a missing or deleted file */
  const requireExisting = (seq: number): FileRow => {
    const current = store.findBySeq(seq);
    if (current === undefined || current.status === 'Deleted') throw new Failure('not_found', 'There is no such file.');
    return current;
  };

  const requireNotUploaded = (seq: number): FileRow => {
    const current = requireExisting(seq);
    if (current.status !== 'New' || current.size !== null)
      throw new Failure('wrong_state', 'The content of this file has already been uploaded. Nothing was changed.');
    return current;
  };

  const commit = async (row: FileRow, file: string, receivedContent: ReceivedContent): Promise<void> => {
    const content = await describeContent(file, row.name, receivedContent);
    await rename(file, contentPathOf(row));
    try {
      // Otherwise a power failure after the commit could bring back the previous name, and the next start would delete
      // the content.
      await syncFolderAsync(folder);
      await writer.write((tx) => {
        requireNotUploaded(row.seq);
        store.setReceived(tx, row.seq, content);
        notify(tx);
      });
    } catch (error) {
      // Content under the final name that is not in the database would not count against the quota.
      await rename(contentPathOf(row), file);
      throw error;
    }
  };

  return {
    contentPathOf,
    isRunning: (seq: number): boolean => runningUploads.has(seq),
    /** Closes the worker thread, whose uploads fail. Other uploads end when their connections are closed. */
    close: () => writerFactory.close(),

    /**
     * Receives the whole content in one request.
     * @param requireRight throws when the principal has lost the right to upload
     * @throws Failure wrong_state | too_large | out_of_disk | not_found, or errors of `requireRight`
     */
    receiveWhole: (
      row: FileRow,
      { stream, bytes: declaredSize }: UploadContent,
      requireRight: () => void,
    ): Promise<void> =>
      withUploadLock(row, async () => {
        requireNotUploaded(row.seq);
        const reservation = await quota.open(uploaderOf(row));
        const file = incomingPathOf(row);
        let storedBytes = 0;
        let size = 0;
        let reservedBytes = 0;
        const reserveUpTo = (bytes: number): void => {
          if (bytes > MAX_FILE_BYTES)
            throw new Failure('too_large', `A file can be at most ${MAX_FILE_BYTES} bytes. Nothing was stored.`);
          if (bytes <= reservedBytes) return;
          reservation.reserve(bytes - reservedBytes);
          reservedBytes = bytes;
        };
        try {
          // An earlier upload may have left a file that could not be deleted.
          await discard(file);
          // A declared size is reserved immediately, so that many concurrent uploads fail one by one rather than all
          // together.
          if (declaredSize !== undefined) reserveUpTo(declaredSize);
          const reserve = (bytes: number): void => {
            requireRight();
            size += bytes;
            reserveUpTo(size);
          };
          const receivedContent = await receive(stream, file, reserve, (fd) => writerFactory.open(fd, declaredSize));
          requireRight();
          await commit(row, file, receivedContent);
          storedBytes = receivedContent.size;
          await discard(partPathOf(row));
        } catch (error) {
          await discard(file);
          throw error;
        } finally {
          reservation.end(storedBytes);
        }
      }),

    /**
     * Writes a chunk to the file. If the connection breaks, the received bytes are kept.
     * `offset` is the position of the chunk, which replaces all bytes from there on, and `size` the announced size of
     * the whole file, in bytes.
     * @throws Failure wrong_state | too_large | out_of_disk | not_found | invalid_input
     */
    receiveChunk: (
      row: FileRow,
      { offset, size }: { offset: number; size: number },
      content: Readable,
    ): Promise<UploadState> =>
      withUploadLock(row, async () => {
        requireNotUploaded(row.seq);
        if (size > MAX_FILE_BYTES) throw new Failure('too_large', `A file can be at most ${MAX_FILE_BYTES} bytes.`);
        const partFile = partPathOf(row);
        const partBytes = await sizeOf(partFile);
        if (offset > partBytes)
          throw new Failure('wrong_state', `Only ${partBytes} bytes have been received. Continue from there.`);
        const reservation = await quota.open(uploaderOf(row));
        let storedBytes = 0;
        let writtenBytes = 0;
        try {
          // The whole size is reserved before the chunk is accepted.
          reservation.reserve(size, size - partBytes);
          const receivedBytes = await receiveChunk(partFile, offset, size, content);
          writtenBytes = receivedBytes - partBytes;
          if (receivedBytes < size) return { received: receivedBytes, done: false };
          await commit(row, partFile, { size, sha256: await hashFile(partFile) });
          storedBytes = size;
          return { received: receivedBytes, done: true };
        } finally {
          reservation.end(storedBytes, writtenBytes);
        }
      }),

    async state(row: FileRow): Promise<UploadState> {
      if (row.size !== null) return { received: row.size, done: true };
      return { received: await sizeOf(partPathOf(row)), done: false };
    },

    /** Deletes the content and the file record. @throws Failure not_found | wrong_state */
    abandon: (row: FileRow): Promise<void> =>
      withUploadLock(row, async () => {
        const size = await writer.write((tx) => {
          const current = requireExisting(row.seq);
          // A file whose content is being moved into place counts as complete.
          if (current.status !== 'New' || current.moving === 1)
            throw new Failure('wrong_state', 'This file is complete. Delete the file instead.');
          store.erase(tx, row.seq);
          notify(tx);
          return current.size;
        });
        if (size !== null) quota.adjust(uploaderOf(row), -size);
        await Promise.all([partPathOf(row), contentPathOf(row)].map(discard));
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
