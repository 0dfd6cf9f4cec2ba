import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { BrokenArchive, readSourceRange, type ArchiveMember, type Source } from './source.ts';

const BLOCK_BYTES = 512;
/** Offsets and lengths in bytes of the header fields (POSIX.1-2001, ustar). */
const NAME = [0, 100] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE_OFFSET = 156;
const MAGIC = [257, 5] as const;
const PREFIX = [345, 155] as const;
/** Maximum bytes of a long name or of an extended header. */
const MAX_NAME_BYTES = 1_000_000;
const MAX_UNPACKED_BYTES = 400_000_000_000;

const textOf = (block: Buffer, from: number, bytes: number): string => {
  const field = block.subarray(from, from + bytes);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? bytes : end);
};

/** Parses a number: octal digits, or base 256 if the value needs more digits than the field has. */
const numberOf = (block: Buffer, from: number, bytes: number): number => {
  const first = block[from] ?? 0;
  if ((first & 0x80) === 0) return Number.parseInt(textOf(block, from, bytes).trim() || '0', 8);
  let value = first & 0x7f;
  for (let index = from + 1; index < from + bytes; index += 1) value = value * 256 + (block[index] ?? 0);
  return value;
};

/** Returns true if the checksum of a header is correct. The checksum field itself counts as spaces. */
const isHeader = (block: Buffer): boolean => {
  let sum = 0;
  const [start, bytes] = CHECKSUM;
  for (const [index, byte] of block.entries()) sum += index >= start && index < start + bytes ? 0x20 : byte;
  return sum === numberOf(block, ...CHECKSUM);
};

/** Returns a value of an extended header (pax), which contains lines such as `20 path=a/b.txt`. */
const paxValueOf = (text: string, key: 'path' | 'size'): string | undefined =>
  new RegExp(String.raw`(?:^|\n)\d+ ${key}=(?<value>[^\n]*)`, 'u').exec(text)?.groups?.['value'];

/**
 * Yields the files of a gzipped tar archive. The content of a file can be read once, before the next file is requested.
 * @param onRead receives the number of compressed bytes read so far; returns false to stop reading
 * @throws BrokenArchive
 */
export async function* tarMembers(source: Source, onRead: (bytes: number) => boolean): AsyncGenerator<ArchiveMember> {
  let compressedBytes = 0;
  const countedChunks = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of readSourceRange(source, 0, source.size)) {
      compressedBytes += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const inputEnd = pipeline(Readable.from(countedChunks()), gunzip).catch(() => undefined);
  const chunks = (gunzip as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let buffer: Buffer = Buffer.alloc(0);
  let unpackedBytes = 0;
  let hasStopped = false;

  const readMore = async (): Promise<boolean> => {
    hasStopped ||= !onRead(compressedBytes);
    if (hasStopped) return false;
    try {
      const next = await chunks.next();
      if (next.done === true) return false;
      unpackedBytes += next.value.length;
      if (unpackedBytes > MAX_UNPACKED_BYTES) throw new BrokenArchive('its uncompressed content is too large');
      buffer = buffer.length === 0 ? next.value : Buffer.concat([buffer, next.value]);
      return true;
    } catch (error) {
      if (error instanceof BrokenArchive) throw error;
      throw new BrokenArchive('it is damaged or incomplete');
    }
  };
  /** Returns undefined if the archive has fewer bytes left or reading was stopped. */
  const readExactly = async (bytes: number): Promise<Buffer | undefined> => {
    while (buffer.length < bytes) if (!(await readMore())) return undefined;
    const requestedBytes = buffer.subarray(0, bytes);
    buffer = buffer.subarray(bytes);
    return requestedBytes;
  };

  try {
    let longName: string | undefined;
    /** Size in an extended header. It replaces a size that the header cannot contain, such as one above 8 GB. */
    let longSize: string | undefined;
    let isFirstBlock = true;
    for (let index = 0; ;) {
      const block = await readExactly(BLOCK_BYTES);
      if (block === undefined || block.every((byte) => byte === 0)) return;
      if (!isHeader(block))
        throw new BrokenArchive(isFirstBlock ? 'it is compressed, but not a tar archive' : 'it is damaged');
      isFirstBlock = false;
      const type = String.fromCharCode(block[TYPE_OFFSET] ?? 0);
      const isExtension = type === 'L' || type === 'x' || type === 'g';
      const size = isExtension || longSize === undefined ? numberOf(block, ...SIZE) : Number(longSize);
      if (!Number.isSafeInteger(size) || size < 0) throw new BrokenArchive('it is damaged');
      const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
      if (isExtension) {
        if (size > MAX_NAME_BYTES) throw new BrokenArchive('it is damaged');
        const text = (await readExactly(size + padding))?.toString('utf8', 0, size) ?? '';
        if (type === 'L') longName = text.replaceAll('\0', '');
        if (type === 'x') {
          longName = paxValueOf(text, 'path') ?? longName;
          longSize = paxValueOf(text, 'size') ?? longSize;
        }
        continue;
      }
      const prefix = textOf(block, ...MAGIC) === 'ustar' ? textOf(block, ...PREFIX) : '';
      const shortName = textOf(block, ...NAME);
      const name = longName ?? (prefix === '' ? shortName : `${prefix}/${shortName}`);
      longName = undefined;
      longSize = undefined;
      let remainingBytes = size;
      const content = async function* (): AsyncGenerator<Buffer> {
        while (remainingBytes > 0) {
          if (buffer.length === 0 && !(await readMore())) {
            if (hasStopped) return;
            throw new BrokenArchive('it is incomplete');
          }
          const chunk = buffer.subarray(0, remainingBytes);
          buffer = buffer.subarray(chunk.length);
          remainingBytes -= chunk.length;
          yield chunk;
        }
      };
      const isFile = type === '0' || type === '\0';
      if (isFile) {
        yield { index, name, size, packedBytes: size, content };
        index += 1;
      }
      const unreadContent = content();
      while ((await unreadContent.next()).done !== true);
      if (hasStopped) return;
      if (padding > 0 && (await readExactly(padding)) === undefined) return;
    }
  } finally {
    gunzip.destroy();
    await inputEnd;
  }
}
