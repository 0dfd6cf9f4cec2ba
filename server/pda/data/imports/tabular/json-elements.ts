import { type JsonFailure, scanValue } from '../../../../platform/json/text.ts';
import { BrokenElement, type ElementSource, type ImportedElement, MAX_ELEMENT_BYTES } from './element-source.ts';
import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  BACKSLASH,
  COMMA,
  LINE_FEED,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  SPACE,
  JsonStructure,
} from './json-structure.ts';

/** Lookup table: 1 for bytes that are significant outside strings when an array is split. */
const IS_SIGNIFICANT = new Uint8Array(256);
for (const byte of [LINE_FEED, QUOTE, COMMA, ARRAY_OPEN, ARRAY_CLOSE, OBJECT_OPEN, OBJECT_CLOSE])
  IS_SIGNIFICANT[byte] = 1;

/** The current element, which may span several chunks. */
class PendingElement {
  /** Line at which the bytes begin. */
  line = 1;
  index = 0;
  length = 0;
  #chunks: Buffer[] = [];
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.length += chunk.length;
    if (this.length > MAX_ELEMENT_BYTES) this.#rejectSize(this.#take());
  }

  finish(lastBytes: Buffer, output: ImportedElement[]): void {
    // Usually the whole element is in one chunk and is not copied.
    let bytes = lastBytes;
    if (this.length > 0) {
      this.add(lastBytes);
      bytes = this.#take();
    }
    const line = this.line + countLeadingLines(bytes);
    // Elements that an earlier run has stored were validated by that run.
    if (this.index >= this.#from) {
      const scan = scanValue(bytes);
      if (!scan.ok && scan.problem !== 'empty') throw this.#brokenElementOf(scan);
      if (!scan.ok) throw new BrokenElement({ line, index: this.index }, 'not_json', 'a value is missing here');
      output.push({ text: scan.text, line, index: this.index });
    }
    this.index += 1;
  }

  discard(): void {
    this.#take();
  }

  /** Returns the error for a file that ends within the element: its first syntax error, or `reason` if it has none. */
  truncatedError(reason: string): BrokenElement {
    const bytes = this.#take();
    const scan = scanValue(bytes);
    const hasSyntaxError = !scan.ok && scan.position < bytes.length && scan.problem !== 'empty';
    return hasSyntaxError ? this.#brokenElementOf(scan) : new BrokenElement(this, 'not_json', reason);
  }

  isBlank(): boolean {
    return this.#chunks.every((chunk) => chunk.every((byte) => byte <= SPACE));
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.length = 0;
    return bytes;
  }

  #rejectSize(bytes: Buffer): never {
    // An unclosed quote or bracket makes the element extend to the end of the file. Its syntax error is more helpful
    // than "too large".
    const scan = scanValue(bytes);
    if (!scan.ok && scan.position < bytes.length - 4) throw this.#brokenElementOf(scan);
    const position = { line: this.line + countLeadingLines(bytes), index: this.index };
    throw new BrokenElement(position, 'too_large', `a single value is larger than ${MAX_ELEMENT_BYTES / 1_000_000} MB`);
  }

  #brokenElementOf(failure: JsonFailure): BrokenElement {
    return new BrokenElement(
      { line: this.line + failure.line - 1, index: this.index },
      failure.problem,
      failure.reason,
    );
  }
}

/** Splits a JSON text into elements, which `scanValue` then validates. */
export class JsonElements implements ElementSource {
  readonly #pending: PendingElement;
  readonly #structure: JsonStructure | undefined;
  readonly #path: readonly string[];
  #state: 'before' | 'array' | 'single' | 'after' = 'before';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** False until the first element. Until then, the list may end without a value: `[]` is valid, `[1,]` is not. */
  #hasElements = false;

  /** @param path names of the members that lead to the list of elements; empty for a top-level array or one value */
  constructor(from: number, path: readonly string[] = []) {
    this.#pending = new PendingElement(from);
    this.#path = path;
    if (path.length === 0) return;
    // If a name occurs twice, the first list is read.
    const isList = (names: readonly string[]): boolean =>
      this.#state === 'before' && names.length === path.length && path.every((name, index) => name === names[index]);
    this.#structure = new JsonStructure({ enterList: isList });
  }

  push(chunk: Buffer, output: ImportedElement[]): void {
    let start = 0;
    if (this.#state === 'before' && this.#structure !== undefined) {
      start = this.#structure.scan(chunk);
      if (!this.#structure.hasStopped) return;
      this.#state = 'array';
      this.#line = this.#structure.line;
      this.#pending.line = this.#line;
    }
    if (this.#state === 'before') {
      start = this.#skipBlank(chunk, 0);
      if (start === chunk.length) return;
      const isArray = chunk[start] === ARRAY_OPEN;
      this.#state = isArray ? 'array' : 'single';
      this.#pending.line = this.#line;
      if (isArray) start += 1;
    }
    if (this.#state === 'array') start = this.#split(chunk, start, output);
    if (this.#state === 'single') this.#pending.add(chunk.subarray(start));
    if (this.#state === 'after' && this.#structure === undefined) this.#expectBlank(chunk, start);
    else if (this.#state === 'after') this.#structure?.scan(chunk, start);
  }

  end(output: ImportedElement[]): void {
    if (this.#structure !== undefined && this.#state !== 'array') this.#requireEnd(this.#structure);
    if (this.#state === 'before') throw new BrokenElement({ line: 1, index: 0 }, 'empty', 'this file contains no JSON');
    if (this.#state === 'single') this.#pending.finish(Buffer.alloc(0), output);
    if (this.#state === 'array') {
      const reason = this.#pending.isBlank()
        ? 'the file ends before the "]" that closes the array'
        : 'the file ends in the middle of this value';
      throw this.#pending.truncatedError(reason);
    }
  }

  /** Splits the next chunk of the array. Returns the offset of the end of the array or of the chunk. */
  #split(chunk: Buffer, from: number, output: ImportedElement[]): number {
    const length = chunk.length;
    let elementStart = from;
    let offset = from;
    // Local variables are faster than fields, which are written to memory at each change.
    let depth = this.#depth;
    let isInString = this.#isInString;
    let line = this.#line;
    if (this.#isEscaped && offset < length) {
      offset += 1;
      this.#isEscaped = false;
    }
    while (offset < length) {
      const byte = chunk[offset] ?? 0;
      offset += 1;
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH) {
          if (offset < length) offset += 1;
          else this.#isEscaped = true;
        } else if (byte === LINE_FEED) line += 1;
      } else if (IS_SIGNIFICANT[byte] === 1) {
        if (byte === QUOTE) isInString = true;
        else if (byte === OBJECT_OPEN || byte === ARRAY_OPEN) depth += 1;
        else if (byte === LINE_FEED) line += 1;
        else if (depth > 0) {
          if (byte !== COMMA) depth -= 1;
        } else if (byte !== OBJECT_CLOSE) {
          this.#endElement(chunk.subarray(elementStart, offset - 1), byte, output);
          this.#pending.line = line;
          elementStart = offset;
          if (byte === ARRAY_CLOSE) {
            this.#state = 'after';
            this.#line = line;
            this.#structure?.skipList(line);
            return offset;
          }
        }
      }
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#line = line;
    this.#pending.add(chunk.subarray(elementStart));
    return length;
  }

  #endElement(lastBytes: Buffer, byte: number, output: ImportedElement[]): void {
    const isEmpty = byte === ARRAY_CLOSE && !this.#hasElements && lastBytes.every((code) => code <= SPACE);
    if (isEmpty && this.#pending.isBlank()) return;
    this.#pending.finish(lastBytes, output);
    this.#hasElements = true;
  }

  #requireEnd(structure: JsonStructure): void {
    const position = { line: structure.line, index: this.#pending.index };
    if (!structure.hasEnded)
      throw new BrokenElement(position, 'not_json', 'the file ends before all brackets are closed');
    if (this.#state === 'after') return;
    throw new BrokenElement(position, 'not_json', `there is no list "${this.#path.join('.')}" in this file`);
  }

  #expectBlank(chunk: Buffer, start: number): void {
    if (this.#skipBlank(chunk, start) === chunk.length) return;
    const position = { line: this.#line, index: this.#pending.index };
    throw new BrokenElement(position, 'not_json', 'there is content after the "]" that closes the array');
  }

  #skipBlank(chunk: Buffer, start: number): number {
    let offset = start;
    while (offset < chunk.length && (chunk[offset] ?? 0) <= SPACE) {
      if (chunk[offset] === LINE_FEED) this.#line += 1;
      offset += 1;
    }
    return offset;
  }
}

export class NdjsonElements implements ElementSource {
  readonly #pending: PendingElement;

  constructor(from: number) {
    this.#pending = new PendingElement(from);
  }

  push(chunk: Buffer, output: ImportedElement[]): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#endLine(chunk.subarray(start, end), output);
      this.#pending.line += 1;
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  end(output: ImportedElement[]): void {
    this.#endLine(Buffer.alloc(0), output);
  }

  #endLine(lastBytes: Buffer, output: ImportedElement[]): void {
    const isBlankLine = lastBytes.every((byte) => byte <= SPACE) && this.#pending.isBlank();
    if (isBlankLine) this.#pending.discard();
    else this.#pending.finish(lastBytes, output);
  }
}

/** Counts the line feeds before the first byte that is not white space. */
function countLeadingLines(bytes: Buffer): number {
  let lines = 0;
  for (let offset = 0; offset < bytes.length && (bytes[offset] ?? 0) <= SPACE; offset += 1) {
    if (bytes[offset] === LINE_FEED) lines += 1;
  }
  return lines;
}
