import { gzipSync } from 'node:zlib';
import { geoJSONToTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature, FeatureCollection, Position } from 'geojson';
import { Compression, TileType, zxyToTileId } from 'pmtiles';

// Builds PMTiles archives (version 3 of the specification), because the package `pmtiles` only reads them. An archive
// has a header of 127 bytes, a directory, metadata in JSON, and the tiles.

const HEADER_BYTES = 127;
/** Positions in the header are integers in units of 1e-7 degrees. */
const UNITS_PER_DEGREE = 1e7;

interface ArchiveTile {
  z: number;
  x: number;
  y: number;
  content: Uint8Array;
}

interface ArchiveFields {
  tiles: readonly ArchiveTile[];
  metadata: unknown;
  tileType: TileType;
  /** West, south, east and north in degrees. */
  bounds: readonly [number, number, number, number];
}

/** Encodes whole numbers with seven bits per byte, the lowest first. */
const varints = (numbers: readonly number[]): Buffer => {
  const bytes: number[] = [];
  for (const number of numbers) {
    let remainder = number;
    while (remainder >= 0x80) {
      bytes.push((remainder % 0x80) | 0x80);
      remainder = Math.floor(remainder / 0x80);
    }
    bytes.push(remainder);
  }
  return Buffer.from(bytes);
};

/** Returns an archive without leaf directories. Directory, metadata and vector tiles are compressed. */
export const pmtilesArchive = ({ tiles, metadata, tileType, bounds }: ArchiveFields): Buffer => {
  const tileCompression = tileType === TileType.Mvt ? Compression.Gzip : Compression.None;
  const entries = tiles
    .map(({ z, x, y, content }) => ({
      id: zxyToTileId(z, x, y),
      content: tileCompression === Compression.Gzip ? gzipSync(content) : Buffer.from(content),
    }))
    .toSorted((a, b) => a.id - b.id);
  const directory = gzipSync(
    varints([
      entries.length,
      // Columns: id deltas, run lengths, byte lengths and offsets. An offset is stored incremented by 1; 0 means
      // directly after the previous tile.
      ...entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0)),
      ...entries.map(() => 1),
      ...entries.map(({ content }) => content.length),
      ...entries.map((_, index) => (index === 0 ? 1 : 0)),
    ]),
  );
  const metadataBytes = gzipSync(JSON.stringify(metadata));
  const tileBytes = Buffer.concat(entries.map(({ content }) => content));
  const metadataOffset = HEADER_BYTES + directory.length;
  const tilesOffset = metadataOffset + metadataBytes.length;

  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles');
  header[7] = 3;
  const sections = [
    HEADER_BYTES,
    directory.length,
    metadataOffset,
    metadataBytes.length,
    tilesOffset,
    0,
    tilesOffset,
    tileBytes.length,
  ];
  const counts = [entries.length, entries.length, entries.length];
  for (const [index, value] of [...sections, ...counts].entries())
    header.writeBigUInt64LE(BigInt(value), 8 + index * 8);
  const zooms = tiles.map(({ z }) => z);
  header.set([1, Compression.Gzip, tileCompression, tileType, Math.min(...zooms), Math.max(...zooms)], 96);
  const [west, south, east, north] = bounds;
  for (const [index, degrees] of bounds.entries())
    header.writeInt32LE(Math.round(degrees * UNITS_PER_DEGREE), 102 + index * 4);
  header[118] = Math.min(...zooms);
  header.writeInt32LE(Math.round(((west + east) / 2) * UNITS_PER_DEGREE), 119);
  header.writeInt32LE(Math.round(((south + north) / 2) * UNITS_PER_DEGREE), 123);
  return Buffer.concat([header, directory, metadataBytes, tileBytes]);
};

/** Tile of zoom level 10 that contains the centre of Berlin, and its edges in degrees. */
const BERLIN = { z: 10, x: 550, y: 335, bounds: [13.359375, 52.48278, 13.7109375, 52.696361] } as const;
const [WEST, SOUTH, EAST, NORTH] = BERLIN.bounds;
const MIDDLE = [(WEST + EAST) / 2, (SOUTH + NORTH) / 2] as const;

const collection = (...features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });
const rectangle = (kind: string, [west, south]: readonly number[], [east, north]: readonly number[]): Feature => ({
  type: 'Feature',
  properties: { kind },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ] as Position[],
    ],
  },
});
const line = (properties: Record<string, string>, ...coordinates: Position[]): Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'LineString', coordinates },
});

/** Layers with land, a park, a lake, roads and a place, named as in the Protomaps schema. */
const PROTOMAPS_LAYERS: Record<string, FeatureCollection> = {
  earth: collection(rectangle('earth', [WEST, SOUTH], [EAST, NORTH])),
  landuse: collection(rectangle('park', [WEST, SOUTH], MIDDLE)),
  water: collection(rectangle('lake', MIDDLE, [EAST, NORTH])),
  roads: collection(
    line({ kind: 'highway', name: 'Ring' }, [WEST, MIDDLE[1]], [EAST, MIDDLE[1]]),
    line({ kind: 'major_road', name: 'Avenue' }, [MIDDLE[0], SOUTH], [MIDDLE[0], NORTH]),
  ),
  places: collection({
    type: 'Feature',
    properties: { kind: 'locality', name: 'Sample Town' },
    geometry: { type: 'Point', coordinates: [...MIDDLE] },
  }),
};

/** Returns an archive with one vector tile, at the centre of Berlin, in the Protomaps schema. */
export const streetArchive = (attribution: string): Buffer => {
  const { z, x, y, bounds } = BERLIN;
  const layers = Object.fromEntries(
    Object.entries(PROTOMAPS_LAYERS).map(([name, features]) => [name, geoJSONToTile(features, z, x, y)]),
  );
  return pmtilesArchive({
    tiles: [{ z, x, y, content: fromGeojsonVt(layers, { version: 2 }) }],
    metadata: { attribution, vector_layers: Object.keys(layers).map((id) => ({ id, fields: {} })) },
    tileType: TileType.Mvt,
    bounds,
  });
};

/** Returns an archive with an image as the tile at the centre of Berlin. */
export const imageArchive = (image: Uint8Array): Buffer => {
  const { z, x, y, bounds } = BERLIN;
  return pmtilesArchive({ tiles: [{ z, x, y, content: image }], metadata: {}, tileType: TileType.Png, bounds });
};
