import type { FileFilters } from '../../../../wire/files.ts';
import { MAX_RECORD_TITLE_CHARS } from '../../../../wire/limits.ts';
import type { MapBounds } from '../../../../wire/maps.ts';
import { cellSql, CLUSTER_CELLS, insideSql } from '../../../core/map-clusters.ts';
import type { Database, DatabaseThread } from '../../../storage/index.ts';
import type { FileSearchStore } from '../../search/store.ts';

/** SQL of the places of pictures. Places are read in a reader thread, and only from an index. */

type ExtentRow = {
  pictures: number;
  west: number | null;
  south: number | null;
  east: number | null;
  north: number | null;
};

/** Pictures of one cell. `total` is the number of pictures in all cells. */
export type PictureClusterRow = MapBounds & {
  longitude: number;
  latitude: number;
  pictures: number;
  fileId: string | null;
  title: string | null;
  total: number;
};

/** Returns true if filters leave out pictures. Only pictures have a place, so their kind is no filter. */
const hasFilters = ({ search, source, tag, kind, show, folder, collection, visibleTo }: FileFilters): boolean =>
  show !== 'here' ||
  (kind !== undefined && kind !== 'image') ||
  [search.trim(), source, tag, folder, collection ?? '', visibleTo ?? ''].some((text) => text !== '');

export const createPictureMapStore = (
  db: Database,
  reader: Pick<DatabaseThread, 'all'>,
  search: Pick<FileSearchStore, 'matching'>,
) => {
  /** Returns the sequence numbers of the matching pictures with a place as JSON; none if all pictures match. */
  const matchingSeqs = (filters: FileFilters): string[] => {
    if (!hasFilters(filters)) return [];
    const { from, where, values } = search.matching(filters);
    const seqs = db
      .prepare<[typeof values], string>(
        `SELECT json_group_array(f.seq) FROM ${from} WHERE ${where} AND f.latitude IS NOT NULL`,
      )
      .pluck()
      .get(values);
    return [seqs ?? '[]'];
  };

  /** Reads from the table `places`: sequence number, latitude and longitude of the matching pictures. */
  const readPlaces = <Row>(filters: FileFilters, statement: string): Promise<Row[]> => {
    const seqs = matchingSeqs(filters);
    const isMatching = seqs.length === 0 ? '' : ' AND seq IN (SELECT value FROM json_each(?))';
    return reader.all<Row>(
      `WITH places AS (SELECT seq, latitude, longitude FROM files INDEXED BY files_places
         WHERE latitude IS NOT NULL AND status = 'Completed'${isMatching})
       ${statement}`,
      seqs,
    );
  };

  return {
    /** Returns the number of pictures with a place, and the smallest area with all of them. */
    async extent(filters: FileFilters): Promise<ExtentRow | undefined> {
      const [row] = await readPlaces<ExtentRow>(
        filters,
        `SELECT count(*) AS pictures, min(longitude) AS west, min(latitude) AS south, max(longitude) AS east,
           max(latitude) AS north FROM places`,
      );
      return row;
    },

    /** Groups the pictures in an area by the cells of a grid, the largest groups first. */
    clusters(filters: FileFilters, bounds: MapBounds, zoom: number, limit: number): Promise<PictureClusterRow[]> {
      const { column, row } = cellSql(CLUSTER_CELLS * 2 ** zoom);
      return readPlaces<PictureClusterRow>(
        filters,
        `, cells AS (SELECT avg(longitude) AS longitude, avg(latitude) AS latitude, count(*) AS pictures, min(seq) AS seq,
           min(longitude) AS west, min(latitude) AS south, max(longitude) AS east, max(latitude) AS north,
           sum(count(*)) OVER () AS total
         FROM places WHERE ${insideSql(bounds)} GROUP BY ${column}, ${row} ORDER BY 3 DESC, 4 LIMIT ${limit})
       SELECT cells.longitude, cells.latitude, pictures, west, south, east, north, total, f.file_id AS fileId,
         substr(coalesce(nullif(trim(f.title), ''), f.name), 1, ${MAX_RECORD_TITLE_CHARS}) AS title
       FROM cells LEFT JOIN files f ON f.seq = cells.seq AND pictures = 1 ORDER BY pictures DESC, cells.seq`,
      );
    },

    /** Returns the sequence numbers of the pictures in an area that were taken last, and the number of all. */
    newestIn(filters: FileFilters, bounds: MapBounds, limit: number): Promise<{ seq: number; total: number }[]> {
      return readPlaces(
        filters,
        `SELECT f.seq, count(*) OVER () AS total
         FROM (SELECT seq AS place_seq FROM places WHERE ${insideSql(bounds)}) CROSS JOIN files f ON f.seq = place_seq
         ORDER BY f.taken DESC, f.seq DESC LIMIT ${limit}`,
      );
    },
  };
};

export type PictureMapStore = ReturnType<typeof createPictureMapStore>;
