import { Failure } from '../../../platform/failure.ts';
import { MAX_PHOTO_PIXELS } from '../../../wire/profile.ts';

/**
 * A photo says more than it shows: where it was taken, when, by which camera, and often what it was cut from. Only what draws the picture is
 * copied; a kind of block that is not in the list stays behind, whatever it is.
 */
export type Photo = { bytes: Buffer; type: 'image/jpeg' | 'image/png'; width: number; height: number };

const refuse = (why: string): Failure =>
  new Failure('invalid_input', why, { details: [{ path: 'body', problem: why }] });

const broken = (): Failure => refuse('This picture is broken, or none that is read here.');

const checked = (photo: Photo): Photo => {
  const { width, height } = photo;
  if (width < 1 || height < 1) throw broken();
  if (Math.max(width, height) > MAX_PHOTO_PIXELS)
    throw refuse(`A photo has at most ${MAX_PHOTO_PIXELS} pixels on a side. Make it smaller first.`);
  return photo;
};

const [SOI, EOI, SOS, APP14] = [0xd8, 0xd9, 0xda, 0xee];
/** Tables, restart interval, and what names the size: all that drawing needs. */
const isDrawing = (marker: number): boolean =>
  marker === 0xdb || marker === 0xdd || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8);
const isFrame = (marker: number): boolean => isDrawing(marker) && marker >= 0xc0 && ![0xc4, 0xcc].includes(marker);

/** Where the picture's own data ends: at the first marker that is neither a filled-in zero nor a restart. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw broken();
};

const cleanJpeg = (bytes: Buffer): Photo => {
  const kept: Buffer[] = [Buffer.from([0xff, SOI])];
  let size = { width: 0, height: 0 };
  let scans = 0;
  for (let at = 2; ;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined) throw broken();
    if (marker === EOI) break;
    if (at + 4 > bytes.length) throw broken();
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) throw broken();
    if (isFrame(marker) && length >= 8)
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // How colours are to be read: without it some pictures change theirs.
    const isAdobe = marker === APP14 && length === 14 && bytes.subarray(at + 4, at + 9).toString('latin1') === 'Adobe';
    if (isDrawing(marker) || isAdobe) kept.push(bytes.subarray(at, end));
    at = end;
    if (marker !== SOS) continue;
    const until = endOfScan(bytes, end);
    kept.push(bytes.subarray(at - 2 - length, until));
    scans += 1;
    at = until;
  }
  if (scans === 0) throw broken();
  kept.push(Buffer.from([0xff, EOI]));
  return checked({ bytes: Buffer.concat(kept), type: 'image/jpeg', ...size });
};

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_DRAWING = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);

const cleanPng = (bytes: Buffer): Photo => {
  const kept: Buffer[] = [PNG];
  let size: { width: number; height: number } | undefined;
  for (let at = PNG.length; ;) {
    if (at + 12 > bytes.length) throw broken();
    const length = bytes.readUInt32BE(at);
    const kind = bytes.subarray(at + 4, at + 8).toString('latin1');
    const end = at + 12 + length;
    if (end > bytes.length) throw broken();
    if (kind === 'IHDR') {
      if (length !== 13) throw broken();
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (size === undefined) throw broken();
    if (PNG_DRAWING.has(kind)) kept.push(bytes.subarray(at, end));
    if (kind === 'IEND') return checked({ bytes: Buffer.concat(kept), type: 'image/png', ...size });
    at = end;
  }
};

/** The picture alone. @throws Failure invalid_input */
export const cleanPhoto = (bytes: Buffer): Photo => {
  if (bytes[0] === 0xff && bytes[1] === SOI) return cleanJpeg(bytes);
  if (bytes.subarray(0, PNG.length).equals(PNG)) return cleanPng(bytes);
  throw refuse('A photo is a JPEG or a PNG.');
};
