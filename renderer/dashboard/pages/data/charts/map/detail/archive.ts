import { Compression, type DecompressFunc, type Header, PMTiles, SharedPromiseCache } from 'pmtiles';
import type { MapFileSource } from './map-file-source.ts';
import { DetailError, type DetailProblem } from './problem.ts';
import { attributionOf, headerProblem, isRaster, vectorSchemaOf, type VectorSchema } from './rules.ts';

/** Maximum size of a tile or of the metadata after decompression, in bytes. */
const MAX_TILE_BYTES = 8 * 1024 * 1024;
/** Maximum bytes of a decompressed directory. Each entry takes at least four bytes, and about 60 after parsing. */
const MAX_DIRECTORY_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_DIRECTORIES = 20;

/**
 * Decompresses data up to a limit, because a few megabytes could expand to gigabytes.
 * @throws {DetailError} if the result is larger, or if the compression is not supported
 */
const decompressUpTo =
  (maxBytes: number): DecompressFunc =>
  async (data, compression) => {
    if (compression === Compression.None) {
      if (data.byteLength > maxBytes) throw new DetailError('damaged');
      return data;
    }
    if (compression !== Compression.Gzip) throw new DetailError('unsupported');
    let bytes = 0;
    const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new DetailError('damaged');
        controller.enqueue(chunk);
      },
    });
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip')).pipeThrough(limit);
    return new Response(stream).arrayBuffer();
  };

export const openArchive = (source: MapFileSource): PMTiles =>
  new PMTiles(
    source,
    new SharedPromiseCache(MAX_CACHED_DIRECTORIES, true, decompressUpTo(MAX_DIRECTORY_BYTES)),
    decompressUpTo(MAX_TILE_BYTES),
  );

/** @throws {DetailError} from `read`; for other errors, with the source's problem or else with `fallback` */
async function readOrThrow<T>(source: MapFileSource, read: () => Promise<T>, fallback: DetailProblem): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DetailError) throw error;
    throw new DetailError(source.lastProblem() ?? fallback);
  }
}

/**
 * @param size bytes of the file
 * @throws {DetailError} if the file cannot be read, or if the map cannot draw it
 */
export async function describeArchive(
  source: MapFileSource,
  archive: PMTiles,
  size: number,
): Promise<{ header: Header; schema: VectorSchema | 'raster'; attribution: string }> {
  const header = await readOrThrow(source, () => archive.getHeader(), 'notMapFile');
  const problem = headerProblem(header, size);
  if (problem !== undefined) throw new DetailError(problem);
  const metadata =
    header.jsonMetadataLength === 0 ? {} : await readOrThrow(source, () => archive.getMetadata(), 'damaged');
  const schema = isRaster(header) ? 'raster' : vectorSchemaOf(metadata);
  if (schema === undefined) throw new DetailError('unknownSchema');
  return { header, schema, attribution: attributionOf(metadata) };
}
