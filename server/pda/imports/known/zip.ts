import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { codeOf } from '../../../platform/file-system.ts';
import {
  type Amounts,
  amountsOf,
  DEFLATED,
  ELSEWHERE_16,
  ELSEWHERE_32,
  ENCRYPTED,
  END,
  END_64,
  END_64_BYTES,
  END_BYTES,
  largeNumber,
  LISTED,
  LISTED_BYTES,
  LOCAL,
  LOCAL_BYTES,
  LOCATOR_64,
  LOCATOR_64_BYTES,
  MAX_COMMENT_BYTES,
  shortAmountsOf,
  STORED,
  UTF8_NAME,
} from '../../../platform/zip-format.ts';
import { BrokenArchive, rangeOf, readAt, type Member, type Source } from './sources.ts';

/**
 * Zip archives of any size (zip64, up to millions of entries), read from the list at their end. Nothing is unpacked onto the disk; what is
 * unpacked is held against what was announced, so that nothing small becomes endless.
 */

/** Bytes of the list that are held at one time. */
const LIST_PIECE = 1_000_000;
const MAX_ENTRIES = 5_000_000;

/** Bytes that deflate can make of one at the very most. */
const MOST_OUT_OF_ONE = 1032;

const damaged = (): BrokenArchive => new BrokenArchive('it is damaged');

const findList = async (source: Source): Promise<{ offset: number; bytes: number; count: number }> => {
  const length = Math.min(source.size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await readAt(source, source.size - length, length);
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END) continue;
    const [disk, listDisk, count, bytes, offset] = [
      tail.readUInt16LE(at + 4),
      tail.readUInt16LE(at + 6),
      tail.readUInt16LE(at + 10),
      tail.readUInt32LE(at + 12),
      tail.readUInt32LE(at + 16),
    ];
    const end = source.size - length + at;
    const isLarge = count === ELSEWHERE_16 || bytes === ELSEWHERE_32 || offset === ELSEWHERE_32;
    if (isLarge && end >= LOCATOR_64_BYTES) {
      const place = await readAt(source, end - LOCATOR_64_BYTES, LOCATOR_64_BYTES);
      if (place.readUInt32LE(0) === LOCATOR_64) {
        const head = await readAt(source, largeNumber(place, 8, damaged), END_64_BYTES);
        if (head.readUInt32LE(0) !== END_64) throw damaged();
        return {
          count: largeNumber(head, 32, damaged),
          bytes: largeNumber(head, 40, damaged),
          offset: largeNumber(head, 48, damaged),
        };
      }
    }
    if ((disk !== 0 && disk !== ELSEWHERE_16) || (listDisk !== 0 && listDisk !== ELSEWHERE_16))
      throw new BrokenArchive('it is one part of an archive that was cut up; join the parts first');
    return { offset, bytes, count };
  }
  throw new BrokenArchive('its end is missing: it did not arrive whole, or is no zip archive');
};

async function* contentOf(source: Source, sizes: Amounts, method: number, encrypted: boolean): AsyncGenerator<Buffer> {
  if (encrypted) throw new BrokenArchive('it is encrypted');
  if (method !== STORED && method !== DEFLATED) throw new BrokenArchive('it is packed in a way that is not known here');
  const head = await readAt(source, sizes.offset, LOCAL_BYTES);
  if (head.readUInt32LE(0) !== LOCAL) throw damaged();
  const start = sizes.offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
  if (start + sizes.packed > source.size) throw new BrokenArchive('it is not whole');
  const raw = rangeOf(source, start, sizes.packed);
  if (method === STORED) {
    yield* raw;
    return;
  }
  if (sizes.size > sizes.packed * MOST_OUT_OF_ONE + MOST_OUT_OF_ONE) throw damaged();
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  // What goes wrong comes out at the other end.
  const fed = pipeline(Readable.from(raw), inflate).catch(() => undefined);
  let done = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      done += piece.length;
      if (done > sizes.size) throw new BrokenArchive('there is more in it than it says');
      yield piece;
    }
  } catch (error) {
    if (codeOf(error).startsWith('Z_')) throw damaged();
    throw error;
  } finally {
    inflate.destroy();
    await fed;
  }
  if (done !== sizes.size) throw new BrokenArchive('it is not whole');
}

const nameOf = (bytes: Buffer, flags: number): string => {
  if ((flags & UTF8_NAME) !== 0) return bytes.toString('utf8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
};

/** The files of an archive in the order of its list, without folders. @throws BrokenArchive */
export async function* zipMembers(source: Source): AsyncGenerator<Member> {
  const list = await findList(source);
  if (list.count > MAX_ENTRIES || list.offset + list.bytes > source.size) throw damaged();
  let held: Buffer = Buffer.alloc(0);
  let read = 0;
  let number = 0;
  // Entries that share their bytes are how a small archive becomes a huge one.
  let packedSoFar = 0;
  const need = async (bytes: number): Promise<boolean> => {
    while (held.length < bytes && read < list.bytes) {
      const piece = await readAt(source, list.offset + read, Math.min(LIST_PIECE, list.bytes - read));
      read += piece.length;
      held = Buffer.concat([held, piece]);
    }
    return held.length >= bytes;
  };
  for (let index = 0; index < list.count; index += 1) {
    if (!(await need(LISTED_BYTES)) || held.readUInt32LE(0) !== LISTED) throw damaged();
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((at) => held.readUInt16LE(at));
    const from = LISTED_BYTES + (nameBytes ?? 0);
    const next = from + (extraBytes ?? 0) + (commentBytes ?? 0);
    if (!(await need(next))) throw damaged();
    const flags = held.readUInt16LE(8);
    const method = held.readUInt16LE(10);
    const name = nameOf(held.subarray(LISTED_BYTES, from), flags);
    // Of one whose numbers are missing, nothing but itself is lost.
    const sizes = amountsOf(held, held.subarray(from, from + (extraBytes ?? 0)), damaged) ?? shortAmountsOf(held);
    held = held.subarray(next);
    packedSoFar += sizes.packed;
    if (packedSoFar > source.size) throw new BrokenArchive('what is in it overlaps');
    if (name.endsWith('/')) continue;
    const { size, packed } = sizes;
    const encrypted = (flags & ENCRYPTED) !== 0;
    yield { number, name, size, packed, content: () => contentOf(source, sizes, method, encrypted) };
    number += 1;
  }
}
