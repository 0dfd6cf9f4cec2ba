import { randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { numberedName, numberOfName, type BackupArchive } from './archive.ts';
import { BackupProblem } from './error.ts';
import { createNaming, ID_BYTES, paddedSize } from './encryption.ts';

/**
 * Chunks of content in an archive. Many of them lie in one pack, which is sealed as a whole and told from others by nothing but its size: neither how many files
 * there are nor how large each of them is can be seen from outside. An index says where each chunk is; packs say it of themselves too, so an index that is
 * lost, or has not come along yet, costs time and nothing else.
 */
export type Chunks = {
  has(id: string): boolean;
  /** Keeps a chunk that is not there yet. `shrank`: whether it was worth trying to make it smaller. */
  add(chunk: Buffer, shrink: boolean): { id: string; digest: Buffer; shrank: boolean };
  /** Everything that was added is on the disk afterwards. @throws BackupProblem */
  flush(): void;
  /** The chunk, held against its name, and its plain hash. @throws BackupProblem damaged | missing */
  read(id: string): { content: Buffer; digest: Buffer };
  /** Says what is there now, and forgets what was said before. Flush first. */
  saveIndex(backups: readonly string[]): void;
  /** Names of backups that the index says there are. */
  readonly listed: readonly string[];
  /** Of the index; it only ever grows. */
  readonly generation: number;
  readonly packs: ReadonlyMap<string, readonly PackedChunk[]>;
  /** Forgets a pack that is about to be deleted, so that its chunks that are still needed are written again. */
  forget(pack: string): void;
  /** What could not be read of indexes. */
  readonly problems: readonly BackupProblem[];
  /** Bytes that were added to the archive. */
  readonly added: number;
};

export type PackedChunk = { id: string; offset: number; length: number };
type At = { pack: string; offset: number; length: number };

/** Bytes of chunks in one pack. */
const PACK_BYTES = 16 * 1024 * 1024;
/** Bytes of a chunk at the most: what is made smaller here must not become endless there. */
export const MAX_CHUNK_BYTES = 1024 * 1024;
const ENTRY_BYTES = ID_BYTES + 4;
const INDEX_ENTRY_BYTES = ID_BYTES + 8;
const KEPT_INDEXES = 2;
/** Packs that are kept open while reading: content that was written together is read together. */
const OPEN_PACKS = 3;
const PLAIN = 0;
const SMALLER = 1;
/** A chunk below this share of its size is kept as the smaller one. */
const WORTH_IT = 0.95;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const damagedPack = (name: string): BackupProblem =>
  new BackupProblem('damaged', `The file ${name} of the archive is not as this program writes it.`);

const pack = (chunks: readonly { id: string; stored: Buffer }[]): { plain: Buffer[]; table: PackedChunk[] } => {
  const head = Buffer.alloc(4 + chunks.length * ENTRY_BYTES);
  head.writeUInt32LE(chunks.length, 0);
  const table: PackedChunk[] = [];
  let offset = head.length;
  for (const [at, { id, stored }] of chunks.entries()) {
    Buffer.from(id, 'base64url').copy(head, 4 + at * ENTRY_BYTES);
    head.writeUInt32LE(stored.length, 4 + at * ENTRY_BYTES + ID_BYTES);
    table.push({ id, offset, length: stored.length });
    offset += stored.length;
  }
  return { plain: [head, ...chunks.map(({ stored }) => stored), Buffer.alloc(paddedSize(offset) - offset)], table };
};

/** @throws BackupProblem damaged */
export const tableOf = (name: string, plain: Buffer): PackedChunk[] => {
  const count = plain.length < 4 ? -1 : plain.readUInt32LE(0);
  let offset = 4 + count * ENTRY_BYTES;
  if (count < 0 || offset > plain.length) throw damagedPack(name);
  const table: PackedChunk[] = [];
  for (let at = 4; at < 4 + count * ENTRY_BYTES; at += ENTRY_BYTES) {
    const length = plain.readUInt32LE(at + ID_BYTES);
    table.push({ id: plain.subarray(at, at + ID_BYTES).toString('base64url'), offset, length });
    offset += length;
  }
  if (offset > plain.length) throw damagedPack(name);
  return table;
};

/** The chunk as it was. @throws BackupProblem damaged */
export const unpackChunk = (name: string, plain: Buffer, { offset, length }: Omit<PackedChunk, 'id'>): Buffer => {
  const stored = plain.subarray(offset, offset + length);
  if (stored.length !== length || length < 1) throw damagedPack(name);
  const content = stored.subarray(1);
  if (stored[0] === PLAIN) return content;
  if (stored[0] !== SMALLER) throw damagedPack(name);
  try {
    return zstdDecompressSync(content, { maxOutputLength: MAX_CHUNK_BYTES });
  } catch {
    throw damagedPack(name);
  }
};

type Index = { backups: string[]; packs: Map<string, PackedChunk[]> };

const writeIndex = ({
  backups,
  packs,
}: {
  backups: readonly string[];
  packs: ReadonlyMap<string, readonly PackedChunk[]>;
}): Buffer[] => {
  const text = Buffer.from(JSON.stringify({ backups, packs: [...packs].map(([name, table]) => [name, table.length]) }));
  const chunks = [...packs.values()].flat();
  const table = Buffer.alloc(chunks.length * INDEX_ENTRY_BYTES);
  for (const [at, { id, offset, length }] of chunks.entries()) {
    Buffer.from(id, 'base64url').copy(table, at * INDEX_ENTRY_BYTES);
    table.writeUInt32LE(offset, at * INDEX_ENTRY_BYTES + ID_BYTES);
    table.writeUInt32LE(length, at * INDEX_ENTRY_BYTES + ID_BYTES + 4);
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const size = length.length + text.length + table.length;
  return [length, text, table, Buffer.alloc(paddedSize(size) - size)];
};

/** @throws BackupProblem damaged */
const readIndex = (name: string, plain: Buffer): Index => {
  const start = 4 + (plain.length < 4 ? 0 : plain.readUInt32LE(0));
  let value: unknown;
  try {
    value = JSON.parse(plain.subarray(4, start).toString('utf8'));
  } catch {
    throw damagedPack(name);
  }
  if (typeof value !== 'object' || value === null || !('backups' in value) || !('packs' in value))
    throw damagedPack(name);
  const { backups, packs } = value;
  if (!Array.isArray(backups) || !Array.isArray(packs)) throw damagedPack(name);
  const found: Index = { backups: backups.map(String), packs: new Map() };
  let at = start;
  for (const one of packs as unknown[]) {
    const [packName, count]: unknown[] = Array.isArray(one) ? one : [];
    if (typeof packName !== 'string' || typeof count !== 'number' || at + count * INDEX_ENTRY_BYTES > plain.length)
      throw damagedPack(name);
    const table: PackedChunk[] = [];
    for (let each = 0; each < count; each += 1, at += INDEX_ENTRY_BYTES) {
      const id = plain.subarray(at, at + ID_BYTES).toString('base64url');
      table.push({ id, offset: plain.readUInt32LE(at + ID_BYTES), length: plain.readUInt32LE(at + ID_BYTES + 4) });
    }
    found.packs.set(packName, table);
  }
  return found;
};

/** Generation of the archive's index; increases with each rewrite. */
export const generationOf = (archive: BackupArchive): number => {
  const newest = archive.names('index').at(-1);
  return newest === undefined ? 0 : numberOfName(newest);
};

/** @param options.complete also reads packs that no index lists, so that a writer reuses chunks of an interrupted backup */
export const openChunks = (archive: BackupArchive, options: { complete: boolean }): Chunks => {
  const nameOf = createNaming(archive.master);
  const problems: BackupProblem[] = [];
  const packs = new Map<string, PackedChunk[]>();
  const places = new Map<string, At>();
  const open = new Map<string, Buffer>();
  let waiting: { id: string; stored: Buffer }[] = [];
  let waitingBytes = 0;
  let added = 0;

  const learn = (name: string, table: PackedChunk[]): void => {
    packs.set(name, table);
    for (const { id, offset, length } of table) places.set(id, { pack: name, offset, length });
  };

  const openPack = (name: string): Buffer => {
    const here = open.get(name);
    open.delete(name);
    const plain = here ?? archive.read('pack', name);
    open.set(name, plain);
    const [oldest] = open.keys();
    if (open.size > OPEN_PACKS && oldest !== undefined) open.delete(oldest);
    return plain;
  };

  const indexNames = archive.names('index');
  let generation = generationOf(archive);
  let listed: readonly string[] = [];
  for (const name of indexNames.toReversed()) {
    try {
      const index = readIndex(name, archive.read('index', name));
      const there = new Set(archive.names('pack'));
      listed = index.backups;
      for (const [packName, table] of index.packs) if (there.has(packName)) learn(packName, table);
      break;
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      problems.push(error);
    }
  }

  let isComplete = false;
  const complete = (): void => {
    if (isComplete) return;
    isComplete = true;
    for (const name of archive.names('pack')) {
      if (packs.has(name)) continue;
      try {
        learn(name, tableOf(name, openPack(name)));
      } catch (error) {
        if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
        problems.push(error);
      }
    }
  };
  if (options.complete) complete();

  const flush = (): void => {
    if (waiting.length === 0) return;
    const { plain, table } = pack(waiting);
    const name = randomBytes(12).toString('hex');
    archive.write('pack', name, plain);
    added += plain.reduce((sum, { length }) => sum + length, 0);
    waiting = [];
    waitingBytes = 0;
    learn(name, table);
  };

  /** In the pack that is being filled. */
  const WAITING = '';

  return {
    problems,
    packs,
    get listed() {
      return listed;
    },
    get generation() {
      return generation;
    },
    get added() {
      return added;
    },
    has: (id) => places.has(id),

    add(chunk, shrink) {
      const { id, digest } = nameOf(chunk);
      if (places.has(id)) return { id, digest, shrank: shrink };
      const smaller = shrink ? zstdCompressSync(chunk, FAST) : undefined;
      const shrank = smaller !== undefined && smaller.length < chunk.length * WORTH_IT;
      const stored = shrank
        ? Buffer.concat([Buffer.from([SMALLER]), smaller])
        : Buffer.concat([Buffer.from([PLAIN]), chunk]);
      waiting.push({ id, stored });
      waitingBytes += stored.length;
      places.set(id, { pack: WAITING, offset: 0, length: 0 });
      if (waitingBytes >= PACK_BYTES) flush();
      return { id, digest, shrank };
    },

    flush,

    read(id) {
      if (!places.has(id)) complete();
      const at = places.get(id);
      if (at === undefined || at.pack === WAITING)
        throw new BackupProblem(
          'damaged',
          'A part of this backup is missing. Perhaps not all of the folder is here yet.',
        );
      const content = unpackChunk(at.pack, openPack(at.pack), at);
      const found = nameOf(content);
      if (found.id !== id) throw damagedPack(at.pack);
      return { content, digest: found.digest };
    },

    saveIndex(backups) {
      generation += 1;
      archive.write('index', numberedName(generation), writeIndex({ backups, packs }));
      listed = [...backups];
      for (const name of archive.names('index').slice(0, -KEPT_INDEXES)) archive.remove('index', name);
    },

    forget(name) {
      for (const { id } of packs.get(name) ?? []) if (places.get(id)?.pack === name) places.delete(id);
      packs.delete(name);
      open.delete(name);
    },
  };
};
