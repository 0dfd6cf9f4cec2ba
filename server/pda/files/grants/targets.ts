import { Failure } from '../../../platform/failure.ts';
import type { CollectionRow, CollectionStore } from '../collections/store.ts';
import type { FileStore } from '../store.ts';

export type ShareTargets = ReturnType<typeof createShareTargets>;

export const createShareTargets = (parts: {
  files: Pick<FileStore, 'findByFileId' | 'hasFilesBelow'>;
  collections: Pick<CollectionStore, 'findById'>;
}) => ({
  /** Returns the sequence numbers of the files. @throws Failure not_found if one of them is not a complete file */
  requireFiles: (fileIds: readonly string[]): number[] =>
    fileIds.map((fileId) => {
      const row = parts.files.findByFileId(fileId);
      if (row?.status !== 'Completed')
        throw new Failure('not_found', `There is no complete file ${fileId}. Nothing was shared.`);
      return row.seq;
    }),

  /** @throws Failure not_found if no file is below the folder */
  requireFolder(folder: string): void {
    if (!parts.files.hasFilesBelow(folder))
      throw new Failure('not_found', 'There is no folder with files at this path. Nothing was shared.');
  },

  /** The collection can be empty. @throws Failure not_found */
  requireCollection(collectionId: string): CollectionRow {
    const row = parts.collections.findById(collectionId);
    if (row === undefined) throw new Failure('not_found', 'There is no such collection. Nothing was shared.');
    return row;
  },
});
