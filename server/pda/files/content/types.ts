import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime-types';
import { open } from 'node:fs/promises';
import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import type { FileKind } from '../../../wire/files.ts';

/** What a file is, by what is in it. Its name only tells kinds of text apart, and never makes anything shown in place. */

/** Bytes from the beginning that are looked at. */
const LOOKED_AT_BYTES = 8192;

export type ContentType = { type: string; kind: FileKind };

const UNKNOWN = 'application/octet-stream';

/** Shown in place by a browser, since nothing in it can act: no HTML, SVG, XML or script (decisions 6). */
const INLINE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/heic',
  'image/apng',
  'text/plain',
  'application/pdf',
]);

export const isInline = (type: string | null): boolean =>
  type !== null && (INLINE.has(type) || type.startsWith('audio/') || type.startsWith('video/'));

const ARCHIVE = /zip|tar|gzip|x-7z|rar|bzip|zstd|x-xz|compress/u;
const DOCUMENT = /pdf|msword|officedocument|opendocument|rtf|epub/u;

export const kindOf = (type: string): FileKind => {
  const [main = ''] = type.split('/', 1);
  if (main === 'image' || main === 'video' || main === 'audio' || main === 'text') return main;
  if (DOCUMENT.test(type)) return 'document';
  if (/json|xml|javascript|yaml|sql/u.test(type)) return 'text';
  return ARCHIVE.test(type) ? 'archive' : 'other';
};

/** As text a beginning may be cut within a character. */
const isText = (bytes: Buffer): boolean => {
  if (bytes.includes(0)) return false;
  for (let less = 0; less < 4; less += 1) if (isUtf8(bytes.subarray(0, bytes.length - less))) return true;
  return false;
};

/** Text that a browser would run or lay out, however it is called. */
const MARKUP = /<(?:!doctype|html|head|body|script|iframe|svg|\?xml|style|object|embed|img|a\s|meta|form)/iu;

const textType = (beginning: Buffer, name: string): string => {
  const text = beginning.toString('utf8');
  if (MARKUP.test(text)) return /<svg/iu.test(text) && !/<html/iu.test(text) ? 'image/svg+xml' : 'text/html';
  const named = mime.lookup(extname(name));
  if (named === false) return 'text/plain';
  // Only what is text by its bytes and by its name: a picture's name does not make text a picture.
  return /^text\/(?!html)|json|csv|xml|javascript|yaml/u.test(named) ? named : 'text/plain';
};

/** The type of content on the disk. @throws what the file system throws */
export const contentTypeOf = async (path: string, name: string): Promise<ContentType> => {
  const beginning = Buffer.alloc(LOOKED_AT_BYTES);
  const handle = await open(path, 'r');
  let length: number;
  try {
    ({ bytesRead: length } = await handle.read(beginning, 0, LOOKED_AT_BYTES, 0));
  } finally {
    await handle.close();
  }
  return typeOfBytes(beginning.subarray(0, length), name);
};

export const typeOfBytes = async (beginning: Buffer, name: string): Promise<ContentType> => {
  const found = await fileTypeFromBuffer(beginning);
  const type = found?.mime ?? (isText(beginning) ? textType(beginning, name) : UNKNOWN);
  // Formats made of XML are markup, whatever else they are.
  const safe = type === 'application/xml' || type.endsWith('+xml') ? textType(beginning, name) : type;
  return { type: safe, kind: safe === 'image/svg+xml' ? 'image' : kindOf(safe) };
};

/** The header of an answer: text says in which letters it is written. */
export const contentTypeHeader = (type: string | null): string => {
  if (type === null || !isInline(type)) return UNKNOWN;
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
};
