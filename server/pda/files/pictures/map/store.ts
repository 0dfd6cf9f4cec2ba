import type { FileFilters } from '../../../../wire/files.ts';
import { MAX_RECORD_TITLE_CHARS } from '../../../../wire/limits.ts';
import type { MapBounds } from '../../../../wire/maps.ts';
import { cellSql, CLUSTER_CELLS, insideSql } from '../../../core/map-clusters.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { readerCondition } from '../../search/criteria.ts';

type ExtentRow = {
  pictures: number;
  west: number | null;
  south: number | null;
  east: number | null;
  north: number | null;
};

type PictureClusterRow = MapBounds & {
  longitude: number;
  latitude: number;
  pictures: number;
  fileId: string | null;
  title: string | null;
  /** Number of pictures in all cells, including omitted ones. */
  total: number;
};

/** All methods run in a reader thread. They find the pictures that have a place through the index `files_places`. */
export const createPictureMapStore = (reader: Pick<DatabaseThread, 'all'>) => {
  /** @param statement reads the table `places`, which contains the matching pictures */
  const readPlaces = <Row>(filters: FileFilters, statement: string): Promise<Row[]> => {
    const { sql, parameters } = readerCondition(filters);
    return reader.all<Row>(
      `WITH places AS (SELECT f.seq, f.latitude, f.longitude FROM files f INDEXED BY files_places
         WHERE f.latitude IS NOT NULL AND f.status = 'Completed' AND ${sql})
       ${statement}`,
      parameters,
    );
  };

  return {
    async extent(filters: FileFilters): Promise<ExtentRow | undefined> {
      const [row] = await readPlaces<ExtentRow>(
        filters,
        `SELECT count(*) AS pictures, min(longitude) AS west, min(latitude) AS south, max(longitude) AS east,
           max(latitude) AS north FROM places`,
      );
      return row;
    },

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

    listNewest(filters: FileFilters, bounds: MapBounds, limit: number): Promise<{ seq: number; total: number }[]> {
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
