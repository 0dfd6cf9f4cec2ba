import type { Database } from '../../storage/index.ts';
import { createGrantStore } from '../grants/store.ts';
import { foldersOfPath } from '../rules.ts';
import { belowFolderSql } from '../search/folders.ts';

/** FROM and WHERE clauses of the complete files `f` in the granted folders `g`, read from an index. */
export const GRANTED_FILES_SQL = `folder_grants g CROSS JOIN files f INDEXED BY files_by_folder WHERE ${belowFolderSql('g.folder')}`;
/**
 * Condition: the file `f` is complete and in a granted folder `g`. Uses no index, but checks the path of a row that has
 * already been read.
 */
export const IN_GRANTED_FOLDER_SQL =
  "f.status = 'Completed' AND f.path >= g.folder || '/' AND f.path < g.folder || '0'";

export type FolderGrantStore = ReturnType<typeof createFolderGrantStore>;

export const createFolderGrantStore = (db: Database) => {
  const grants = createGrantStore(db, 'folder_grants', 'folder');
  return {
    ...grants,
    listGrantsContaining: (path: string) => grants.listByTargets(foldersOfPath(path)),
    includes: (userId: string, path: string) => grants.includesAny(userId, foldersOfPath(path)),
  };
};
