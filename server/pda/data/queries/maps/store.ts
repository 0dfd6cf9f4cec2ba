import type { TimeFormat } from '../../../../wire/fields.ts';
import type { MapBounds } from '../../../../wire/maps.ts';
import { MAX_MAP_CLUSTERS, MAX_MAP_LINE_POINTS, MAX_MAP_LINES, MAX_MAP_RECORDS } from '../../../../wire/limits.ts';
import { cellSql, CLUSTER_CELLS, insideSql } from '../../../core/map-clusters.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { extractSql, numberSql, secondsSql, sqlReal, titleSql } from '../sql/extraction.ts';
import { valueSql } from '../sql/fields.ts';

export type PositionFields = { latitude: string; longitude: string } | { geometry: string };

/** Records with a position, optionally limited to an interval in Unix seconds. */
export type PositionSelection = {
  endpoint: number;
  position: PositionFields;
  time: { path: string; format: TimeFormat; from: number | undefined; to: number | undefined } | undefined;
};

/** Grid cells along one side of the world at zoom level 0, for simplifying lines: one per 4 pixels. */
const LINE_CELLS = 128;

/** Returns SQL for the longitude (index 0) or the latitude (index 1) of a field with GeoJSON. */
const geometrySql = (path: string, index: 0 | 1): string => {
  const valueOf = (member: string): string => valueSql(path === '' ? member : `${path}.${member}`).raw;
  // SQLite reads points itself. Other geometries are parsed in JavaScript, which takes several times longer.
  return `CASE WHEN ${valueOf('type')} = 'Point' THEN ${valueOf(`coordinates[${index}]`)}
    WHEN ${valueOf('type')} = 'Feature' AND ${valueOf('geometry.type')} = 'Point' THEN ${valueOf(`geometry.coordinates[${index}]`)}
    WHEN ${valueSql(path).type} = 'object' THEN ${index === 0 ? 'pda_longitude' : 'pda_latitude'}(${valueSql(path).raw}) END`;
};

/**
 * Returns SQL for the table `positions`: the records with a valid position and a time in the interval, if there is one.
 */
const positionsSql = ({ endpoint, position, time }: PositionSelection): string => {
  const [latitude, longitude] =
    'geometry' in position
      ? [geometrySql(position.geometry, 1), geometrySql(position.geometry, 0)]
      : [valueSql(position.latitude).raw, valueSql(position.longitude).raw];
  const columns = [
    'seq',
    `${latitude} AS raw_latitude`,
    `${longitude} AS raw_longitude`,
    `${time === undefined ? 'NULL' : valueSql(time.path).raw} AS raw_time`,
  ];
  const conditions = [
    'latitude BETWEEN -90 AND 90',
    'longitude BETWEEN -180 AND 180',
    ...(time?.from === undefined ? [] : [`time >= ${sqlReal(time.from)}`]),
    ...(time?.to === undefined ? [] : [`time <= ${sqlReal(time.to)}`]),
  ];
  return `${extractSql(columns.join(), endpoint)},
    positions AS MATERIALIZED (SELECT * FROM (
      SELECT seq, ${numberSql('raw_latitude')} AS latitude, ${numberSql('raw_longitude')} AS longitude,
        ${time === undefined ? 'NULL' : secondsSql('raw_time', time.format)} AS time
      FROM extracted) WHERE ${conditions.join(' AND ')})`;
};

const recordSql = (table: string, column: string): string =>
  `(SELECT ${column} FROM records WHERE records.seq = ${table}.seq)`;

type ExtentRow = { records: number } & Record<keyof MapBounds | 'from' | 'to', number | null>;

/** `total`: number of records in the area. */
type ClusterRow = MapBounds & {
  longitude: number;
  latitude: number;
  records: number;
  recordId: string | null;
  title: string | number | null;
  total: number;
};

/** Points with consecutive numbers are connected. */
export type LinePointRow = { longitude: number; latitude: number; number: number };

type RecordRow = Pick<ClusterRow, 'longitude' | 'latitude' | 'title' | 'total'> & { recordId: string };

/** Leaves out records above CHARTED_RECORD_MAX_BYTES. */
export const createMapStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  async extent(selection: PositionSelection) {
    const [row] = await reader.all<ExtentRow>(
      `${positionsSql(selection)}
       SELECT count(*) AS records, min(longitude) AS west, min(latitude) AS south, max(longitude) AS east,
         max(latitude) AS north, min(time) AS "from", max(time) AS "to" FROM positions`,
    );
    return row;
  },

  /** Returns the largest clusters in an area, in descending order. @param title path of the field with the title */
  clusters(selection: PositionSelection, bounds: MapBounds, zoom: number, title: string | undefined) {
    const { column, row } = cellSql(CLUSTER_CELLS * 2 ** zoom);
    return reader.all<ClusterRow>(
      `${positionsSql(selection)},
         cells AS (SELECT avg(longitude) AS longitude, avg(latitude) AS latitude, count(*) AS records, min(seq) AS seq,
           min(longitude) AS west, min(latitude) AS south, max(longitude) AS east, max(latitude) AS north,
           sum(count(*)) OVER () AS total
         FROM positions WHERE ${insideSql(bounds)} GROUP BY ${column}, ${row} ORDER BY 3 DESC, 4 LIMIT ${MAX_MAP_CLUSTERS})
       SELECT longitude, latitude, records, west, south, east, north, total,
         CASE records WHEN 1 THEN ${recordSql('cells', 'id')} END AS recordId,
         CASE records WHEN 1 THEN ${recordSql('cells', titleSql(title))} END AS title
       FROM cells`,
    );
  },

  /**
   * Returns the positions by time, latest first, without those in the same cell of a grid as the previous position. A
   * line that crosses the border of the area includes one point outside it.
   */
  track(selection: PositionSelection, bounds: MapBounds, zoom: number) {
    const { column, row } = cellSql(LINE_CELLS * 2 ** zoom);
    return reader.all<LinePointRow>(
      `${positionsSql(selection)},
         located AS (SELECT seq, time, longitude, latitude, ${insideSql(bounds)} AS inside, ${column} AS "column", ${row} AS "row"
           FROM positions WHERE time IS NOT NULL),
         ordered AS (SELECT *, lag("column") OVER by_time AS last_column, lag("row") OVER by_time AS last_row
           FROM located WINDOW by_time AS (ORDER BY time, seq)),
         numbered AS (SELECT longitude, latitude, inside, row_number() OVER by_time AS number,
             lag(inside) OVER by_time AS last_inside, lead(inside) OVER by_time AS next_inside
           FROM ordered WHERE "column" IS NOT last_column OR "row" IS NOT last_row
           WINDOW by_time AS (ORDER BY time, seq))
       SELECT longitude, latitude, number FROM numbered WHERE inside OR last_inside OR next_inside
       ORDER BY number DESC LIMIT ${MAX_MAP_LINE_POINTS + 1}`,
    );
  },

  /** Returns JSON texts with the lines of the newest geometries whose centre is in an area. */
  geometryLines(selection: PositionSelection, path: string, bounds: MapBounds, zoom: number) {
    return reader.all<{ lines: string }>(
      `${positionsSql(selection)}
       SELECT lines FROM (
         SELECT positions.seq, (SELECT pda_lines(${valueSql(path).raw}, ${sqlReal(360 / (LINE_CELLS * 2 ** zoom))})
             FROM records WHERE records.seq = positions.seq AND ${valueSql(path).type} = 'object') AS lines
         FROM positions WHERE ${insideSql(bounds)})
       WHERE lines IS NOT NULL ORDER BY seq DESC LIMIT ${MAX_MAP_LINES + 1}`,
    );
  },

  /** Returns the newest records in an area, newest first. @param title path of the field with the title */
  records(selection: PositionSelection, bounds: MapBounds, title: string | undefined) {
    return reader.all<RecordRow>(
      `${positionsSql(selection)},
         chosen AS (SELECT seq, longitude, latitude, count(*) OVER () AS total
           FROM positions WHERE ${insideSql(bounds)} ORDER BY seq DESC LIMIT ${MAX_MAP_RECORDS})
       SELECT ${recordSql('chosen', 'id')} AS recordId, longitude, latitude, ${recordSql('chosen', titleSql(title))} AS title, total
       FROM chosen ORDER BY seq DESC`,
    );
  },
});

export type MapStore = ReturnType<typeof createMapStore>;
