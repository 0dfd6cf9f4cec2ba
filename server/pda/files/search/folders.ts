import type { Database } from '../../storage/index.ts';
import { pathBounds } from '../rules.ts';

export const FOLDERS_MAX = 500;
/**
 * Folder of the file `f`, including the trailing `/`; empty for the top folder. Must equal the expression of the index
 * `files_by_folder`.
 */
const FOLDER_SQL = "rtrim(f.path, replace(f.path, '/', ''))";
export const IN_FOLDER_SQL = `f.status = 'Completed' AND ${FOLDER_SQL} = :folder || '/'`;
export const belowFolderSql = (folder: string): string =>
  `f.status = 'Completed' AND ${FOLDER_SQL} >= ${folder} || '/' AND ${FOLDER_SQL} < ${folder} || '0'`;
/** Name of the subfolder of `:lower` that is or contains `step.folder`. */
const NAME_SQL = "substr(step.folder, length(:lower) + 1, instr(substr(step.folder, length(:lower) + 1), '/') - 1)";

export const createFolderStore = (db: Database) => {
  // Jumps from one subfolder to the next, so that the work depends on the number of subfolders, not on the number of
  // files.
  const subfolders = db
    .prepare<[{ lower: string; upper: string; take: number }], string>(
      `WITH RECURSIVE step (folder) AS (
         SELECT (SELECT min(${FOLDER_SQL}) FROM files f
                 WHERE f.status = 'Completed' AND ${FOLDER_SQL} > :lower AND ${FOLDER_SQL} < :upper)
         UNION ALL
         SELECT (SELECT min(${FOLDER_SQL}) FROM files f
                 WHERE f.status = 'Completed' AND ${FOLDER_SQL} < :upper
                   AND ${FOLDER_SQL} >= :lower || ${NAME_SQL} || '0')
         FROM step WHERE folder IS NOT NULL LIMIT :take
       )
       SELECT ${NAME_SQL} FROM step WHERE folder IS NOT NULL`,
    )
    .pluck();
  return {
    subfolders: (folder: string, take: number): string[] => subfolders.all({ ...pathBounds(folder), take }),
  };
};
