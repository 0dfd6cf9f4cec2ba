import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime-types';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FileKind } from '../../../wire/files.ts';

// The type of content is detected from its bytes. The name only distinguishes kinds of text and never makes content
// inline.

/** Number of bytes at the start of the content from which its type is detected. */
export const SNIFFED_BYTES = 8192;

type ContentType = { type: string; kind: FileKind };

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Types that browsers may show inline, because none of them can run scripts as a page of this server: no HTML, SVG or
 * XML (docs/decisions.md, section 6).
 */
const INLINE_TYPES = new Set([
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
  type !== null && (INLINE_TYPES.has(type) || type.startsWith('audio/') || type.startsWith('video/'));

const ARCHIVE_TYPE = /zip|tar|gzip|x-7z|rar|bzip|zstd|x-xz|compress/u;
const DOCUMENT_TYPE = /pdf|msword|officedocument|opendocument|rtf|epub/u;

export const kindOf = (type: string): FileKind => {
  const [main = ''] = type.split('/', 1);
  if (main === 'image' || main === 'video' || main === 'audio' || main === 'text') return main;
  if (DOCUMENT_TYPE.test(type)) return 'document';
  if (/json|xml|javascript|yaml|sql(?!ite)/u.test(type)) return 'text';
  return ARCHIVE_TYPE.test(type) ? 'archive' : 'other';
};

/** Returns true for UTF-8 text without NUL. The bytes may end within a character. */
const isText = (bytes: Buffer): boolean => {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
};

const MARKUP = /<(?:!doctype|html|head|body|script|iframe|svg|\?xml|style|object|embed|img|a\s|meta|form)/iu;

const textType = (start: Buffer, name: string): string => {
  const text = start.toString('utf8');
  if (MARKUP.test(text)) return /<svg/iu.test(text) && !/<html/iu.test(text) ? 'image/svg+xml' : 'text/html';
  const typeOfName = mime.lookup(extname(name));
  if (typeOfName === false) return 'text/plain';
  // Only types that match this expression are taken from the name: text in a file named .png is not a picture.
  return /^text\/(?!html)|json|csv|xml|javascript|yaml/u.test(typeOfName) ? typeOfName : 'text/plain';
};

/** @throws errors of the file system */
export const contentTypeOf = async (path: string, name: string): Promise<ContentType> => {
  const start = Buffer.alloc(SNIFFED_BYTES);
  const handle = await open(path, 'r');
  let length: number;
  try {
    ({ bytesRead: length } = await handle.read(start, 0, SNIFFED_BYTES, 0));
  } finally {
    await handle.close();
  }
  return typeOfBytes(start.subarray(0, length), name);
};

export const typeOfBytes = async (start: Buffer, name: string): Promise<ContentType> => {
  const detectedType = await fileTypeFromBuffer(start);
  const type = detectedType?.mime ?? (isText(start) ? textType(start, name) : UNKNOWN_TYPE);
  // XML formats are treated as markup.
  const safeType = type === 'application/xml' || type.endsWith('+xml') ? textType(start, name) : type;
  return { type: safeType, kind: safeType === 'image/svg+xml' ? 'image' : kindOf(safeType) };
};

export const contentTypeHeader = (type: string | null): string => {
  if (type === null || !isInline(type)) return UNKNOWN_TYPE;
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
};
