import { Failure } from '../../../platform/failure.ts';
import type { FileMove, FileMoveResult, MoveProblem } from '../../../wire/bulk-files.ts';
import { isSafeName } from '../content/disk-names.ts';
import { missingFolders } from '../content/operations.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import { parentOf } from '../folder/rules.ts';
import type { FileRow, FileStore } from '../store.ts';
import { isFolderPath } from './rules.ts';

/** The changes of concurrent moves share the transactions of the group commit. */
const CONCURRENT_MOVES = 8;

type FileMoverParts = {
  store: Pick<FileStore, 'findByFileId'>;
  disk: Pick<ContentLifecycle, 'relocate' | 'folder'>;
};

export type FileMover = ReturnType<typeof createFileMover>;

export const createFileMover = ({ store, disk }: FileMoverParts) => {
  const requireFolder = async (folder: string): Promise<void> => {
    if (!isFolderPath(folder))
      throw new Failure('invalid_input', `“${folder}” cannot be a folder of your files. Nothing was moved.`);
    const invalidName = (await missingFolders(disk.folder, folder)).find((name) => !isSafeName(name));
    if (invalidName !== undefined)
      throw new Failure(
        'invalid_input',
        `A new folder cannot be named “${invalidName}”. Use a name that is valid on Linux, macOS and Windows. Nothing was moved.`,
      );
  };

  const moveFile = async (row: FileRow, folder: string): Promise<MoveProblem | 'moved' | 'unchanged'> => {
    try {
      return await disk.relocate(row, folder);
    } catch (error) {
      // Another operation has locked the file. Any other error concerns the whole request.
      if (error instanceof Failure && error.code === 'wrong_state') return 'busy';
      throw error;
    }
  };

  return {
    /**
     * Moves files and creates missing folders. Reports files that cannot be moved, and moves the others.
     * @throws Failure invalid_input for an invalid folder, before any file is moved | out_of_disk
     */
    async move(moves: readonly FileMove[]): Promise<FileMoveResult & { movedFiles: FileRow[] }> {
      for (const { folder } of moves) await requireFolder(folder);
      const refused: FileMoveResult['refused'] = [];
      const rowsBeforeMove: FileRow[] = [];
      const requests = moves.flatMap(({ folder, fileIds }) =>
        [...new Set(fileIds)].map((fileId) => ({ folder, fileId })),
      );
      const remainingRequests = requests[Symbol.iterator]();
      const runWorker = async (): Promise<void> => {
        for (const { folder, fileId } of remainingRequests) {
          const row = store.findByFileId(fileId);
          const outcome = row === undefined || row.status === 'Deleted' ? 'missing' : await moveFile(row, folder);
          if (outcome === 'moved' && row !== undefined) rowsBeforeMove.push(row);
          else if (outcome !== 'moved' && outcome !== 'unchanged')
            refused.push({ fileId, name: row?.title ?? row?.name ?? '', problem: outcome });
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT_MOVES }, runWorker));
      return {
        moved: rowsBeforeMove.length,
        undo: Array.from(
          Map.groupBy(rowsBeforeMove, ({ path }) => parentOf(path ?? '')),
          ([folder, rows]) => ({
            folder,
            fileIds: rows.map(({ file_id: fileId }) => fileId),
          }),
        ),
        refused,
        movedFiles: rowsBeforeMove.flatMap(({ file_id: fileId }) => store.findByFileId(fileId) ?? []),
      };
    },
  };
};
