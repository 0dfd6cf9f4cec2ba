import { deflateSync } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk } from './png.ts';

// Pictures with Exif metadata as cameras write it (CIPA DC-008).

export type ExifData = {
  /** Local time of the camera, `2024:03:01 12:34:56`. */
  taken?: string;
  /** UTC offset of that time, `+01:00`. */
  offset?: string;
  /** Degrees; negative in the south and west. */
  place?: { latitude: number; longitude: number };
  maker?: string;
  model?: string;
};

type Entry = { tag: number; type: number; count: number; data: Buffer };

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** Values up to this size are in the entry itself. */
const INLINE_BYTES = 4;

const ascii = (tag: number, text: string): Entry => {
  const data = Buffer.from(`${text}\0`, 'latin1');
  return { tag, type: 2, count: data.length, data };
};
const long = (tag: number, value: number): Entry => {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(value);
  return { tag, type: 4, count: 1, data };
};
/** Encodes an angle as three fractions: degrees, minutes and seconds. */
const degrees = (tag: number, value: number): Entry => {
  const data = Buffer.alloc(24);
  const seconds = Math.round(Math.abs(value) * 3600 * 1000) / 1000;
  const numerators = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.round((seconds % 60) * 1000)];
  for (const [index, numerator] of numerators.entries()) {
    data.writeUInt32BE(numerator, index * 8);
    data.writeUInt32BE(index === 2 ? 1000 : 1, index * 8 + 4);
  }
  return { tag, type: 5, count: 3, data };
};

/** Encodes a directory. @param start its position in the block */
const directory = (entries: readonly Entry[], start: number): Buffer => {
  const head = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  head.writeUInt16BE(entries.length);
  const values: Buffer[] = [];
  let end = start + head.length;
  for (const [index, { tag, type, count, data }] of entries.entries()) {
    const position = 2 + index * ENTRY_BYTES;
    head.writeUInt16BE(tag, position);
    head.writeUInt16BE(type, position + 2);
    head.writeUInt32BE(count, position + 4);
    if (data.length <= INLINE_BYTES) {
      data.copy(head, position + 8);
    } else {
      head.writeUInt32BE(end, position + 8);
      const paddedData = Buffer.concat([data, Buffer.alloc(data.length % 2)]);
      values.push(paddedData);
      end += paddedData.length;
    }
  }
  return Buffer.concat([head, ...values]);
};

/** Encodes metadata as a TIFF block, which is a TIFF file by itself. */
export const exifBlock = ({ taken, offset, place, maker, model }: ExifData): Buffer => {
  const cameraEntries = [
    ...(maker === undefined ? [] : [ascii(0x010f, maker)]),
    ...(model === undefined ? [] : [ascii(0x0110, model)]),
  ];
  const timeEntries = [
    ...(taken === undefined ? [] : [ascii(0x9003, taken)]),
    ...(offset === undefined ? [] : [ascii(0x9011, offset)]),
  ];
  const gpsEntries =
    place === undefined
      ? []
      : [
          ascii(0x0001, place.latitude < 0 ? 'S' : 'N'),
          degrees(0x0002, place.latitude),
          ascii(0x0003, place.longitude < 0 ? 'W' : 'E'),
          degrees(0x0004, place.longitude),
        ];
  const mainDirectory = (exifStart: number, gpsStart: number): Buffer => {
    const gpsPointer = place === undefined ? [] : [long(0x8825, gpsStart)];
    return directory([...cameraEntries, long(0x8769, exifStart), ...gpsPointer], HEADER_BYTES);
  };
  const exifStart = HEADER_BYTES + mainDirectory(0, 0).length;
  const exif = directory(timeEntries, exifStart);
  const gpsStart = exifStart + exif.length;
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    mainDirectory(exifStart, gpsStart),
    exif,
    ...(place === undefined ? [] : [directory(gpsEntries, gpsStart)]),
  ]);
};

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

/** Builds a Huffman table with one code of one bit. */
const huffmanTable = (target: number, symbol: number): Buffer =>
  segment(0xc4, Buffer.from([target, 1, ...Array.from({ length: 15 }, () => 0), symbol]));

/** Builds a grey JPEG of 8 by 8 pixels with this block as its Exif segment. */
export const jpegWithBlock = (block: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), block])),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(0xc0, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
    huffmanTable(0x00, 9),
    huffmanTable(0x10, 0),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x54, 0xdf]),
    Buffer.from([0xff, 0xd9]),
  ]);

/** Builds a grey JPEG of 8 by 8 pixels with metadata. */
export const jpegWithExif = (data: ExifData): Buffer => jpegWithBlock(exifBlock(data));

/** Builds a black PNG of one pixel with metadata after the pixels. */
export const pngWithExif = (data: ExifData): Buffer =>
  Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    pngChunk('IDAT', deflateSync(Buffer.alloc(2))),
    pngChunk('eXIf', exifBlock(data)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);

const riffChunk = (kind: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(kind, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
};

/** Builds a WebP container with metadata and without pixels. */
export const webpWithExif = (data: ExifData): Buffer => {
  const body = Buffer.concat([
    Buffer.from('WEBP', 'latin1'),
    riffChunk('VP8X', Buffer.from([8, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    riffChunk('EXIF', exifBlock(data)),
  ]);
  return riffChunk('RIFF', body);
};
