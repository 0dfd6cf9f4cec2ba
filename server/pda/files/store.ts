import type { FileKind, FileStatus } from '../../wire/files.ts';
import type { Database, Transaction } from '../storage/index.ts';
import { foldedName } from './content/disk-names.ts';
import { MAP_FILE_SETTING } from './map-file/store.ts';
import type { PictureDetails } from './pictures/rules.ts';
import { pathBounds, slugsOfId, tagsColumn, tagsOf } from './rules.ts';
import { belowFolderSql } from './search/folders.ts';

/** Times are in Unix milliseconds unless another unit is stated. */
export type FileRow = {
  seq: number;
  /** UUID of the file in the access log. */
  id: string;
  /** Id of the file in the HTTP API. */
  file_id: string;
  name: string;
  source: string;
  title: string | null;
  description: string | null;
  /** JSON array. */
  tags: string | null;
  created: number;
  updated: number;
  added: number;
  status: FileStatus;
  uploader: 'owner' | 'application' | 'folder';
  application: string | null;
  public: number;
  /** Part of what the signature of an upload URL covers. The URL is invalid once this column is null. */
  nonce: string | null;
  size: number | null;
  sha256: string | null;
  type: string | null;
  kind: FileKind;
  path: string | null;
  /** 1 while the content is being moved to `path`. */
  moving: number;
  /** Nanoseconds. */
  modified: string | null;
  /** `<device number>:<inode number>`. */
  inode: string | null;
  deleted: number | null;
  /** `outside`: by another program. */
  deleted_by: 'owner' | 'outside' | null;
  /** Former path of a deleted file that the owner can restore; null for all other files. */
  undo_path: string | null;
  taken: number | null;
  /** Time on the camera's clock, `2024-03-01T12:34:56`. */
  taken_local: string | null;
  latitude: number | null;
  longitude: number | null;
  camera: string | null;
};

export type NewFile = Omit<
  FileRow,
  'public' | 'moving' | 'deleted' | 'deleted_by' | 'undo_path' | keyof PictureDetails
>;
export type GrantRow = { user_id: string; content: number };
export type FileAttributes = { modified: string; inode: string };
export type Content = { size: number; sha256: string; type: string; kind: FileKind };
/** Unix milliseconds. An upload has no content until it has been received completely. */
type AbandonmentLimits = { withoutContentCreatedBefore: number; withContentCreatedBefore: number };

const COLUMNS = `seq, id, file_id, name, source, title, description, tags, created, updated, added, status, uploader, application, public,
  nonce, size, sha256, type, kind, path, moving, modified, inode, deleted, deleted_by, undo_path, taken, taken_local, latitude, longitude, camera`;
/** The columns with the table alias `f`, for joins. */
export const FILE_COLUMNS = COLUMNS.replaceAll(/\w+/gu, 'f.$&');

/** SQL assignments that clear the details of a picture, so that they are read from the new content. */
const CLEAR_PICTURE_DETAILS_SQL =
  'taken = NULL, taken_local = NULL, latitude = NULL, longitude = NULL, camera = NULL, picture_read = 0';

/** Returns the largest sequence number of a file; 0 if there is none. New sequence numbers must be larger. */
export const readNewestFileSeq = (db: Database): number =>
  db.prepare<[], number | null>('SELECT max(seq) FROM files').pluck().get() ?? 0;

export type FileStore = ReturnType<typeof createFileStore>;

export const createFileStore = (db: Database) => {
  const prepareFind = (where: string) =>
    db.prepare<[string | number], FileRow>(`SELECT ${COLUMNS} FROM files WHERE ${where}`);
  const findByFileId = prepareFind('file_id = ?');
  const findBySeq = prepareFind('seq = ?');
  const findByPath = prepareFind('path = ?');
  const isPathTaken = db.prepare<[string], number>('SELECT 1 FROM files WHERE path_key = ?').pluck();
  const listByInode = db.prepare<[string], FileRow>(`SELECT ${COLUMNS} FROM files WHERE inode = ?`);
  const listByHash = db.prepare<[string], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE sha256 = ? ORDER BY seq LIMIT 100`,
  );
  const listMoving = db.prepare<[], FileRow>(`SELECT ${COLUMNS} FROM files WHERE moving = 1`);
  const listRestorable = db.prepare<[], FileRow>(`SELECT ${COLUMNS} FROM files WHERE undo_path IS NOT NULL`);
  const listUnfinishedSeqs = db.prepare<[], number>("SELECT seq FROM files WHERE status = 'New'").pluck();
  const listAfterPath = db.prepare<[string, number], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE path > ? ORDER BY path LIMIT ?`,
  );
  const countPaths = db.prepare<[], number>('SELECT count(*) FROM files WHERE path IS NOT NULL').pluck();
  const listBelow = db.prepare<[string, string, number], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ?`,
  );
  const listCompleteBelow = db.prepare<[string, string, number], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? AND status = 'Completed' ORDER BY path LIMIT ?`,
  );
  const countCompleteBelow = db
    .prepare<{ folder: string; max: number }, number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM files f INDEXED BY files_by_folder WHERE ${belowFolderSql(':folder')} LIMIT :max)`,
    )
    .pluck();
  const hasPath = db.prepare<[string], number>('SELECT 1 FROM files WHERE path = ?').pluck();
  const listDeletedOutsideByHash = db.prepare<[string], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE sha256 = ? AND deleted_by = 'outside' ORDER BY seq DESC LIMIT 10`,
  );
  const countUnfinishedOf = db
    .prepare<[string], number>("SELECT count(*) FROM files WHERE status = 'New' AND application = ?")
    .pluck();
  const listAbandonedUploads = db.prepare<[AbandonmentLimits], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE status = 'New' AND moving = 0 AND uploader = 'application'
       AND added < CASE WHEN size IS NULL THEN :withoutContentCreatedBefore ELSE :withContentCreatedBefore END`,
  );

  const insert = db.prepare<[NewFile & { path_key: string | null }]>(
    `INSERT INTO files (seq, id, file_id, name, source, title, description, tags, created, updated, added, status, uploader, application, nonce,
       size, sha256, type, kind, path, path_key, modified, inode)
     VALUES (:seq, :id, :file_id, :name, :source, :title, :description, :tags, :created, :updated, :added, :status, :uploader, :application, :nonce,
       :size, :sha256, :type, :kind, :path, :path_key, :modified, :inode)`,
  );
  const describe = db.prepare<
    [Pick<FileRow, 'seq' | 'name' | 'title' | 'description' | 'tags' | 'created' | 'updated'>]
  >(
    `UPDATE files SET name = :name, title = :title, description = :description, tags = :tags, created = :created, updated = :updated
     WHERE seq = :seq`,
  );
  const setTags = db.prepare<[{ seq: number; tags: string | null; updated: number }]>(
    'UPDATE files SET tags = :tags, updated = :updated WHERE seq = :seq',
  );
  const setReceived = db.prepare<[Content & { seq: number }]>(
    'UPDATE files SET nonce = NULL, size = :size, sha256 = :sha256, type = :type, kind = :kind WHERE seq = :seq',
  );
  const startMove = db.prepare<[{ seq: number; path: string; path_key: string }]>(
    'UPDATE files SET path = :path, path_key = :path_key, moving = 1 WHERE seq = :seq',
  );
  // On completion of an upload, keeps a modification time that the uploader set. Otherwise `updated` still equals
  // `added` and is replaced.
  const completeMove = db.prepare<[FileAttributes & { seq: number; updated: number }]>(
    `UPDATE files SET moving = 0, status = 'Completed', modified = :modified, inode = :inode,
       updated = CASE WHEN status = 'New' AND updated <> added THEN updated ELSE :updated END,
       deleted = NULL, deleted_by = NULL, undo_path = NULL WHERE seq = :seq`,
  );
  const cancelMove = db.prepare('UPDATE files SET path = NULL, path_key = NULL, moving = 0 WHERE seq = ?');
  const setContent = db.prepare<[Content & FileAttributes & { seq: number; updated: number }]>(
    `UPDATE files SET size = :size, sha256 = :sha256, type = :type, kind = :kind, modified = :modified, inode = :inode, updated = :updated,
       ${CLEAR_PICTURE_DETAILS_SQL} WHERE seq = :seq`,
  );
  const setAttributes = db.prepare<[FileAttributes & { seq: number }]>(
    'UPDATE files SET modified = :modified, inode = :inode WHERE seq = :seq',
  );
  const setPath = db.prepare<
    [FileAttributes & { seq: number; path: string; path_key: string; name: string; source: string; updated: number }]
  >(
    `UPDATE files SET path = :path, path_key = :path_key, name = :name, source = :source, modified = :modified, inode = :inode, updated = :updated,
       status = 'Completed', deleted = NULL, deleted_by = NULL WHERE seq = :seq`,
  );
  const remove = db.prepare<
    [{ seq: number; time: number; by: 'owner' | 'outside'; undo_path: string | null; inode: string | null }]
  >(
    `UPDATE files SET status = 'Deleted', deleted = :time, deleted_by = :by, undo_path = :undo_path, path = NULL, path_key = NULL, moving = 0, nonce = NULL,
       inode = :inode WHERE seq = :seq`,
  );
  const cancelRemoval = db.prepare<[{ seq: number; path: string; path_key: string }]>(
    `UPDATE files SET status = 'Completed', deleted = NULL, deleted_by = NULL, undo_path = NULL, path = :path, path_key = :path_key
     WHERE seq = :seq`,
  );
  const forgetContent = db.prepare(
    `UPDATE files SET undo_path = NULL, size = NULL, sha256 = NULL, inode = NULL, modified = NULL, ${CLEAR_PICTURE_DETAILS_SQL} WHERE seq = ?`,
  );
  const erase = db.prepare('DELETE FROM files WHERE seq = ?');
  const dropMapFile = db.prepare('DELETE FROM settings WHERE key = ? AND value = (SELECT id FROM files WHERE seq = ?)');
  // The slug is kept while another file has an id that was created from it.
  const dropSlug = db.prepare<[{ slug: string; numberedIds: string; otherIds: string }]>(
    `DELETE FROM file_slugs WHERE slug = :slug AND NOT EXISTS (
       SELECT 1 FROM files WHERE file_id = :slug OR (file_id GLOB :numberedIds AND file_id NOT GLOB :otherIds))`,
  );
  const pendingMoves = db.prepare<[], { seq: number; path: string }>('SELECT seq, path FROM file_moves ORDER BY seq');
  const pendingMove = db.prepare<[number], string>('SELECT path FROM file_moves WHERE seq = ?').pluck();
  const insertMove = db.prepare('INSERT INTO file_moves (seq, path) VALUES (?, ?)');
  const dropMove = db.prepare('DELETE FROM file_moves WHERE seq = ?');
  const setPublic = db.prepare('UPDATE files SET public = ? WHERE seq = ?');
  const makeAllPrivate = db.prepare('UPDATE files SET public = 0 WHERE public = 1');

  const insertTag = db.prepare('INSERT OR IGNORE INTO file_tags (tag, seq) VALUES (?, ?)');
  const dropTags = db.prepare('DELETE FROM file_tags WHERE seq = ?');
  const insertText = db.prepare<[{ seq: number; title: string; description: string; name: string; tags: string }]>(
    'INSERT INTO files_text (rowid, title, description, name, tags) VALUES (:seq, :title, :description, :name, :tags)',
  );
  const dropText = db.prepare('DELETE FROM files_text WHERE rowid = ?');

  const grantsOf = db.prepare<[number], GrantRow>(
    'SELECT user_id, content FROM file_grants WHERE seq = ? ORDER BY user_id',
  );
  const grantOf = db.prepare<[number, string], GrantRow>(
    'SELECT user_id, content FROM file_grants WHERE seq = ? AND user_id = ?',
  );
  // Has no effect if the file has been erased.
  const grant = db.prepare(
    'INSERT OR REPLACE INTO file_grants (seq, user_id, content) SELECT seq, ?, ? FROM files WHERE seq = ?',
  );
  const dropGrant = db.prepare('DELETE FROM file_grants WHERE seq = ? AND user_id = ?');
  const dropGrants = db.prepare('DELETE FROM file_grants WHERE seq = ?');
  const dropGrantsOfUser = db.prepare('DELETE FROM file_grants WHERE user_id = ?');

  const hasUnreadableText = db
    .prepare<[number], number>("SELECT 1 FROM file_texts WHERE seq = ? AND state = 'unreadable'")
    .pluck();
  const hasFileId = db.prepare<[string], number>('SELECT 1 FROM files WHERE file_id = ?').pluck();
  const incrementSlugCount = db
    .prepare<[string], number>(
      'INSERT INTO file_slugs (slug, taken) VALUES (?, 1) ON CONFLICT (slug) DO UPDATE SET taken = taken + 1 RETURNING taken',
    )
    .pluck();

  const usage = db.prepare<[], { uploader: string; application: string | null; bytes: number }>(
    `SELECT uploader, application, sum(size) AS bytes FROM files
     WHERE size IS NOT NULL AND (status <> 'Deleted' OR undo_path IS NOT NULL) GROUP BY uploader, application`,
  );
  const secret = db.prepare<[], Buffer>('SELECT key FROM file_secret').pluck();
  const storeSecret = db.prepare('INSERT OR IGNORE INTO file_secret (id, key) VALUES (1, ?)');

  /** Counts changes to the full-text index, including changes that were rolled back. */
  let searchIndexVersion = 0;
  const index = (row: Pick<FileRow, 'seq' | 'title' | 'description' | 'name' | 'tags'>): void => {
    searchIndexVersion += 1;
    const tags = tagsOf(row);
    for (const tag of tags) insertTag.run(tag, row.seq);
    insertText.run({
      seq: row.seq,
      title: row.title ?? '',
      description: row.description ?? '',
      name: row.name,
      tags: tags.join(' '),
    });
  };
  const unindex = (seq: number): void => {
    searchIndexVersion += 1;
    dropTags.run(seq);
    dropText.run(seq);
  };
  const drop = (seq: number): void => {
    unindex(seq);
    dropGrants.run(seq);
    dropMove.run(seq);
    dropMapFile.run(MAP_FILE_SETTING, seq);
    erase.run(seq);
  };

  return {
    findByFileId: (fileId: string) => findByFileId.get(fileId),
    findBySeq: (seq: number) => findBySeq.get(seq),
    findByPath: (path: string) => findByPath.get(path),
    /** Returns true if a file has this path, or one that differs from it only in case or Unicode normalisation. */
    isPathTaken: (path: string) => isPathTaken.get(foldedName(path)) !== undefined,
    listByInode: (inode: string) => listByInode.all(inode),
    listByHash: (sha256: string) => listByHash.all(sha256),
    movingFiles: () => listMoving.all(),
    restorableFiles: () => listRestorable.all(),
    unfinishedSeqs: () => listUnfinishedSeqs.all(),
    countUnfinishedOf: (application: string) => countUnfinishedOf.get(application) ?? 0,
    /** Returns the unfinished files of applications that were created before the limits. */
    abandonedUploads: (limits: AbandonmentLimits) => listAbandonedUploads.all(limits),
    filesAfterPath: (after: string, take: number) => listAfterPath.all(after, take),
    /** @param after last path of the previous page; for the first page the folder with a trailing slash */
    filesBelowFolder: (folder: string, after: string, take: number) =>
      listBelow.all(after, pathBounds(folder).upper, take),
    completeFilesBelow: (folder: string, take: number) => {
      const { lower, upper } = pathBounds(folder);
      return listCompleteBelow.all(lower, upper, take);
    },
    /** Counts at most `max` files. */
    countCompleteFilesBelow: (folder: string, max: number) => countCompleteBelow.get({ folder, max }) ?? 0,
    hasFilesBelow(folder: string): boolean {
      const { lower, upper } = pathBounds(folder);
      return listBelow.get(lower, upper, 1) !== undefined;
    },
    countPaths: () => countPaths.get() ?? 0,
    hasPath: (path: string) => hasPath.get(path) !== undefined,
    listDeletedOutsideByHash: (sha256: string) => listDeletedOutsideByHash.all(sha256),
    /** Returns a version of the search index. Cached matches are valid while it stays unchanged. */
    searchIndexVersion: () => searchIndexVersion,
    hasUnreadableText: (seq: number) => hasUnreadableText.get(seq) !== undefined,
    hasFileId: (fileId: string) => hasFileId.get(fileId) !== undefined,
    usage: () => usage.all(),
    secret: () => secret.get(),

    grantsOf: (seq: number) => grantsOf.all(seq),
    grantOf: (seq: number, userId: string) => grantOf.get(seq, userId),

    incrementSlugCount: (_tx: Transaction, slug: string) => incrementSlugCount.get(slug) ?? 1,
    storeSecret: (_tx: Transaction, key: Buffer) => void storeSecret.run(key),
    insert(_tx: Transaction, file: NewFile) {
      insert.run({ ...file, path_key: file.path === null ? null : foldedName(file.path) });
      index(file);
    },
    describe(_tx: Transaction, file: FileRow) {
      describe.run({
        seq: file.seq,
        name: file.name,
        title: file.title,
        description: file.description,
        tags: file.tags,
        created: file.created,
        updated: file.updated,
      });
      unindex(file.seq);
      index(file);
    },
    setTags(_tx: Transaction, file: FileRow, tags: readonly string[], updated: number) {
      const column = tagsColumn(tags);
      setTags.run({ seq: file.seq, tags: column, updated });
      unindex(file.seq);
      index({ ...file, tags: column });
    },
    setReceived: (_tx: Transaction, seq: number, content: Content) => void setReceived.run({ seq, ...content }),
    /** Records the target of a move before it starts, so that an interrupted move can be completed or reverted. */
    startMove: (_tx: Transaction, seq: number, path: string) =>
      void startMove.run({ seq, path, path_key: foldedName(path) }),
    completeMove: (_tx: Transaction, seq: number, attributes: FileAttributes, updated: number) =>
      void completeMove.run({ seq, ...attributes, updated }),
    cancelMove: (_tx: Transaction, seq: number) => void cancelMove.run(seq),
    // Binds `modified` and `inode` by name, because scanned entries also have a `kind` with a different meaning.
    setContent: (_tx: Transaction, seq: number, content: Content, attributes: FileAttributes, updated: number) =>
      void setContent.run({ seq, ...content, modified: attributes.modified, inode: attributes.inode, updated }),
    setAttributes: (_tx: Transaction, seq: number, attributes: FileAttributes) =>
      void setAttributes.run({ seq, ...attributes }),
    /** Changes path, name and source of a file, and restores it if it was marked as deleted. */
    setPath(
      _tx: Transaction,
      file: FileRow,
      target: { path: string; name: string; source: string; updated: number },
      attributes: FileAttributes,
    ) {
      setPath.run({ seq: file.seq, ...target, path_key: foldedName(target.path), ...attributes });
      unindex(file.seq);
      index({ ...file, name: target.name });
    },
    pendingMoves: () => pendingMoves.all(),
    pendingMove: (seq: number) => pendingMove.get(seq),
    /** Records a move to another folder before it starts. The file keeps its path until the move is complete. */
    insertMove: (_tx: Transaction, seq: number, path: string) => void insertMove.run(seq, path),
    dropMove: (_tx: Transaction, seq: number) => void dropMove.run(seq),
    remove: (
      _tx: Transaction,
      deletion: { seq: number; time: number; by: 'owner' | 'outside'; undo_path: string | null; inode: string | null },
    ) => void remove.run(deletion),
    /** Reverts the removal of a complete file whose content has stayed at its path. */
    cancelRemoval: (_tx: Transaction, seq: number, path: string) =>
      void cancelRemoval.run({ seq, path, path_key: foldedName(path) }),
    forgetContent: (_tx: Transaction, seq: number) => void forgetContent.run(seq),
    erase: (_tx: Transaction, seq: number) => drop(seq),
    /** Deletes the file record and the slug of its id, which contains the name. */
    eraseCompletely(_tx: Transaction, { seq, file_id }: Pick<FileRow, 'seq' | 'file_id'>) {
      drop(seq);
      for (const slug of slugsOfId(file_id)) dropSlug.run(slug);
    },
    setPublic: (_tx: Transaction, seq: number, isPublic: boolean) => void setPublic.run(isPublic ? 1 : 0, seq),
    makeAllPrivate: (_tx: Transaction): number => makeAllPrivate.run().changes,
    grant: (_tx: Transaction, seq: number, userId: string, canOpen: boolean) =>
      void grant.run(userId, canOpen ? 1 : 0, seq),
    dropGrant: (_tx: Transaction, seq: number, userId: string) => void dropGrant.run(seq, userId),
    /** Deletes the grants of single files. The database deletes those of folders and collections with the user. */
    dropGrantsOfUser: (_tx: Transaction, userId: string) => void dropGrantsOfUser.run(userId),
  };
};
