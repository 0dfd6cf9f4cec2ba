import { Failure } from '../../../platform/failure.ts';
import { MAX_PHOTO_PIXELS } from '../../../wire/profile.ts';

type Photo = { bytes: Buffer; type: 'image/jpeg' | 'image/png'; width: number; height: number };

const invalidPhoto = (reason: string): Failure =>
  new Failure('invalid_input', reason, { details: [{ path: 'body', problem: reason }] });

const corruptPhoto = (): Failure => invalidPhoto('This picture is corrupt or has an unsupported format.');

const requireValidSize = (photo: Photo): Photo => {
  const { width, height } = photo;
  if (width < 1 || height < 1) throw corruptPhoto();
  if (Math.max(width, height) > MAX_PHOTO_PIXELS)
    throw invalidPhoto(`A photo can have at most ${MAX_PHOTO_PIXELS} pixels on each side. Scale it down first.`);
  return photo;
};

/* JPEG segment markers: start and end of the image, start of a scan, and the Adobe segment. */
const [SOI, EOI, SOS, APP14] = [0xd8, 0xd9, 0xda, 0xee];
/** Returns true for tables, the restart interval and frame headers. */
const isDrawingSegment = (marker: number): boolean =>
  marker === 0xdb || marker === 0xdd || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8);
const isFrameHeader = (marker: number): boolean =>
  isDrawingSegment(marker) && marker >= 0xc0 && ![0xc4, 0xcc].includes(marker);

/** Returns the position of the first marker after the data of a scan, which can contain restart markers. */
const findScanEnd = (bytes: Buffer, from: number): number => {
  for (
    let position = bytes.indexOf(0xff, from);
    position !== -1 && position + 1 < bytes.length;
    position = bytes.indexOf(0xff, position + 1)
  ) {
    const next = bytes[position + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return position;
  }
  throw corruptPhoto();
};

const stripJpeg = (bytes: Buffer): Photo => {
  const segments: Buffer[] = [Buffer.from([0xff, SOI])];
  let size = { width: 0, height: 0 };
  let scans = 0;
  for (let position = 2; ;) {
    while (bytes[position] === 0xff && bytes[position + 1] === 0xff) position += 1;
    const marker = bytes[position + 1];
    if (bytes[position] !== 0xff || marker === undefined) throw corruptPhoto();
    if (marker === EOI) break;
    if (position + 4 > bytes.length) throw corruptPhoto();
    const length = bytes.readUInt16BE(position + 2);
    const end = position + 2 + length;
    if (length < 2 || end > bytes.length) throw corruptPhoto();
    if (isFrameHeader(marker) && length >= 8)
      size = { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    // The Adobe segment defines the colour transform. Without it, some pictures would have wrong colours.
    const isAdobe =
      marker === APP14 && length === 14 && bytes.subarray(position + 4, position + 9).toString('latin1') === 'Adobe';
    if (isDrawingSegment(marker) || isAdobe) segments.push(bytes.subarray(position, end));
    position = end;
    if (marker !== SOS) continue;
    const scanEnd = findScanEnd(bytes, end);
    segments.push(bytes.subarray(position - 2 - length, scanEnd));
    scans += 1;
    position = scanEnd;
  }
  if (scans === 0) throw corruptPhoto();
  segments.push(Buffer.from([0xff, EOI]));
  return requireValidSize({ bytes: Buffer.concat(segments), type: 'image/jpeg', ...size });
};

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_DRAWING_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);

const stripPng = (bytes: Buffer): Photo => {
  const segments: Buffer[] = [PNG_SIGNATURE];
  let size: { width: number; height: number } | undefined;
  for (let position = PNG_SIGNATURE.length; ;) {
    if (position + 12 > bytes.length) throw corruptPhoto();
    const length = bytes.readUInt32BE(position);
    const kind = bytes.subarray(position + 4, position + 8).toString('latin1');
    const end = position + 12 + length;
    if (end > bytes.length) throw corruptPhoto();
    if (kind === 'IHDR') {
      if (length !== 13) throw corruptPhoto();
      size = { width: bytes.readUInt32BE(position + 8), height: bytes.readUInt32BE(position + 12) };
    }
    if (size === undefined) throw corruptPhoto();
    if (PNG_DRAWING_CHUNKS.has(kind)) segments.push(bytes.subarray(position, end));
    if (kind === 'IEND') return requireValidSize({ bytes: Buffer.concat(segments), type: 'image/png', ...size });
    position = end;
  }
};

/**
 * Returns a copy of a photo with only the segments that are needed to draw the picture. Metadata can reveal the place,
 * the time and the camera, and may contain the uncropped picture.
 * @throws Failure invalid_input
 */
export const stripMetadata = (bytes: Buffer): Photo => {
  if (bytes[0] === 0xff && bytes[1] === SOI) return stripJpeg(bytes);
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return stripPng(bytes);
  throw invalidPhoto('A photo must be a JPEG or PNG file.');
};
