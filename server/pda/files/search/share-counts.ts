import type { FileReader } from '../../../wire/files.ts';
import { isInFolder } from '../../../wire/values.ts';
import type { Database } from '../../storage/index.ts';
import { GRANTED_COLLECTIONS_SQL } from '../collections/store.ts';
import { IN_GRANTED_FOLDER_SQL } from '../folder-grants/store.ts';
import { belowFolderSql } from './folders.ts';

/** Removes duplicates and folders within other folders, so that no file is counted twice. */
const outermostFolders = (folders: readonly string[]): string[] =>
  [...new Set(folders)].filter((folder) => !folders.some((other) => isInFolder(other, folder)));

const ENABLED_USERS_SQL = 'user_id IN (SELECT id FROM users WHERE enabled = 1)';

/** Counts files that are shared individually, in folders or in collections. No file is counted twice. */
export const createShareCounts = (db: Database) => {
  const countBelow = db
    .prepare<{ folder: string }, number>(
      `SELECT count(*) FROM files f INDEXED BY files_by_folder WHERE ${belowFolderSql(':folder')}`,
    )
    .pluck();
  const folders = db.prepare<[], { userId: string; folder: string }>(
    'SELECT user_id AS userId, folder FROM folder_grants',
  );
  const collections = db.prepare<[], { userId: string; collections: number }>(
    'SELECT user_id AS userId, count(*) AS collections FROM collection_grants GROUP BY user_id',
  );
  /** Counts individually granted files and files of shared collections that are in no shared folder. */
  const listedFiles = db.prepare<[], { userId: string; files: number; readable: number }>(
    `SELECT p.user_id AS userId, count(*) AS files, sum(p.content) AS readable
     FROM (SELECT user_id, seq, max(content) AS content FROM (
             SELECT user_id, seq, content FROM file_grants
             UNION ALL SELECT g.user_id, m.seq, 1 FROM ${GRANTED_COLLECTIONS_SQL}) GROUP BY user_id, seq) p
     CROSS JOIN files f ON f.seq = p.seq
     WHERE f.status = 'Completed' AND NOT EXISTS (
       SELECT 1 FROM folder_grants g WHERE g.user_id = p.user_id AND ${IN_GRANTED_FOLDER_SQL})
     GROUP BY p.user_id`,
  );

  const createFolderFileCounter = () => {
    const counts = new Map<string, number>();
    return (paths: readonly string[]): number => {
      let sum = 0;
      for (const folder of outermostFolders(paths)) {
        const count = counts.get(folder) ?? countBelow.get({ folder }) ?? 0;
        counts.set(folder, count);
        sum += count;
      }
      return sum;
    };
  };

  const prepareSharedFileCount = (usersSql: string) => {
    const sharedFolders = db.prepare<[], string>(`SELECT DISTINCT folder FROM folder_grants WHERE ${usersSql}`).pluck();
    const countListedFiles = db
      .prepare<[], number>(
        `SELECT count(*) FROM (SELECT seq FROM file_grants WHERE ${usersSql}
           UNION SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL} WHERE ${usersSql}) p CROSS JOIN files f ON f.seq = p.seq
         WHERE f.status = 'Completed' AND NOT EXISTS (
           SELECT 1 FROM folder_grants g WHERE ${usersSql} AND ${IN_GRANTED_FOLDER_SQL})`,
      )
      .pluck();
    return (): number => createFolderFileCounter()(sharedFolders.all()) + (countListedFiles.get() ?? 0);
  };

  return {
    /** Counts complete files that are shared with any user, including users who cannot sign in. */
    countSharedFiles: prepareSharedFileCount('1'),
    /** Counts complete files that are shared with users who can sign in. */
    countAccessibleFiles: prepareSharedFileCount(ENABLED_USERS_SQL),
    /** Returns the users with whom files, folders or collections are shared. The user with the most files is first. */
    readers(): Omit<FileReader, 'name'>[] {
      const countFiles = createFolderFileCounter();
      const readers = new Map<string, Omit<FileReader, 'name'>>();
      const readerOf = (userId: string): Omit<FileReader, 'name'> =>
        readers.get(userId) ?? { userId, files: 0, readable: 0, folders: 0, collections: 0 };
      for (const { userId, files, readable } of listedFiles.all())
        readers.set(userId, { ...readerOf(userId), files, readable });
      for (const [userId, grants] of Map.groupBy(folders.all(), (grant) => grant.userId)) {
        const count = countFiles(grants.map(({ folder }) => folder));
        const reader = readerOf(userId);
        readers.set(userId, {
          ...reader,
          files: count + reader.files,
          readable: count + reader.readable,
          folders: grants.length,
        });
      }
      for (const { userId, collections: count } of collections.all())
        readers.set(userId, { ...readerOf(userId), collections: count });
      return [...readers.values()].toSorted((a, b) => b.files - a.files);
    },
  };
};

export type ShareCounts = ReturnType<typeof createShareCounts>;
