import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { Failure } from '../../platform/failure.ts';
import { MAX_FUNCTION_PACKAGE_BYTES } from '../../wire/limits.ts';

/**
 * Reads zip files that others made. Only the list at the end counts, everything in it is checked before anything is unpacked, and what is
 * unpacked is held against it: no links, no names that lead elsewhere, no more bytes than were announced.
 */

export type ZipEntry = { name: string; size: number; packed: number; crc: number; deflated: boolean; offset: number };

export type Zip = {
  /** Files, without folders. */
  entries: readonly ZipEntry[];
  /** @throws Failure invalid_input when it is not what the list says */
  content(entry: ZipEntry): AsyncGenerator<Buffer>;
  close(): Promise<void>;
};

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LISTED = 0x02014b50;
const LISTED_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const MAX_LIST_BYTES = 4_000_000;
const MAX_ENTRIES = 10_000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const UNIX = 3;
const TYPE = 0o170_000;
const FILE = 0o100_000;
const FOLDER = 0o040_000;

const refuse = (problem: string): Failure =>
  new Failure('invalid_input', `This zip file is not taken: ${problem}. Nothing was installed.`);
const damaged = (): Failure => refuse('it is damaged, or no zip file');

const read = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) throw damaged();
    done += bytesRead;
  }
  return buffer;
};

/** Where the list begins, and how long it is. */
const findList = async (file: FileHandle, size: number): Promise<{ offset: number; bytes: number; count: number }> => {
  const length = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await read(file, size - length, length);
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END || tail.readUInt16LE(at + 20) !== length - at - END_BYTES) continue;
    const [count, bytes, offset] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const disks = tail.readUInt16LE(at + 4) + tail.readUInt16LE(at + 6);
    if (disks !== 0 || count !== tail.readUInt16LE(at + 8)) throw refuse('it is one part of several');
    if (bytes > MAX_LIST_BYTES || count > MAX_ENTRIES) throw refuse('it holds too many files');
    if (offset + bytes > size - length + at) throw damaged();
    return { offset, bytes, count };
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

const entriesOf = (list: Buffer, count: number): ZipEntry[] => {
  const entries: ZipEntry[] = [];
  const names = new Set<string>();
  let total = 0;
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + LISTED_BYTES > list.length || list.readUInt32LE(at) !== LISTED) throw damaged();
    const nameBytes = list.readUInt16LE(at + 28);
    const next = at + LISTED_BYTES + nameBytes + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
    if (next > list.length) throw damaged();
    const name = textOf(list.subarray(at + LISTED_BYTES, at + LISTED_BYTES + nameBytes));
    checkName(name);
    checkKind(name, list.readUInt16LE(at + 4), list.readUInt32LE(at + 38));
    if ((list.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw refuse('it is encrypted');
    const method = list.readUInt16LE(at + 10);
    if (method !== STORED && method !== DEFLATED) throw refuse(`${name} is packed in a way that is not known here`);
    // One of two files of the same name would win, and it is not for the order to say which.
    if (names.has(name.toLowerCase())) throw refuse(`it holds ${name} twice`);
    names.add(name.toLowerCase());
    const [crc, packed, size, offset] = [16, 20, 24, 42].map((from) => list.readUInt32LE(at + from));
    if (crc === undefined || packed === undefined || size === undefined || offset === undefined) throw damaged();
    total += size;
    if (total > MAX_FUNCTION_PACKAGE_BYTES)
      throw refuse(`unpacked it is larger than ${MAX_FUNCTION_PACKAGE_BYTES} bytes`);
    if (!name.endsWith('/')) entries.push({ name, size, packed, crc, deflated: method === DEFLATED, offset });
    at = next;
  }
  if (at !== list.length) throw damaged();
  return entries;
};

/** @throws Failure invalid_input */
export const openZip = async (path: string): Promise<Zip> => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size < END_BYTES) throw damaged();
    if (size > MAX_FUNCTION_PACKAGE_BYTES) throw refuse(`it is larger than ${MAX_FUNCTION_PACKAGE_BYTES} bytes`);
    const { offset, bytes, count } = await findList(file, size);
    const entries = entriesOf(await read(file, offset, bytes), count);

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
