import { readSync } from 'node:fs';
import ExifReader from 'exifreader';
import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import { PICTURE_READ_MAX_BYTES } from '../../../wire/limits.ts';
import type { ContentRequest } from '../content/thread-reader.ts';
import { detailsOf, NO_DETAILS, type PictureDetails } from './rules.ts';

// Reads the details of pictures in a worker thread, so that a crafted picture cannot block the server.

/** A JPEG contains its metadata at the start, within this many bytes. Other formats can contain it anywhere. */
const JPEG_HEAD_BYTES = 1_000_000;

const INCLUDED_TAGS = {
  exif: [
    'DateTimeOriginal',
    'DateTimeDigitized',
    'OffsetTimeOriginal',
    'OffsetTimeDigitized',
    'Make',
    'Model',
    'GPSLatitude',
    'GPSLatitudeRef',
    'GPSLongitude',
    'GPSLongitudeRef',
  ],
  gps: true,
} as const;

const readStart = (fd: number, max: number): Buffer => {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < max) {
    const chunk = Buffer.allocUnsafe(Math.min(JPEG_HEAD_BYTES, max - length));
    const bytes = readSync(fd, chunk, 0, chunk.length, length);
    if (bytes === 0) break;
    chunks.push(chunk.subarray(0, bytes));
    length += bytes;
  }
  return Buffer.concat(chunks);
};

const isJpeg = (start: Buffer): boolean => start[0] === 0xff && start[1] === 0xd8;

serveRequests(({ fd }: ContentRequest): PictureDetails => {
  const head = readStart(fd, JPEG_HEAD_BYTES);
  const isHeadSufficient = head.length < JPEG_HEAD_BYTES || isJpeg(head);
  const content = isHeadSufficient ? head : readStart(fd, PICTURE_READ_MAX_BYTES);
  try {
    const { exif, gps } = ExifReader.load(content, {
      expanded: true,
      includeTags: { exif: [...INCLUDED_TAGS.exif], gps: INCLUDED_TAGS.gps },
    });
    const isOriginal = exif?.DateTimeOriginal !== undefined;
    return detailsOf({
      time: (isOriginal ? exif.DateTimeOriginal : exif?.DateTimeDigitized)?.description,
      offset: (isOriginal ? exif.OffsetTimeOriginal : exif?.OffsetTimeDigitized)?.description,
      latitude: gps?.Latitude,
      longitude: gps?.Longitude,
      maker: exif?.Make?.description,
      model: exif?.Model?.description,
    });
  } catch {
    // The format is not supported, or the file is damaged.
    return NO_DETAILS;
  }
});
