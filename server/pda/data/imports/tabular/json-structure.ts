import { MAX_JSON_DEPTH, MAX_LIST_NAME_CHARS } from '../../../../wire/limits.ts';
import { BrokenElement } from './element-source.ts';

// In UTF-8 these bytes are never part of another character.
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const ARRAY_OPEN = 0x5b;
export const BACKSLASH = 0x5c;
export const ARRAY_CLOSE = 0x5d;
export const OBJECT_OPEN = 0x7b;
export const OBJECT_CLOSE = 0x7d;

/** Maximum nesting of a file: the objects around a list and the values within its elements. */
const MAX_NESTING = 2 * MAX_JSON_DEPTH;
/** Maximum bytes of a name that leads to a list: each character may be a six-byte escape. Longer names are cut off. */
const MAX_NAME_BYTES = 6 * MAX_LIST_NAME_CHARS;

export interface JsonList {
  /** Names that lead to the list; empty if the file itself is the list. */
  readonly path: readonly string[];
  readonly elements: number;
  /** Number of elements that are objects. */
  readonly objects: number;
  readonly bytes: number;
}

interface OpenList {
  /** Nesting depth of the list: number of open brackets, including its own. */
  readonly depth: number;
  commas: number;
  objects: number;
  hasContent: boolean;
  /** Offset of the list in the file. */
  readonly start: number;
}

interface ListHandlers {
  /** Called at the beginning of a list outside other lists. If it returns true, `scan` stops after the bracket. */
  readonly enterList: (path: readonly string[]) => boolean;
  readonly endList?: (list: JsonList) => void;
}

/** Finds the outermost lists in a JSON text. Checks only brackets; elements are validated when they are read. */
export class JsonStructure {
  line = 1;
  /** Value of the member `type` of the outermost object, if it is a string. */
  rootType: string | undefined;
  /** True if the last scan stopped at the beginning of a list. */
  hasStopped = false;
  /** True after the last bracket of the text. */
  hasEnded = false;
  readonly #handlers: ListHandlers;
  /** Opening brackets of the enclosing objects and lists. */
  readonly #brackets: number[] = [];
  /** Name of the current member of each enclosing object outside lists. */
  readonly #names: string[] = [];
  #list: OpenList | undefined;
  #isInString = false;
  #isEscaped = false;
  /** True if the next string outside lists is the name of a member. */
  #isNameNext = false;
  #stringBytes: number[] = [];
  #scannedBytes = 0;

  constructor(handlers: ListHandlers) {
    this.#handlers = handlers;
  }

  /** The list in which the last scan ended, with the counts of the elements scanned so far. */
  get unfinishedList(): JsonList | undefined {
    return this.#list === undefined ? undefined : this.#listUpTo(this.#list, this.#scannedBytes);
  }

  /**
   * Returns the offset where the scan stopped: after the bracket of a list, or the end of the chunk.
   * @throws BrokenElement for brackets that do not match, for excessive nesting, and for content after the last bracket
   */
  scan(chunk: Buffer, from = 0): number {
    const chunkStart = this.#scannedBytes - from;
    this.hasStopped = false;
    for (let offset = from; offset < chunk.length; offset += 1) {
      const byte = chunk[offset] ?? 0;
      if (byte === LINE_FEED) this.line += 1;
      if (this.#isInString) {
        this.#addStringByte(byte);
        continue;
      }
      if (byte <= SPACE) continue;
      if (this.hasEnded) throw this.#broken('there is content after the last bracket');
      const isElement = this.#list?.depth === this.#brackets.length;
      if (isElement && byte !== COMMA && byte !== ARRAY_CLOSE && this.#list !== undefined) this.#list.hasContent = true;
      if (byte === QUOTE) {
        this.#isInString = true;
        this.#stringBytes = [];
      } else if (byte === OBJECT_OPEN) {
        if (isElement && this.#list !== undefined) this.#list.objects += 1;
        this.#open(byte);
      } else if (byte === ARRAY_OPEN) {
        this.#open(byte);
        if (this.#list !== undefined) continue;
        const start = chunkStart + offset;
        this.#list = { depth: this.#brackets.length, commas: 0, objects: 0, hasContent: false, start };
        if (this.#handlers.enterList(this.#names)) {
          this.hasStopped = true;
          this.#scannedBytes = chunkStart + offset + 1;
          return offset + 1;
        }
      } else if (byte === OBJECT_CLOSE || byte === ARRAY_CLOSE) this.#close(byte, chunkStart + offset + 1);
      else if (byte === COMMA) {
        if (isElement && this.#list !== undefined) this.#list.commas += 1;
        this.#isNameNext = this.#list === undefined;
      }
    }
    this.#scannedBytes = chunkStart + chunk.length;
    return chunk.length;
  }

  /** Continues after a list whose elements and closing bracket another reader has read. */
  skipList(line: number): void {
    this.line = line;
    this.#list = undefined;
    this.#brackets.pop();
    this.hasEnded = this.#brackets.length === 0;
  }

  #listUpTo({ commas, objects, hasContent, start }: OpenList, end: number): JsonList {
    return { path: [...this.#names], elements: commas + (hasContent ? 1 : 0), objects, bytes: end - start };
  }

  #addStringByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#list === undefined) this.#endString();
      return;
    }
    if (this.#list === undefined && this.#stringBytes.length <= MAX_NAME_BYTES) this.#stringBytes.push(byte);
  }

  #endString(): void {
    const text = textOf(this.#stringBytes);
    if (this.#isNameNext) this.#names[this.#names.length - 1] = text;
    else if (this.#names.length === 1 && this.#names[0] === 'type') this.rootType = text;
    this.#isNameNext = false;
  }

  #open(bracket: number): void {
    if (this.#brackets.length >= MAX_NESTING) throw this.#broken('values are nested too deeply', 'too_deep');
    this.#brackets.push(bracket);
    if (bracket !== OBJECT_OPEN || this.#list !== undefined) return;
    this.#names.push('');
    this.#isNameNext = true;
  }

  #close(bracket: number, end: number): void {
    const expectedBracket = bracket === OBJECT_CLOSE ? OBJECT_OPEN : ARRAY_OPEN;
    if (this.#brackets.pop() !== expectedBracket) throw this.#broken('this bracket does not match the opening bracket');
    if (this.#list === undefined) {
      this.#names.pop();
      this.#isNameNext = false;
    } else if (this.#brackets.length < this.#list.depth) {
      const list = this.#listUpTo(this.#list, end);
      this.#list = undefined;
      this.#handlers.endList?.(list);
    }
    this.hasEnded = this.#brackets.length === 0;
  }

  #broken(reason: string, problem: 'not_json' | 'too_deep' = 'not_json'): BrokenElement {
    return new BrokenElement({ line: this.line, index: 0 }, problem, reason);
  }
}

/**
 * Decodes the content of a string literal, or returns it undecoded if it is invalid. A name that is cut off is too long
 * to match a path.
 */
function textOf(bytes: readonly number[]): string {
  const literal = Buffer.from(bytes).toString();
  try {
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return literal;
  }
}
