import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

/**
 * Writes a ZIP file as a stream, without seeking back, so that it can be sent while it is created. Archives beyond 4
 * GB or 65,535 files use ZIP64 records. Only the list of names is held in memory.
 */
export type ZipWriter = {
  /** Adds a file. @param about.maxBytes upper bound of its size in bytes; large entries need ZIP64 fields */
  add(
    name: string,
    about: { maxBytes: number; level: 0 | 1 | 6 },
    content: AsyncIterable<Buffer>,
  ): Promise<ZipEntryResult>;
  /** Writes the central directory and completes the file. */
  end(): Promise<void>;
  bytes(): number;
};
export type ZipEntryResult = { bytes: number; sha256: string };

/** Signatures and numbers of the format (APPNOTE.TXT of PKWARE, 4.3 and 4.5.3). */
const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const SIZES_FOLLOW = 1 << 3;
const UTF8_NAME = 1 << 11;
const DEFLATED = 8;
/** ID of the ZIP64 extra field, which holds the 64-bit numbers of a large file. */
const EXTRA_64 = 1;
/** Marks a number that does not fit its field and stands in the ZIP64 record instead. */
const ELSEWHERE_16 = 0xffff;
const ELSEWHERE_32 = 0xffff_ffff;

const FLAGS = SIZES_FOLLOW | UTF8_NAME;
const OLD = 20;
const LARGE = 45;
const MADE_BY_UNIX = 3 << 8;
/** Unix mode of a regular file that its owner may read and write. */
const ATTRIBUTES = (0o100_600 << 16) >>> 0;
const MOST_32 = 0xffff_fffe;
/** Entries announced below this size need no ZIP64 fields: deflate can enlarge incompressible data a little. */
const SURE_BELOW = 4_000_000_000;
const LIST_AT_ONCE = 1000;

type Number = { bytes: 2 | 4 | 8; value: number };
const two = (value: number): Number => ({ bytes: 2, value });
const four = (value: number): Number => ({ bytes: 4, value });
const eight = (value: number): Number => ({ bytes: 8, value });

const encodeNumbers = (...numbers: Number[]): Buffer => {
  const buffer = Buffer.alloc(numbers.reduce((sum, { bytes }) => sum + bytes, 0));
  let offset = 0;
  for (const { bytes, value } of numbers) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), offset);
    else buffer.writeUIntLE(value, offset, bytes);
    offset += bytes;
  }
  return buffer;
};

type CentralEntry = { name: string; crc: number; packed: number; size: number; offset: number };

const encodeCentralEntry = ({ name, crc, packed: inside, size, offset }: CentralEntry, modified: Number): Buffer => {
  const text = Buffer.from(name);
  const large = [size, inside, offset].filter((value) => value > MOST_32);
  const extra =
    large.length === 0 ? Buffer.alloc(0) : encodeNumbers(two(EXTRA_64), two(8 * large.length), ...large.map(eight));
  const short = (value: number): Number => four(value > MOST_32 ? ELSEWHERE_32 : value);
  const head = encodeNumbers(
    four(LISTED),
    two(MADE_BY_UNIX | LARGE),
    two(large.length > 0 ? LARGE : OLD),
    two(FLAGS),
    two(DEFLATED),
    modified,
    four(crc),
    short(inside),
    short(size),
    two(text.length),
    two(extra.length),
    two(0),
    two(0),
    two(0),
    four(ATTRIBUTES),
    short(offset),
  );
  return Buffer.concat([head, text, extra]);
};

/** Converts Unix milliseconds to MS-DOS date and time: UTC here, since 1980, two-second resolution. */
const dosTime = (ms: number): number => {
  const time = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return day * 0x1_0000 + clock;
};

/**
 * Creates a ZIP writer.
 * @param write receives the next bytes and resolves when more may come
 * @param now Unix milliseconds, the modification time of all entries
 */
export const createZipWriter = (write: (bytes: Buffer) => Promise<void>, now: number): ZipWriter => {
  const entries: CentralEntry[] = [];
  const modified = four(dosTime(now));
  let position = 0;
  const writeBytes = async (bytes: Buffer): Promise<void> => {
    position += bytes.length;
    await write(bytes);
  };

  return {
    bytes: () => position,

    async add(name, { maxBytes: upTo, level }, content) {
      const offset = position;
      const large = upTo > SURE_BELOW;
      const text = Buffer.from(name);
      const extra = large ? encodeNumbers(two(EXTRA_64), two(16), eight(0), eight(0)) : Buffer.alloc(0);
      const unknown = four(large ? ELSEWHERE_32 : 0);
      const version = two(large ? LARGE : OLD);
      await writeBytes(
        Buffer.concat([
          encodeNumbers(
            four(LOCAL),
            version,
            two(FLAGS),
            two(DEFLATED),
            modified,
            four(0),
            unknown,
            unknown,
            two(text.length),
          ),
          encodeNumbers(two(extra.length)),
          text,
          extra,
        ]),
      );
      const hash = createHash('sha256');
      const begun = position;
      let crc = 0;
      let size = 0;
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of content) {
          crc = crc32(chunk, crc);
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      }
      await pipeline(counted(), createDeflateRaw({ level }), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await writeBytes(chunk);
      });
      const inside = position - begun;
      if (!large && Math.max(size, inside) > MOST_32) throw new Error(`${name} is larger than announced`);
      const amount = large ? eight : four;
      await writeBytes(encodeNumbers(four(DESCRIPTOR), four(crc), amount(inside), amount(size)));
      entries.push({ name, crc, packed: inside, size, offset });
      return { bytes: size, sha256: hash.digest('hex') };
    },

    async end() {
      const offset = position;
      for (let from = 0; from < entries.length; from += LIST_AT_ONCE)
        await writeBytes(
          Buffer.concat(entries.slice(from, from + LIST_AT_ONCE).map((entry) => encodeCentralEntry(entry, modified))),
        );
      const bytes = position - offset;
      const count = entries.length;
      const large = count >= ELSEWHERE_16 || offset > MOST_32 || bytes > MOST_32;
      if (large) {
        const end64 = position;
        await writeBytes(
          encodeNumbers(
            four(END_64),
            eight(44),
            two(MADE_BY_UNIX | LARGE),
            two(LARGE),
            four(0),
            four(0),
            eight(count),
            eight(count),
            eight(bytes),
            eight(offset),
            four(LOCATOR_64),
            four(0),
            eight(end64),
            four(1),
          ),
        );
      }
      const short = two(large ? ELSEWHERE_16 : count);
      const [listBytes, listAt] = large ? [ELSEWHERE_32, ELSEWHERE_32] : [bytes, offset];
      await writeBytes(encodeNumbers(four(END), two(0), two(0), short, short, four(listBytes), four(listAt), two(0)));
    },
  };
};
