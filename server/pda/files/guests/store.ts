import type { Database, Transaction } from '../../storage/index.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';

/** An invitation. Times are Unix milliseconds. */
export type InvitationRow = {
  id: string;
  /** SHA-256 of the token in base64url. */
  token_hash: string;
  name: string;
  created: number;
  expires: number;
  revoked: number | null;
  accepted: number | null;
  /** The user who accepted it; null after the user was deleted. */
  user_id: string | null;
};

const COLUMNS = 'id, token_hash, name, created, expires, revoked, accepted, user_id';

export type GuestStore = ReturnType<typeof createGuestStore>;

/** Creates the store of invitations, and of the files that are shared with a user. */
export const createGuestStore = (db: Database) => {
  const list = db.prepare<[], InvitationRow>(`SELECT ${COLUMNS} FROM invitations ORDER BY created DESC, id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM invitations').pluck();
  const byId = db.prepare<[string], InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE id = ?`);
  const byTokenHash = db.prepare<[string], InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE token_hash = ?`);
  const insert = db.prepare<[InvitationRow]>(
    `INSERT INTO invitations (${COLUMNS})
     VALUES (:id, :token_hash, :name, :created, :expires, :revoked, :accepted, :user_id)`,
  );
  const update = db.prepare<[InvitationRow]>(
    `UPDATE invitations SET token_hash = :token_hash, expires = :expires, revoked = :revoked, accepted = :accepted,
       user_id = :user_id WHERE id = :id`,
  );
  const remove = db.prepare('DELETE FROM invitations WHERE id = ?');
  const insertFile = db.prepare('INSERT OR IGNORE INTO invitation_files (invitation, seq) VALUES (?, ?)');
  const files = db.prepare<[string], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM invitation_files i JOIN files f ON f.seq = i.seq
     WHERE i.invitation = ? AND f.status = 'Completed' ORDER BY f.name, f.seq`,
  );
  const countGranted = db
    .prepare<[string], number>(
      `SELECT count(*) FROM file_grants g JOIN files f ON f.seq = g.seq WHERE g.user_id = ? AND f.status = 'Completed'`,
    )
    .pluck();
  const granted = db.prepare<[string, number, number], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM file_grants g JOIN files f ON f.seq = g.seq
     WHERE g.user_id = ? AND f.status = 'Completed' ORDER BY g.seq DESC LIMIT ? OFFSET ?`,
  );
  const readable = db.prepare<[string, number], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM file_grants g JOIN files f ON f.seq = g.seq
     WHERE g.user_id = ? AND g.content = 1 AND f.status = 'Completed' ORDER BY f.name, f.seq LIMIT ?`,
  );

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    byId: (id: string) => byId.get(id),
    byTokenHash: (hash: string) => byTokenHash.get(hash),
    /** Returns the files of an invitation that exist and are complete. */
    files: (id: string) => files.all(id),
    insert(_tx: Transaction, row: InvitationRow, seqs: readonly number[]) {
      insert.run(row);
      for (const seq of seqs) insertFile.run(row.id, seq);
    },
    /** Updates everything but the name and the files. */
    update: (_tx: Transaction, row: InvitationRow) => void update.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    /** Returns the number of complete files that are shared with a user. */
    countGranted: (userId: string) => countGranted.get(userId) ?? 0,
    /** Returns a page of the files that are shared with a user, the newest first. */
    granted: (userId: string, page: { skip: number; take: number }) => granted.all(userId, page.take, page.skip),
    /** Returns the files whose content a user may read. */
    readable: (userId: string, take: number) => readable.all(userId, take),
  };
};
