import type { MapBounds } from '../../wire/maps.ts';
import { projectPosition } from '../../wire/mercator.ts';

// Clusters of map positions: SQL that groups positions by a grid, and a rule that merges overlapping groups.

/** Grid cells along one side of the world at zoom level 0: one per 64 pixels. */
export const CLUSTER_CELLS = 8;

/** Highest latitude of the grid. Up to this latitude, the world is a square in the Web Mercator projection. */
const MERCATOR_MAX_LATITUDE = 85.051129;

/** Returns the SQL condition that `longitude` and `latitude` are within bounds. @param bounds finite numbers */
export const insideSql = ({ west, south, east, north }: MapBounds): string => {
  const longitudes =
    west <= east ? `longitude BETWEEN ${west} AND ${east}` : `(longitude >= ${west} OR longitude <= ${east})`;
  return `(latitude BETWEEN ${south} AND ${north} AND ${longitudes})`;
};

/** Returns SQL expressions for the grid column and row of the position `longitude`, `latitude`. */
export const cellSql = (cells: number): { column: string; row: string } => {
  const latitude = `max(-${MERCATOR_MAX_LATITUDE}, min(${MERCATOR_MAX_LATITUDE}, latitude))`;
  return {
    column: `CAST((longitude + 180.0) / 360.0 * ${cells} AS INTEGER)`,
    row: `CAST((0.5 - ln(tan(pi() / 4 + radians(${latitude}) / 2)) / (2 * pi())) * ${cells} AS INTEGER)`,
  };
};

export type MapCluster = { longitude: number; latitude: number; records: number; bounds: MapBounds };

/**
 * Clusters closer than this at a whole zoom level are merged. Displayed distances can be up to twice as large, because
 * a map between two zoom levels is enlarged.
 */
const MIN_DISTANCE_PX = 28;

/** Returns the position in the Web Mercator projection, in units of the minimum distance. */
const gridPosition = ({ longitude, latitude }: MapCluster, zoom: number): { x: number; y: number } => {
  const { x, y } = projectPosition(longitude, latitude, { zoom, left: 0, top: 0 });
  return { x: x / MIN_DISTANCE_PX, y: y / MIN_DISTANCE_PX };
};

const mergeClusters = (a: MapCluster, b: MapCluster): MapCluster => {
  const records = a.records + b.records;
  const mean = (first: number, second: number): number => (first * a.records + second * b.records) / records;
  return {
    longitude: mean(a.longitude, b.longitude),
    latitude: mean(a.latitude, b.latitude),
    records,
    bounds: {
      west: Math.min(a.bounds.west, b.bounds.west),
      south: Math.min(a.bounds.south, b.bounds.south),
      east: Math.max(a.bounds.east, b.bounds.east),
      north: Math.max(a.bounds.north, b.bounds.north),
    },
  };
};

/**
 * Merges clusters that would overlap because their positions lie at the edges of neighbouring cells.
 * @param clusters the largest first
 * @param toCluster adds the properties of a cluster with several records
 */
export const mergeOverlapping = <Cluster extends MapCluster>(
  clusters: readonly Cluster[],
  zoom: number,
  toCluster: (merged: MapCluster) => Cluster,
): Cluster[] => {
  const merged: Cluster[] = [];
  /**
   * Merged clusters by grid cell: index in `merged`, and position of the largest member. A cell can contain several
   * clusters that do not overlap.
   */
  const anchorsByCell = new Map<string, { index: number; x: number; y: number }[]>();
  for (const cluster of clusters) {
    const { x, y } = gridPosition(cluster, zoom);
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const anchor = [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].flatMap((dy) => anchorsByCell.get(`${column + dx} ${row + dy}`) ?? []))
      .find((candidate) => Math.hypot(candidate.x - x, candidate.y - y) < 1);
    const larger = anchor === undefined ? undefined : merged[anchor.index];
    if (anchor !== undefined && larger !== undefined) merged[anchor.index] = toCluster(mergeClusters(larger, cluster));
    else {
      const cell = `${column} ${row}`;
      anchorsByCell.set(cell, [...(anchorsByCell.get(cell) ?? []), { index: merged.length, x, y }]);
      merged.push(cluster);
    }
  }
  return merged;
};
