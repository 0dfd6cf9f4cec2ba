import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { BrokenArchive, readRange, type Member, type Source } from './source.ts';

/** Reads gzipped tar archives from start to end. They have no table of contents, so each member is read or skipped in order. */

const BLOCK = 512;
const MAX_NAME_BYTES = 1_000_000;
/** Uncompressed bytes that an archive may have. */
const MAX_UNPACKED = 400_000_000_000;

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
  for (let at = from + 1; at < from + bytes; at += 1) value = value * 256 + (block[at] ?? 0);
  return value;
};

const isHeader = (block: Buffer): boolean => {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
  return sum === numberOf(block, 148, 8);
};

const paxPath = (text: string): string | undefined => /(?:^|\n)\d+ path=(?<path>[^\n]*)/u.exec(text)?.groups?.['path'];

/**
 * Yields the members of an archive.
 * @param onRead receives the compressed bytes read so far, between chunks; returns false to stop reading
 */
export async function* tarMembers(source: Source, onRead: (bytes: number) => boolean): AsyncGenerator<Member> {
  let compressedBytes = 0;
  const countedChunks = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of readRange(source, 0, source.size)) {
      compressedBytes += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const feeding = pipeline(Readable.from(countedChunks()), gunzip).catch(() => undefined);
  const chunks = (gunzip as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  let unpacked = 0;
  let stopped = false;

  const readMore = async (): Promise<boolean> => {
    stopped ||= !onRead(compressedBytes);
    if (stopped) return false;
    try {
      const next = await chunks.next();
      if (next.done === true) return false;
      unpacked += next.value.length;
      if (unpacked > MAX_UNPACKED) throw new BrokenArchive('its uncompressed content is too large');
      buffered = buffered.length === 0 ? next.value : Buffer.concat([buffered, next.value]);
      return true;
    } catch (error) {
      if (error instanceof BrokenArchive) throw error;
      throw new BrokenArchive('it is damaged or incomplete');
    }
  };
  /** Returns exactly the next bytes, or undefined if the archive ends before. */
  const readExactly = async (bytes: number): Promise<Buffer | undefined> => {
    while (buffered.length < bytes) if (!(await readMore())) return undefined;
    const result = buffered.subarray(0, bytes);
    buffered = buffered.subarray(bytes);
    return result;
  };

  try {
    let longName: string | undefined;
    for (let number = 0; ;) {
      const block = await readExactly(BLOCK);
      if (block === undefined || block.every((byte) => byte === 0)) return;
      if (!isHeader(block)) throw new BrokenArchive('it is damaged');
      const size = numberOf(block, 124, 12);
      if (!Number.isSafeInteger(size) || size < 0) throw new BrokenArchive('it is damaged');
      const padding = (BLOCK - (size % BLOCK)) % BLOCK;
      const type = String.fromCharCode(block[156] ?? 0);
      if (type === 'L' || type === 'x' || type === 'g') {
        if (size > MAX_NAME_BYTES) throw new BrokenArchive('it is damaged');
        const text = (await readExactly(size + padding))?.toString('utf8', 0, size);
        if (type === 'L') longName = text?.replaceAll('\0', '');
        if (type === 'x') longName = paxPath(text ?? '') ?? longName;
        continue;
      }
      const prefix = textOf(block, 257, 5) === 'ustar' ? textOf(block, 345, 155) : '';
      const short = textOf(block, 0, 100);
      const name = longName ?? (prefix === '' ? short : `${prefix}/${short}`);
      longName = undefined;
      let remaining = size;
      let started = false;
      const content = async function* (): AsyncGenerator<Buffer> {
        if (started) throw new Error('a member of a tar archive can be read only once');
        started = true;
        while (remaining > 0) {
          if (buffered.length === 0 && !(await readMore())) {
            if (stopped) return;
            throw new BrokenArchive('it is incomplete');
          }
          const chunk = buffered.subarray(0, remaining);
          buffered = buffered.subarray(chunk.length);
          remaining -= chunk.length;
          yield chunk;
        }
      };
      const isFile = type === '0' || type === '\0';
      if (isFile) {
        yield { number, name, size, packed: size, content };
        number += 1;
      }
      while (remaining > 0) {
        if (buffered.length === 0 && !(await readMore())) {
          if (stopped) return;
          throw new BrokenArchive('it is incomplete');
        }
        const skipped = Math.min(buffered.length, remaining);
        buffered = buffered.subarray(skipped);
        remaining -= skipped;
      }
      if (padding > 0 && (await readExactly(padding)) === undefined) return;
    }
  } finally {
    gunzip.destroy();
    await feeding;
  }
}
