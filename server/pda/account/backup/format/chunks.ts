import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isObject } from '../../../../wire/values.ts';
import { createNumberedName, numberOfName, type BackupArchive } from './archive.ts';
import { BackupProblem } from './error.ts';
import { createChunkHasher, CHUNK_ID_BYTES, paddedSize } from './encryption.ts';

export type Chunks = ReturnType<typeof openChunks>;

/** `offset` and `length` are in bytes of the decrypted pack. */
type PackedChunk = { id: string; offset: number; length: number };
type ChunkLocation = { pack: string; offset: number; length: number };

const PACK_BYTES = 16 * 1024 * 1024;
/** Bounds decompression, so that a manipulated chunk cannot expand without limit. */
const CHUNK_MAX_BYTES = 1024 * 1024;
const PACK_ENTRY_BYTES = CHUNK_ID_BYTES + 4;
const INDEX_ENTRY_BYTES = CHUNK_ID_BYTES + 8;
/** The previous index is retained in case the newest is damaged. */
const RETAINED_INDEXES = 2;
/** Content that was written together is read together, so few packs are cached. */
const CACHED_PACKS_MAX = 3;
const UNCOMPRESSED = 0;
const COMPRESSED = 1;
/** A chunk is stored uncompressed unless compression reduces it to below this share of its size. */
const MAX_COMPRESSION_RATIO = 0.95;
const FAST_COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const invalidFile = (name: string): BackupProblem =>
  new BackupProblem('damaged', `The file ${name} of the archive has an invalid format.`);

const pack = (chunks: readonly { id: string; stored: Buffer }[]): { plain: Buffer[]; table: PackedChunk[] } => {
  const head = Buffer.alloc(4 + chunks.length * PACK_ENTRY_BYTES);
  head.writeUInt32LE(chunks.length, 0);
  const table: PackedChunk[] = [];
  let offset = head.length;
  for (const [index, { id, stored }] of chunks.entries()) {
    const position = 4 + index * PACK_ENTRY_BYTES;
    Buffer.from(id, 'base64url').copy(head, position);
    head.writeUInt32LE(stored.length, position + CHUNK_ID_BYTES);
    table.push({ id, offset, length: stored.length });
    offset += stored.length;
  }
  return { plain: [head, ...chunks.map(({ stored }) => stored), Buffer.alloc(paddedSize(offset) - offset)], table };
};

/** @throws BackupProblem damaged */
export const parsePackTable = (name: string, plain: Buffer): PackedChunk[] => {
  const count = plain.length < 4 ? -1 : plain.readUInt32LE(0);
  let offset = 4 + count * PACK_ENTRY_BYTES;
  if (count < 0 || offset > plain.length) throw invalidFile(name);
  const table: PackedChunk[] = [];
  for (let index = 0; index < count; index += 1) {
    const position = 4 + index * PACK_ENTRY_BYTES;
    const length = plain.readUInt32LE(position + CHUNK_ID_BYTES);
    table.push({ id: plain.subarray(position, position + CHUNK_ID_BYTES).toString('base64url'), offset, length });
    offset += length;
  }
  if (offset > plain.length) throw invalidFile(name);
  return table;
};

/** Returns the content of a chunk of a decrypted pack. @throws BackupProblem damaged */
export const unpackChunk = (name: string, plain: Buffer, { offset, length }: Omit<PackedChunk, 'id'>): Buffer => {
  const stored = plain.subarray(offset, offset + length);
  if (stored.length !== length || length < 1) throw invalidFile(name);
  const content = stored.subarray(1);
  if (stored[0] === UNCOMPRESSED) return content;
  if (stored[0] !== COMPRESSED) throw invalidFile(name);
  try {
    return zstdDecompressSync(content, { maxOutputLength: CHUNK_MAX_BYTES });
  } catch {
    throw invalidFile(name);
  }
};

const formatIndex = (backups: readonly string[], packs: ReadonlyMap<string, readonly PackedChunk[]>): Buffer[] => {
  const text = Buffer.from(JSON.stringify({ backups, packs: [...packs].map(([name, table]) => [name, table.length]) }));
  const chunks = [...packs.values()].flat();
  const table = Buffer.alloc(chunks.length * INDEX_ENTRY_BYTES);
  for (const [index, { id, offset, length }] of chunks.entries()) {
    const position = index * INDEX_ENTRY_BYTES;
    Buffer.from(id, 'base64url').copy(table, position);
    table.writeUInt32LE(offset, position + CHUNK_ID_BYTES);
    table.writeUInt32LE(length, position + CHUNK_ID_BYTES + 4);
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const size = length.length + text.length + table.length;
  return [length, text, table, Buffer.alloc(paddedSize(size) - size)];
};

const parseIndex = (name: string, plain: Buffer): { backups: string[]; packs: Map<string, PackedChunk[]> } => {
  const start = 4 + (plain.length < 4 ? 0 : plain.readUInt32LE(0));
  let value: unknown;
  try {
    value = JSON.parse(plain.subarray(4, start).toString('utf8'));
  } catch {
    throw invalidFile(name);
  }
  if (!isObject(value)) throw invalidFile(name);
  const { backups, packs } = value;
  if (!Array.isArray(backups) || !Array.isArray(packs)) throw invalidFile(name);
  const tables = new Map<string, PackedChunk[]>();
  let position = start;
  for (const packEntry of packs as unknown[]) {
    const [packName, count]: unknown[] = Array.isArray(packEntry) ? packEntry : [];
    if (
      typeof packName !== 'string' ||
      typeof count !== 'number' ||
      position + count * INDEX_ENTRY_BYTES > plain.length
    )
      throw invalidFile(name);
    const table: PackedChunk[] = [];
    for (let number = 0; number < count; number += 1, position += INDEX_ENTRY_BYTES) {
      const id = plain.subarray(position, position + CHUNK_ID_BYTES).toString('base64url');
      const offset = plain.readUInt32LE(position + CHUNK_ID_BYTES);
      table.push({ id, offset, length: plain.readUInt32LE(position + CHUNK_ID_BYTES + 4) });
    }
    tables.set(packName, table);
  }
  return { backups: backups.map(String), packs: tables };
};

export const readGeneration = (archive: BackupArchive): number => {
  const newest = archive.listNames('index').at(-1);
  return newest === undefined ? 0 : numberOfName(newest);
};

/**
 * Opens the chunks of an archive. A pack contains many chunks and is encrypted as a whole, so that the archive reveals
 * neither the number nor the sizes of files. An index contains the location of each chunk. Each pack also contains a
 * table of its chunks, from which a missing index can be rebuilt.
 * @param options.includeUnlistedPacks also reads packs that the newest intact index does not list, so that a writer
 *   reuses chunks of an interrupted backup. If false, such packs are read only when a chunk is missing.
 * @throws BackupProblem missing | unusable
 */
export const openChunks = (archive: BackupArchive, options: { includeUnlistedPacks: boolean }) => {
  const hashChunk = createChunkHasher(archive.masterKey);
  const packs = new Map<string, PackedChunk[]>();
  const locations = new Map<string, ChunkLocation>();
  const cachedPacks = new Map<string, Buffer>();
  let pendingChunks: { id: string; stored: Buffer }[] = [];
  let pendingBytes = 0;
  let addedBytes = 0;

  const addTable = (name: string, table: PackedChunk[]): void => {
    packs.set(name, table);
    for (const { id, offset, length } of table) locations.set(id, { pack: name, offset, length });
  };

  const openPack = (name: string): Buffer => {
    const cachedPack = cachedPacks.get(name);
    cachedPacks.delete(name);
    const plain = cachedPack ?? archive.read('pack', name);
    cachedPacks.set(name, plain);
    const [oldestName] = cachedPacks.keys();
    if (cachedPacks.size > CACHED_PACKS_MAX && oldestName !== undefined) cachedPacks.delete(oldestName);
    return plain;
  };

  let generation = readGeneration(archive);
  let listedBackups: readonly string[] = [];
  for (const name of archive.listNames('index').toReversed()) {
    try {
      const index = parseIndex(name, archive.read('index', name));
      const existingPacks = new Set(archive.listNames('pack'));
      listedBackups = index.backups;
      for (const [packName, table] of index.packs) if (existingPacks.has(packName)) addTable(packName, table);
      break;
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
    }
  }

  let hasReadUnlistedPacks = false;
  const addUnlistedPacks = (): void => {
    if (hasReadUnlistedPacks) return;
    hasReadUnlistedPacks = true;
    for (const name of archive.listNames('pack')) {
      if (packs.has(name)) continue;
      try {
        addTable(name, parsePackTable(name, openPack(name)));
      } catch (error) {
        if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      }
    }
  };
  if (options.includeUnlistedPacks) addUnlistedPacks();

  const flush = (): void => {
    if (pendingChunks.length === 0) return;
    const { plain, table } = pack(pendingChunks);
    const name = randomBytes(12).toString('hex');
    archive.write('pack', name, plain);
    addedBytes += plain.reduce((sum, { length }) => sum + length, 0);
    pendingChunks = [];
    pendingBytes = 0;
    addTable(name, table);
  };

  const PENDING_PACK = '';

  return {
    /** Chunks by the name of their pack. */
    packs: packs as ReadonlyMap<string, readonly PackedChunk[]>,
    /** Names of the backups in the newest intact index. */
    get listedBackups(): readonly string[] {
      return listedBackups;
    },
    /** Generation of the index, which increases with each rewrite. */
    get generation(): number {
      return generation;
    },
    get addedBytes(): number {
      return addedBytes;
    },
    has: (id: string): boolean => locations.has(id),

    /**
     * Adds a chunk unless the archive contains it. `isCompressed` is false if compression was not requested or
     * hardly reduced a new chunk.
     * @throws BackupProblem
     */
    add(chunk: Buffer, shouldCompress: boolean): { id: string; digest: Buffer; isCompressed: boolean } {
      const { id, digest } = hashChunk(chunk);
      if (locations.has(id)) return { id, digest, isCompressed: shouldCompress };
      const compressedChunk = shouldCompress ? zstdCompressSync(chunk, FAST_COMPRESSION) : undefined;
      const isCompressed =
        compressedChunk !== undefined && compressedChunk.length < chunk.length * MAX_COMPRESSION_RATIO;
      const stored = isCompressed
        ? Buffer.concat([Buffer.from([COMPRESSED]), compressedChunk])
        : Buffer.concat([Buffer.from([UNCOMPRESSED]), chunk]);
      pendingChunks.push({ id, stored });
      pendingBytes += stored.length;
      locations.set(id, { pack: PENDING_PACK, offset: 0, length: 0 });
      if (pendingBytes >= PACK_BYTES) flush();
      return { id, digest, isCompressed };
    },

    /** Writes the pending chunks durably. @throws BackupProblem */
    flush,

    /** Returns a chunk and its SHA-256 hash. @throws BackupProblem damaged | missing | unusable */
    read(id: string): { content: Buffer; digest: Buffer } {
      if (!locations.has(id)) addUnlistedPacks();
      const location = locations.get(id);
      if (location === undefined || location.pack === PENDING_PACK)
        throw new BackupProblem(
          'damaged',
          'A part of this backup is missing. The folder may not be completely synchronised yet.',
        );
      const content = unpackChunk(location.pack, openPack(location.pack), location);
      const actual = hashChunk(content);
      if (actual.id !== id) throw invalidFile(location.pack);
      return { content, digest: actual.digest };
    },

    /** Writes a new index. Must be called after `flush`. @param backups names of all backups. @throws BackupProblem */
    saveIndex(backups: readonly string[]): void {
      generation += 1;
      archive.write('index', createNumberedName(generation), formatIndex(backups, packs));
      listedBackups = [...backups];
      for (const name of archive.listNames('index').slice(0, -RETAINED_INDEXES)) archive.remove('index', name);
    },

    /** Removes a pack from the tables, so that its chunks count as missing and are written again if they are needed. */
    forget(name: string): void {
      for (const { id } of packs.get(name) ?? []) if (locations.get(id)?.pack === name) locations.delete(id);
      packs.delete(name);
      cachedPacks.delete(name);
    },
  };
};
