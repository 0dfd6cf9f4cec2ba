import { MAX_TIMELINE_DAYS } from '../../../wire/limits.ts';
import type { Database, DatabaseThread } from '../../storage/index.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';

export const createPictureDayStore = (db: Database, reader: Pick<DatabaseThread, 'all'>) => {
  const listOnDay = db.prepare<[{ day: string; end: string; skip: number; take: number }], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM files f INDEXED BY files_by_taken
     WHERE f.status = 'Completed' AND f.taken_local >= :day AND f.taken_local < :end
     ORDER BY f.taken_local DESC, f.seq DESC LIMIT :take OFFSET :skip`,
  );
  return {
    countByDay: (): Promise<{ day: string; items: number }[]> =>
      reader.all<{ day: string; items: number }>(
        `SELECT substr(taken_local, 1, 10) AS day, count(*) AS items FROM files INDEXED BY files_by_taken
         WHERE status = 'Completed' AND taken_local IS NOT NULL GROUP BY 1 ORDER BY 1 DESC LIMIT ${MAX_TIMELINE_DAYS}`,
      ),
    /** Returns the pictures taken on a day, the latest first. @param day for example `2026-03-01` */
    listOnDay: (day: string, page: { skip: number; take: number }): FileRow[] =>
      // Times begin with the day and a T, which precedes U.
      listOnDay.all({ day, end: `${day}U`, ...page }),
  };
};
