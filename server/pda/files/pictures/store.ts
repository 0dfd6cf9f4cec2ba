import type { FileFilters, FileMonths, OwnerFilesQuery, PlaceCountInput, PlaceCounts } from '../../../wire/files.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { belowFolderSql } from '../search/folders.ts';
import type { FileSearchStore } from '../search/store.ts';
import type { PictureDetails } from './rules.ts';

/**
 * Maximum number of files among which places are counted. The counts for more files are incomplete, so that counting
 * does not delay other requests.
 */
export const PLACE_COUNT_FILES_MAX = 5000;

/** The details of pictures are columns of the table `files`. */
export type PictureStore = ReturnType<typeof createPictureStore>;

export const createPictureStore = (db: Database, search: Pick<FileSearchStore, 'clausesOf'>) => {
  const findUnreadAfter = db
    .prepare<[number], number>(
      `SELECT seq FROM files INDEXED BY files_unread_pictures WHERE seq > ? AND picture_read = 0 AND kind = 'image' AND status = 'Completed'
       ORDER BY seq LIMIT 1`,
    )
    .pluck();
  const setDetails = db.prepare<[PictureDetails & { seq: number; sha256: string | null }]>(
    `UPDATE files SET taken = :taken, taken_local = :taken_local, latitude = :latitude, longitude = :longitude, camera = :camera,
       picture_read = 1 WHERE seq = :seq AND sha256 IS :sha256`,
  );
  /** @param source selects the complete files `f` of `:content` */
  const preparePlaceCount = (source: string) =>
    db.prepare<
      [{ content: string; take: number }],
      { files: number; pictures: number; places: number; unread: number }
    >(
      `SELECT count(*) AS files, coalesce(sum(kind = 'image'), 0) AS pictures,
         coalesce(sum(kind = 'image' AND latitude IS NOT NULL), 0) AS places,
         coalesce(sum(kind = 'image' AND picture_read = 0), 0) AS unread
       FROM (SELECT f.kind, f.latitude, f.picture_read FROM ${source} LIMIT :take)`,
    );
  const countAmongFiles = preparePlaceCount(
    "files f WHERE f.file_id IN (SELECT value FROM json_each(:content)) AND f.status = 'Completed'",
  );
  const countBelowFolder = preparePlaceCount(`files f INDEXED BY files_by_folder WHERE ${belowFolderSql(':content')}`);
  const countInCollection = preparePlaceCount(
    "collection_files m CROSS JOIN files f ON f.seq = m.seq WHERE m.collection = :content AND f.status = 'Completed'",
  );
  return {
    /**
     * Counts the pictures, and those that have a place. The counts are incomplete for more than `PLACE_COUNT_FILES_MAX`
     * files, and while pictures are unread. Unknown files are ignored; unknown folders and collections count as empty.
     */
    countPlaces({ fileIds = [], folder, collectionId }: PlaceCountInput): PlaceCounts {
      const take = PLACE_COUNT_FILES_MAX + 1;
      const row =
        folder !== undefined
          ? countBelowFolder.get({ content: folder, take })
          : collectionId !== undefined
            ? countInCollection.get({ content: collectionId, take })
            : countAmongFiles.get({ content: JSON.stringify(fileIds), take });
      const { files, pictures, places, unread } = row ?? { files: 0, pictures: 0, places: 0, unread: 0 };
      return { pictures, places, complete: files <= PLACE_COUNT_FILES_MAX && unread === 0 };
    },

    countByMonth(query: FileFilters & Pick<OwnerFilesQuery, 'order'>): FileMonths {
      const { from, where, values } = search.clausesOf(query);
      return db
        .prepare<[typeof values], FileMonths[number]>(
          `SELECT substr(f.taken_local, 1, 7) AS month, count(*) AS files FROM ${from} WHERE ${where}
           GROUP BY substr(f.taken_local, 1, 7) ORDER BY substr(f.taken_local, 1, 7) ${query.order === 'ascending' ? 'ASC' : 'DESC'}`,
        )
        .all(values);
    },

    findUnreadAfter: (seq: number): number | undefined => findUnreadAfter.get(seq),
    /** Returns false and has no effect if the content was replaced. */
    setDetails: (_tx: Transaction, file: { seq: number; sha256: string | null }, details: PictureDetails): boolean =>
      setDetails.run({ ...details, seq: file.seq, sha256: file.sha256 }).changes > 0,
  };
};
