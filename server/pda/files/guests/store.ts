import type { Database, Transaction } from '../../storage/index.ts';
import { GRANTED_COLLECTIONS_SQL } from '../collections/store.ts';
import { GRANTED_FILES_SQL } from '../folder-grants/store.ts';
import { IN_FOLDER_SQL } from '../search/folders.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';

/** Times are Unix milliseconds. */
export type InvitationRow = {
  id: string;
  /** SHA-256 of the token in base64url. */
  token_hash: string;
  name: string;
  created: number;
  expires: number;
  revoked: number | null;
  accepted: number | null;
  /**
   * The user who accepted the invitation or sets a new password; null before an invitation is accepted, and after the
   * user was deleted.
   */
  user_id: string | null;
  /** The user who sets a new password; null for an invitation that creates a user. */
  password_of: string | null;
  folder: string | null;
  /** Id of a collection that is shared with the person who accepts; null if there is none or it was deleted. */
  collection: string | null;
};

const COLUMNS = 'id, token_hash, name, created, expires, revoked, accepted, user_id, password_of, folder, collection';

export type GuestStore = ReturnType<typeof createGuestStore>;

export const createGuestStore = (db: Database) => {
  const list = db.prepare<[], InvitationRow>(`SELECT ${COLUMNS} FROM invitations ORDER BY created DESC, id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM invitations').pluck();
  const findById = db.prepare<[string], InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE id = ?`);
  const findByTokenHash = db.prepare<[string], InvitationRow>(
    `SELECT ${COLUMNS} FROM invitations WHERE token_hash = ?`,
  );
  const insert = db.prepare<[InvitationRow]>(
    `INSERT INTO invitations (${COLUMNS})
     VALUES (:id, :token_hash, :name, :created, :expires, :revoked, :accepted, :user_id, :password_of, :folder,
       :collection)`,
  );
  const update = db.prepare<[InvitationRow]>(
    `UPDATE invitations SET token_hash = :token_hash, expires = :expires, revoked = :revoked, accepted = :accepted,
       user_id = :user_id WHERE id = :id`,
  );
  const remove = db.prepare('DELETE FROM invitations WHERE id = ?');
  const revokePasswordLinks = db.prepare<{ userId: string; time: number }>(
    `UPDATE invitations SET revoked = :time WHERE password_of = :userId AND accepted IS NULL AND revoked IS NULL`,
  );
  const insertFile = db.prepare('INSERT OR IGNORE INTO invitation_files (invitation, seq) VALUES (?, ?)');
  const files = db.prepare<[string], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM invitation_files i JOIN files f ON f.seq = i.seq
     WHERE i.invitation = ? AND f.status = 'Completed' ORDER BY f.name, f.seq`,
  );
  const grantedFiles = db.prepare<[string, number, number], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM file_grants g JOIN files f ON f.seq = g.seq
     WHERE g.user_id = ? AND f.status = 'Completed' ORDER BY g.seq DESC LIMIT ? OFFSET ?`,
  );
  const SINGLE_FILES = `SELECT p.seq FROM file_grants p JOIN files f ON f.seq = p.seq
    WHERE p.user_id = :userId AND p.content = 1 AND f.status = 'Completed'`;
  const FOLDER_FILES = `SELECT f.seq FROM ${GRANTED_FILES_SQL} AND g.user_id = :userId`;
  const COLLECTION_FILES = `SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL} CROSS JOIN files f ON f.seq = m.seq
    WHERE g.user_id = :userId AND f.status = 'Completed'`;
  const countReadable = db
    .prepare<{ userId: string; max: number }, number>(
      `SELECT count(*) FROM (SELECT seq FROM (${SINGLE_FILES} LIMIT :max)
         UNION SELECT seq FROM (${FOLDER_FILES} LIMIT :max)
         UNION SELECT seq FROM (${COLLECTION_FILES} LIMIT :max))`,
    )
    .pluck();
  const readableFiles = db.prepare<{ userId: string; take: number }, FileRow>(
    `SELECT ${FILE_COLUMNS} FROM files f WHERE f.seq IN (${SINGLE_FILES} UNION ${FOLDER_FILES} UNION ${COLLECTION_FILES})
     ORDER BY f.name, f.seq LIMIT :take`,
  );
  const listInFolder = db.prepare<{ folder: string; skip: number; take: number }, FileRow>(
    `SELECT ${FILE_COLUMNS} FROM files f WHERE f.seq IN (
       SELECT f.seq FROM files f INDEXED BY files_by_folder WHERE ${IN_FOLDER_SQL}
       ORDER BY f.seq DESC LIMIT :take OFFSET :skip)
     ORDER BY f.seq DESC`,
  );

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    findById: (id: string) => findById.get(id),
    findByTokenHash: (hash: string) => findByTokenHash.get(hash),
    files: (id: string) => files.all(id),
    insert(_tx: Transaction, row: InvitationRow, seqs: readonly number[]) {
      insert.run(row);
      for (const seq of seqs) insertFile.run(row.id, seq);
    },
    update: (_tx: Transaction, row: InvitationRow) => void update.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    revokePasswordLinks: (_tx: Transaction, userId: string, time: number) =>
      void revokePasswordLinks.run({ userId, time }),
    grantedFiles: (userId: string, page: { skip: number; take: number }) =>
      grantedFiles.all(userId, page.take, page.skip),
    /** Returns the files whose content the user may read, including files in shared folders and collections. */
    readableFiles: (userId: string, take: number) => readableFiles.all({ userId, take }),
    /** Counts the files whose content the user may read. The result is exact only if it is less than `max`. */
    countReadable: (userId: string, max: number) => countReadable.get({ userId, max }) ?? 0,
    listInFolder: (folder: string, page: { skip: number; take: number }) => listInFolder.all({ folder, ...page }),
  };
};
