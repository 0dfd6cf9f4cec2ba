import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Hand-built archives that can violate the format in controlled ways. */

export type Entry = { name: string; data: Buffer | string };
type ZipOptions = {
  /** Writes sizes and offsets in the ZIP64 fields. */
  zip64?: boolean;
  /** Uncompressed size that each entry claims, instead of the real one. */
  claimedBytes?: number;
  /** All entries refer to the data of the first. */
  overlapping?: boolean;
  isStored?: boolean;
};

const FULL = 0xffff_ffff;

export const zipOf = (entries: readonly Entry[], options: ZipOptions = {}): Buffer => {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  let firstOffset = 0;
  for (const [index, { name, data }] of entries.entries()) {
    const contentBytes = Buffer.from(data);
    const packed = options.isStored === true ? contentBytes : deflateRawSync(contentBytes);
    const method = options.isStored === true ? 0 : 8;
    const nameBytes = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(nameBytes.length, 26);
    const isDuplicate = options.overlapping === true && index > 0;
    if (!isDuplicate) bodies.push(local, nameBytes, packed);
    const at = isDuplicate ? firstOffset : offset;
    if (index === 0) firstOffset = offset;
    const size = options.claimedBytes ?? contentBytes.length;
    const extra = Buffer.alloc(options.zip64 === true ? 28 : 0);
    if (options.zip64 === true) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(1 << 11, 8);
    head.writeUInt16LE(method, 10);
    head.writeUInt32LE(crc32(contentBytes), 16);
    head.writeUInt32LE(options.zip64 === true ? FULL : packed.length, 20);
    head.writeUInt32LE(options.zip64 === true ? FULL : size, 24);
    head.writeUInt16LE(nameBytes.length, 28);
    head.writeUInt16LE(extra.length, 30);
    head.writeUInt32LE(options.zip64 === true ? FULL : at, 42);
    list.push(head, nameBytes, extra);
    if (!isDuplicate) offset += local.length + nameBytes.length + packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  if (options.zip64 !== true) {
    end.writeUInt16LE(entries.length, 8);
    end.writeUInt16LE(entries.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...bodies, directory, end]);
  }
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeBigUInt64LE(BigInt(entries.length), 24);
  large.writeBigUInt64LE(BigInt(entries.length), 32);
  large.writeBigUInt64LE(BigInt(directory.length), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  end.fill(0xff, 8, 20);
  return Buffer.concat([...bodies, directory, large, locator, end]);
};

const header = (name: string, size: number, type: string): Buffer => {
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
const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((512 - (data.length % 512)) % 512)]);

/** Builds a gzipped tar with pax headers for long and non-ASCII paths. */
export const tgzOf = (entries: readonly Entry[]): Buffer =>
  gzipSync(
    Buffer.concat([
      ...entries.flatMap(({ name, data }) => {
        const body = Buffer.from(data);
        const line = ` path=${name}\n`;
        const bytes = Buffer.byteLength(line);
        const length = bytes + String(bytes + 2).length;
        const pax = Buffer.from(`${length}${line}`);
        return [header('pax', pax.length, 'x'), padded(pax), header('short', body.length, '0'), padded(body)];
      }),
      Buffer.alloc(1024),
    ]),
  );
