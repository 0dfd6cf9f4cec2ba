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

/** Lookup table: 1 for bytes that are significant outside strings when an array is split. */
const STRUCTURE = new Uint8Array(256);
for (const byte of [LINE_FEED, QUOTE, COMMA, ARRAY_OPEN, ARRAY_CLOSE, OBJECT_OPEN, OBJECT_CLOSE]) STRUCTURE[byte] = 1;

/** Bytes of the current element, which may span several chunks, and its position. */
class PendingElement {
  /** Line at which the pending bytes begin. */
  line = 1;
  index = 0;
  length = 0;
  #chunks: Buffer[] = [];
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  /** Buffers a part of an element that the next chunk continues. */
  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.length += chunk.length;
    if (this.length > MAX_ELEMENT_BYTES) this.#refuseSize(this.#take());
  }

  /** Completes the element with its last part, which may be the whole element. */
  finish(lastPart: Buffer, into: ImportedElement[]): void {
    // Usually the whole element is in one chunk and is not copied.
    const bytes = this.length === 0 ? lastPart : this.#takeWith(lastPart);
    const line = this.line + leadingLines(bytes);
    // Elements that an earlier run has stored were validated by that run.
    if (this.index >= this.#from) {
      const scan = scanValue(bytes);
      if (!scan.ok && scan.problem !== 'empty') throw this.#broken(scan);
      if (!scan.ok) throw new BrokenElement({ line, index: this.index }, 'not_json', 'a value is missing here');
      into.push({ text: scan.text, line, index: this.index });
    }
    this.index += 1;
  }

  /** Discards the buffered bytes. */
  discard(): void {
    this.#take();
  }

  /** Returns the error for a file that ends within the element: a syntax error inside it if there is one, or else `reason`. */
  truncatedError(reason: string): BrokenElement {
    const bytes = this.#take();
    const scan = scanValue(bytes);
    const hasSyntaxError = !scan.ok && scan.position < bytes.length && scan.problem !== 'empty';
    return hasSyntaxError ? this.#broken(scan) : new BrokenElement(this, 'not_json', reason);
  }

  isBlank(): boolean {
    return this.#chunks.every((chunk) => chunk.every((byte) => byte <= SPACE));
  }

  #takeWith(lastPart: Buffer): Buffer {
    this.add(lastPart);
    return this.#take();
  }

  #take(): Buffer {
    const [only, ...remaining] = this.#chunks;
    const bytes = only !== undefined && remaining.length === 0 ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.length = 0;
    return bytes;
  }

  #refuseSize(bytes: Buffer): never {
    // An unclosed quote or bracket turns the rest of the file into one element. That error is more helpful than "too large".
    const scan = scanValue(bytes);
    if (!scan.ok && scan.position < bytes.length - 4) throw this.#broken(scan);
    const position = { line: this.line + leadingLines(bytes), index: this.index };
    throw new BrokenElement(position, 'too_large', `a single value is larger than ${MAX_ELEMENT_BYTES / 1_000_000} MB`);
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
 * Reads a JSON file: the elements of a top-level array, or the whole file as one element if it is not an array.
 *
 * Only searches for the commas between elements. Each element is then validated by the strict scanner, which also finds mismatched brackets.
 */
export class JsonElements implements ElementSource {
  readonly #pending: PendingElement;
  #state: 'before' | 'array' | 'single' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #line = 1;
  /** An empty array may end at once, but not after a comma. */
  #hasElements = false;

  constructor(from: number) {
    this.#pending = new PendingElement(from);
  }

  push(chunk: Buffer, into: ImportedElement[]): void {
    let start = 0;
    if (this.#state === 'before') {
      start = this.#skipBlank(chunk, 0);
      if (start === chunk.length) return;
      const isArray = chunk[start] === ARRAY_OPEN;
      this.#state = isArray ? 'array' : 'single';
      this.#pending.line = this.#line;
      if (isArray) start += 1;
    }
    if (this.#state === 'array') start = this.#split(chunk, start, into);
    if (this.#state === 'single') this.#pending.add(chunk.subarray(start));
    if (this.#state === 'after') this.#expectBlank(chunk, start);
  }

  end(into: ImportedElement[]): void {
    if (this.#state === 'before') throw new BrokenElement({ line: 1, index: 0 }, 'empty', 'this file contains no JSON');
    if (this.#state === 'single') this.#pending.finish(Buffer.alloc(0), into);
    if (this.#state === 'array') {
      const reason = this.#pending.isBlank()
        ? 'the file ends before the "]" that closes the array'
        : 'the file ends in the middle of this value';
      throw this.#pending.truncatedError(reason);
    }
  }

  /** Splits the next chunk of the array. Returns the offset where it stopped: the end of the chunk or of the array. */
  #split(chunk: Buffer, from: number, into: ImportedElement[]): number {
    const length = chunk.length;
    let elementStart = from;
    let at = from;
    // Local variables are faster than fields, which are written to memory at each change.
    let depth = this.#depth;
    let inString = this.#inString;
    let line = this.#line;
    if (this.#escaped && at < length) {
      at += 1;
      this.#escaped = false;
    }
    while (at < length) {
      const byte = chunk[at] ?? 0;
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
          this.#endElement(chunk.subarray(elementStart, at - 1), byte, into);
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
    this.#pending.add(chunk.subarray(elementStart));
    return length;
  }

  #endElement(lastPart: Buffer, byte: number, into: ImportedElement[]): void {
    const isEmpty = byte === ARRAY_CLOSE && !this.#hasElements && lastPart.every((byte) => byte <= SPACE);
    if (isEmpty && this.#pending.isBlank()) return;
    this.#pending.finish(lastPart, into);
    this.#hasElements = true;
  }

  #expectBlank(chunk: Buffer, start: number): void {
    if (this.#skipBlank(chunk, start) === chunk.length) return;
    const position = { line: this.#line, index: this.#pending.index };
    throw new BrokenElement(position, 'not_json', 'there is content after the "]" that closes the array');
  }

  #skipBlank(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && (chunk[at] ?? 0) <= SPACE) {
      if (chunk[at] === LINE_FEED) this.#line += 1;
      at += 1;
    }
    return at;
  }
}

/** Reads a file with one JSON value per line (NDJSON, JSON Lines). Skips blank lines and accepts CR LF. */
export class NdjsonElements implements ElementSource {
  readonly #pending: PendingElement;

  constructor(from: number) {
    this.#pending = new PendingElement(from);
  }

  push(chunk: Buffer, into: ImportedElement[]): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#endLine(chunk.subarray(start, end), into);
      this.#pending.line += 1;
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  end(into: ImportedElement[]): void {
    this.#endLine(Buffer.alloc(0), into);
  }

  #endLine(lastPart: Buffer, into: ImportedElement[]): void {
    const isBlankLine = lastPart.every((byte) => byte <= SPACE) && this.#pending.isBlank();
    if (isBlankLine) this.#pending.discard();
    else this.#pending.finish(lastPart, into);
  }
}

/** Counts the line feeds before the first byte that is not white space. */
function leadingLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = 0; at < bytes.length && (bytes[at] ?? 0) <= SPACE; at += 1) {
    if (bytes[at] === LINE_FEED) lines += 1;
  }
  return lines;
}
