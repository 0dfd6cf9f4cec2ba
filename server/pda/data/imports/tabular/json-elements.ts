import { type JsonFailure, scanValue } from '../../../../platform/json/text.ts';
import { BrokenElement, type ElementSource, type ImportedElement, MAX_ELEMENT_BYTES } from './element-source.ts';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

/** 1 for the bytes that the splitter of arrays has to look at outside strings. */
const STRUCTURE = new Uint8Array(256);
for (const byte of [LINE_FEED, QUOTE, COMMA, ARRAY_OPEN, ARRAY_CLOSE, OBJECT_OPEN, OBJECT_CLOSE]) STRUCTURE[byte] = 1;

/** The bytes of the element being read, which may lie in several pieces of the file, and its place. */
class PendingElement {
  /** Line at which the pending bytes begin. */
  line = 1;
  index = 0;
  length = 0;
  #pieces: Buffer[] = [];
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  /** Keeps the part of an element that the next piece will continue. */
  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#pieces.push(part);
    this.length += part.length;
    if (this.length > MAX_ELEMENT_BYTES) this.#refuseSize(this.#take());
  }

  /** Ends the element with its last part, which may be all of it. */
  finish(lastPart: Buffer, into: ImportedElement[]): void {
    // Nearly always the whole element lies in one piece, and is not copied.
    const bytes = this.length === 0 ? lastPart : this.#takeWith(lastPart);
    const line = this.line + leadingLines(bytes);
    // What an earlier run has stored was checked then.
    if (this.index >= this.#from) {
      const scan = scanValue(bytes);
      if (!scan.ok && scan.problem !== 'empty') throw this.#broken(scan);
      if (!scan.ok) throw new BrokenElement({ line, index: this.index }, 'not_json', 'a value is missing here');
      into.push({ text: scan.text, line, index: this.index });
    }
    this.index += 1;
  }

  /** Forgets what is pending. */
  drop(): void {
    this.#take();
  }

  /** The file ends, and the element has not: names what is wrong inside it, if that explains why, or else `reason`. */
  cutShort(reason: string): BrokenElement {
    const bytes = this.#take();
    const scan = scanValue(bytes);
    const explained = !scan.ok && scan.position < bytes.length && scan.problem !== 'empty';
    return explained ? this.#broken(scan) : new BrokenElement(this, 'not_json', reason);
  }

  isBlank(): boolean {
    return this.#pieces.every((piece) => piece.every((byte) => byte <= SPACE));
  }

  #takeWith(lastPart: Buffer): Buffer {
    this.add(lastPart);
    return this.#take();
  }

  #take(): Buffer {
    const [only, ...more] = this.#pieces;
    const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.length = 0;
    return bytes;
  }

  #refuseSize(bytes: Buffer): never {
    // A quote or bracket that is never closed makes everything after it one element: say that, rather than "too large".
    const scan = scanValue(bytes);
    if (!scan.ok && scan.position < bytes.length - 4) throw this.#broken(scan);
    const place = { line: this.line + leadingLines(bytes), index: this.index };
    throw new BrokenElement(place, 'too_large', `a single value is larger than ${MAX_ELEMENT_BYTES / 1_000_000} MB`);
  }

  #broken(failure: JsonFailure): BrokenElement {
    return new BrokenElement(
      { line: this.line + failure.line - 1, index: this.index },
      failure.problem,
      failure.reason,
    );
  }
}

/**
 * A JSON file: the elements of a top-level array, or one element that is the whole file when it holds anything else.
 *
 * Looks only for the commas between the elements; each element is then checked by the strict scanner, which also finds brackets that
 * do not match.
 */
export class JsonElements implements ElementSource {
  readonly #pending: PendingElement;
  #state: 'before' | 'array' | 'single' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #line = 1;
  /** An array without elements may end at once; after a comma it may not. */
  #hasElements = false;

  constructor(from: number) {
    this.#pending = new PendingElement(from);
  }

  push(piece: Buffer, into: ImportedElement[]): void {
    let start = 0;
    if (this.#state === 'before') {
      start = this.#skipBlank(piece, 0);
      if (start === piece.length) return;
      const isArray = piece[start] === ARRAY_OPEN;
      this.#state = isArray ? 'array' : 'single';
      this.#pending.line = this.#line;
      if (isArray) start += 1;
    }
    if (this.#state === 'array') start = this.#split(piece, start, into);
    if (this.#state === 'single') this.#pending.add(piece.subarray(start));
    if (this.#state === 'after') this.#expectBlank(piece, start);
  }

  end(into: ImportedElement[]): void {
    if (this.#state === 'before')
      throw new BrokenElement({ line: 1, index: 0 }, 'empty', 'there is no JSON in this file');
    if (this.#state === 'single') this.#pending.finish(Buffer.alloc(0), into);
    if (this.#state === 'array') {
      const reason = this.#pending.isBlank()
        ? 'the file ends before the "]" that closes the array'
        : 'the file ends in the middle of this value';
      throw this.#pending.cutShort(reason);
    }
  }

  /** Reads on in the array; returns where it left off, which is the end of the piece or of the array. */
  #split(piece: Buffer, from: number, into: ImportedElement[]): number {
    const length = piece.length;
    let elementStart = from;
    let at = from;
    // Locals, because a field is written to memory at each change.
    let depth = this.#depth;
    let inString = this.#inString;
    let line = this.#line;
    if (this.#escaped && at < length) {
      at += 1;
      this.#escaped = false;
    }
    while (at < length) {
      const byte = piece[at] ?? 0;
      at += 1;
      if (inString) {
        if (byte === QUOTE) inString = false;
        else if (byte === BACKSLASH) {
          if (at < length) at += 1;
          else this.#escaped = true;
        } else if (byte === LINE_FEED) line += 1;
      } else if (STRUCTURE[byte] === 1) {
        if (byte === QUOTE) inString = true;
        else if (byte === OBJECT_OPEN || byte === ARRAY_OPEN) depth += 1;
        else if (byte === LINE_FEED) line += 1;
        else if (depth > 0) {
          if (byte !== COMMA) depth -= 1;
        } else if (byte !== OBJECT_CLOSE) {
          this.#endElement(piece.subarray(elementStart, at - 1), byte, into);
          this.#pending.line = line;
          elementStart = at;
          if (byte === ARRAY_CLOSE) {
            this.#state = 'after';
            this.#line = line;
            return at;
          }
        }
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#line = line;
    this.#pending.add(piece.subarray(elementStart));
    return length;
  }

  #endElement(lastPart: Buffer, byte: number, into: ImportedElement[]): void {
    const nothing = byte === ARRAY_CLOSE && !this.#hasElements && lastPart.every((byte) => byte <= SPACE);
    if (nothing && this.#pending.isBlank()) return;
    this.#pending.finish(lastPart, into);
    this.#hasElements = true;
  }

  #expectBlank(piece: Buffer, start: number): void {
    if (this.#skipBlank(piece, start) === piece.length) return;
    const place = { line: this.#line, index: this.#pending.index };
    throw new BrokenElement(place, 'not_json', 'something follows after the "]" that ends the array');
  }

  #skipBlank(piece: Buffer, start: number): number {
    let at = start;
    while (at < piece.length && (piece[at] ?? 0) <= SPACE) {
      if (piece[at] === LINE_FEED) this.#line += 1;
      at += 1;
    }
    return at;
  }
}

/** One JSON value on each line (NDJSON, JSON Lines); blank lines are skipped, lines may end with CR LF. */
export class NdjsonElements implements ElementSource {
  readonly #pending: PendingElement;

  constructor(from: number) {
    this.#pending = new PendingElement(from);
  }

  push(piece: Buffer, into: ImportedElement[]): void {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      this.#endLine(piece.subarray(start, end), into);
      this.#pending.line += 1;
      start = end + 1;
    }
    this.#pending.add(piece.subarray(start));
  }

  end(into: ImportedElement[]): void {
    this.#endLine(Buffer.alloc(0), into);
  }

  #endLine(lastPart: Buffer, into: ImportedElement[]): void {
    const blank = lastPart.every((byte) => byte <= SPACE) && this.#pending.isBlank();
    if (blank) this.#pending.drop();
    else this.#pending.finish(lastPart, into);
  }
}

/** Line feeds before the first byte that is not white space. */
function leadingLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = 0; at < bytes.length && (bytes[at] ?? 0) <= SPACE; at += 1) {
    if (bytes[at] === LINE_FEED) lines += 1;
  }
  return lines;
}
