import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Collection } from '../../../wire/collections.ts';
import { MAX_COLLECTION_FILES, MAX_COLLECTIONS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { FileStore } from '../store.ts';
import type { CollectionRow, CollectionStore } from './store.ts';

type CollectionParts = {
  store: CollectionStore;
  files: Pick<FileStore, 'findByFileId'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

/** `wasShared`: whether the collection was shared before the change. */
export type ChangedCollection = { collection: Collection; wasShared: boolean };

export type CollectionService = ReturnType<typeof createCollectionService>;

const toCollection = ({ id, name, created }: CollectionRow): Collection => ({ collectionId: id, name, created });

export const createCollectionService = ({ store, files, writer, events, clock }: CollectionParts) => {
  const requireCollection = (id: string): CollectionRow => {
    const row = store.findById(id);
    if (row === undefined) throw new Failure('not_found', 'There is no such collection. It may have been deleted.');
    return row;
  };

  const requireFreeName = (id: string, name: string): void => {
    const existing = store.findByName(name);
    if (existing !== undefined && existing.id !== id)
      throw new Failure('already_exists', `There is a collection with the name ${existing.name}. Choose another name.`);
  };

  const requireFile = (fileId: string): number => {
    const row = files.findByFileId(fileId);
    if (row?.status !== 'Completed')
      throw new Failure('not_found', `There is no complete file ${fileId}. The collection was not changed.`);
    return row.seq;
  };

  const change = (id: string, apply: (tx: Transaction, row: CollectionRow) => void): Promise<ChangedCollection> =>
    writer.write((tx) => {
      const row = requireCollection(id);
      const wasShared = store.isShared(id);
      apply(tx, row);
      events.notify(tx, 'files');
      return { collection: toCollection(store.findById(id) ?? row), wasShared };
    });

  return {
    list: (): Collection[] => store.list().map(toCollection),

    /** @throws Failure already_exists if the name is taken | wrong_state at the maximum number of collections */
    create: (name: string): Promise<Collection> =>
      writer.write((tx) => {
        const row: CollectionRow = { id: randomUUID(), name, created: clock.now() };
        requireFreeName(row.id, name);
        if (store.count() >= MAX_COLLECTIONS)
          throw new Failure('wrong_state', `There can be at most ${MAX_COLLECTIONS} collections. Delete one first.`);
        store.insert(tx, row);
        events.notify(tx, 'files');
        return toCollection(row);
      }),

    /** @throws Failure not_found | already_exists if the name is taken */
    rename: (id: string, name: string): Promise<ChangedCollection> =>
      change(id, (tx) => {
        requireFreeName(id, name);
        store.rename(tx, id, name);
      }),

    /** Deletes a collection, but not its files. @throws Failure not_found */
    remove: (id: string): Promise<ChangedCollection> => change(id, (tx) => store.remove(tx, id)),

    /**
     * Adds all files or none. Files that are already in the collection keep their position.
     * @throws Failure not_found for an unknown collection, or a file that is unknown or incomplete | wrong_state at the
     *   maximum number of files
     */
    addFiles: (id: string, fileIds: readonly string[]): Promise<ChangedCollection> =>
      change(id, (tx) => {
        for (const fileId of fileIds) store.addFile(tx, id, requireFile(fileId));
        if (store.countFiles(id, MAX_COLLECTION_FILES + 1) > MAX_COLLECTION_FILES)
          throw new Failure(
            'wrong_state',
            `A collection can contain up to ${MAX_COLLECTION_FILES} files. Use another collection, or remove files from this one.`,
          );
      }),

    /** Ignores files that are not in the collection. @throws Failure not_found */
    removeFiles: (id: string, fileIds: readonly string[]): Promise<ChangedCollection> =>
      change(id, (tx) => {
        for (const fileId of fileIds) {
          const seq = files.findByFileId(fileId)?.seq;
          if (seq !== undefined) store.removeFile(tx, id, seq);
        }
      }),
  };
};
