import { isUtf8 } from 'node:buffer';
import { MAX_ENTRY_SIZE } from './entries.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const EMPTY = Buffer.alloc(0);

/**
 * Splits chunks into lines without their endings. A line above MAX_ENTRY_SIZE is passed on as truncated, because some
 * of its bytes may be missing.
 */
export const createLineSplitter = (onLine: (line: Buffer, number: number, isTruncated: boolean) => void) => {
  let bufferedChunks: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  const emitLine = (last: Buffer): void => {
    const lineBytes = bufferedChunks.length === 0 ? last : Buffer.concat([...bufferedChunks, last]);
    const isTruncated = bytes + last.length > MAX_ENTRY_SIZE;
    const end = lineBytes.at(-1) === CARRIAGE_RETURN ? lineBytes.length - 1 : lineBytes.length;
    bufferedChunks = [];
    bytes = 0;
    onLine(lineBytes.subarray(0, end), number, isTruncated);
    number += 1;
  };
  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        emitLine(chunk.subarray(start, end));
        start = end + 1;
      }
      const remainder = chunk.subarray(start);
      if (bytes <= MAX_ENTRY_SIZE && remainder.length > 0) bufferedChunks.push(Buffer.from(remainder));
      bytes += remainder.length;
    },
    end(): void {
      if (bytes > 0) emitLine(EMPTY);
    },
  };
};

/** Returns true if the beginning of a file is UTF-8. The last character may be incomplete. */
export const isUtf8Beginning = (bytes: Buffer): boolean =>
  [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, Math.max(0, bytes.length - cut))));

const WINDOWS_1252 = new TextDecoder('windows-1252');
const UTF8 = new TextDecoder('utf-8');

/** Decodes a line as UTF-8, or as Windows-1252 if it is not valid UTF-8. */
export const decodeLine = (line: Uint8Array): string => (isUtf8(line) ? UTF8.decode(line) : WINDOWS_1252.decode(line));

/** Decodes lines one by one, like `decodeLine`. */
export const decodeLines = (bytes: Buffer): string => {
  if (isUtf8(bytes)) return UTF8.decode(bytes);
  let text = '';
  for (let start = 0; start < bytes.length;) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
    text += decodeLine(bytes.subarray(start, end));
    start = end;
  }
  return text;
};

/** Returns the number of bytes up to and including the last line ending. */
export const bytesOfCompleteLines = (bytes: Buffer): number =>
  Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN)) + 1;

/** Creates a decoder for the encoding that the byte order mark indicates; UTF-8 if there is none. */
export const decoderFor = (head: Buffer): TextDecoder => {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  return new TextDecoder('utf-8');
};

/** Creates a function that converts chunks of UTF-16 with a byte order mark to UTF-8, and removes byte order marks. */
export const createUtf8Converter = () => {
  let decoder: TextDecoder | undefined;
  let hasStarted = false;
  return (chunk: Buffer): Buffer => {
    if (!hasStarted) {
      hasStarted = true;
      if ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff))
        decoder = decoderFor(chunk);
      else if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return chunk.subarray(3);
    }
    return decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  };
};
