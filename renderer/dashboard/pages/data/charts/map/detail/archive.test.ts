import { gzipSync } from 'node:zlib';
import { TileType } from 'pmtiles';
import { describe, expect, it } from 'vitest';
import { imageArchive, pmtilesArchive, streetArchive } from '../../../../../../../tests/support/pmtiles.ts';
import { describeArchive, openArchive } from './archive.ts';
import type { MapFileSource } from './map-file-source.ts';
import type { DetailProblem } from './problem.ts';
import { IS_THOROUGH_RUN } from '../../../../../../../tests/support/long-run.ts';

const NAME = '© OpenStreetMap';
const archive = streetArchive(NAME);
const [TILE_TYPE_OFFSET, VERSION_OFFSET, METADATA_LENGTH_OFFSET] = [99, 7, 32];

const sourceOf = (content: Uint8Array, lastProblem?: DetailProblem): MapFileSource => ({
  getKey: () => 'memory',
  getBytes: (offset, length) =>
    Promise.resolve({ data: new Uint8Array(content).buffer.slice(offset, offset + length) }),
  lastProblem: () => lastProblem,
});
const describeContent = (content: Uint8Array, lastProblem?: DetailProblem) => {
  const source = sourceOf(content, lastProblem);
  return describeArchive(source, openArchive(source), content.length);
};
const withByte = (offset: number, value: number): Uint8Array => new Uint8Array(archive).with(offset, value);

describe('map file archive', () => {
  it('is described by its header and metadata', async () => {
    const { header, schema, attribution } = await describeContent(archive);
    expect({ schema, attribution }).toEqual({ schema: 'protomaps', attribution: NAME });
    expect(header).toMatchObject({ minZoom: 10, maxZoom: 10, minLon: 13.359375 });
  });

  it('needs no metadata for raster tiles', async () => {
    const image = Uint8Array.of(1, 2, 3);
    expect(await describeContent(imageArchive(image))).toMatchObject({ schema: 'raster', attribution: '' });
    const tile = await openArchive(sourceOf(imageArchive(image))).getZxy(10, 550, 335);
    expect(new Uint8Array(tile?.data ?? new ArrayBuffer())).toEqual(image);
  });

  it('decompresses tiles', async () => {
    const map = openArchive(sourceOf(archive));
    const tile = await map.getZxy(10, 550, 335);
    expect(new TextDecoder().decode(tile?.data)).toContain('Sample Town');
    expect(await map.getZxy(10, 551, 335)).toBeUndefined();
  });

  it.each<[DetailProblem, string, Uint8Array]>([
    ['notMapFile', 'is empty', new Uint8Array()],
    ['notMapFile', 'is an HTML page', new TextEncoder().encode('<!doctype html>'.repeat(2000))],
    ['notMapFile', 'ends within the directory', archive.subarray(0, 140)],
    ['incomplete', 'ends within the tiles', archive.subarray(0, -1)],
    ['unsupported', 'has tiles of an unknown type', withByte(TILE_TYPE_OFFSET, 77)],
    ['unsupported', 'has an earlier version', withByte(VERSION_OFFSET, 2)],
    ['damaged', 'has damaged metadata', withByte(METADATA_LENGTH_OFFSET, 9)],
  ])('is refused as %s if it %s', async (problem, _, content) => {
    await expect(describeContent(content)).rejects.toMatchObject({ problem });
  });

  it('is refused if its metadata names no layers from a known schema', async () => {
    const tiles = [{ z: 0, x: 0, y: 0, content: Uint8Array.of(0) }];
    for (const metadata of [[], null, 'roads', { vector_layers: [{ id: 'contours' }] }]) {
      const content = pmtilesArchive({ tiles, metadata, tileType: TileType.Mvt, bounds: [0, 0, 1, 1] });
      await expect(describeContent(content)).rejects.toMatchObject({ problem: 'unknownSchema' });
    }
  });

  it('rejects uncompressed tiles above the limit', async () => {
    const source = sourceOf(imageArchive(new Uint8Array(9_000_000)));
    await expect(openArchive(source).getZxy(10, 550, 335)).rejects.toMatchObject({ problem: 'damaged' });
  });

  it.skipIf(!IS_THOROUGH_RUN)('is not read if its metadata or a tile expands to many megabytes', async () => {
    const largeContent = new Uint8Array(9_000_000);
    const fields = { tileType: TileType.Mvt, bounds: [0, 0, 1, 1] } as const;
    const tile = { z: 0, x: 0, y: 0, content: largeContent };
    const expandingArchive = pmtilesArchive({ ...fields, tiles: [tile], metadata: { x: 'x'.repeat(9_000_000) } });
    expect(expandingArchive.length).toBeLessThan(gzipSync(largeContent).length * 5);
    await expect(describeContent(expandingArchive)).rejects.toMatchObject({ problem: 'damaged' });
    await expect(openArchive(sourceOf(expandingArchive)).getZxy(0, 0, 0)).rejects.toMatchObject({
      problem: 'damaged',
    });
  });

  it('reports why a read failed', async () => {
    await expect(describeContent(new Uint8Array(), 'unreachable')).rejects.toMatchObject({ problem: 'unreachable' });
  });
});
