import { EMBEDDED_PICTURE_MAX_CHARS } from '../../../../../../server/wire/limits.ts';
import { EMBEDDED_IMAGE_TEXT } from '../../../../../../server/wire/value-patterns.ts';

// A gallery never loads a picture from another server.

/**
 * `embedded`: within the record; `file`: id of a file, which may not exist; `external`: on another server; `tooLarge`:
 * within the record, but too large; `unknown`: the value refers to no picture.
 */
export type PictureReference =
  | { kind: 'embedded'; src: string }
  | { kind: 'file'; fileId: string }
  | { kind: 'external'; host: string }
  | { kind: 'tooLarge' }
  | { kind: 'unknown' };

/** Longer strings are not parsed as addresses. */
const ADDRESS_MAX_CHARS = 4000;
const FILE_ID = /^[a-z\d-]{1,150}(?:\.[a-z\d-]{1,16})?$/u;
const CONTENT_PATH = /^(?:\/api\/v\d+(?:\.\d+)?)?\/files\/content\/([^/]+)$/u;

/**
 * Accepts a data URL, a file id, the path of a file's content, or a URL.
 * @param ownOrigins origins of the PDA, such as `https://ada.example`; relative paths refer to the first origin
 */
export function pictureOf(value: unknown, ownOrigins: readonly string[]): PictureReference {
  if (typeof value !== 'string') return { kind: 'unknown' };
  if (EMBEDDED_IMAGE_TEXT.test(value))
    return value.length > EMBEDDED_PICTURE_MAX_CHARS ? { kind: 'tooLarge' } : { kind: 'embedded', src: value };
  if (FILE_ID.test(value)) return { kind: 'file', fileId: value };
  if (value.length > ADDRESS_MAX_CHARS || !URL.canParse(value, ownOrigins[0])) return { kind: 'unknown' };
  const { protocol, origin, host, pathname } = new URL(value, ownOrigins[0]);
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'unknown' };
  if (!ownOrigins.includes(origin)) return { kind: 'external', host };
  const fileId = CONTENT_PATH.exec(pathname)?.[1];
  return fileId !== undefined && FILE_ID.test(fileId) ? { kind: 'file', fileId } : { kind: 'unknown' };
}
