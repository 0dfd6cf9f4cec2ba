import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Principal, Scope } from '../../platform/auth/principal.ts';
import type { FileChange, FileRecord, FileTemplate, FileUpload, UploadState } from '../../wire/files.ts';
import { MAX_UNFINISHED_FILES } from '../../wire/limits.ts';
import type { EventService } from '../core/events/service.ts';
import type { Sequence } from '../data/records/service.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import type { UserService } from '../identity/users/service.ts';
import { newNonce, newSecret, type Bearer } from './access/url-signature.ts';
import { createDisk, type Disk } from './disk/content-lifecycle.ts';
import { takeFileId } from './ids.ts';
import { createQuota } from './disk/quota.ts';
import { mayManage, mayReadContent, maySee } from './access/permissions.ts';
import { createListing, type FileCaller, type FileGuest, type SeenFiles } from './search/listing.ts';
import type { FileSearchStore } from './search/store.ts';
import type { FileRow, FileStore } from './store.ts';
import { createSignedAddresses, type SignedRequest } from './access/signed-urls.ts';
import { createUploads, type Incoming, type Uploads } from './disk/upload-staging.ts';
import { bearerOf, createView, factsOf, type View } from './access/view.ts';

export type { FileCaller, SeenFiles } from './search/listing.ts';

export type FileService = {
  /** @throws Failure forbidden */
  create(upload: FileUpload, caller: FileCaller): Promise<FileRecord>;
  /** @throws Failure not_found */
  find(fileId: string, caller: FileCaller, seen?: SeenFiles): FileRecord;
  /** @throws Failure not_found | forbidden | invalid_input */
  describe(fileId: string, change: FileChange, caller: FileCaller): Promise<FileRecord>;
  /** @throws Failure not_found | invalid_input when not all of it is here */
  complete(fileId: string, caller: FileCaller): Promise<FileRecord>;
  remove(fileId: string, caller: FileCaller): Promise<FileRecord>;
  /** For good: its content wherever it lies, and all that is known of it. @throws Failure not_found | wrong_state while it is being uploaded */
  erase(fileId: string): Promise<void>;
  /** Brings back what was deleted. @throws Failure not_found | wrong_state */
  restore(fileId: string): Promise<FileRow>;
  setPublic(fileId: string, to: boolean, caller: FileCaller): Promise<FileRecord>;
  /** @throws Failure not_found for an unknown file or user */
  grant(fileId: string, userId: string, content: boolean, caller: FileCaller): Promise<FileRecord>;
  /** @throws Failure not_found | forbidden for the owner */
  revoke(fileId: string, userId: string, caller: FileCaller): Promise<FileRecord>;
  /** All or none; answers their records as text. @throws Failure not_found for an unknown user */
  grantAll(
    template: FileTemplate,
    userId: string,
    content: boolean,
    caller: FileCaller,
  ): Promise<AsyncGenerator<string>>;
  revokeAll(template: FileTemplate, userId: string, caller: FileCaller): Promise<AsyncGenerator<string>>;
  /** @throws Failure rate_limited */
  search(
    template: FileTemplate,
    page: { skip: number; take: number },
    caller: FileCaller,
    guest?: FileGuest,
  ): Promise<AsyncGenerator<string>>;
  /** Where the content can be had. @throws Failure not_found */
  contentUrl(fileId: string, caller: FileCaller, seen?: SeenFiles): string;
  /** The file that a signed address leads to, and for whom it was made. @throws Failure forbidden | not_found */
  signed(request: SignedRequest): { row: FileRow; by: Bearer };
  /** Whether what a signed address was made for still holds. */
  mayFetch(seq: number, by: Bearer): boolean;
  /** @throws Failure also when the right of the one for whom the address was made ends while it comes in */
  receive(row: FileRow, content: Incoming, by: Bearer): Promise<void>;
  piece(fileId: string, at: { offset: number; size: number }, content: Readable): Promise<UploadState>;
  uploadState(fileId: string): Promise<UploadState>;
  giveUp(fileId: string): Promise<void>;
  /** For the owner's own pages. @throws Failure not_found */
  row(fileId: string): FileRow;
  at(seq: number): { id: string; endpoint: string } | undefined;
  /** A user is gone, and with them what they were given. */
  dropUser(tx: Transaction, userId: string): void;
  readonly view: View;
  readonly disk: Disk;
  /** Puts right what a stop left halfway; before anything is served from the disk. */
  recover(): Promise<void>;
  /** Starts background work once the server accepts requests. */
  start(): void;
  close(): Promise<void>;
};

export type FileParts = {
  store: FileStore;
  searchStore: FileSearchStore;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  sequence: Sequence;
  /** The id that goes with a place. */
  idAt: (seq: number) => string;
  users: Pick<UserService, 'find' | 'isHere'>;
  ownerId: () => string;
  /** Signed addresses end with the session that they were made in. */
  isSessionAlive: (session: string) => boolean;
  /** What an application may do by now; undefined when it is not set up, or disabled. */
  scopesOf: (application: string) => ReadonlySet<Scope> | undefined;
  folders: { files: string; uploads: string; removed: string };
  limits: { total: number | null; perApplication: number };
  clock: Clock;
  log: Log;
};

/** In the ledger files are at an endpoint of their own; no endpoint of records is spelled so. */
export const ledgerEndpoint = (source: string): string => `files:${source}`;

const unknownFile = (): Failure => new Failure('not_found', 'There is no such file, or it is not yours to know of.');

export const createFileService = (parts: FileParts): FileService => {
  const { store, writer, users, sequence, clock, log } = parts;
  const tell = (tx: Transaction): void => parts.events.tell(tx, 'files');

  let secret = store.secret();
  const secretKey = (): Buffer => {
    if (secret === undefined) {
      const made = newSecret();
      secret = made;
      // Signed addresses live for minutes: one that is lost in a stop before the commit is asked for again.
      writer
        .write((tx) => store.keepSecret(tx, made))
        .catch((error: unknown) => log.warn({ err: error }, 'the key of signed addresses was not kept'));
    }
    return secret;
  };

  const quota = createQuota({ usage: store.usage, folder: parts.folders.files, ...parts.limits });
  const uploads: Uploads = createUploads({ store, writer, quota, folder: parts.folders.uploads, tell });
  const view = createView({
    store,
    users,
    ownerId: parts.ownerId,
    secret: secretKey,
    now: () => clock.now(),
    uploads: parts.folders.uploads,
  });
  const listing = createListing({ ...parts, view });
  const disk = createDisk({ store, writer, uploads, quota, folders: parts.folders, clock, log, tell });

  const known = (fileId: string): FileRow => {
    const row = store.byFileId(fileId);
    if (row === undefined) throw unknownFile();
    return row;
  };

  const visible = (fileId: string, principal: Principal): FileRow => {
    const row = known(fileId);
    if (!maySee(principal, factsOf(row), view.grant(row, principal))) throw unknownFile();
    return row;
  };

  /** @throws Failure not_found also for a file that the caller may see but not change: other routes tell whether it exists */
  const managed = (fileId: string, principal: Principal): FileRow => {
    const row = known(fileId);
    if (!mayManage(principal, factsOf(row))) throw unknownFile();
    return row;
  };

  /** Checked inside the transaction: a grant to a user who is being deleted would pass to the next user with that id. */
  const requireUser = (tx: Transaction, userId: string): void => {
    if (!users.isHere(tx, userId)) throw new Failure('not_found', 'There is no such user.');
  };

  const isOwner = (userId: string): boolean => userId === parts.ownerId();

  const give = (tx: Transaction, userId: string, seqs: readonly number[], content: boolean): void => {
    // Has them as they are: nothing is kept of it.
    if (isOwner(userId)) return;
    requireUser(tx, userId);
    for (const seq of seqs) store.grant(tx, seq, userId, content);
  };
  const takeBack = (tx: Transaction, userId: string, seqs: readonly number[]): void => {
    if (isOwner(userId)) throw new Failure('forbidden', 'This is the owner, who has every file. Nothing was changed.');
    requireUser(tx, userId);
    for (const seq of seqs) store.dropGrant(tx, seq, userId);
  };

  const tagsText = (tags: readonly string[] | undefined): string | null =>
    tags === undefined || tags.length === 0 ? null : JSON.stringify([...new Set(tags)]);

  const changed = (fileId: string, caller: FileCaller, change: (tx: Transaction, row: FileRow) => void) =>
    writer.write((tx) => {
      const row = known(fileId);
      change(tx, row);
      tell(tx);
      return view.record(known(row.file_id), caller.principal, caller.base);
    });

  const changeAll = async (
    template: FileTemplate,
    caller: FileCaller,
    change: (tx: Transaction, seqs: readonly number[]) => void,
  ): Promise<AsyncGenerator<string>> => {
    const seqs = await listing.placesOf(template);
    // All of them or none: what the owner meant is one decision.
    await writer.write((tx) => {
      change(tx, seqs);
      tell(tx);
    });
    return listing.recordsAt(seqs, caller);
  };

  const signed = createSignedAddresses({ ...parts, view, secret: secretKey });

  return {
    view,
    disk,
    row: known,
    mayFetch: signed.mayFetch,
    recover: () => disk.recover(),
    start: () => disk.start(),
    close() {
      disk.close();
      return uploads.close();
    },

    create: (upload, { principal, base }) => {
      const uploader = principal.kind === 'application' ? 'application' : 'owner';
      if (!mayManage(principal, { source: upload.source, uploader }))
        throw new Failure('forbidden', 'This token does not give the right to files of this source.');
      return writer.write((tx) => {
        if (principal.kind === 'application' && store.unfinishedOf(principal.application) >= MAX_UNFINISHED_FILES)
          throw new Failure(
            'wrong_state',
            `Complete some of the ${MAX_UNFINISHED_FILES} files that were announced first.`,
          );
        const now = clock.now();
        const seq = sequence.next(now);
        const row = {
          seq,
          id: parts.idAt(seq),
          file_id: takeFileId(store, tx, upload.source, upload.name),
          name: upload.name,
          source: upload.source,
          title: upload.title ?? null,
          description: upload.description ?? null,
          tags: tagsText(upload.tags),
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
        tell(tx);
        return view.toUpload(known(row.file_id), principal, base);
      });
    },

    find(fileId, { principal, base }, seen) {
      const row = visible(fileId, principal);
      seen?.(row.source, [row.seq]);
      return view.record(row, principal, base);
    },

    async describe(fileId, change, caller) {
      if (change.fileId !== undefined && change.fileId !== fileId)
        throw new Failure('invalid_input', 'The body speaks of another file. Nothing was changed.');
      const row = visible(fileId, caller.principal);
      if (!mayManage(caller.principal, factsOf(row)))
        throw new Failure('forbidden', 'This token does not give the right to change this file.');
      return changed(fileId, caller, (tx, row) => {
        store.describe(tx, {
          ...row,
          name: change.name ?? row.name,
          title: change.title ?? row.title,
          description: change.description ?? row.description,
          tags: change.tags === undefined ? row.tags : tagsText(change.tags),
          created: change.dateCreated ?? row.created,
          // For a pending upload, the sender or its completion sets the time.
          updated: change.lastUpdated ?? (row.status === 'New' ? row.updated : clock.now()),
        });
      });
    },

    async complete(fileId, { principal, base }) {
      const row = managed(fileId, principal);
      if (row.status === 'Deleted') throw unknownFile();
      return view.record(await disk.complete(row), principal, base);
    },

    async remove(fileId, { principal, base }) {
      return view.record(await disk.remove(known(fileId)), principal, base);
    },

    erase: (fileId) => disk.erase(known(fileId)),

    restore: (fileId) => disk.restore(known(fileId)),

    setPublic: (fileId, to, caller) => changed(fileId, caller, (tx, row) => store.setPublic(tx, row.seq, to)),

    async grant(fileId, userId, content, caller) {
      return changed(fileId, caller, (tx, row) => give(tx, userId, [row.seq], content));
    },
    async revoke(fileId, userId, caller) {
      return changed(fileId, caller, (tx, row) => takeBack(tx, userId, [row.seq]));
    },
    async grantAll(template, userId, content, caller) {
      return changeAll(template, caller, (tx, seqs) => give(tx, userId, seqs, content));
    },
    async revokeAll(template, userId, caller) {
      return changeAll(template, caller, (tx, seqs) => takeBack(tx, userId, seqs));
    },

    search: listing.search,

    contentUrl(fileId, { principal, base }, seen) {
      const row = known(fileId);
      if (!mayReadContent(principal, factsOf(row), view.grant(row, principal))) throw unknownFile();
      seen?.(row.source, [row.seq]);
      return view.contentUrl(row, bearerOf(principal), base);
    },

    signed: signed.open,

    receive: (row, content, by) => uploads.whole(row, content, () => signed.requireSending(row.seq, by)),
    piece: (fileId, at, content) => uploads.piece(known(fileId), at, content),
    uploadState: (fileId) => uploads.state(known(fileId)),
    giveUp: (fileId) => uploads.giveUp(known(fileId)),

    at(seq) {
      const row = store.bySeq(seq);
      return row === undefined ? undefined : { id: row.id, endpoint: ledgerEndpoint(row.source) };
    },

    dropUser: (tx, userId) => store.dropUser(tx, userId),
  };
};
