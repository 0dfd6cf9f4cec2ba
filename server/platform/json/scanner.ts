import { type JsonLimits, JsonRefusal } from './refusal.ts';

/** Byte positions of an object member: its key with quotes, and its value without surrounding white space. */
export interface MemberSpan {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** True if the value has no white space outside its strings. */
  readonly isMinified: boolean;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const UNDERSCORE = 0x5f;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;

/** Bytes that may follow a backslash, except `u`: " \ / b f n r t */
const SIMPLE_ESCAPES = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
const LITERAL_TRUE = Buffer.from('true');
const LITERAL_FALSE = Buffer.from('false');
const LITERAL_NULL = Buffer.from('null');
const SHOWN_KEY_CHARS = 60;
const FORBIDDEN_KEY = '__proto__';

/**
 * Up to this number of keys per object, short keys are compared byte by byte, which is faster than a Set. Beyond it, a
 * Set keeps the time linear.
 */
const LINEAR_KEYS_MAX = 16;
/** Longer keys go into the Set: comparing sixteen huge keys with a common prefix would be expensive. */
const SHORT_KEY_BYTES = 64;
/**
 * Scratch buffer: LINEAR_KEYS_MAX pairs of start and end per level. Shared by all scanners, because allocating it would
 * cost more than scanning a small record. A scan is synchronous, so no two scans use it concurrently.
 */
let keySpans = new Int32Array(4 * LINEAR_KEYS_MAX * 2);
/** Numbers up to this length, with an exponent of at most two digits, are within the range of a double (1e308). */
const SAFE_NUMBER_CHARS = 200;
const SAFE_EXPONENT_DIGITS = 2;

/** Checks a JSON text byte by byte without building values. See `scanJson` for what it accepts. */
export class JsonScanner {
  /** Number of white-space bytes outside strings so far. If a value adds none, the value is minified already. */
  spaces = 0;
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  #keys = keySpans;
  #hasEscapes = false;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#maxDepth = limits.maxDepth;
  }

  skipSpace(start: number): number {
    const bytes = this.#bytes;
    let offset = start;
    for (;;) {
      const byte = bytes[offset] ?? 0;
      if (byte > SPACE || (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB)) break;
      offset += 1;
    }
    if (offset !== start) this.spaces += offset - start;
    return offset;
  }

  byteAt(offset: number): number {
    return this.#bytes[offset] ?? 0;
  }

  checkValue(offset: number, depth: number): number {
    const byte = this.#bytes[offset] ?? 0;
    if (byte === QUOTE) return this.checkString(offset);
    if (byte === OBJECT_OPEN) return this.checkObject(offset, depth);
    if (byte === ARRAY_OPEN) return this.checkArray(offset, depth);
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.#checkNumber(offset);
    if (byte === LOWER_T) return this.#checkLiteral(offset, LITERAL_TRUE);
    if (byte === LOWER_F) return this.#checkLiteral(offset, LITERAL_FALSE);
    if (byte === LOWER_N) return this.#checkLiteral(offset, LITERAL_NULL);
    return this.#throwUnexpected(offset, 'a value');
  }

  /** Checks an array and returns the position after it. @param checkElement replaces `checkValue` */
  checkArray(start: number, depth: number, checkElement?: (offset: number) => number): number {
    this.#checkDepth(start, depth);
    let offset = this.skipSpace(start + 1);
    if (this.#bytes[offset] === ARRAY_CLOSE) return offset + 1;
    for (;;) {
      const end = checkElement === undefined ? this.checkValue(offset, depth + 1) : checkElement(offset);
      offset = this.skipSpace(end);
      const byte = this.#bytes[offset] ?? 0;
      if (byte === COMMA) offset = this.skipSpace(offset + 1);
      else if (byte === ARRAY_CLOSE) return offset + 1;
      else this.#throwUnexpected(offset, '"," or "]"');
    }
  }

  checkObject(start: number, depth: number, members?: MemberSpan[]): number {
    this.#checkDepth(start, depth);
    const bytes = this.#bytes;
    let offset = this.skipSpace(start + 1);
    if (bytes[offset] === OBJECT_CLOSE) return offset + 1;
    let count = 0;
    let keySet: Set<string> | undefined;
    for (;;) {
      if (bytes[offset] !== QUOTE)
        this.#throwUnexpected(offset, count === 0 ? 'a name in quotes or "}"' : 'a name in quotes');
      const keyStart = offset;
      const keyEnd = this.checkString(offset);
      keySet = this.#rememberKey(keyStart, keyEnd, depth, count, keySet);
      count += 1;
      offset = bytes[keyEnd] === COLON ? keyEnd : this.skipSpace(keyEnd);
      if (bytes[offset] !== COLON) this.#throwUnexpected(offset, '":"');
      const valueStart = this.skipSpace(offset + 1);
      const spaces = this.spaces;
      const valueEnd = this.checkValue(valueStart, depth + 1);
      members?.push({ keyStart, keyEnd, valueStart, valueEnd, isMinified: this.spaces === spaces });
      offset = this.skipSpace(valueEnd);
      const byte = bytes[offset] ?? 0;
      if (byte === COMMA) offset = this.skipSpace(offset + 1);
      else if (byte === OBJECT_CLOSE) return offset + 1;
      else this.#throwUnexpected(offset, '"," or "}"');
    }
  }

  checkString(start: number): number {
    const bytes = this.#bytes;
    let hasEscapes = false;
    let offset = start + 1;
    for (;;) {
      const byte = bytes[offset] ?? 0;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        hasEscapes = true;
        offset = this.#checkEscape(offset);
      } else if (byte < SPACE) {
        this.#throwControlCharacter(offset);
      } else {
        offset += 1;
      }
    }
    this.#hasEscapes = hasEscapes;
    return offset + 1;
  }

  /** Decodes a key: "a" and "\u0061" are the same key. */
  decodeKey(start: number, end: number): string {
    const raw = this.#bytes.toString('utf8', start + 1, end - 1);
    return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
  }

  isKey(start: number, end: number, name: Uint8Array): boolean {
    const bytes = this.#bytes;
    const length = end - start - 2;
    if (length < name.length) return false;
    let index = 0;
    while (index < name.length && bytes[start + 1 + index] === name[index]) index += 1;
    if (index === name.length && index === length) return true;
    return (
      bytes.subarray(start, end).includes(BACKSLASH) && this.decodeKey(start, end) === Buffer.from(name).toString()
    );
  }

  /** @throws JsonRefusal unless only white space follows */
  expectEnd(start: number): void {
    const offset = this.skipSpace(start);
    if (offset < this.#bytes.length)
      throw new JsonRefusal('not_json', offset, `${this.#quoteAt(offset)} follows the end of the JSON value`);
  }

  #checkEscape(offset: number): number {
    const next = this.#bytes[offset + 1] ?? 0;
    if (next !== LOWER_U) {
      if (SIMPLE_ESCAPES.has(next)) return offset + 2;
      throw new JsonRefusal('not_json', offset, 'a backslash in a string is not followed by one of " \\ / b f n r t u');
    }
    const unit = this.#readHex(offset);
    if (unit < 0xd800 || unit > 0xdfff) return offset + 6;
    if (unit <= 0xdbff && this.#bytes[offset + 6] === BACKSLASH && this.#bytes[offset + 7] === LOWER_U) {
      const low = this.#readHex(offset + 6);
      if (low >= 0xdc00 && low <= 0xdfff) return offset + 12;
    }
    throw new JsonRefusal('lone_surrogate', offset, 'a string contains an unpaired surrogate (half of a character)');
  }

  #readHex(offset: number): number {
    let unit = 0;
    for (let index = offset + 2; index < offset + 6; index += 1) {
      const byte = this.#bytes[index] ?? 0;
      const lower = byte | 0x20;
      if (byte >= ZERO && byte <= NINE) unit = unit * 16 + byte - ZERO;
      else if (lower >= 0x61 && lower <= LOWER_F) unit = unit * 16 + lower - 0x57;
      else throw new JsonRefusal('not_json', offset, '\\u in a string is not followed by four hexadecimal digits');
    }
    return unit;
  }

  #skipDigits(start: number): number {
    const bytes = this.#bytes;
    let offset = start;
    for (;;) {
      const byte = bytes[offset] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      offset += 1;
    }
    if (offset === start) this.#throwUnexpected(offset, 'a digit');
    return offset;
  }

  #checkNumber(start: number): number {
    const bytes = this.#bytes;
    let offset = bytes[start] === MINUS ? start + 1 : start;
    offset = bytes[offset] === ZERO ? offset + 1 : this.#skipDigits(offset);
    if (bytes[offset] === POINT) offset = this.#skipDigits(offset + 1);
    let byte = bytes[offset] ?? 0;
    let exponentDigits = 0;
    if (byte === LOWER_E || byte === UPPER_E) {
      byte = bytes[offset + 1] ?? 0;
      const exponentStart = byte === PLUS || byte === MINUS ? offset + 2 : offset + 1;
      offset = this.#skipDigits(exponentStart);
      exponentDigits = offset - exponentStart;
    }
    if (exponentDigits > SAFE_EXPONENT_DIGITS || offset - start > SAFE_NUMBER_CHARS) this.#checkRange(start, offset);
    return offset;
  }

  #checkRange(start: number, end: number): void {
    const text = this.#bytes.toString('latin1', start, end);
    if (Number.isFinite(Number(text))) return;
    throw new JsonRefusal(
      'number_out_of_range',
      start,
      'a number is too large to be represented (beyond about 1.8e308)',
    );
  }

  #checkLiteral(start: number, literal: Uint8Array): number {
    for (let index = 1; index < literal.length; index += 1) {
      if (this.#bytes[start + index] !== literal[index]) this.#throwUnexpected(start, 'a value');
    }
    return start + literal.length;
  }

  #checkDepth(offset: number, depth: number): void {
    if (depth <= this.#maxDepth) return;
    throw new JsonRefusal('too_deep', offset, `arrays and objects are nested more than ${this.#maxDepth} levels deep`);
  }

  /**
   * Records a key of an object. Returns the Set if the object uses one.
   * @throws JsonRefusal if the object has the key already or the key is forbidden
   */
  #rememberKey(start: number, end: number, depth: number, count: number, keySet: Set<string> | undefined) {
    if (keySet !== undefined || this.#hasEscapes || count >= LINEAR_KEYS_MAX || end - start > SHORT_KEY_BYTES)
      return this.#rememberInSet(start, end, depth, count, keySet);
    const bytes = this.#bytes;
    const base = (depth - 1) * LINEAR_KEYS_MAX * 2;
    if (this.#keys.length < base + LINEAR_KEYS_MAX * 2) this.#growKeys(depth);
    const keys = this.#keys;
    const length = end - start;
    for (let slot = base; slot < base + count * 2; slot += 2) {
      const otherStart = keys[slot] ?? 0;
      if ((keys[slot + 1] ?? 0) - otherStart !== length) continue;
      let index = 1;
      while (index < length && bytes[otherStart + index] === bytes[start + index]) index += 1;
      if (index === length) this.#refuseKey('duplicate_key', start, end);
    }
    if (length === FORBIDDEN_KEY.length + 2 && bytes[start + 1] === UNDERSCORE) {
      if (this.decodeKey(start, end) === FORBIDDEN_KEY) this.#refuseKey('forbidden_key', start, end);
    }
    keys[base + count * 2] = start;
    keys[base + count * 2 + 1] = end;
    return undefined;
  }

  #rememberInSet(start: number, end: number, depth: number, count: number, keySet: Set<string> | undefined) {
    let set = keySet;
    if (set === undefined) {
      set = new Set();
      const base = (depth - 1) * LINEAR_KEYS_MAX * 2;
      for (let slot = base; slot < base + count * 2; slot += 2)
        set.add(this.decodeKey(this.#keys[slot] ?? 0, this.#keys[slot + 1] ?? 0));
    }
    const key = this.decodeKey(start, end);
    if (key === FORBIDDEN_KEY) this.#refuseKey('forbidden_key', start, end);
    if (set.has(key)) this.#refuseKey('duplicate_key', start, end);
    return set.add(key);
  }

  #growKeys(depth: number): void {
    const largerKeys = new Int32Array(depth * 2 * LINEAR_KEYS_MAX * 2);
    largerKeys.set(this.#keys);
    this.#keys = largerKeys;
    keySpans = largerKeys;
  }

  #refuseKey(problem: 'duplicate_key' | 'forbidden_key', start: number, end: number): never {
    const key = this.decodeKey(start, end);
    const quotedKey = JSON.stringify(key.length > SHOWN_KEY_CHARS ? `${key.slice(0, SHOWN_KEY_CHARS)}…` : key);
    const cause =
      problem === 'duplicate_key'
        ? `an object has the name ${quotedKey} twice`
        : `the name ${quotedKey} is not allowed`;
    throw new JsonRefusal(problem, start, cause);
  }

  #throwControlCharacter(offset: number): never {
    if (offset >= this.#bytes.length)
      throw new JsonRefusal('not_json', offset, 'the JSON ends in the middle of a string: a quote is missing');
    throw new JsonRefusal(
      'not_json',
      offset,
      'a string contains a line break, tab or other control character that is not escaped',
    );
  }

  #throwUnexpected(offset: number, expected: string): never {
    const actual = offset < this.#bytes.length ? `${this.#quoteAt(offset)} appears` : 'the JSON ends';
    throw new JsonRefusal('not_json', offset, `${actual} where ${expected} is expected`);
  }

  #quoteAt(offset: number): string {
    const [character = ''] = this.#bytes.toString('utf8', offset, offset + 4);
    return JSON.stringify(character);
  }
}
