import type { Database, Transaction } from '../../storage/index.ts';
import { foldersOfPath } from '../rules.ts';
import { belowFolderSql } from '../search/folders.ts';

/** A folder that is shared with a user. `created`: Unix milliseconds. */
export type FolderGrantRow = {
  id: string;
  user_id: string;
  /** Path below files/, without a trailing slash. */
  folder: string;
  created: number;
};

const COLUMNS = 'id, user_id, folder, created';

/** FROM and WHERE clauses of the complete files `f` in the granted folders `g`, read from an index. */
export const GRANTED_FILES_SQL = `folder_grants g CROSS JOIN files f INDEXED BY files_by_folder WHERE ${belowFolderSql('g.folder')}`;
/** Condition: the file `f` is complete and in a granted folder `g`. Checks the path of a row that is already read. */
export const IN_GRANTED_FOLDER_SQL =
  "f.status = 'Completed' AND f.path >= g.folder || '/' AND f.path < g.folder || '0'";

export type FolderGrantStore = ReturnType<typeof createFolderGrantStore>;

export const createFolderGrantStore = (db: Database) => {
  const list = db.prepare<[], FolderGrantRow>(`SELECT ${COLUMNS} FROM folder_grants ORDER BY folder, user_id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM folder_grants').pluck();
  const byId = db.prepare<[string], FolderGrantRow>(`SELECT ${COLUMNS} FROM folder_grants WHERE id = ?`);
  const find = db.prepare<[string, string], FolderGrantRow>(
    `SELECT ${COLUMNS} FROM folder_grants WHERE user_id = ? AND folder = ?`,
  );
  const ofUser = db.prepare<[string], FolderGrantRow>(
    `SELECT ${COLUMNS} FROM folder_grants WHERE user_id = ? ORDER BY folder`,
  );
  const ofFolders = db.prepare<[string], FolderGrantRow>(
    `SELECT ${COLUMNS} FROM folder_grants WHERE folder IN (SELECT value FROM json_each(?)) ORDER BY folder, user_id`,
  );
  const includes = db
    .prepare<[string, string], number>(
      'SELECT 1 FROM folder_grants WHERE user_id = ? AND folder IN (SELECT value FROM json_each(?)) LIMIT 1',
    )
    .pluck();
  const insert = db.prepare<[FolderGrantRow]>(
    `INSERT INTO folder_grants (${COLUMNS}) VALUES (:id, :user_id, :folder, :created)`,
  );
  const remove = db.prepare('DELETE FROM folder_grants WHERE id = ?');
  const removeOfUser = db.prepare('DELETE FROM folder_grants WHERE user_id = ?');

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    byId: (id: string) => byId.get(id),
    find: (userId: string, folder: string) => find.get(userId, folder),
    ofUser: (userId: string) => ofUser.all(userId),
    /** Returns the grants of all folders that contain a path. */
    containing: (path: string) => ofFolders.all(JSON.stringify(foldersOfPath(path))),
    /** Returns true if a folder that contains the path is shared with the user. */
    includes: (userId: string, path: string) => includes.get(userId, JSON.stringify(foldersOfPath(path))) !== undefined,
    insert: (_tx: Transaction, row: FolderGrantRow) => void insert.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    removeOfUser: (_tx: Transaction, userId: string) => void removeOfUser.run(userId),
  };
};
