import { Failure } from '../../../platform/failure.ts';
import { MAX_PHOTO_PIXELS } from '../../../wire/profile.ts';

/**
 * A photo without metadata. The metadata of a file can reveal place, time and camera, and often contains the uncropped
 * picture. Only segments that are needed to draw the picture are copied; all others are dropped.
 */
export type Photo = { bytes: Buffer; type: 'image/jpeg' | 'image/png'; width: number; height: number };

const invalid = (reason: string): Failure =>
  new Failure('invalid_input', reason, { details: [{ path: 'body', problem: reason }] });

const corrupt = (): Failure => invalid('This picture is corrupt or has an unsupported format.');

const checkSize = (photo: Photo): Photo => {
  const { width, height } = photo;
  if (width < 1 || height < 1) throw corrupt();
  if (Math.max(width, height) > MAX_PHOTO_PIXELS)
    throw invalid(`A photo can have at most ${MAX_PHOTO_PIXELS} pixels on each side. Scale it down first.`);
  return photo;
};

const [SOI, EOI, SOS, APP14] = [0xd8, 0xd9, 0xda, 0xee];
/** Returns true for segments that are needed to draw the picture: tables, restart interval and frame headers. */
const isDrawingSegment = (marker: number): boolean =>
  marker === 0xdb || marker === 0xdd || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8);
const isFrameHeader = (marker: number): boolean =>
  isDrawingSegment(marker) && marker >= 0xc0 && ![0xc4, 0xcc].includes(marker);

/** Returns the end of the entropy-coded data: the first marker that is neither a stuffed zero nor a restart marker. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw corrupt();
};

const stripJpeg = (bytes: Buffer): Photo => {
  const segments: Buffer[] = [Buffer.from([0xff, SOI])];
  let size = { width: 0, height: 0 };
  let scans = 0;
  for (let at = 2; ;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined) throw corrupt();
    if (marker === EOI) break;
    if (at + 4 > bytes.length) throw corrupt();
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) throw corrupt();
    if (isFrameHeader(marker) && length >= 8)
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // The Adobe segment defines the colour transform. Without it, some pictures have wrong colours.
    const isAdobe = marker === APP14 && length === 14 && bytes.subarray(at + 4, at + 9).toString('latin1') === 'Adobe';
    if (isDrawingSegment(marker) || isAdobe) segments.push(bytes.subarray(at, end));
    at = end;
    if (marker !== SOS) continue;
    const scanEnd = endOfScan(bytes, end);
    segments.push(bytes.subarray(at - 2 - length, scanEnd));
    scans += 1;
    at = scanEnd;
  }
  if (scans === 0) throw corrupt();
  segments.push(Buffer.from([0xff, EOI]));
  return checkSize({ bytes: Buffer.concat(segments), type: 'image/jpeg', ...size });
};

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_DRAWING_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);

const stripPng = (bytes: Buffer): Photo => {
  const segments: Buffer[] = [PNG_SIGNATURE];
  let size: { width: number; height: number } | undefined;
  for (let at = PNG_SIGNATURE.length; ;) {
    if (at + 12 > bytes.length) throw corrupt();
    const length = bytes.readUInt32BE(at);
    const kind = bytes.subarray(at + 4, at + 8).toString('latin1');
    const end = at + 12 + length;
    if (end > bytes.length) throw corrupt();
    if (kind === 'IHDR') {
      if (length !== 13) throw corrupt();
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (size === undefined) throw corrupt();
    if (PNG_DRAWING_CHUNKS.has(kind)) segments.push(bytes.subarray(at, end));
    if (kind === 'IEND') return checkSize({ bytes: Buffer.concat(segments), type: 'image/png', ...size });
    at = end;
  }
};

/** Returns the photo without metadata. @throws Failure invalid_input */
export const stripMetadata = (bytes: Buffer): Photo => {
  if (bytes[0] === 0xff && bytes[1] === SOI) return stripJpeg(bytes);
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return stripPng(bytes);
  throw invalid('A photo must be a JPEG or PNG file.');
};
