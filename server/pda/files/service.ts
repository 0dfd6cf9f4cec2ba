import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Principal, Scope } from '../../platform/auth/principal.ts';
import type { FileChange, FileRecord, FileTemplate, FileUpload } from '../../wire/files.ts';
import { MAX_UNFINISHED_FILES } from '../../wire/limits.ts';
import type { EventService } from '../core/events/service.ts';
import type { Sequence } from '../data/records/service.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import type { UserService } from '../identity/users/service.ts';
import { newNonce, type Bearer } from './access/url-signature.ts';
import { createContentLifecycle } from './disk/content-lifecycle.ts';
import { assignFileId } from './ids.ts';
import { createQuota } from './disk/quota.ts';
import { mayManage, mayReadContent, maySee } from './access/permissions.ts';
import { createFileListing, type FileCaller, type RecordFileAccess } from './search/listing.ts';
import type { CollectionGrantStore, CollectionStore } from './collections/store.ts';
import type { FolderGrantStore } from './folder-grants/store.ts';
import type { FileSearchStore } from './search/store.ts';
import { ledgerEndpoint, tagsColumn } from './rules.ts';
import type { FileRow, FileStore } from './store.ts';
import { createSignedUrls } from './access/signed-urls.ts';
import { createUploads, type UploadContent } from './disk/upload-staging.ts';
import { bearerOf, createFileView, factsOf } from './access/view.ts';

export type { FileCaller, RecordFileAccess } from './search/listing.ts';

export type FileService = ReturnType<typeof createFileService>;

export type FileParts = {
  store: FileStore;
  folderGrants: FolderGrantStore;
  collectionGrants: CollectionGrantStore;
  collections: Pick<CollectionStore, 'collectionsOfFile'>;
  searchStore: FileSearchStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  sequence: Sequence;
  newId: (seq: number) => string;
  users: Pick<UserService, 'find' | 'exists'>;
  ownerId: () => string;
  secret: () => Buffer;
  mayDownloadByLink: (linkId: string, file: FileRow) => boolean;
  isSessionAlive: (session: string) => boolean;
  /** Returns undefined unless the application is set up and enabled. */
  scopesOf: (application: string) => ReadonlySet<Scope> | undefined;
  folders: { files: string; uploads: string; removed: string };
  /** Limits in bytes. `total` is null if there is no limit. */
  limits: { total: number | null; perApplication: number };
  clock: Clock;
  log: Log;
};

const unknownFileFailure = (): Failure =>
  new Failure('not_found', 'There is no such file, or you have no access to it.');

export const createFileService = (parts: FileParts) => {
  const { store, folderGrants, collectionGrants, writer, users, sequence, clock, log } = parts;
  const notify = (tx: Transaction): void => parts.events.notify(tx, 'files');

  const quota = createQuota({ usage: store.usage, folder: parts.folders.files, ...parts.limits });
  const uploads = createUploads({ store, writer, quota, folder: parts.folders.uploads, notify });
  const view = createFileView({ ...parts, now: () => clock.now(), uploads: parts.folders.uploads });
  const listing = createFileListing({ ...parts, view });
  const disk = createContentLifecycle({ store, writer, uploads, quota, folders: parts.folders, clock, log, notify });

  const requireRow = (fileId: string): FileRow => {
    const row = store.findByFileId(fileId);
    if (row === undefined) throw unknownFileFailure();
    return row;
  };

  const requireVisible = (fileId: string, principal: Principal): FileRow => {
    const row = requireRow(fileId);
    if (!maySee(principal, factsOf(row), view.grantOf(row, principal))) throw unknownFileFailure();
    return row;
  };

  /** @throws Failure not_found, even if the caller may see but not change the file */
  const requireManaged = (fileId: string, principal: Principal): FileRow => {
    const row = requireRow(fileId);
    if (!mayManage(principal, factsOf(row))) throw unknownFileFailure();
    return row;
  };

  /**
   * Runs inside the transaction that stores a grant: a grant to a user who is being deleted would pass to the next user
   * with that id.
   */
  const requireUser = (tx: Transaction, userId: string): void => {
    if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user.');
  };

  const isOwner = (userId: string): boolean => userId === parts.ownerId();

  const grantFiles = (tx: Transaction, userId: string, seqs: readonly number[], canOpen: boolean): void => {
    // The owner has access to all files without a grant.
    if (isOwner(userId)) return;
    requireUser(tx, userId);
    for (const seq of seqs) store.grant(tx, seq, userId, canOpen);
  };
  const requireRevocable = (tx: Transaction, userId: string): void => {
    if (isOwner(userId)) throw new Failure('forbidden', "The owner's access cannot be revoked. Nothing was changed.");
    requireUser(tx, userId);
  };
  /** @throws Failure wrong_state if a shared folder or collection gives the user access to one of the files */
  const requireInNoSharedSet = (userId: string, seqs: readonly number[]): void => {
    if (folderGrants.listByUser(userId).length === 0 && collectionGrants.listByUser(userId).length === 0) return;
    for (const seq of seqs) {
      const row = store.findBySeq(seq);
      const set = row === undefined ? undefined : view.sharedTargetKindOf(row, userId);
      if (set !== undefined)
        throw new Failure(
          'wrong_state',
          `A ${set} that contains the file is shared with this user. Stop sharing the ${set} first. Nothing was changed.`,
        );
    }
  };
  const revokeFiles = (tx: Transaction, userId: string, seqs: readonly number[]): void => {
    requireRevocable(tx, userId);
    requireInNoSharedSet(userId, seqs);
    for (const seq of seqs) store.dropGrant(tx, seq, userId);
  };

  const changeFile = (
    fileId: string,
    caller: FileCaller,
    change: (tx: Transaction, row: FileRow) => void,
  ): Promise<FileRecord> =>
    writer.write((tx) => {
      const row = requireRow(fileId);
      change(tx, row);
      notify(tx);
      return view.record(requireRow(row.file_id), caller.principal, caller.base);
    });

  /** Applies `change` to all matching files, or to none on failure. Returns their records as a JSON stream. */
  const changeMatching = async (
    template: FileTemplate,
    caller: FileCaller,
    change: (tx: Transaction, seqs: readonly number[]) => void,
  ): Promise<AsyncGenerator<string>> => {
    const seqs = await listing.seqsOf(template);
    await writer.write((tx) => {
      change(tx, seqs);
      notify(tx);
    });
    return listing.recordsAt(seqs, caller);
  };

  const signedUrls = createSignedUrls({ ...parts, view });

  return {
    view,
    disk,
    /** @throws Failure not_found */
    requireRow,
    mayDownload: signedUrls.mayDownload,
    /** Must run before content is served. */
    recover: () => disk.recover(),
    start: () => disk.start(),
    close(): Promise<void> {
      disk.close();
      return uploads.close();
    },

    /** Returns a file record with a signed URL for the upload. @throws Failure forbidden | wrong_state */
    create: (upload: FileUpload, { principal, base }: FileCaller): Promise<FileRecord> => {
      const uploader = principal.kind === 'application' ? 'application' : 'owner';
      if (!mayManage(principal, { source: upload.source, uploader }))
        throw new Failure('forbidden', 'This token does not grant access to files of this source.');
      return writer.write((tx) => {
        if (principal.kind === 'application' && store.countUnfinishedOf(principal.application) >= MAX_UNFINISHED_FILES)
          throw new Failure(
            'wrong_state',
            `There are ${MAX_UNFINISHED_FILES} unfinished uploads. Complete some of them first.`,
          );
        const now = clock.now();
        const seq = sequence.next(now);
        const row = {
          seq,
          id: parts.newId(seq),
          file_id: assignFileId(store, tx, upload.source, upload.name),
          name: upload.name,
          source: upload.source,
          title: upload.title ?? null,
          description: upload.description ?? null,
          tags: tagsColumn(upload.tags ?? []),
          created: upload.dateCreated ?? now,
          updated: upload.lastUpdated ?? now,
          added: now,
          status: 'New',
          uploader,
          application: principal.kind === 'application' ? principal.application : null,
          nonce: newNonce(),
          size: null,
          sha256: null,
          type: null,
          kind: 'other',
          path: null,
          modified: null,
          inode: null,
        } as const;
        store.insert(tx, row);
        notify(tx);
        return view.newFileRecord(requireRow(row.file_id), principal, base);
      });
    },

    find(fileId: string, { principal, base }: FileCaller, recordAccess?: RecordFileAccess): FileRecord {
      const row = requireVisible(fileId, principal);
      recordAccess?.(row.source, [row.seq]);
      return view.record(row, principal, base);
    },

    /** @throws Failure not_found | forbidden | invalid_input */
    async describe(fileId: string, change: FileChange, caller: FileCaller): Promise<FileRecord> {
      if (change.fileId !== undefined && change.fileId !== fileId)
        throw new Failure('invalid_input', 'The body names a different file. Nothing was changed.');
      const row = requireVisible(fileId, caller.principal);
      if (!mayManage(caller.principal, factsOf(row)))
        throw new Failure('forbidden', 'This token does not grant the right to change this file.');
      return changeFile(fileId, caller, (tx, row) => {
        store.describe(tx, {
          ...row,
          name: change.name ?? row.name,
          title: change.title ?? row.title,
          description: change.description ?? row.description,
          tags: change.tags === undefined ? row.tags : tagsColumn(change.tags),
          created: change.dateCreated ?? row.created,
          // The time of a pending upload is set by the uploader or on completion.
          updated: change.lastUpdated ?? (row.status === 'New' ? row.updated : clock.now()),
        });
      });
    },

    /** @throws Failure not_found | wrong_state | invalid_input if the upload is incomplete */
    async complete(fileId: string, { principal, base }: FileCaller): Promise<FileRecord> {
      const row = requireManaged(fileId, principal);
      if (row.status === 'Deleted') throw unknownFileFailure();
      return view.record(await disk.complete(row), principal, base);
    },

    /** A complete file can be restored for a day. @throws Failure not_found | wrong_state */
    async remove(fileId: string, { principal, base }: FileCaller): Promise<FileRecord> {
      return view.record(await disk.remove(requireRow(fileId)), principal, base);
    },

    /** Cannot be undone. @throws Failure not_found | wrong_state, for example while the file is being uploaded */
    erase: (fileId: string) => disk.erase(requireRow(fileId)),

    /** @throws Failure not_found | wrong_state */
    restore: (fileId: string) => disk.restore(requireRow(fileId)),

    /** @throws Failure not_found */
    setPublic: (fileId: string, isPublic: boolean, caller: FileCaller) =>
      changeFile(fileId, caller, (tx, row) => store.setPublic(tx, row.seq, isPublic)),

    makeAllPrivate: () =>
      writer.write((tx) => {
        const count = store.makeAllPrivate(tx);
        if (count > 0) notify(tx);
        return count;
      }),

    /** With `canOpen`, the user may also open the file. @throws Failure not_found for an unknown file or user */
    grant: (fileId: string, userId: string, canOpen: boolean, caller: FileCaller) =>
      changeFile(fileId, caller, (tx, row) => grantFiles(tx, userId, [row.seq], canOpen)),
    /**
     * @throws Failure not_found | forbidden for the owner | wrong_state if a folder or collection with the file is
     *   shared with the user
     */
    revoke: (fileId: string, userId: string, caller: FileCaller) =>
      changeFile(fileId, caller, (tx, row) => revokeFiles(tx, userId, [row.seq])),
    /** @throws Failure not_found for an unknown user */
    grantAll: (template: FileTemplate, userId: string, canOpen: boolean, caller: FileCaller) =>
      changeMatching(template, caller, (tx, seqs) => grantFiles(tx, userId, seqs, canOpen)),
    /**
     * @throws Failure not_found | forbidden for the owner | wrong_state if a folder or collection with one of the files
     *   is shared with the user
     */
    revokeAll: (template: FileTemplate, userId: string, caller: FileCaller) =>
      changeMatching(template, caller, (tx, seqs) => revokeFiles(tx, userId, seqs)),

    /**
     * Revokes a user's grants of files, folders and collections.
     * @throws Failure not_found | forbidden for the owner
     */
    revokeUser: (userId: string): Promise<void> =>
      writer.write((tx) => {
        requireRevocable(tx, userId);
        store.dropGrantsOfUser(tx, userId);
        folderGrants.removeByUser(tx, userId);
        collectionGrants.removeByUser(tx, userId);
        notify(tx);
      }),

    /** Returns the matching files that the caller may see, as a JSON stream. @throws Failure rate_limited */
    search: listing.search,

    /** Returns a signed URL. @throws Failure not_found */
    contentUrl(fileId: string, { principal, base }: FileCaller, recordAccess?: RecordFileAccess): string {
      const row = requireRow(fileId);
      if (!mayReadContent(principal, factsOf(row), view.grantOf(row, principal))) throw unknownFileFailure();
      recordAccess?.(row.source, [row.seq]);
      return view.contentUrl(row, bearerOf(principal), base);
    },

    openSignedUrl: signedUrls.open,

    /** @throws Failure forbidden if the principal's right ends during the upload; errors of `Uploads.receiveWhole` */
    receive: (row: FileRow, content: UploadContent, bearer: Bearer) =>
      uploads.receiveWhole(row, content, () => signedUrls.requireUploadRight(row.seq, bearer)),
    /** @throws errors of `Uploads.receiveChunk` */
    receiveChunk: (fileId: string, position: { offset: number; size: number }, content: Readable) =>
      uploads.receiveChunk(requireRow(fileId), position, content),
    /** @throws Failure not_found */
    uploadState: (fileId: string) => uploads.state(requireRow(fileId)),
    /** Deletes an unfinished upload and its file record. @throws Failure not_found | wrong_state */
    abandonUpload: (fileId: string) => uploads.abandon(requireRow(fileId)),

    locate(seq: number): { id: string; endpoint: string; file: { fileId: string; name: string } } | undefined {
      const row = store.findBySeq(seq);
      if (row === undefined) return undefined;
      return { id: row.id, endpoint: ledgerEndpoint(row.source), file: { fileId: row.file_id, name: row.name } };
    },

    seqOf: (fileId: string) => store.findByFileId(fileId)?.seq,
  };
};
