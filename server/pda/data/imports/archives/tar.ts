import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { BrokenArchive, rangeOf, type Member, type Source } from './source.ts';

/** Tar archives, packed with gzip, from beginning to end: there is no list in them. Each member has to be read, or is passed over. */

const BLOCK = 512;
const MAX_NAME_BYTES = 1_000_000;
/** Bytes that a packed archive may become. */
const MAX_UNPACKED = 400_000_000_000;

const textOf = (block: Buffer, from: number, bytes: number): string => {
  const field = block.subarray(from, from + bytes);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? bytes : end);
};

/** Octal digits, or where they do not suffice, base 256. */
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

/** @param onRead told how many bytes of the archive have been read, between its pieces; false: the rest is not asked for */
export async function* tarMembers(source: Source, onRead: (bytes: number) => boolean): AsyncGenerator<Member> {
  let raw = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of rangeOf(source, 0, source.size)) {
      raw += piece.length;
      yield piece;
    }
  };
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const fed = pipeline(Readable.from(counted()), gunzip).catch(() => undefined);
  const pieces = (gunzip as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let unpacked = 0;
  let stopped = false;

  const more = async (): Promise<boolean> => {
    stopped ||= !onRead(raw);
    if (stopped) return false;
    try {
      const next = await pieces.next();
      if (next.done === true) return false;
      unpacked += next.value.length;
      if (unpacked > MAX_UNPACKED) throw new BrokenArchive('there is too much in it');
      held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
      return true;
    } catch (error) {
      if (error instanceof BrokenArchive) throw error;
      throw new BrokenArchive('it is damaged, or did not arrive whole');
    }
  };
  /** The next bytes, all of them. */
  const take = async (bytes: number): Promise<Buffer | undefined> => {
    while (held.length < bytes) if (!(await more())) return undefined;
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  };

  try {
    let longName: string | undefined;
    for (let number = 0; ;) {
      const block = await take(BLOCK);
      if (block === undefined || block.every((byte) => byte === 0)) return;
      if (!isHeader(block)) throw new BrokenArchive('it is damaged');
      const size = numberOf(block, 124, 12);
      if (!Number.isSafeInteger(size) || size < 0) throw new BrokenArchive('it is damaged');
      const padding = (BLOCK - (size % BLOCK)) % BLOCK;
      const type = String.fromCharCode(block[156] ?? 0);
      if (type === 'L' || type === 'x' || type === 'g') {
        if (size > MAX_NAME_BYTES) throw new BrokenArchive('it is damaged');
        const text = (await take(size + padding))?.toString('utf8', 0, size);
        if (type === 'L') longName = text?.replaceAll('\0', '');
        if (type === 'x') longName = paxPath(text ?? '') ?? longName;
        continue;
      }
      const prefix = textOf(block, 257, 5) === 'ustar' ? textOf(block, 345, 155) : '';
      const short = textOf(block, 0, 100);
      const name = longName ?? (prefix === '' ? short : `${prefix}/${short}`);
      longName = undefined;
      let left = size;
      let started = false;
      const content = async function* (): AsyncGenerator<Buffer> {
        if (started) throw new Error('a member of a tar archive is read once');
        started = true;
        while (left > 0) {
          if (held.length === 0 && !(await more())) {
            if (stopped) return;
            throw new BrokenArchive('it is not whole');
          }
          const piece = held.subarray(0, left);
          held = held.subarray(piece.length);
          left -= piece.length;
          yield piece;
        }
      };
      const isFile = type === '0' || type === '\0';
      if (isFile) {
        yield { number, name, size, packed: size, content };
        number += 1;
      }
      while (left > 0) {
        if (held.length === 0 && !(await more())) {
          if (stopped) return;
          throw new BrokenArchive('it is not whole');
        }
        const passed = Math.min(held.length, left);
        held = held.subarray(passed);
        left -= passed;
      }
      if (padding > 0 && (await take(padding)) === undefined) return;
    }
  } finally {
    gunzip.destroy();
    await fed;
  }
}
