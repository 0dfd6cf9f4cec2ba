import type { Database, Transaction } from '../../storage/index.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';

/** Times are Unix milliseconds. */
export type ShareLinkRow = {
  id: string;
  token: string;
  name: string;
  /** Path below files/, or null. */
  folder: string | null;
  /** Id of a collection, or null. */
  collection: string | null;
  created: number;
  expires: number | null;
  password_hash: string | null;
  view_only: number;
  opens_max: number | null;
  opens: number;
  last_opened: number | null;
};

const COLUMNS =
  'id, token, name, folder, collection, created, expires, password_hash, view_only, opens_max, opens, last_opened';

export type ShareLinkStore = ReturnType<typeof createShareLinkStore>;

export const createShareLinkStore = (db: Database) => {
  const list = db.prepare<[], ShareLinkRow>(`SELECT ${COLUMNS} FROM share_links ORDER BY created DESC, id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM share_links').pluck();
  const findById = db.prepare<[string], ShareLinkRow>(`SELECT ${COLUMNS} FROM share_links WHERE id = ?`);
  const findByToken = db.prepare<[string], ShareLinkRow>(`SELECT ${COLUMNS} FROM share_links WHERE token = ?`);
  const insert = db.prepare<[ShareLinkRow]>(
    `INSERT INTO share_links (${COLUMNS})
     VALUES (:id, :token, :name, :folder, :collection, :created, :expires, :password_hash, :view_only, :opens_max, :opens,
       :last_opened)`,
  );
  const insertFile = db.prepare('INSERT OR IGNORE INTO share_link_files (link, seq) VALUES (?, ?)');
  const update = db.prepare<[ShareLinkRow]>(
    `UPDATE share_links SET name = :name, expires = :expires, password_hash = :password_hash, view_only = :view_only,
       opens_max = :opens_max WHERE id = :id`,
  );
  const addOpen = db.prepare('UPDATE share_links SET opens = opens + 1, last_opened = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM share_links WHERE id = ?');
  const removeAll = db.prepare('DELETE FROM share_links');
  const files = db.prepare<[string], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM share_link_files l JOIN files f ON f.seq = l.seq
     WHERE l.link = ? AND f.status = 'Completed' ORDER BY f.name, f.seq`,
  );
  const fileNames = db.prepare<[string], { fileId: string; name: string }>(
    `SELECT f.file_id AS fileId, f.name FROM share_link_files l JOIN files f ON f.seq = l.seq
     WHERE l.link = ? AND f.status = 'Completed' ORDER BY f.name, f.seq`,
  );
  const hasFile = db
    .prepare<[string, number], number>('SELECT 1 FROM share_link_files WHERE link = ? AND seq = ?')
    .pluck();

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    findById: (id: string) => findById.get(id),
    findByToken: (token: string) => findByToken.get(token),
    files: (id: string) => files.all(id),
    fileNames: (id: string) => fileNames.all(id),
    hasFile: (id: string, seq: number) => hasFile.get(id, seq) !== undefined,
    insert(_tx: Transaction, row: ShareLinkRow, seqs: readonly number[]) {
      insert.run(row);
      for (const seq of seqs) insertFile.run(row.id, seq);
    },
    update: (_tx: Transaction, row: ShareLinkRow) => void update.run(row),
    addOpen: (_tx: Transaction, id: string, time: number) => void addOpen.run(time, id),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    removeAll: (_tx: Transaction) => void removeAll.run(),
  };
};
