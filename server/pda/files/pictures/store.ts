import type { FileFilters, FileMonths, OwnerFilesQuery } from '../../../wire/files.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import type { FileSearchStore } from '../search/store.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';
import type { PictureDetails } from './rules.ts';

/** SQL of the details of pictures, which are columns of the table `files`. */
export type PictureStore = ReturnType<typeof createPictureStore>;

export const createPictureStore = (db: Database, search: Pick<FileSearchStore, 'matching'>) => {
  const unreadAfter = db
    .prepare<[number], number>(
      `SELECT seq FROM files INDEXED BY files_unread_pictures WHERE seq > ? AND picture_read = 0 AND kind = 'image' AND status = 'Completed'
       ORDER BY seq LIMIT 1`,
    )
    .pluck();
  const setDetails = db.prepare<[PictureDetails & { seq: number; sha256: string | null }]>(
    `UPDATE files SET taken = :taken, taken_local = :taken_local, latitude = :latitude, longitude = :longitude, camera = :camera,
       picture_read = 1 WHERE seq = :seq AND sha256 IS :sha256`,
  );
  const takenUntil = db.prepare<[{ until: number; skip: number; take: number }], FileRow>(
    `SELECT ${FILE_COLUMNS} FROM files f WHERE f.taken IS NOT NULL AND f.taken <= :until AND +f.status = 'Completed'
     ORDER BY f.taken DESC, f.seq DESC LIMIT :take OFFSET :skip`,
  );
  return {
    /** Returns a page of the pictures with a date taken, the last one first. @param until Unix milliseconds */
    takenUntil: (until: number, page: { skip: number; take: number }): FileRow[] => takenUntil.all({ until, ...page }),

    /** Counts files by the month in which they were taken, in the order of a list that is sorted by `taken`. */
    months(query: FileFilters & Pick<OwnerFilesQuery, 'order'>): FileMonths {
      const { from, where, values } = search.matching(query);
      return db
        .prepare<[typeof values], FileMonths[number]>(
          `SELECT substr(f.taken_local, 1, 7) AS month, count(*) AS files FROM ${from} WHERE ${where}
           GROUP BY substr(f.taken_local, 1, 7) ORDER BY substr(f.taken_local, 1, 7) ${query.order === 'ascending' ? 'ASC' : 'DESC'}`,
        )
        .all(values);
    },

    /** Returns the next picture after a sequence number that was not examined yet. */
    unreadAfter: (seq: number): number | undefined => unreadAfter.get(seq),
    /** Stores the details of a picture, unless its content was replaced. Returns true if they were stored. */
    setDetails: (_tx: Transaction, file: { seq: number; sha256: string | null }, details: PictureDetails): boolean =>
      setDetails.run({ ...details, seq: file.seq, sha256: file.sha256 }).changes > 0,
  };
};
