import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

// Hand-built archives that can violate the format in controlled ways.

export type ArchiveEntry = { name: string; data: Buffer | string };
type ZipOptions = {
  /** Writes sizes and offsets in the ZIP64 fields. */
  isZip64?: boolean;
  /** Uncompressed size that each entry claims, instead of the real size. */
  claimedBytes?: number;
  /** All entries refer to the data of the first. */
  isOverlapping?: boolean;
};

/** Value of a 32-bit size or offset if the real value is in the ZIP64 fields. */
const ZIP64_MARKER = 0xffff_ffff;
const DEFLATE_METHOD = 8;

/** Builds a ZIP archive with deflated entries. */
export const buildZip = (entries: readonly ArchiveEntry[], options: ZipOptions = {}): Buffer => {
  const bodies: Buffer[] = [];
  const directoryEntries: Buffer[] = [];
  let offset = 0;
  let firstOffset = 0;
  for (const [index, { name, data }] of entries.entries()) {
    const contentBytes = Buffer.from(data);
    const compressed = deflateRawSync(contentBytes);
    const nameBytes = Buffer.from(name);
    const localHeader = Buffer.alloc(30);
    localHeader.writeUInt32LE(0x04034b50, 0);
    localHeader.writeUInt16LE(DEFLATE_METHOD, 8);
    localHeader.writeUInt16LE(nameBytes.length, 26);
    const isDuplicate = options.isOverlapping === true && index > 0;
    if (!isDuplicate) bodies.push(localHeader, nameBytes, compressed);
    const entryOffset = isDuplicate ? firstOffset : offset;
    if (index === 0) firstOffset = offset;
    const size = options.claimedBytes ?? contentBytes.length;
    const zip64Fields = Buffer.alloc(options.isZip64 === true ? 28 : 0);
    if (options.isZip64 === true) {
      zip64Fields.writeUInt16LE(1, 0);
      zip64Fields.writeUInt16LE(24, 2);
      zip64Fields.writeBigUInt64LE(BigInt(size), 4);
      zip64Fields.writeBigUInt64LE(BigInt(compressed.length), 12);
      zip64Fields.writeBigUInt64LE(BigInt(entryOffset), 20);
    }
    const centralHeader = Buffer.alloc(46);
    centralHeader.writeUInt32LE(0x02014b50, 0);
    centralHeader.writeUInt16LE(1 << 11, 8);
    centralHeader.writeUInt16LE(DEFLATE_METHOD, 10);
    centralHeader.writeUInt32LE(crc32(contentBytes), 16);
    centralHeader.writeUInt32LE(options.isZip64 === true ? ZIP64_MARKER : compressed.length, 20);
    centralHeader.writeUInt32LE(options.isZip64 === true ? ZIP64_MARKER : size, 24);
    centralHeader.writeUInt16LE(nameBytes.length, 28);
    centralHeader.writeUInt16LE(zip64Fields.length, 30);
    centralHeader.writeUInt32LE(options.isZip64 === true ? ZIP64_MARKER : entryOffset, 42);
    directoryEntries.push(centralHeader, nameBytes, zip64Fields);
    if (!isDuplicate) offset += localHeader.length + nameBytes.length + compressed.length;
  }
  const directory = Buffer.concat(directoryEntries);
  const endRecord = Buffer.alloc(22);
  endRecord.writeUInt32LE(0x06054b50, 0);
  if (options.isZip64 !== true) {
    endRecord.writeUInt16LE(entries.length, 8);
    endRecord.writeUInt16LE(entries.length, 10);
    endRecord.writeUInt32LE(directory.length, 12);
    endRecord.writeUInt32LE(offset, 16);
    return Buffer.concat([...bodies, directory, endRecord]);
  }
  const zip64EndRecord = Buffer.alloc(56);
  zip64EndRecord.writeUInt32LE(0x06064b50, 0);
  zip64EndRecord.writeBigUInt64LE(44n, 4);
  zip64EndRecord.writeBigUInt64LE(BigInt(entries.length), 24);
  zip64EndRecord.writeBigUInt64LE(BigInt(entries.length), 32);
  zip64EndRecord.writeBigUInt64LE(BigInt(directory.length), 40);
  zip64EndRecord.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  endRecord.fill(0xff, 8, 20);
  return Buffer.concat([...bodies, directory, zip64EndRecord, locator, endRecord]);
};

const tarHeader = (name: string, size: number, type: string): Buffer => {
  const block = Buffer.alloc(512);
  block.write(name.slice(-100), 0);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
};
const padToBlock = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((512 - (data.length % 512)) % 512)]);

const paxRecord = (key: string, value: string): string => {
  const line = ` ${key}=${value}\n`;
  const byteCount = Buffer.byteLength(line);
  return `${byteCount + String(byteCount + 2).length}${line}`;
};

/**
 * Builds a gzipped tar. The path of each entry is in a pax header, which permits long and non-ASCII paths.
 * @param hasPaxSizes true if the size of each entry is only in its pax header, like the size of a file above 8 GB
 */
export const buildTgz = (entries: readonly ArchiveEntry[], { hasPaxSizes = false } = {}): Buffer =>
  gzipSync(
    Buffer.concat([
      ...entries.flatMap(({ name, data }) => {
        const body = Buffer.from(data);
        const size = hasPaxSizes ? paxRecord('size', String(body.length)) : '';
        const pax = Buffer.from(paxRecord('path', name) + size);
        return [
          tarHeader('pax', pax.length, 'x'),
          padToBlock(pax),
          tarHeader('short', hasPaxSizes ? 0 : body.length, '0'),
          padToBlock(body),
        ];
      }),
      Buffer.alloc(1024),
    ]),
  );
