import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { Failure } from './failure.ts';
import {
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
  STORED,
} from './zip-format.ts';

/**
 * Reads zip files that others made. Only the list at the end counts, everything in it is checked before anything is unpacked, and what is
 * unpacked is held against it: no links, no names that lead elsewhere, no more bytes than were announced.
 */

export type ZipEntry = { name: string; size: number; packed: number; crc: number; deflated: boolean; offset: number };

export type Zip = {
  /** Files, without folders. */
  entries: readonly ZipEntry[];
  /** @throws what `refuse` made, when it is not what the list says */
  content(entry: ZipEntry): AsyncGenerator<Buffer>;
  close(): Promise<void>;
};

export type ZipLimits = {
  /** Bytes of the file itself. */
  packedBytes: number;
  /** Bytes of all that is in it, unpacked. */
  unpackedBytes: number;
  entries: number;
  listBytes: number;
  /** Puts what is wrong ("it is encrypted") into the words of whoever asked. */
  refuse: (problem: string) => Failure;
};

const UNIX = 3;
const TYPE = 0o170_000;
const FILE = 0o100_000;
const FOLDER = 0o040_000;
/** Deflate packs no tighter: what announces more is made to blow up. */
const TIGHTEST = 1040;
const WRONG = 'it is damaged, or no zip file';

type List = { offset: number; bytes: number; count: number };

/** @throws Failure as `limits.refuse` makes it */
export const openZip = async (path: string, limits: ZipLimits): Promise<Zip> => {
  const { refuse } = limits;
  const damaged = (): Failure => refuse(WRONG);

  const read = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
    const buffer = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await file.read(buffer, done, length - done, position + done);
      if (bytesRead === 0) throw damaged();
      done += bytesRead;
    }
    return buffer;
  };

  /** What a large file has before the end, where the end itself has no room. */
  const findLargeList = async (file: FileHandle, end: number): Promise<List> => {
    if (end < LOCATOR_64_BYTES) throw damaged();
    const locator = await read(file, end - LOCATOR_64_BYTES, LOCATOR_64_BYTES);
    const at = largeNumber(locator, 8, damaged);
    if (locator.readUInt32LE(0) !== LOCATOR_64 || at + END_64_BYTES > end) throw damaged();
    if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw refuse('it is one part of several');
    const found = await read(file, at, END_64_BYTES);
    if (found.readUInt32LE(0) !== END_64) throw damaged();
    const count = largeNumber(found, 32, damaged);
    if (found.readUInt32LE(16) + found.readUInt32LE(20) !== 0 || count !== largeNumber(found, 24, damaged))
      throw refuse('it is one part of several');
    return { count, bytes: largeNumber(found, 40, damaged), offset: largeNumber(found, 48, damaged) };
  };

  /** Where the list begins, and how long it is. */
  const findList = async (file: FileHandle, size: number): Promise<List> => {
    const length = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
    const tail = await read(file, size - length, length);
    for (let at = length - END_BYTES; at >= 0; at -= 1) {
      if (tail.readUInt32LE(at) !== END || tail.readUInt16LE(at + 20) !== length - at - END_BYTES) continue;
      const end = size - length + at;
      let list = {
        count: tail.readUInt16LE(at + 10),
        bytes: tail.readUInt32LE(at + 12),
        offset: tail.readUInt32LE(at + 16),
      };
      const disks = tail.readUInt16LE(at + 4) + tail.readUInt16LE(at + 6);
      if (disks !== 0 || list.count !== tail.readUInt16LE(at + 8)) throw refuse('it is one part of several');
      if (list.count === ELSEWHERE_16 || list.bytes === ELSEWHERE_32 || list.offset === ELSEWHERE_32)
        list = await findLargeList(file, end);
      if (list.bytes > limits.listBytes || list.count > limits.entries) throw refuse('it holds too many files');
      if (list.offset + list.bytes > end) throw damaged();
      return list;
    }
    throw damaged();
  };

  const textOf = (bytes: Buffer): string => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw refuse('the name of a file in it is not UTF-8');
    }
  };

  const checkName = (name: string): void => {
    const steps = name.replace(/\/$/u, '').split('/');
    // Leading out of the folder, to another disk, or to what another system takes for another name.
    if (steps.some((step) => step === '' || step === '.' || step === '..') || /[\\:\p{Cc}]/u.test(name))
      throw refuse(`the name ${JSON.stringify(name.slice(0, 200))} leads elsewhere`);
  };

  const checkKind = (name: string, madeBy: number, attributes: number): void => {
    const type = madeBy >>> 8 === UNIX ? (attributes >>> 16) & TYPE : 0;
    if (type !== 0 && type !== FILE && type !== FOLDER) throw refuse(`${name} is a link or a device`);
  };

  const entriesOf = (list: Buffer, { count, offset: before }: List): ZipEntry[] => {
    const entries: ZipEntry[] = [];
    const names = new Set<string>();
    let total = 0;
    let room = before;
    let at = 0;
    for (let index = 0; index < count; index += 1) {
      if (at + LISTED_BYTES > list.length || list.readUInt32LE(at) !== LISTED) throw damaged();
      const nameEnd = at + LISTED_BYTES + list.readUInt16LE(at + 28);
      const extraEnd = nameEnd + list.readUInt16LE(at + 30);
      const next = extraEnd + list.readUInt16LE(at + 32);
      if (next > list.length) throw damaged();
      const name = textOf(list.subarray(at + LISTED_BYTES, nameEnd));
      checkName(name);
      checkKind(name, list.readUInt16LE(at + 4), list.readUInt32LE(at + 38));
      if ((list.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw refuse('it is encrypted');
      const method = list.readUInt16LE(at + 10);
      if (method !== STORED && method !== DEFLATED) throw refuse(`${name} is packed in a way that is not known here`);
      // One of two files of the same name would win, and it is not for the order to say which.
      if (names.has(name.toLowerCase())) throw refuse(`it holds ${name} twice`);
      names.add(name.toLowerCase());
      const amounts = amountsOf(list.subarray(at), list.subarray(nameEnd, extraEnd), damaged);
      if (amounts === undefined) throw damaged();
      const { packed, size, offset } = amounts;
      // The same bytes under many names unpack to more than any disk has.
      room -= packed;
      if (room < 0) throw damaged();
      total += size;
      if (total > limits.unpackedBytes) throw refuse(`unpacked it is larger than ${limits.unpackedBytes} bytes`);
      if (size > packed * TIGHTEST) throw refuse(`${name} says that it is far larger than it can be`);
      const crc = list.readUInt32LE(at + 16);
      if (!name.endsWith('/')) entries.push({ name, size, packed, crc, deflated: method === DEFLATED, offset });
      at = next;
    }
    if (at !== list.length) throw damaged();
    return entries;
  };

  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size < END_BYTES) throw damaged();
    if (size > limits.packedBytes) throw refuse(`it is larger than ${limits.packedBytes} bytes`);
    const found = await findList(file, size);
    const { offset } = found;
    const entries = entriesOf(await read(file, offset, found.bytes), found);

    async function* content(entry: ZipEntry): AsyncGenerator<Buffer> {
      if (entry.offset + LOCAL_BYTES > offset) throw damaged();
      const head = await read(file, entry.offset, LOCAL_BYTES);
      if (head.readUInt32LE(0) !== LOCAL) throw damaged();
      const start = entry.offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
      if (start + entry.packed > offset) throw damaged();
      if (entry.size === 0) return;
      if (entry.packed === 0) throw damaged();
      const raw = createReadStream(path, { start, end: start + entry.packed - 1 });
      const inflate = entry.deflated ? createInflateRaw() : undefined;
      const stream = inflate === undefined ? raw : raw.pipe(inflate);
      raw.on('error', (error) => inflate?.destroy(error));
      let done = 0;
      let crc = 0;
      try {
        for await (const piece of stream as AsyncIterable<Buffer>) {
          done += piece.length;
          if (done > entry.size) throw damaged();
          crc = crc32(piece, crc);
          yield piece;
        }
      } catch (error) {
        if (error instanceof Failure) throw error;
        throw damaged();
      } finally {
        raw.destroy();
        inflate?.destroy();
      }
      if (done !== entry.size || crc !== entry.crc) throw damaged();
    }

    return { entries, content, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
};
