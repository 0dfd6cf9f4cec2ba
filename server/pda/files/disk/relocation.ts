import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { ignoreMissing, syncFolderAsync } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { isFileWithin, moveIntoPlace, statFile } from '../content/operations.ts';
import { joinPath, nameOfPath } from '../folder/rules.ts';
import { sourceOfPath } from '../rules.ts';
import type { FileRow, FileStore } from '../store.ts';

/**
 * - `unchanged`: the file is already in the folder;
 * - `name_taken`: a file or another operation has the new path;
 * - `changed`: the file is not complete, its record has changed, or the file on the disk is missing or a different one;
 * - `not_possible`: the move on the disk failed, for example because a file has the name of a folder of the new path.
 */
export type RelocationOutcome = 'moved' | 'unchanged' | 'name_taken' | 'changed' | 'not_possible';

type RelocationParts = {
  store: FileStore;
  writer: Writer;
  root: string;
  clock: Clock;
  log: Log;
  notify: (tx: Transaction) => void;
  withBusyPath: <T>(path: string, work: () => Promise<T>) => Promise<T>;
  isBusy: (path: string) => boolean;
};

/**
 * Moves complete files to other folders below `files/`. The new path is recorded as a pending move before the file is
 * moved, and in the file record afterwards. In between, a file can have two names on file systems with hard links.
 */
export const createRelocation = (parts: RelocationParts) => {
  const { store, writer, root, clock, log, notify, withBusyPath, isBusy } = parts;
  const diskPathOf = (path: string): string => join(root, ...path.split('/'));
  const cancel = (seq: number): Promise<void> => writer.write((tx) => store.dropMove(tx, seq));

  const isUnchanged = async (row: FileRow, path: string): Promise<boolean> => {
    if (!(await isFileWithin(root, path))) return false;
    const stats = await statFile(diskPathOf(path));
    return stats?.inode === row.inode && stats?.modified === row.modified && stats?.size === row.size;
  };

  const complete = ({ seq }: FileRow, path: string): Promise<void> =>
    writer.write((tx) => {
      store.dropMove(tx, seq);
      const row = store.findBySeq(seq);
      // The reconciler may have found the file at its new path.
      if (row === undefined || row.path === null || row.path === path) return;
      const { name, inode, modified } = row;
      // The reconciler applies the same rule to files that other programs move.
      const source = row.uploader === 'folder' ? sourceOfPath(path) : row.source;
      const attributes = { inode: inode ?? '', modified: modified ?? '' };
      store.setPath(tx, row, { path, name, source, updated: clock.now() }, attributes);
      notify(tx);
    });

  const moveOnDisk = async (row: FileRow, from: string, to: string): Promise<RelocationOutcome> => {
    if (!(await isUnchanged(row, from))) return 'changed';
    const problem = await writer.write((tx) => {
      const current = store.findBySeq(row.seq);
      if (current?.path !== from || current.status !== 'Completed' || current.moving === 1) return 'changed';
      if (store.isPathTaken(to)) return 'name_taken';
      store.insertMove(tx, row.seq, to);
      return undefined;
    });
    if (problem !== undefined) return problem;
    let isPlaced: boolean;
    try {
      isPlaced = await moveIntoPlace(root, diskPathOf(from), to);
      // Otherwise a power failure could bring back the previous name of the file.
      if (isPlaced) await syncFolderAsync(dirname(diskPathOf(from)));
    } catch (error) {
      log.warn({ err: error, seq: row.seq }, 'a file could not be moved to another folder');
      await cancel(row.seq);
      return 'not_possible';
    }
    if (isPlaced) await complete(row, to);
    else await cancel(row.seq);
    return isPlaced ? 'moved' : 'name_taken';
  };

  return {
    /** Moves a file to a folder and keeps its name. Never overwrites a file. @param folder empty for the top folder */
    async move(row: FileRow, folder: string): Promise<RelocationOutcome> {
      const { path: from } = row;
      if (from === null || row.status !== 'Completed') return 'changed';
      const to = joinPath(folder, nameOfPath(from));
      if (to === from) return 'unchanged';
      if (isBusy(to) || store.isPathTaken(to)) return 'name_taken';
      return withBusyPath(from, () => withBusyPath(to, () => moveOnDisk(row, from, to)));
    },

    /** Completes an interrupted move if the file has arrived at its new path, otherwise cancels it. */
    async repair(row: FileRow): Promise<void> {
      const to = store.pendingMove(row.seq);
      if (to === undefined) return;
      const from = row.path;
      const oldStats = from === null ? undefined : await statFile(diskPathOf(from));
      const newStats = await statFile(diskPathOf(to));
      const hasSameContent =
        newStats?.isFile === true && newStats.size === row.size && newStats.modified === row.modified;
      // Some file systems change the inode number of a moved file.
      const hasArrived = hasSameContent && (newStats.inode === row.inode || oldStats === undefined);
      if (from === null || !hasArrived) {
        await cancel(row.seq);
        return;
      }
      if (oldStats?.inode === newStats.inode) {
        await unlink(diskPathOf(from)).catch(ignoreMissing);
        await syncFolderAsync(dirname(diskPathOf(from)));
      }
      await complete(row, to);
    },
  };
};
