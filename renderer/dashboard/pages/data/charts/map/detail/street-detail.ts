import { queryOptions, skipToken } from '@tanstack/react-query';
import { addProtocol, type RasterSourceSpecification, type VectorSourceSpecification } from 'maplibre-gl';
import { Protocol } from 'pmtiles';
import type { MapBounds } from '../../../../../../../server/wire/maps.ts';
import type { OwnerFile } from '../../../../../../shared/api/contract.ts';
import { describeArchive, openArchive } from './archive.ts';
import { createMapFileSource } from './map-file-source.ts';
import type { DetailProblem } from './problem.ts';
import { boundsOf, type VectorSchema } from './rules.ts';

export interface StreetDetail {
  source: VectorSourceSpecification | RasterSourceSpecification;
  schema: VectorSchema | 'raster';
  bounds: MapBounds | undefined;
  minZoom: number;
  /** Text or HTML from the file's author. */
  attribution: string;
  /** Returns the cause of a tile error: the cause of the last failed read, or `damaged` if no read failed. */
  tileProblem: () => DetailProblem;
}

/** Larger raster tiles are scaled down and therefore sharper. */
const RASTER_TILE_PX = 256;

const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

async function openStreetDetail(file: OwnerFile): Promise<StreetDetail> {
  const source = createMapFileSource(file);
  const archive = openArchive(source);
  const { header, schema, attribution } = await describeArchive(source, archive, file.file.status.size ?? 0);
  // Stays registered while the page is open, because several maps can draw the archive.
  protocol.add(archive);
  const bounds = boundsOf(header);
  const sharedOptions = {
    tiles: [`pmtiles://${source.getKey()}/{z}/{x}/{y}`],
    minzoom: header.minZoom,
    maxzoom: header.maxZoom,
    ...(bounds === undefined
      ? {}
      : { bounds: [bounds.west, bounds.south, bounds.east, bounds.north] satisfies [number, number, number, number] }),
  };
  return {
    source:
      schema === 'raster'
        ? { type: 'raster', tileSize: RASTER_TILE_PX, ...sharedOptions }
        : { type: 'vector', ...sharedOptions },
    schema,
    bounds,
    minZoom: header.minZoom,
    attribution,
    tileProblem: () => source.lastProblem() ?? 'damaged',
  };
}

/** Query that opens a map file; pending without a file. Each version of a file has its own query. */
export const streetDetail = (file: OwnerFile | undefined) =>
  queryOptions({
    queryKey: ['street-detail', file?.file.fileId, file?.sha256],
    queryFn: file === undefined ? skipToken : () => openStreetDetail(file),
    // The content of a version never changes, so a general refresh does not open the file again.
    staleTime: 'static',
    structuralSharing: false,
    retry: false,
  });
