import { open, readdir, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { isMissing } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { ANNOUNCED_FILE_MS, DELETED_FILES_KEPT_MS, UNFINISHED_FILE_MS } from '../../../wire/limits.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import {
  discard,
  discardExcept,
  isFileWithin,
  isMissingOrLink,
  moveIntoPlace,
  statFile,
  moveOut,
  READ_FLAGS,
} from '../content/operations.ts';
import { diskName, foldedName, numberedPaths } from '../content/disk-names.ts';
import { uploaderOf, type Quota } from './quota.ts';
import { createRelocation, type RelocationOutcome } from './relocation.ts';
import type { FileRow, FileStore } from '../store.ts';
import { INCOMING_SUFFIX, PART_SUFFIX, type Uploads } from './upload-staging.ts';

/**
 * Moves content from `uploads/` to `files/` on completion, to `removed/` on deletion, and back on restoration. The
 * database records each move before it starts, so that the next start can complete or revert an interrupted move.
 * Changes throw Failure wrong_state while another operation on the file is in progress.
 */
export type ContentLifecycle = ReturnType<typeof createContentLifecycle>;

const PURGE_INTERVAL_MS = 10 * 60_000;

export const createContentLifecycle = (parts: {
  store: FileStore;
  writer: Writer;
  uploads: Uploads;
  quota: Quota;
  folders: { files: string; uploads: string; removed: string };
  clock: Clock;
  log: Log;
  notify: (tx: Transaction) => void;
}) => {
  const { store, writer, uploads, quota, folders, clock, log, notify } = parts;
  const busyPaths = new Set<string>();
  /** The `foldedName` of each busy path, for comparison on file systems that ignore case. */
  const foldedBusyPaths = new Set<string>();

  const filesPathOf = (path: string): string => join(folders.files, ...path.split('/'));
  const removedPathOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folders.removed, String(seq));
  const missingContentFailure = (): Failure => new Failure('not_found', 'The content of this file is missing.');

  const withBusyPath = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const foldedPath = foldedName(path);
    busyPaths.add(path);
    foldedBusyPaths.add(foldedPath);
    try {
      return await work();
    } finally {
      busyPaths.delete(path);
      foldedBusyPaths.delete(foldedPath);
    }
  };

  const relocation = createRelocation({
    store,
    writer,
    root: folders.files,
    clock,
    log,
    notify,
    withBusyPath,
    isBusy: (path) => foldedBusyPaths.has(foldedName(path)),
  });

  const finishMove = async (row: FileRow, path: string): Promise<void> => {
    const attributes = await statFile(filesPathOf(path));
    if (attributes === undefined) throw missingContentFailure();
    await writer.write((tx) => {
      store.completeMove(tx, row.seq, attributes, clock.now());
      notify(tx);
    });
  };

  const moveToFirstFree = async (row: FileRow, from: string, paths: Iterable<string>): Promise<void> => {
    for (const path of paths) {
      if (foldedBusyPaths.has(foldedName(path)) || store.isPathTaken(path)) continue;
      const isMoved = await withBusyPath(path, async () => {
        const isReserved = await writer.write((tx) => {
          const current = store.findBySeq(row.seq);
          if (current === undefined || current.status !== row.status || current.moving === 1)
            throw new Failure(
              'wrong_state',
              'This file was changed in the meantime. Nothing was done. Reload and try again.',
            );
          // The reconciler may have registered a file of the owner at this path since the check above.
          if (store.hasPath(path)) return false;
          store.startMove(tx, row.seq, path);
          return true;
        });
        if (!isReserved) return false;
        const isPlaced = await moveIntoPlace(folders.files, from, path).catch(async (error: unknown) => {
          await writer.write((tx) => store.cancelMove(tx, row.seq));
          // If the file was removed from the internal folder, it is reported as missing.
          throw isMissing(error) && (await statFile(from)) === undefined ? missingContentFailure() : error;
        });
        if (isPlaced) await finishMove(row, path);
        else await writer.write((tx) => store.cancelMove(tx, row.seq));
        return isPlaced;
      });
      if (isMoved) return;
    }
    throw new Failure(
      'wrong_state',
      'There are too many files with this name in the folder. Rename the file and try again.',
    );
  };

  const reload = (row: FileRow): FileRow => store.findBySeq(row.seq) ?? row;

  const lockedSeqs = new Set<number>();
  const withFileLock = async <T>(row: FileRow, work: (row: FileRow) => Promise<T>): Promise<T> => {
    if (lockedSeqs.has(row.seq))
      throw new Failure('wrong_state', 'Another operation on this file is in progress. Try again.');
    lockedSeqs.add(row.seq);
    try {
      // An earlier move may have failed halfway, for example because the disk was full.
      if (reload(row).moving === 1) await repairMove(reload(row));
      await relocation.repair(reload(row));
      return await work(reload(row));
    } finally {
      lockedSeqs.delete(row.seq);
    }
  };

  const isExpired = ({ status, deleted, undo_path }: FileRow): boolean =>
    status === 'Deleted' && undo_path !== null && deleted !== null && deleted + DELETED_FILES_KEPT_MS <= clock.now();

  const purgeContent = async (row: FileRow): Promise<void> => {
    // The file may have been restored after the list was read.
    if (!isExpired(row)) return;
    await discard(removedPathOf(row));
    await writer.write((tx) => store.forgetContent(tx, row.seq));
    quota.adjust(uploaderOf(row), -(row.size ?? 0));
  };

  const forEachFile = async (rows: readonly FileRow[], work: (row: FileRow) => Promise<void>): Promise<void> => {
    for (const row of rows) {
      try {
        await work(row);
      } catch (error) {
        log.warn({ err: error, seq: row.seq }, 'a file could not be processed; it will be retried later');
      }
    }
  };

  const purge = async (): Promise<void> => {
    const time = clock.now();
    const abandonedUploads = store.abandonedUploads({
      withoutContentCreatedBefore: time - ANNOUNCED_FILE_MS,
      withContentCreatedBefore: time - UNFINISHED_FILE_MS,
    });
    await forEachFile(abandonedUploads, async (row) => {
      if (!uploads.isRunning(row.seq)) await uploads.abandon(row);
    });
    await forEachFile(store.restorableFiles().filter(isExpired), (row) => withFileLock(row, purgeContent));
  };

  /** Completes an interrupted move if the content has arrived, otherwise reverts it. */
  const repairMove = async (row: FileRow): Promise<void> => {
    const sourcePath = row.undo_path === null ? uploads.contentPathOf(row) : removedPathOf(row);
    const path = row.path ?? '';
    const [sourceFile, targetFile] = [await statFile(sourcePath), await statFile(filesPathOf(path))];
    const hasArrived =
      targetFile !== undefined &&
      targetFile.isFile &&
      (sourceFile === undefined || sourceFile.inode === targetFile.inode);
    if (!hasArrived || targetFile.size !== row.size) {
      await writer.write((tx) => store.cancelMove(tx, row.seq));
      return;
    }
    await discard(sourcePath);
    await finishMove(row, path);
  };

  /**
   * Reverts a deletion whose content is still in the files folder: its request received no response, or an older copy
   * of the database is in use, from before the file was restored.
   */
  const repairRemoval = async (row: FileRow): Promise<void> => {
    if ((await statFile(removedPathOf(row))) !== undefined) return;
    const path = row.undo_path ?? '';
    const isInFolder = (await statFile(filesPathOf(path)))?.inode === row.inode;
    await writer.write((tx) => {
      if (isInFolder && !store.hasPath(path)) store.cancelRemoval(tx, row.seq, path);
      else store.forgetContent(tx, row.seq);
    });
  };

  /** Moves content back that was removed after the copy of the database that is in use was made. */
  const returnRemovedContent = async (name: string): Promise<void> => {
    const row = store.findBySeq(Number(name));
    if (row?.status !== 'Completed' || row.path === null) return;
    if ((await statFile(filesPathOf(row.path))) === undefined)
      await moveIntoPlace(folders.files, removedPathOf(row), row.path);
  };

  const discardUpload = async (row: FileRow): Promise<void> => {
    for (const suffix of ['', INCOMING_SUFFIX, PART_SUFFIX]) await discard(uploads.contentPathOf(row) + suffix);
  };

  /** Returns false if the content is missing. Reverts the removal if the content cannot be moved. */
  const takeOut = async (row: FileRow, path: string): Promise<boolean> => {
    try {
      return await moveOut(filesPathOf(path), removedPathOf(row));
    } catch (error) {
      // The move may be complete, and only the sync of the folder may have failed.
      if ((await statFile(filesPathOf(path))) === undefined) throw error;
      log.warn({ err: error, seq: row.seq }, 'a file could not be taken out of the files folder');
      await writer.write((tx) => {
        store.cancelRemoval(tx, row.seq, path);
        notify(tx);
      });
      throw new Failure(
        'wrong_state',
        'This file cannot be removed from the folder, for example because another program has it open. Nothing was changed. Close it there and try again.',
      );
    }
  };

  const moveToRemoved = async (row: FileRow): Promise<FileRow> => {
    if (row.status === 'Deleted') return row;
    const refuseDuringUpload = (): void => {
      if (uploads.isRunning(row.seq))
        throw new Failure('wrong_state', 'An upload of this file is running. Try again when it has ended.');
    };
    refuseDuringUpload();
    const { path } = row;
    const deletion = { seq: row.seq, time: clock.now(), by: 'owner', undo_path: path, inode: row.inode } as const;
    const markDeleted = () =>
      writer.write((tx) => {
        // An upload that has started in the meantime would lose its content.
        refuseDuringUpload();
        store.remove(tx, deletion);
        notify(tx);
      });
    if (path === null) {
      await markDeleted();
      await discardUpload(row);
      if (row.size !== null) {
        await writer.write((tx) => store.forgetContent(tx, row.seq));
        quota.adjust(uploaderOf(row), -row.size);
      }
    } else {
      await withBusyPath(path, async () => {
        await markDeleted();
        const isPresent = await isFileWithin(folders.files, path);
        if (!isPresent || !(await takeOut(row, path))) {
          await writer.write((tx) => store.forgetContent(tx, row.seq));
          quota.adjust(uploaderOf(row), -(row.size ?? 0));
        }
      });
    }
    return reload(row);
  };

  let timer: NodeJS.Timeout | undefined;
  const runPurge = (): void => {
    purge().catch((error: unknown) =>
      log.warn({ err: error }, 'abandoned uploads and deleted files could not be purged'),
    );
  };

  return {
    /** Paths at which the server itself is moving or deleting a file. The reconciler postpones them. */
    busyPaths: busyPaths as ReadonlySet<string>,
    quota,
    folder: folders.files,
    purge,
    start(): void {
      timer = setInterval(runPurge, PURGE_INTERVAL_MS).unref();
      runPurge();
    },
    close: () => clearInterval(timer),

    /** @throws Failure invalid_input if the upload is incomplete | not_found if its content is missing | wrong_state */
    complete: (current: FileRow): Promise<FileRow> =>
      current.status === 'Completed'
        ? Promise.resolve(current)
        : withFileLock(current, async (row) => {
            if (row.status === 'Completed') return row;
            if (row.size === null || uploads.isRunning(row.seq))
              throw new Failure('invalid_input', 'The upload of this file is incomplete. Send its content first.');
            const preferredPath = `${diskName(row.source)}/${diskName(row.name)}`;
            await moveToFirstFree(row, uploads.contentPathOf(row), numberedPaths(preferredPath));
            return reload(row);
          }),

    /**
     * Marks a file as deleted and moves its content to `removed/`, or discards the content of an unfinished upload.
     * @throws Failure wrong_state, for example while an upload of the file is running, or if another program has the
     *   file open
     */
    remove: (current: FileRow): Promise<FileRow> => withFileLock(current, moveToRemoved),

    /** Deletes the content and the file record. Cannot be undone. */
    erase: (current: FileRow): Promise<void> =>
      withFileLock(current, async (row) => {
        const { undo_path: undoPath, size } = await moveToRemoved(row);
        await discard(removedPathOf(row));
        await discardUpload(row);
        await writer.write((tx) => {
          store.eraseCompletely(tx, row);
          notify(tx);
        });
        if (undoPath !== null && size !== null) quota.adjust(uploaderOf(row), -size);
      }),

    /** @throws Failure wrong_state | not_found if its content is missing */
    restore: (current: FileRow): Promise<FileRow> =>
      withFileLock(current, async (row) => {
        if (row.status === 'Completed') return row;
        const { undo_path: path } = row;
        if (row.status !== 'Deleted' || path === null)
          throw new Failure('wrong_state', 'This file can no longer be restored.');
        await moveToFirstFree(row, removedPathOf(row), numberedPaths(path));
        return reload(row);
      }),

    /**
     * @param folder empty for the top folder
     * @throws Failure wrong_state if another operation on the file is in progress
     */
    relocate: (current: FileRow, folder: string): Promise<RelocationOutcome> =>
      withFileLock(current, (row) => relocation.move(row, folder)),

    /** @throws Failure not_found if the content is missing or differs from the file record */
    async open(row: FileRow): Promise<FileHandle> {
      if (row.path === null || row.moving === 1) throw missingContentFailure();
      const attributes = await statFile(filesPathOf(row.path));
      // A file or link that has replaced the registered file and has not been scanned yet must not inherit its grants.
      if (
        attributes === undefined ||
        !attributes.isFile ||
        attributes.inode !== row.inode ||
        attributes.modified !== row.modified
      )
        throw missingContentFailure();
      const handle = await open(filesPathOf(row.path), READ_FLAGS).catch((error: unknown) => {
        throw isMissingOrLink(error) ? missingContentFailure() : error;
      });
      const { ino, dev, size } = await handle.stat({ bigint: true });
      if (`${dev}:${ino}` === row.inode && Number(size) === row.size) return handle;
      await handle.close();
      throw missingContentFailure();
    },

    /**
     * Completes or reverts interrupted moves, and deletes content that is no longer needed. Must run before content is
     * served.
     */
    async recover(): Promise<void> {
      await forEachFile(store.movingFiles(), repairMove);
      await forEachFile(
        store.pendingMoves().flatMap(({ seq }) => store.findBySeq(seq) ?? []),
        relocation.repair,
      );
      await forEachFile(store.restorableFiles(), repairRemoval);
      const retainedNames = new Set<string>();
      for (const seq of store.unfinishedSeqs()) {
        const row = store.findBySeq(seq);
        const contentPath = uploads.contentPathOf({ seq });
        // The content is complete, but the database did not record it. The upload continues at the end of the content.
        if (row?.size === null && (await statFile(contentPath)) !== undefined)
          await rename(contentPath, contentPath + PART_SUFFIX);
        retainedNames.add(row?.size === null ? `${seq}${PART_SUFFIX}` : String(seq));
      }
      const uploadCount = await discardExcept(folders.uploads, retainedNames);
      const retainedRemovedNames = new Set(store.restorableFiles().map(({ seq }) => String(seq)));
      for (const name of await readdir(folders.removed)) {
        if (retainedRemovedNames.has(name)) continue;
        try {
          await returnRemovedContent(name);
        } catch (error) {
          log.warn({ err: error, name }, 'removed content could not be moved back to the files folder');
          retainedRemovedNames.add(name);
        }
      }
      const removedCount = await discardExcept(folders.removed, retainedRemovedNames);
      if (uploadCount + removedCount > 0)
        log.info({ uploads: uploadCount, removed: removedCount }, 'content that is no longer needed was deleted');
    },
  };
};
