import { Failure } from '../../../../platform/failure.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import { MAX_MAP_LINE_POINTS, MAX_MAP_LINES } from '../../../../wire/limits.ts';
import type { MapBounds, MapClusters, MapExtent, MapLines, MapRecords } from '../../../../wire/maps.ts';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import { mergeOverlapping } from '../../../core/map-clusters.ts';
import { connectPoints, parseGeometryLines } from './rules.ts';
import type { MapStore, PositionSelection } from './store.ts';

export type MapSelection = Omit<PositionSelection, 'endpoint'> & { endpoint: string };

export type MapService = ReturnType<typeof createMapService>;

const titleOf = ({ title }: { title: string | number | null }): string | null =>
  title === null ? null : String(title);

/**
 * Leaves out records above CHARTED_RECORD_MAX_BYTES. All methods throw Failure not_found if the endpoint does not
 * exist, and query_limit_exceeded if a read exceeds its limits.
 */
export const createMapService = (parts: { store: MapStore; endpoints: Pick<EndpointStore, 'summary'> }) => {
  const { store, endpoints } = parts;

  const resolve = ({ endpoint, ...positionAndTime }: MapSelection): { selection: PositionSelection; total: number } => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return { selection: { ...positionAndTime, endpoint: row.id }, total: row.records };
  };

  return {
    async extent(request: MapSelection): Promise<MapExtent> {
      const { selection, total } = resolve(request);
      const row = await mapReadErrors(store.extent(selection));
      const { records = 0, west = null, south = null, east = null, north = null, from = null, to = null } = row ?? {};
      return {
        bounds:
          west === null || south === null || east === null || north === null ? null : { west, south, east, north },
        records,
        excluded: Math.max(0, total - records),
        times: from === null || to === null ? null : { from, to },
      };
    },

    /**
     * Returns the largest clusters in an area. Merges those that would overlap.
     * @param title path of the field with the title
     */
    async clusters(
      request: MapSelection,
      bounds: MapBounds,
      zoom: number,
      title: string | undefined,
    ): Promise<MapClusters> {
      const { selection } = resolve(request);
      const rows = await mapReadErrors(store.clusters(selection, bounds, zoom, title));
      return {
        clusters: mergeOverlapping<MapClusters['clusters'][number]>(
          rows.map((row) => ({
            longitude: row.longitude,
            latitude: row.latitude,
            records: row.records,
            recordId: row.recordId,
            title: titleOf(row),
            bounds: { west: row.west, south: row.south, east: row.east, north: row.north },
          })),
          zoom,
          (merged) => ({ ...merged, recordId: null, title: null }),
        ),
        records: rows[0]?.total ?? 0,
      };
    },

    /**
     * Returns the lines of the geometries in an area, or lines that connect the positions in chronological order; none
     * for positions without a time field.
     */
    async lines(request: MapSelection, bounds: MapBounds, zoom: number): Promise<MapLines> {
      const { selection } = resolve(request);
      const { position, time } = selection;
      if ('geometry' in position) {
        const rows = await mapReadErrors(store.geometryLines(selection, position.geometry, bounds, zoom));
        return parseGeometryLines(rows, MAX_MAP_LINES, MAX_MAP_LINE_POINTS);
      }
      if (time === undefined) return { lines: [], isComplete: true };
      const points = await mapReadErrors(store.track(selection, bounds, zoom));
      const lines = connectPoints(points.slice(0, MAX_MAP_LINE_POINTS));
      return {
        lines: lines.slice(0, MAX_MAP_LINES),
        isComplete: points.length <= MAX_MAP_LINE_POINTS && lines.length <= MAX_MAP_LINES,
      };
    },

    async records(request: MapSelection, bounds: MapBounds, title: string | undefined): Promise<MapRecords> {
      const { selection } = resolve(request);
      const rows = await mapReadErrors(store.records(selection, bounds, title));
      return {
        records: rows.map((row) => ({
          recordId: row.recordId,
          longitude: row.longitude,
          latitude: row.latitude,
          title: titleOf(row),
        })),
        total: rows[0]?.total ?? 0,
      };
    },
  };
};
