import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '../../../platform/auth/principal.ts';
import type { FileRecord, OwnerFile } from '../../../wire/files.ts';
import { DELETED_FILES_KEPT_MS } from '../../../wire/limits.ts';
import type { UserService } from '../../identity/users/service.ts';
import { expiryOf, signUrl, type Bearer } from './url-signature.ts';
import { isInline } from '../content/types.ts';
import { mayReadContent, maySeePermissions, type FileFacts, type FileGrant } from './permissions.ts';
import type { CollectionGrantStore, CollectionStore } from '../collections/store.ts';
import type { FolderGrantStore } from '../folder-grants/store.ts';
import type { TargetGrantRow } from '../grants/store.ts';
import { tagsOf } from '../rules.ts';
import type { FileRow, FileStore, GrantRow } from '../store.ts';

export const factsOf = (row: FileRow): FileFacts => ({ ...row, public: row.public === 1 });

export const bearerOf = (principal: Principal): Bearer => {
  switch (principal.kind) {
    case 'owner':
      return `owner::${principal.sessionId}`;
    case 'application':
      return `application:${principal.application}:${principal.sessionId}`;
    case 'user':
      return `user:${principal.userId}:${principal.sessionId}`;
    default:
      return 'public';
  }
};

const pictureOf = ({ taken, taken_local: local, latitude, longitude, camera }: FileRow): OwnerFile['picture'] => {
  const picture = {
    taken: taken === null || local === null ? null : { time: taken, local },
    place: latitude === null || longitude === null ? null : { latitude, longitude },
    camera,
  };
  return Object.values(picture).every((value) => value === null) ? null : picture;
};

export type FileView = ReturnType<typeof createFileView>;

export const createFileView = (parts: {
  store: FileStore;
  folderGrants: Pick<FolderGrantStore, 'listGrantsContaining' | 'includes'>;
  collectionGrants: Pick<CollectionGrantStore, 'listGrantsContaining' | 'includes'>;
  collections: Pick<CollectionStore, 'collectionsOfFile'>;
  users: Pick<UserService, 'find'>;
  ownerId: () => string;
  secret: () => Buffer;
  now: () => number;
  uploads: string;
}) => {
  const { store, folderGrants, collectionGrants, collections, users, now } = parts;

  /** Returns the kind of a share target that lets the user read the file; undefined if there is none. */
  const sharedTargetKindOf = ({ seq, status, path }: FileRow, userId: string): 'folder' | 'collection' | undefined => {
    if (status !== 'Completed') return undefined;
    if (path !== null && folderGrants.includes(userId, path)) return 'folder';
    return collectionGrants.includes(userId, seq) ? 'collection' : undefined;
  };

  /** Returns undefined if the user has no permission, and for other principals. */
  const grantOf = (row: FileRow, principal: Principal): FileGrant => {
    if (principal.kind !== 'user') return undefined;
    const storedGrant = store.grantOf(row.seq, principal.userId);
    if (storedGrant?.content === 1) return { content: true };
    if (sharedTargetKindOf(row, principal.userId) !== undefined) return { content: true };
    return storedGrant === undefined ? undefined : { content: false };
  };

  const folderGrantsOf = ({ status, path }: FileRow): TargetGrantRow[] =>
    status === 'Completed' && path !== null ? folderGrants.listGrantsContaining(path) : [];

  const collectionGrantsOf = ({ status, seq }: FileRow): TargetGrantRow[] =>
    status === 'Completed' ? collectionGrants.listGrantsContaining(seq) : [];

  const readersOf = (row: FileRow, grants: readonly GrantRow[]): Map<string, boolean> =>
    new Map([
      ...grants.map(({ user_id: userId, content }) => [userId, content === 1] as const),
      ...[...folderGrantsOf(row), ...collectionGrantsOf(row)].map(({ user_id: userId }) => [userId, true] as const),
    ]);

  const contentUrl = (row: FileRow, bearer: Bearer, baseUrl: string): string =>
    signUrl(parts.secret(), baseUrl, {
      fileId: row.file_id,
      method: 'GET',
      expires: expiryOf('GET', now()),
      bearer,
      nonce: row.id,
    });

  const recordWithoutUrl = (row: FileRow, principal: Principal, grants?: readonly GrantRow[]): FileRecord => ({
    fileId: row.file_id,
    name: row.name,
    source: row.source,
    ...(row.tags === null ? {} : { tags: tagsOf(row) }),
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.description === null ? {} : { description: row.description }),
    dateCreated: row.created,
    lastUpdated: row.updated,
    status: row.status === 'Completed' ? { status: row.status, size: row.size ?? 0 } : { status: row.status },
    contentPublic: row.public === 1,
    ...(maySeePermissions(principal, factsOf(row))
      ? {
          permissions: [
            { userId: parts.ownerId(), contentReadable: true },
            ...Array.from(readersOf(row, grants ?? store.grantsOf(row.seq)), ([userId, contentReadable]) => ({
              userId,
              contentReadable,
            })),
          ],
        }
      : {}),
  });

  const record = (row: FileRow, principal: Principal, baseUrl: string, grants?: readonly GrantRow[]): FileRecord => {
    const fileRecord = recordWithoutUrl(row, principal, grants);
    if (!mayReadContent(principal, factsOf(row), grantOf(row, principal))) return fileRecord;
    return { ...fileRecord, contentUrl: contentUrl(row, bearerOf(principal), baseUrl) };
  };

  /** Returns null unless the file has the status `New`. */
  const receivedBytes = (row: FileRow): number | null => {
    if (row.status !== 'New') return null;
    return row.size ?? statSync(join(parts.uploads, `${row.seq}.part`), { throwIfNoEntry: false })?.size ?? 0;
  };

  return {
    grantOf,
    sharedTargetKindOf,
    contentUrl,
    record,
    newFileRecord: (row: FileRow, principal: Principal, baseUrl: string): FileRecord => ({
      ...recordWithoutUrl(row, principal),
      contentUrl: signUrl(parts.secret(), baseUrl, {
        fileId: row.file_id,
        method: 'PUT',
        expires: expiryOf('PUT', now()),
        bearer: bearerOf(principal),
        nonce: row.nonce ?? '',
      }),
    }),
    ownerFile: (row: FileRow, principal: Principal, baseUrl: string): OwnerFile => {
      const grants = store.grantsOf(row.seq);
      const fileCollections = collections.collectionsOfFile(row.seq);
      return {
        file: record(row, principal, baseUrl, grants),
        ledgerId: row.id,
        kind: row.kind,
        contentType: row.type,
        inline: isInline(row.type),
        sha256: row.sha256,
        picture: pictureOf(row),
        unreadableText: store.hasUnreadableText(row.seq),
        path: row.path,
        from: row.uploader,
        application: row.application,
        received: receivedBytes(row),
        deleted:
          row.deleted === null
            ? null
            : {
                time: row.deleted,
                by: row.deleted_by ?? 'owner',
                undoUntil: row.undo_path === null ? null : row.deleted + DELETED_FILES_KEPT_MS,
              },
        shared: grants.map(({ user_id, content }) => ({
          userId: user_id,
          name: users.find(user_id)?.name ?? '',
          contentReadable: content === 1,
        })),
        sharedFolders: folderGrantsOf(row).map(({ id, target, user_id: userId }) => ({
          sharedFolderId: id,
          folder: target,
          userId,
          name: users.find(userId)?.name ?? '',
        })),
        collections: fileCollections.map(({ id, name }) => ({ collectionId: id, name })),
        sharedCollections: collectionGrantsOf(row).map(({ id, target, user_id: userId }) => ({
          sharedCollectionId: id,
          collectionId: target,
          collection: fileCollections.find((collection) => collection.id === target)?.name ?? '',
          userId,
          name: users.find(userId)?.name ?? '',
        })),
      };
    },
  };
};
