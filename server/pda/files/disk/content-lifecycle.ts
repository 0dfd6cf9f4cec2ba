import { constants } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { isMissing } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { ANNOUNCED_FILE_MS, DELETED_FILES_KEPT_MS, UNFINISHED_FILE_MS } from '../../../wire/limits.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { discard, discardAllBut, isFileWithin, isNotThere, land, looksOf, takeAway } from '../content/operations.ts';
import { diskName, foldedName, numberedPaths } from '../content/disk-names.ts';
import type { Quota } from './quota.ts';
import type { FileRow, FileStore } from '../store.ts';
import { INCOMING, PART, type Uploads } from './upload-staging.ts';

/**
 * Content between its folders: from `uploads/` to `files/` when it is completed, to `removed/` when it is deleted, and back. The database says first
 * where it is about to go; a stop in between is put right at the next start, from what is found on the disk.
 */
export type Disk = {
  /** @throws Failure invalid_input when not all of it is here */
  complete(row: FileRow): Promise<FileRow>;
  remove(row: FileRow): Promise<FileRow>;
  /** For good, wherever it lies, and all that is known of it. */
  erase(row: FileRow): Promise<void>;
  /** @throws Failure wrong_state */
  restore(row: FileRow): Promise<FileRow>;
  /** Opens content for reading, if it is what was recorded. @throws Failure not_found */
  open(row: FileRow): Promise<FileHandle>;
  /** Takes away for good what can no longer be brought back. */
  purge(): Promise<void>;
  /** Puts right what a stop left halfway; before anything is served from the disk. */
  recover(): Promise<void>;
  /** Purges from now on, again and again. */
  start(): void;
  /** Paths below `files/` with an operation in progress; the folder watcher ignores them. */
  readonly busy: ReadonlySet<string>;
  readonly quota: Quota;
  readonly folder: string;
  close(): void;
};

const PURGE_EVERY_MS = 10 * 60_000;
/** Neither through a link, nor held up by something that is no file. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const createDisk = (parts: {
  store: FileStore;
  writer: Writer;
  uploads: Uploads;
  quota: Quota;
  folders: { files: string; uploads: string; removed: string };
  clock: Clock;
  log: Log;
  tell: (tx: Transaction) => void;
}): Disk => {
  const { store, writer, uploads, quota, folders, clock, log, tell } = parts;
  const busy = new Set<string>();
  /** Names that are taken on systems that tell upper and lower case apart not. */
  const busyFolded = new Set<string>();

  const inFiles = (path: string): string => join(folders.files, ...path.split('/'));
  const removedOf = ({ seq }: Pick<FileRow, 'seq'>): string => join(folders.removed, String(seq));
  const missing = (): Failure => new Failure('not_found', 'The content of this file is not here.');

  const holding = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const folded = foldedName(path);
    busy.add(path);
    busyFolded.add(folded);
    try {
      return await work();
    } finally {
      busy.delete(path);
      busyFolded.delete(folded);
    }
  };

  const finish = async (row: FileRow, path: string): Promise<void> => {
    const looks = await looksOf(inFiles(path));
    if (looks === undefined) throw missing();
    await writer.write((tx) => {
      store.landed(tx, row.seq, looks, clock.now());
      tell(tx);
    });
  };

  /** Moves content to the first of the paths that is free. */
  const settleAt = async (row: FileRow, from: string, paths: Iterable<string>): Promise<void> => {
    for (const path of paths) {
      if (busyFolded.has(foldedName(path)) || store.isPathTaken(path)) continue;
      const landed = await holding(path, async () => {
        const mine = await writer.write((tx) => {
          const now = store.bySeq(row.seq);
          if (now === undefined || now.status !== row.status || now.moving === 1)
            throw new Failure('wrong_state', 'This file changed meanwhile. Nothing was done.');
          // What the owner dropped there may have been registered just now.
          if (store.isAt(path)) return false;
          store.landing(tx, row.seq, path);
          return true;
        });
        if (!mine) return false;
        const free = await land(folders.files, from, path).catch(async (error: unknown) => {
          await writer.write((tx) => store.turnedBack(tx, row.seq));
          // The file was removed from the internal folder: report it as missing.
          throw isMissing(error) && (await looksOf(from)) === undefined ? missing() : error;
        });
        if (free) await finish(row, path);
        else await writer.write((tx) => store.turnedBack(tx, row.seq));
        return free;
      });
      if (landed) return;
    }
    throw new Failure('wrong_state', 'There are too many files of this name in that folder.');
  };

  const now = (row: FileRow): FileRow => store.bySeq(row.seq) ?? row;
  const usageOf = (row: FileRow) => ({ kind: row.uploader, application: row.application });

  /** One thing at a time is done to one file. */
  const working = new Set<number>();
  const alone = async <T>(row: FileRow, work: (row: FileRow) => Promise<T>): Promise<T> => {
    if (working.has(row.seq)) throw new Failure('wrong_state', 'Something else is being done to this file. Try again.');
    working.add(row.seq);
    try {
      // A move that failed halfway, for want of room on the disk: it is finished or turned back first.
      if (now(row).moving === 1) await putRight(now(row));
      return await work(now(row));
    } finally {
      working.delete(row.seq);
    }
  };

  const isOver = ({ status, deleted, undo_path }: FileRow): boolean =>
    status === 'Deleted' && undo_path !== null && deleted !== null && deleted + DELETED_FILES_KEPT_MS <= clock.now();

  const forget = async (row: FileRow): Promise<void> => {
    // Brought back while others were taken away, it stays.
    if (!isOver(row)) return;
    await discard(removedOf(row));
    await writer.write((tx) => store.forgetContent(tx, row.seq));
    quota.changed(usageOf(row), -(row.size ?? 0));
  };

  /** One after the other. What cannot be done for one file keeps neither the others nor the start waiting. */
  const each = async (rows: readonly FileRow[], work: (row: FileRow) => Promise<void>): Promise<void> => {
    for (const row of rows) {
      try {
        await work(row);
      } catch (error) {
        log.warn({ err: error, seq: row.seq }, 'a file could not be put in order; it is tried again');
      }
    }
  };

  const purge = async (): Promise<void> => {
    const time = clock.now();
    const abandoned = store.abandoned({ announced: time - ANNOUNCED_FILE_MS, sent: time - UNFINISHED_FILE_MS });
    await each(abandoned, async (row) => {
      if (!uploads.isRunning(row.seq)) await uploads.giveUp(row);
    });
    await each(store.undoable().filter(isOver), (row) => alone(row, forget));
  };

  /** Where content is, after a stop within a move. */
  const putRight = async (row: FileRow): Promise<void> => {
    const from = row.undo_path === null ? uploads.contentOf(row) : removedOf(row);
    const path = row.path ?? '';
    const [before, after] = [await looksOf(from), await looksOf(inFiles(path))];
    const arrived = after !== undefined && after.isFile && (before === undefined || before.inode === after.inode);
    if (!arrived || after.size !== row.size) {
      await writer.write((tx) => store.turnedBack(tx, row.seq));
      return;
    }
    await discard(from);
    await finish(row, path);
  };

  /** What was to be taken away, and may still lie where it was. */
  const putAway = async (row: FileRow): Promise<void> => {
    if ((await looksOf(removedOf(row))) !== undefined) return;
    const there = await looksOf(inFiles(row.undo_path ?? ''));
    const taken =
      there !== undefined &&
      there.inode === row.inode &&
      (await takeAway(inFiles(row.undo_path ?? ''), removedOf(row)));
    if (!taken) await writer.write((tx) => store.forgetContent(tx, row.seq));
  };

  /** Takes content out of its place. While its day lasts, it lies where it can be brought back from. */
  const takeOut = async (row: FileRow): Promise<FileRow> => {
    if (row.status === 'Deleted') return row;
    const refuseSending = (): void => {
      if (uploads.isRunning(row.seq))
        throw new Failure('wrong_state', 'An upload of this file is running. Try again when it has ended.');
    };
    refuseSending();
    const { path } = row;
    const gone = { seq: row.seq, time: clock.now(), by: 'owner', undo_path: path, inode: row.inode } as const;
    const mark = () =>
      writer.write((tx) => {
        // Once more: one that began meanwhile would have its content taken away under it.
        refuseSending();
        store.remove(tx, gone);
        tell(tx);
      });
    if (path === null) {
      await mark();
      await Promise.all(['', INCOMING, PART].map((ending) => discard(uploads.contentOf(row) + ending)));
      if (row.size !== null) {
        await writer.write((tx) => store.forgetContent(tx, row.seq));
        quota.changed(usageOf(row), -row.size);
      }
    } else {
      await holding(path, async () => {
        await mark();
        const isHere = await isFileWithin(folders.files, path);
        if (!isHere || !(await takeAway(inFiles(path), removedOf(row)))) {
          await writer.write((tx) => store.forgetContent(tx, row.seq));
          quota.changed(usageOf(row), -(row.size ?? 0));
        }
      });
    }
    return now(row);
  };

  let timer: NodeJS.Timeout | undefined;
  const tidy = (): void => {
    purge().catch((error: unknown) => log.warn({ err: error }, 'deleted files were not taken away for good'));
  };

  return {
    busy,
    quota,
    folder: folders.files,
    purge,
    start() {
      timer = setInterval(tidy, PURGE_EVERY_MS).unref();
      tidy();
    },
    close: () => clearInterval(timer),

    complete: (given) =>
      given.status === 'Completed'
        ? Promise.resolve(given)
        : alone(given, async (row) => {
            if (row.status === 'Completed') return row;
            if (row.size === null || uploads.isRunning(row.seq))
              throw new Failure('invalid_input', 'Not all of the file is here. Send its content first.');
            const wanted = `${diskName(row.source)}/${diskName(row.name)}`;
            await settleAt(row, uploads.contentOf(row), numberedPaths(wanted));
            return now(row);
          }),

    remove: (given) => alone(given, takeOut),

    erase: (given) =>
      alone(given, async (row) => {
        const { undo_path: undoPath, size } = await takeOut(row);
        await Promise.all(
          [removedOf(row), ...['', INCOMING, PART].map((ending) => uploads.contentOf(row) + ending)].map(discard),
        );
        await writer.write((tx) => {
          store.eraseWholly(tx, row);
          tell(tx);
        });
        if (undoPath !== null && size !== null) quota.changed(usageOf(row), -size);
      }),

    restore: (given) =>
      alone(given, async (row) => {
        if (row.status === 'Completed') return row;
        const { undo_path: path } = row;
        if (row.status !== 'Deleted' || path === null)
          throw new Failure('wrong_state', 'This file can no longer be brought back.');
        await settleAt(row, removedOf(row), numberedPaths(path));
        return now(row);
      }),

    async open(row) {
      if (row.path === null || row.moving === 1) throw missing();
      const looks = await looksOf(inFiles(row.path));
      // Another file or a link took its place and was not scanned yet: it must not inherit the sharing.
      if (looks === undefined || !looks.isFile || looks.inode !== row.inode || looks.modified !== row.modified)
        throw missing();
      const handle = await open(inFiles(row.path), READ_FLAGS).catch((error: unknown) => {
        throw isNotThere(error) ? missing() : error;
      });
      const { ino, dev, size } = await handle.stat({ bigint: true });
      if (`${dev}:${ino}` === row.inode && Number(size) === row.size) return handle;
      await handle.close();
      throw missing();
    },

    async recover() {
      await each(store.moving(), putRight);
      await each(store.undoable(), putAway);
      const waiting = new Set<string>();
      for (const seq of store.unfinished()) {
        const row = store.bySeq(seq);
        const content = uploads.contentOf({ seq });
        // Whole, but the database does not know yet: it can go on from its end.
        if (row?.size === null && (await looksOf(content)) !== undefined) await rename(content, content + PART);
        waiting.add(row?.size === null ? `${seq}${PART}` : String(seq));
      }
      const lost = await discardAllBut(folders.uploads, waiting);
      const gone = await discardAllBut(folders.removed, new Set(store.undoable().map(({ seq }) => String(seq))));
      if (lost + gone > 0)
        log.info({ uploads: lost, removed: gone }, 'content that belonged to no file was taken away');
    },
  };
};
