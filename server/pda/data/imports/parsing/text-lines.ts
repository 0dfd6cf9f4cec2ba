import { isUtf8 } from 'node:buffer';
import { MAX_ENTRY } from './entries.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const EMPTY = Buffer.alloc(0);

/** Cuts what arrives in pieces into lines, without their ends. A line that is too long arrives cut off, and is said to be. */
export const createLines = (take: (line: Buffer, number: number, cut: boolean) => void) => {
  let held: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  const line = (last: Buffer): void => {
    const whole = held.length === 0 ? last : Buffer.concat([...held, last]);
    const cut = bytes + last.length > MAX_ENTRY;
    const end = whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length;
    held = [];
    bytes = 0;
    take(whole.subarray(0, end), number, cut);
    number += 1;
  };
  return {
    push(piece: Buffer): void {
      let start = 0;
      for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
        line(piece.subarray(start, end));
        start = end + 1;
      }
      const rest = piece.subarray(start);
      // Beyond the most that is looked at, the bytes are only counted.
      if (bytes <= MAX_ENTRY && rest.length > 0) held.push(Buffer.from(rest));
      bytes += rest.length;
    },
    end(): void {
      if (bytes > 0) line(EMPTY);
    },
  };
};

const WESTERN = new TextDecoder('windows-1252');
const UTF8 = new TextDecoder('utf-8');

/** The text of a line: UTF-8, or where it is not, the encoding that older programs in the west write. */
export const lineText = (line: Uint8Array): string => (isUtf8(line) ? UTF8.decode(line) : WESTERN.decode(line));

/** A decoder for a whole file, by its byte order mark; UTF-8 when it has none. Pieces may be cut within characters. */
export const decoderFor = (first: Buffer): TextDecoder => {
  if (first[0] === 0xff && first[1] === 0xfe) return new TextDecoder('utf-16le');
  if (first[0] === 0xfe && first[1] === 0xff) return new TextDecoder('utf-16be');
  return new TextDecoder('utf-8');
};

/** Turns files with the byte order mark of UTF-16 into UTF-8, and takes marks away; all others pass as they are. */
export const createAsUtf8 = () => {
  let decoder: TextDecoder | undefined;
  let begun = false;
  return (piece: Buffer): Buffer => {
    if (!begun) {
      begun = true;
      if ((piece[0] === 0xff && piece[1] === 0xfe) || (piece[0] === 0xfe && piece[1] === 0xff))
        decoder = decoderFor(piece);
      else if (piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) return piece.subarray(3);
    }
    return decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }));
  };
};
