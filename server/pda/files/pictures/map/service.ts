import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { FileFilters } from '../../../../wire/files.ts';
import { MAX_MAP_CLUSTERS, MAX_MAP_RECORDS } from '../../../../wire/limits.ts';
import type { MapBounds } from '../../../../wire/maps.ts';
import type { PictureClusters, PictureExtent } from '../../../../wire/picture-map.ts';
import { type MapCluster, mergeOverlapping } from '../../../core/map-clusters.ts';
import type { FileRow, FileStore } from '../../store.ts';
import type { PictureMapStore } from './store.ts';

type Cluster = MapCluster & Pick<PictureClusters['clusters'][number], 'fileId' | 'title'>;

export type PictureMapService = ReturnType<typeof createPictureMapService>;

/** All methods throw Failure query_limit_exceeded if the read exceeds its limits. */
export const createPictureMapService = ({
  store,
  files,
}: {
  store: PictureMapStore;
  files: Pick<FileStore, 'findBySeq'>;
}) => ({
  async extent(filters: FileFilters): Promise<PictureExtent> {
    const row = await mapReadErrors(store.extent(filters));
    const { pictures = 0, west = null, south = null, east = null, north = null } = row ?? {};
    const isEmpty = west === null || south === null || east === null || north === null;
    return { bounds: isEmpty ? null : { west, south, east, north }, pictures };
  },

  async clusters(filters: FileFilters, bounds: MapBounds, zoom: number): Promise<PictureClusters> {
    const rows = await mapReadErrors(store.clusters(filters, bounds, zoom, MAX_MAP_CLUSTERS));
    const clusters = mergeOverlapping<Cluster>(
      rows.map(({ longitude, latitude, pictures, fileId, title, west, south, east, north }) => ({
        longitude,
        latitude,
        records: pictures,
        fileId,
        title: fileId === null ? null : title,
        bounds: { west, south, east, north },
      })),
      zoom,
      (mergedCluster) => ({ ...mergedCluster, fileId: null, title: null }),
    );
    return {
      clusters: clusters.map(({ records, ...cluster }) => ({ ...cluster, pictures: records })),
      pictures: rows[0]?.total ?? 0,
    };
  },

  async listNewest(filters: FileFilters, bounds: MapBounds): Promise<{ rows: FileRow[]; total: number }> {
    const newestRows = await mapReadErrors(store.listNewest(filters, bounds, MAX_MAP_RECORDS));
    return { rows: newestRows.flatMap(({ seq }) => files.findBySeq(seq) ?? []), total: newestRows[0]?.total ?? 0 };
  },
});
