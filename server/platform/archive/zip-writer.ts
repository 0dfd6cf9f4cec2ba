import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

/** Writes a ZIP file as a stream, without seeking back. Only the list of entries is kept in memory. */
export type ZipWriter = {
  /**
   * Adds a file. Resolves with its unpacked size and its SHA-256 in hexadecimal.
   * @param options.expectedBytes expected unpacked size, rounded up if it is uncertain; above ZIP64_ABOVE_BYTES, the
   *   entry gets ZIP64 fields
   * @throws Error if content that was announced as small turns out to need ZIP64 fields
   */
  add(
    name: string,
    options: { expectedBytes: number; level: 0 | 1 | 6 },
    content: AsyncIterable<Buffer>,
  ): Promise<{ bytes: number; sha256: string }>;
  end(): Promise<void>;
  bytes(): number;
};

/** Signatures and numbers of the format (PKWARE APPNOTE.TXT, 4.3 and 4.5.3). */
const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const DATA_DESCRIPTOR_SIGNATURE = 0x08074b50;
const CENTRAL_HEADER_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const FLAG_SIZES_FOLLOW = 1 << 3;
const FLAG_UTF8_NAME = 1 << 11;
const METHOD_DEFLATE = 8;
const ZIP64_EXTRA_ID = 1;
/** Values of fields whose number is stored in a ZIP64 field instead. */
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffff_ffff;

const FLAGS = FLAG_SIZES_FOLLOW | FLAG_UTF8_NAME;
/** Versions needed to extract: 2.0 for deflate, 4.5 for ZIP64. */
const VERSION_DEFAULT = 20;
const VERSION_ZIP64 = 45;
/** Size of the ZIP64 end record after its size field. */
const ZIP64_END_REMAINDER_BYTES = 44;
const MADE_BY_UNIX = 3 << 8;
/** Unix mode of a regular file that only its owner may read and write. */
const FILE_ATTRIBUTES = (0o100_600 << 16) >>> 0;
/** Largest number of a 32-bit field. The next number means "see the ZIP64 field". */
const MAX_UINT32_VALUE = 0xffff_fffe;
/** Entries declared up to this size need no ZIP64 fields, even if deflate enlarges incompressible data a little. */
const ZIP64_ABOVE_BYTES = 4_000_000_000;
const CENTRAL_ENTRIES_PER_WRITE = 1000;

type NumberField = { bytes: 2 | 4 | 8; value: number };
const uint16 = (value: number): NumberField => ({ bytes: 2, value });
const uint32 = (value: number): NumberField => ({ bytes: 4, value });
const uint64 = (value: number): NumberField => ({ bytes: 8, value });

const encodeFields = (...fields: NumberField[]): Buffer => {
  const buffer = Buffer.alloc(fields.reduce((sum, { bytes }) => sum + bytes, 0));
  let offset = 0;
  for (const { bytes, value } of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), offset);
    else buffer.writeUIntLE(value, offset, bytes);
    offset += bytes;
  }
  return buffer;
};

type CentralEntry = { name: string; crc: number; packed: number; size: number; offset: number };

const encodeCentralEntry = ({ name, crc, packed, size, offset }: CentralEntry, modifiedField: NumberField): Buffer => {
  const nameBytes = Buffer.from(name);
  const zip64Values = [size, packed, offset].filter((value) => value > MAX_UINT32_VALUE);
  const extra =
    zip64Values.length === 0
      ? Buffer.alloc(0)
      : encodeFields(uint16(ZIP64_EXTRA_ID), uint16(8 * zip64Values.length), ...zip64Values.map(uint64));
  const valueOrMarker = (value: number): NumberField => uint32(value > MAX_UINT32_VALUE ? IN_ZIP64_32 : value);
  const head = encodeFields(
    uint32(CENTRAL_HEADER_SIGNATURE),
    uint16(MADE_BY_UNIX | VERSION_ZIP64),
    uint16(zip64Values.length > 0 ? VERSION_ZIP64 : VERSION_DEFAULT),
    uint16(FLAGS),
    uint16(METHOD_DEFLATE),
    modifiedField,
    uint32(crc),
    valueOrMarker(packed),
    valueOrMarker(size),
    uint16(nameBytes.length),
    uint16(extra.length),
    uint16(0),
    uint16(0),
    uint16(0),
    uint32(FILE_ATTRIBUTES),
    valueOrMarker(offset),
  );
  return Buffer.concat([head, nameBytes, extra]);
};

/** Converts Unix milliseconds to MS-DOS date and time: UTC, two-second resolution, at least 1980. */
const dosTime = (ms: number): number => {
  const time = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return day * 0x1_0000 + clock;
};

/**
 * @param write resolves when it can accept more bytes
 * @param now modification time of all entries, Unix milliseconds
 */
export const createZipWriter = (write: (bytes: Buffer) => Promise<void>, now: number): ZipWriter => {
  const entries: CentralEntry[] = [];
  const modifiedField = uint32(dosTime(now));
  let position = 0;
  const writeBytes = async (bytes: Buffer): Promise<void> => {
    position += bytes.length;
    await write(bytes);
  };

  return {
    bytes: () => position,

    async add(name, { expectedBytes, level }, content) {
      const offset = position;
      const needsZip64 = expectedBytes > ZIP64_ABOVE_BYTES;
      const nameBytes = Buffer.from(name);
      const extra = needsZip64
        ? encodeFields(uint16(ZIP64_EXTRA_ID), uint16(16), uint64(0), uint64(0))
        : Buffer.alloc(0);
      const unknownSize = uint32(needsZip64 ? IN_ZIP64_32 : 0);
      const version = uint16(needsZip64 ? VERSION_ZIP64 : VERSION_DEFAULT);
      await writeBytes(
        Buffer.concat([
          encodeFields(
            uint32(LOCAL_HEADER_SIGNATURE),
            version,
            uint16(FLAGS),
            uint16(METHOD_DEFLATE),
            modifiedField,
            uint32(0),
            unknownSize,
            unknownSize,
            uint16(nameBytes.length),
            uint16(extra.length),
          ),
          nameBytes,
          extra,
        ]),
      );
      const hash = createHash('sha256');
      const contentStart = position;
      let crc = 0;
      let size = 0;
      async function* countAndHash(): AsyncGenerator<Buffer> {
        for await (const chunk of content) {
          crc = crc32(chunk, crc);
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      }
      await pipeline(countAndHash(), createDeflateRaw({ level }), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await writeBytes(chunk);
      });
      const packed = position - contentStart;
      if (!needsZip64 && Math.max(size, packed) > MAX_UINT32_VALUE) throw new Error(`${name} is larger than announced`);
      const sizeField = needsZip64 ? uint64 : uint32;
      await writeBytes(
        encodeFields(uint32(DATA_DESCRIPTOR_SIGNATURE), uint32(crc), sizeField(packed), sizeField(size)),
      );
      entries.push({ name, crc, packed, size, offset });
      return { bytes: size, sha256: hash.digest('hex') };
    },

    async end() {
      const offset = position;
      for (let from = 0; from < entries.length; from += CENTRAL_ENTRIES_PER_WRITE)
        await writeBytes(
          Buffer.concat(
            entries
              .slice(from, from + CENTRAL_ENTRIES_PER_WRITE)
              .map((entry) => encodeCentralEntry(entry, modifiedField)),
          ),
        );
      const bytes = position - offset;
      const count = entries.length;
      const needsZip64 = count >= IN_ZIP64_16 || offset > MAX_UINT32_VALUE || bytes > MAX_UINT32_VALUE;
      if (needsZip64) {
        const zip64EndOffset = position;
        await writeBytes(
          encodeFields(
            uint32(ZIP64_END_SIGNATURE),
            uint64(ZIP64_END_REMAINDER_BYTES),
            uint16(MADE_BY_UNIX | VERSION_ZIP64),
            uint16(VERSION_ZIP64),
            uint32(0),
            uint32(0),
            uint64(count),
            uint64(count),
            uint64(bytes),
            uint64(offset),
            uint32(ZIP64_LOCATOR_SIGNATURE),
            uint32(0),
            uint64(zip64EndOffset),
            uint32(1),
          ),
        );
      }
      const shortCount = uint16(needsZip64 ? IN_ZIP64_16 : count);
      const [directoryBytes, directoryOffset] = needsZip64 ? [IN_ZIP64_32, IN_ZIP64_32] : [bytes, offset];
      await writeBytes(
        encodeFields(
          uint32(END_SIGNATURE),
          uint16(0),
          uint16(0),
          shortCount,
          shortCount,
          uint32(directoryBytes),
          uint32(directoryOffset),
          uint16(0),
        ),
      );
    },
  };
};
