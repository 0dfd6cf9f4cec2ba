import type { FileKind, FileStatus } from '../../wire/files.ts';
import type { Database, Transaction } from '../storage/index.ts';
import { foldedName } from './content/disk-names.ts';
import { slugsOfId } from './rules.ts';

export type FileRow = {
  seq: number;
  id: string;
  file_id: string;
  name: string;
  source: string;
  title: string | null;
  description: string | null;
  tags: string | null;
  created: number;
  updated: number;
  added: number;
  status: FileStatus;
  uploader: 'owner' | 'application' | 'folder';
  application: string | null;
  public: number;
  nonce: string | null;
  size: number | null;
  sha256: string | null;
  type: string | null;
  kind: FileKind;
  path: string | null;
  moving: number;
  modified: string | null;
  inode: string | null;
  deleted: number | null;
  deleted_by: 'owner' | 'outside' | null;
  undo_path: string | null;
};

export type NewFile = Omit<FileRow, 'public' | 'moving' | 'deleted' | 'deleted_by' | 'undo_path'>;
export type GrantRow = { user_id: string; content: number };
export type UsageRow = { uploader: string; application: string | null; bytes: number };
/** How a file on the disk looked when it was last read. */
export type Looks = { modified: string; inode: string };
/** Content that has come, whole. */
export type Content = { size: number; sha256: string; type: string; kind: FileKind };

const COLUMNS = `seq, id, file_id, name, source, title, description, tags, created, updated, added, status, uploader, application, public,
  nonce, size, sha256, type, kind, path, moving, modified, inode, deleted, deleted_by, undo_path`;
/** With the name of the table, where others are joined to it. */
export const FILE_COLUMNS = COLUMNS.replaceAll(/\w+/gu, 'f.$&');

/** The newest place that a file took. Asked for before there is a store: the sequence that the store's files are given places by begins there. */
export const newestFileSeq = (db: Database): number =>
  db.prepare<[], number | null>('SELECT max(seq) FROM files').pluck().get() ?? 0;

export type FileStore = ReturnType<typeof createFileStore>;

export const createFileStore = (db: Database) => {
  const one = (where: string) => db.prepare<[string | number], FileRow>(`SELECT ${COLUMNS} FROM files WHERE ${where}`);
  const byFileId = one('file_id = ?');
  const bySeq = one('seq = ?');
  const byPath = one('path = ?');
  const isPathTaken = db.prepare<[string], number>('SELECT 1 FROM files WHERE path_key = ?').pluck();
  const byInode = db.prepare<[string], FileRow>(`SELECT ${COLUMNS} FROM files WHERE inode = ?`);
  const byHash = db.prepare<[string], FileRow>(`SELECT ${COLUMNS} FROM files WHERE sha256 = ? ORDER BY seq LIMIT 100`);
  const moving = db.prepare<[], FileRow>(`SELECT ${COLUMNS} FROM files WHERE moving = 1`);
  const undoable = db.prepare<[], FileRow>(`SELECT ${COLUMNS} FROM files WHERE undo_path IS NOT NULL`);
  const unfinished = db.prepare<[], number>("SELECT seq FROM files WHERE status = 'New'").pluck();
  const paths = db.prepare<[string, number], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE path > ? ORDER BY path LIMIT ?`,
  );
  const countPaths = db.prepare<[], number>('SELECT count(*) FROM files WHERE path IS NOT NULL').pluck();
  const pathsBelow = db.prepare<[string, string, number], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE path > ? AND path < ? ORDER BY path LIMIT ?`,
  );
  const isAt = db.prepare<[string], number>('SELECT 1 FROM files WHERE path = ?').pluck();
  const goneByHash = db.prepare<[string], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE sha256 = ? AND deleted_by = 'outside' ORDER BY seq DESC LIMIT 10`,
  );
  const unfinishedOf = db
    .prepare<[string], number>("SELECT count(*) FROM files WHERE status = 'New' AND application = ?")
    .pluck();
  const abandoned = db.prepare<[{ announced: number; sent: number }], FileRow>(
    `SELECT ${COLUMNS} FROM files WHERE status = 'New' AND moving = 0 AND uploader = 'application'
       AND added < CASE WHEN size IS NULL THEN :announced ELSE :sent END`,
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
  const received = db.prepare<[Content & { seq: number }]>(
    'UPDATE files SET nonce = NULL, size = :size, sha256 = :sha256, type = :type, kind = :kind WHERE seq = :seq',
  );
  const landing = db.prepare<[{ seq: number; path: string; path_key: string }]>(
    'UPDATE files SET path = :path, path_key = :path_key, moving = 1 WHERE seq = :seq',
  );
  // A time that was given while it came stays: the other one is when it was announced.
  const landed = db.prepare<[Looks & { seq: number; updated: number }]>(
    `UPDATE files SET moving = 0, status = 'Completed', modified = :modified, inode = :inode,
       updated = CASE WHEN status = 'New' AND updated <> added THEN updated ELSE :updated END,
       deleted = NULL, deleted_by = NULL, undo_path = NULL WHERE seq = :seq`,
  );
  const turnedBack = db.prepare('UPDATE files SET path = NULL, path_key = NULL, moving = 0 WHERE seq = ?');
  const edited = db.prepare<[Content & Looks & { seq: number; updated: number }]>(
    `UPDATE files SET size = :size, sha256 = :sha256, type = :type, kind = :kind, modified = :modified, inode = :inode, updated = :updated
     WHERE seq = :seq`,
  );
  const looked = db.prepare<[Looks & { seq: number }]>(
    'UPDATE files SET modified = :modified, inode = :inode WHERE seq = :seq',
  );
  const moved = db.prepare<
    [Looks & { seq: number; path: string; path_key: string; name: string; source: string; updated: number }]
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
  const forgetContent = db.prepare(
    'UPDATE files SET undo_path = NULL, size = NULL, sha256 = NULL, inode = NULL, modified = NULL WHERE seq = ?',
  );
  const erase = db.prepare('DELETE FROM files WHERE seq = ?');
  // While another file has an id of it, that says as much.
  const dropSlug = db.prepare<[{ slug: string; others: string }]>(
    `DELETE FROM file_slugs WHERE slug = :slug
       AND NOT EXISTS (SELECT 1 FROM files WHERE file_id = :slug OR file_id GLOB :others)`,
  );
  const setPublic = db.prepare('UPDATE files SET public = ? WHERE seq = ?');

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
  // Not of a file that went meanwhile.
  const grant = db.prepare(
    'INSERT OR REPLACE INTO file_grants (seq, user_id, content) SELECT seq, ?, ? FROM files WHERE seq = ?',
  );
  const dropGrant = db.prepare('DELETE FROM file_grants WHERE seq = ? AND user_id = ?');
  const dropGrants = db.prepare('DELETE FROM file_grants WHERE seq = ?');
  const dropUser = db.prepare('DELETE FROM file_grants WHERE user_id = ?');

  const isTaken = db.prepare<[string], number>('SELECT 1 FROM files WHERE file_id = ?').pluck();
  const takeSlug = db
    .prepare<[string], number>(
      'INSERT INTO file_slugs (slug, taken) VALUES (?, 1) ON CONFLICT (slug) DO UPDATE SET taken = taken + 1 RETURNING taken',
    )
    .pluck();

  const usage = db.prepare<[], UsageRow>(
    `SELECT uploader, application, sum(size) AS bytes FROM files
     WHERE size IS NOT NULL AND (status <> 'Deleted' OR undo_path IS NOT NULL) GROUP BY uploader, application`,
  );
  const secret = db.prepare<[], Buffer>('SELECT key FROM file_secret').pluck();
  const keepSecret = db.prepare('INSERT OR IGNORE INTO file_secret (id, key) VALUES (1, ?)');

  /** How often the words of a file were written or taken away, also in vain. */
  let indexed = 0;
  /** The words and tags by which a file is found. */
  const index = (row: Pick<FileRow, 'seq' | 'title' | 'description' | 'name' | 'tags'>): void => {
    indexed += 1;
    const tags = row.tags === null ? [] : (JSON.parse(row.tags) as string[]);
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
    indexed += 1;
    dropTags.run(seq);
    dropText.run(seq);
  };
  const drop = (seq: number): void => {
    unindex(seq);
    dropGrants.run(seq);
    erase.run(seq);
  };

  return {
    byFileId: (fileId: string) => byFileId.get(fileId),
    bySeq: (seq: number) => bySeq.get(seq),
    byPath: (path: string) => byPath.get(path),
    /** Also by a name that some systems take for the same. */
    isPathTaken: (path: string) => isPathTaken.get(foldedName(path)) !== undefined,
    byInode: (inode: string) => byInode.all(inode),
    byHash: (sha256: string) => byHash.all(sha256),
    moving: () => moving.all(),
    undoable: () => undoable.all(),
    unfinished: () => unfinished.all(),
    unfinishedOf: (application: string) => unfinishedOf.get(application) ?? 0,
    /** What applications announced before the one time, or sent before the other, and never completed. */
    abandoned: (before: { announced: number; sent: number }) => abandoned.all(before),
    /** Rows with content on the disk, in the order of their paths. */
    paths: (after: string, take: number) => paths.all(after, take),
    /** The same, of what lies in a folder; `after` is one of its paths, or the folder itself with a slash. */
    pathsBelow: (folder: string, after: string, take: number) =>
      // The character after the slash: nothing that begins with the folder and a slash comes behind it.
      pathsBelow.all(after, `${folder}0`, take),
    /** Rows with content on the disk. */
    countPaths: () => countPaths.get() ?? 0,
    isAt: (path: string) => isAt.get(path) !== undefined,
    /** What was marked as gone from the folder. */
    goneByHash: (sha256: string) => goneByHash.all(sha256),
    /** Another number: what words find may be other files. */
    indexed: () => indexed,
    isTaken: (fileId: string) => isTaken.get(fileId) !== undefined,
    usage: () => usage.all(),
    secret: () => secret.get(),

    grantsOf: (seq: number) => grantsOf.all(seq),
    grantOf: (seq: number, userId: string) => grantOf.get(seq, userId),

    takeSlug: (_tx: Transaction, slug: string) => takeSlug.get(slug) ?? 1,
    keepSecret: (_tx: Transaction, key: Buffer) => void keepSecret.run(key),
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
    received: (_tx: Transaction, seq: number, content: Content) => void received.run({ seq, ...content }),
    /** Says where content is about to be moved to, before it is: a stop in between is put right at the next start. */
    landing: (_tx: Transaction, seq: number, path: string) =>
      void landing.run({ seq, path, path_key: foldedName(path) }),
    landed: (_tx: Transaction, seq: number, looks: Looks, updated: number) =>
      void landed.run({ seq, ...looks, updated }),
    turnedBack: (_tx: Transaction, seq: number) => void turnedBack.run(seq),
    edited: (_tx: Transaction, seq: number, content: Content, looks: Looks, updated: number) =>
      void edited.run({ seq, ...content, ...looks, updated }),
    looked: (_tx: Transaction, seq: number, looks: Looks) => void looked.run({ seq, ...looks }),
    /** It lies elsewhere now; also when it had gone and is back. */
    moved(
      _tx: Transaction,
      file: FileRow,
      to: { path: string; name: string; source: string; updated: number },
      looks: Looks,
    ) {
      moved.run({ seq: file.seq, ...to, path_key: foldedName(to.path), ...looks });
      unindex(file.seq);
      index({ ...file, name: to.name });
    },
    remove: (
      _tx: Transaction,
      gone: { seq: number; time: number; by: 'owner' | 'outside'; undo_path: string | null; inode: string | null },
    ) => void remove.run(gone),
    /** There is nothing left to bring back; what was known of it stays. */
    forgetContent: (_tx: Transaction, seq: number) => void forgetContent.run(seq),
    erase: (_tx: Transaction, seq: number) => drop(seq),
    /** The same, and the part of its id that was made from its name. */
    eraseWholly(_tx: Transaction, { seq, file_id }: Pick<FileRow, 'seq' | 'file_id'>) {
      drop(seq);
      for (const slug of slugsOfId(file_id)) dropSlug.run(slug);
    },
    setPublic: (_tx: Transaction, seq: number, to: boolean) => void setPublic.run(to ? 1 : 0, seq),
    grant: (_tx: Transaction, seq: number, userId: string, content: boolean) =>
      void grant.run(userId, content ? 1 : 0, seq),
    dropGrant: (_tx: Transaction, seq: number, userId: string) => dropGrant.run(seq, userId).changes > 0,
    dropUser: (_tx: Transaction, userId: string) => void dropUser.run(userId),
  };
};
