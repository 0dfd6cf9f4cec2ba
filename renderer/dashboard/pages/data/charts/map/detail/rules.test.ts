import { Compression, type Header, TileType } from 'pmtiles';
import { describe, expect, it } from 'vitest';
import { attributionOf, boundsOf, headerProblem, rangeHeader, vectorSchemaOf } from './rules.ts';

const SIZE = 1000;
const VALID: Header = {
  specVersion: 3,
  rootDirectoryOffset: 127,
  rootDirectoryLength: 50,
  jsonMetadataOffset: 177,
  jsonMetadataLength: 23,
  leafDirectoryOffset: 200,
  leafDirectoryLength: 0,
  tileDataOffset: 200,
  tileDataLength: 800,
  numAddressedTiles: 1,
  numTileEntries: 1,
  numTileContents: 1,
  clustered: true,
  internalCompression: Compression.Gzip,
  tileCompression: Compression.Gzip,
  tileType: TileType.Mvt,
  minZoom: 0,
  maxZoom: 15,
  minLon: 13,
  minLat: 52,
  maxLon: 14,
  maxLat: 53,
  centerZoom: 10,
  centerLon: 13.5,
  centerLat: 52.5,
};

describe('headerProblem', () => {
  it.each([
    { tileType: TileType.Mvt },
    { tileType: TileType.Webp, tileCompression: Compression.None },
    { minZoom: 10, maxZoom: 10 },
  ])('accepts %j', (change) => {
    expect(headerProblem({ ...VALID, ...change }, SIZE)).toBeUndefined();
  });

  it.each([
    ['unsupported', { specVersion: 2 }],
    ['unsupported', { tileType: TileType.Unknown }],
    ['unsupported', { tileType: TileType.Mlt }],
    ['unsupported', { tileCompression: Compression.Brotli }],
    ['unsupported', { internalCompression: Compression.Zstd }],
    ['incomplete', { tileDataLength: 801 }],
    ['incomplete', { leafDirectoryOffset: 1e19, leafDirectoryLength: 1 }],
    ['damaged', { minZoom: 12, maxZoom: 11 }],
    ['damaged', { maxZoom: 255 }],
  ])('reports %s for %j', (problem, change) => {
    expect(headerProblem({ ...VALID, ...change }, SIZE)).toBe(problem);
  });
});

describe('boundsOf', () => {
  it('returns the area in the header', () => {
    expect(boundsOf(VALID)).toEqual({ west: 13, south: 52, east: 14, north: 53 });
  });

  it.each([{ minLon: 14 }, { maxLat: 91 }, { minLon: -200 }, { minLat: 60 }])('ignores invalid areas: %j', (change) => {
    expect(boundsOf({ ...VALID, ...change })).toBeUndefined();
  });
});

describe('rangeHeader', () => {
  it('includes both ends, and ends the first read at the end of the file', () => {
    expect(rangeHeader(0, 16_384, 300)).toBe('bytes=0-299');
    expect(rangeHeader(100, 200, 300)).toBe('bytes=100-299');
  });

  it.each([
    ['notMapFile', 0, 16_384, 0],
    ['incomplete', 100, 201, 300],
    ['damaged', 2 ** 60, 1, 300],
    ['damaged', 10, 0, 300],
    ['damaged', 10, 17 * 1024 * 1024, 1e9],
  ])('reports %s for a read at offset %d with length %d in a file of %d bytes', (problem, offset, length, size) => {
    expect(() => rangeHeader(offset, length, size)).toThrow(problem);
  });
});

describe('vectorSchemaOf', () => {
  const withLayers = (...ids: unknown[]) => ({ vector_layers: ids.map((id) => ({ id })) });

  it('detects the schema by its layer names', () => {
    expect(vectorSchemaOf(withLayers('earth', 'water', 'roads', 'places'))).toBe('protomaps');
    expect(vectorSchemaOf(withLayers('water', 'transportation', 'building'))).toBe('openMapTiles');
  });

  it.each([
    withLayers('earth', 'roads', 'physical_line'),
    withLayers('contours'),
    withLayers(null, 3, {}),
    { vector_layers: 'transportation' },
    { vector_layers: [null, 'roads'] },
    [],
    null,
    'text',
  ])('returns undefined for %j', (metadata) => {
    expect(vectorSchemaOf(metadata)).toBeUndefined();
  });
});

describe('attributionOf', () => {
  it('returns the text, cut to 2,000 characters', () => {
    expect(attributionOf({ attribution: '© OpenStreetMap' })).toBe('© OpenStreetMap');
    expect(attributionOf({ attribution: 'x'.repeat(1e6) })).toHaveLength(2000);
  });

  it.each([{}, null, { attribution: ['<b>'] }, { attribution: 7 }])('is empty for %j', (metadata) => {
    expect(attributionOf(metadata)).toBe('');
  });
});
