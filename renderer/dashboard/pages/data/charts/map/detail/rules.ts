import { Compression, type Header, TileType } from 'pmtiles';
import type { MapBounds } from '../../../../../../../server/wire/maps.ts';
import { DetailError, type DetailProblem } from './problem.ts';

// Map files can come from anyone, so no value in them is trusted.

/** `protomaps`: version 4 of the Protomaps schema. */
export type VectorSchema = 'protomaps' | 'openMapTiles';

const SPEC_VERSION = 3;
/** Highest zoom level at which PMTiles computes tile ids exactly. */
const MAX_TILE_ZOOM = 26;
/** Maximum size of a read, above that of the largest tiles, directories and metadata that the map accepts. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

const RASTER_TYPES: ReadonlySet<TileType> = new Set([TileType.Png, TileType.Jpeg, TileType.Webp, TileType.Avif]);
const COMPRESSIONS: ReadonlySet<Compression> = new Set([Compression.None, Compression.Gzip]);

export const isRaster = ({ tileType }: Pick<Header, 'tileType'>): boolean => RASTER_TYPES.has(tileType);

/** Returns a problem in the header; undefined if there is none. @param size bytes of the file */
export const headerProblem = (header: Header, size: number): DetailProblem | undefined => {
  if (header.specVersion !== SPEC_VERSION) return 'unsupported';
  const ends = [
    header.rootDirectoryOffset + header.rootDirectoryLength,
    header.jsonMetadataOffset + header.jsonMetadataLength,
    header.leafDirectoryOffset + (header.leafDirectoryLength ?? 0),
    header.tileDataOffset + (header.tileDataLength ?? 0),
  ];
  if (ends.some((end) => end > size)) return 'incomplete';
  if (header.tileType !== TileType.Mvt && !isRaster(header)) return 'unsupported';
  if (!COMPRESSIONS.has(header.internalCompression) || !COMPRESSIONS.has(header.tileCompression)) return 'unsupported';
  return header.minZoom > header.maxZoom || header.maxZoom > MAX_TILE_ZOOM ? 'damaged' : undefined;
};

/** Returns undefined if the header contains no valid area. */
export const boundsOf = ({ minLon, minLat, maxLon, maxLat }: Header): MapBounds | undefined => {
  const isValid =
    minLon >= -180 && maxLon <= 180 && minLon < maxLon && minLat >= -90 && maxLat <= 90 && minLat < maxLat;
  return isValid ? { west: minLon, south: minLat, east: maxLon, north: maxLat } : undefined;
};

/**
 * @param size bytes of the file; the first read, at offset 0, may be longer than the file
 * @throws {DetailError} if the file or the range is empty, or if the range is too large or outside the file
 */
export const rangeHeader = (offset: number, length: number, size: number): string => {
  const end = offset === 0 ? Math.min(length, size) : offset + length;
  if (size === 0) throw new DetailError('notMapFile');
  if (!Number.isSafeInteger(offset) || offset < 0 || !(end > offset) || end - offset > MAX_READ_BYTES)
    throw new DetailError('damaged');
  if (end > size) throw new DetailError('incomplete');
  return `bytes=${offset}-${end - 1}`;
};

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Detects the schema by the layer names; undefined if it is unknown. */
export const vectorSchemaOf = (metadata: unknown): VectorSchema | undefined => {
  const layers = propertyOf(metadata, 'vector_layers');
  if (!Array.isArray(layers)) return undefined;
  const ids = new Set(layers.map((layer) => propertyOf(layer, 'id')));
  if (ids.has('transportation')) return 'openMapTiles';
  // Earlier versions of the Protomaps schema have a layer `physical_line` and different property names.
  return ids.has('roads') && ids.has('earth') && !ids.has('physical_line') ? 'protomaps' : undefined;
};

/** Maximum length of an attribution, including its HTML. */
const MAX_ATTRIBUTION_CHARS = 2000;

/** Returns the attribution, which can be HTML; empty if there is none. */
export const attributionOf = (metadata: unknown): string => {
  const attribution = propertyOf(metadata, 'attribution');
  return typeof attribution === 'string' ? attribution.slice(0, MAX_ATTRIBUTION_CHARS) : '';
};
