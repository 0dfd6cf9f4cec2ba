import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { MAX_SHARED_FOLDERS } from '../../../wire/limits.ts';
import type { NewSharedFolder, SharedFolder } from '../../../wire/shared-folders.ts';
import type { EventService } from '../../core/events/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { FileStore } from '../store.ts';
import type { FolderGrantRow, FolderGrantStore } from './store.ts';

export type FolderGrantParts = {
  store: FolderGrantStore;
  files: Pick<FileStore, 'hasFilesBelow'>;
  users: Pick<UserService, 'exists' | 'find' | 'nameOf'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

export type FolderGrantService = ReturnType<typeof createFolderGrantService>;

/** Shares folders with users. Which files a user may read is decided in server/pda/files/access/view.ts. */
export const createFolderGrantService = (parts: FolderGrantParts) => {
  const { store, files, users, writer, clock } = parts;

  const toSharedFolder = ({ id, folder, user_id: userId, created }: FolderGrantRow): SharedFolder => ({
    sharedFolderId: id,
    folder,
    userId,
    name: users.nameOf(userId),
    created,
  });

  return {
    /** Returns all shared folders, ordered by path. */
    list: (): SharedFolder[] => store.list().map(toSharedFolder),

    /**
     * Shares a folder with a user. Has no effect if it is shared with them already.
     * @throws Failure not_found for an unknown user or folder | wrong_state at the limit of shared folders
     */
    async share({ folder, userId }: NewSharedFolder): Promise<SharedFolder> {
      const row = await writer.write((tx) => {
        // The owner has access to all files and is no user.
        if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user. Nothing was shared.');
        if (!files.hasFilesBelow(folder))
          throw new Failure('not_found', 'There is no folder with files at this path. Nothing was shared.');
        const existing = store.find(userId, folder);
        if (existing !== undefined) return existing;
        if (store.count() >= MAX_SHARED_FOLDERS)
          throw new Failure(
            'wrong_state',
            `${MAX_SHARED_FOLDERS} folders are shared. Stop sharing some of them first.`,
          );
        const created: FolderGrantRow = { id: randomUUID(), user_id: userId, folder, created: clock.now() };
        store.insert(tx, created);
        parts.events.notify(tx, 'files');
        return created;
      });
      return toSharedFolder(row);
    },

    /** Stops sharing a folder at once, also downloads that are running. Returns it as it was. @throws Failure not_found */
    async unshare(sharedFolderId: string): Promise<SharedFolder> {
      const row = store.byId(sharedFolderId);
      if (row === undefined) throw new Failure('not_found', 'This folder is no longer shared.');
      const sharedFolder = toSharedFolder(row);
      await writer.write((tx) => {
        store.remove(tx, sharedFolderId);
        parts.events.notify(tx, 'files');
      });
      return sharedFolder;
    },
  };
};
