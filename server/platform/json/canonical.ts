import { hash } from 'node:crypto';
import { decodeString, findStringEnd } from './strings.ts';

// Canonical form of JSON texts, for comparing them by value. It is computed from the text and not from parsed values:
// JSON.parse turns 1234567890123456789 and 1234567890123456788 into the same number, and one of two records with
// these values would be skipped as a duplicate of the other.
//
// All functions expect texts that text.ts has validated (with or without white space), and throw a SyntaxError for most
// other texts. A text of 10 MB takes seconds and about 100 MB of memory, so large texts are processed only in worker
// threads.

/** Maximum digits of a number without an exponent, so that 1e300 does not become 300 zeros. */
const MAX_PLAIN_DIGITS = 21;
const MAX_EXPONENT_DIGITS = 15;
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,20})$/;
const NUMBER_PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)(\d+))?$/;
const END_OF_TOKEN = /[\s,\]}]|$/g;

/** Returns the canonical text: no white space, keys sorted by code unit, one form for each number and string. */
export function toCanonicalJson(jsonText: string): string {
  const reader = new CanonicalReader(jsonText);
  const text = reader.readValue();
  reader.expectEnd();
  return text;
}

/** Returns the SHA-256 of the canonical text, in hexadecimal. */
export function digestJson(jsonText: string): string {
  return hash('sha256', toCanonicalJson(jsonText), 'hex');
}

/** Returns the canonical form of a number's exact value: 1, 1.0, 10e-1 and 1E0 share one form, as do 0 and -0. */
function toCanonicalNumber(text: string): string {
  if (PLAIN_INTEGER.test(text)) return text;
  const [, sign = '', integerDigits = '', fraction = '', exponentSign = '', exponentDigits = '0'] =
    NUMBER_PARTS.exec(text) ?? [];
  if (integerDigits === '') throw new SyntaxError('not a JSON number');
  const allDigits = stripLeadingZeros(integerDigits + fraction);
  if (allDigits === '') return '0';
  const digits = stripTrailingZeros(allDigits);
  const power = stripLeadingZeros(exponentDigits);
  // Far outside the range of a double, different notations of a number keep different forms.
  if (power.length > MAX_EXPONENT_DIGITS) return `${sign}${allDigits}e${exponentSign}${power}.${fraction.length}`;
  const exponent = (exponentSign === '-' ? -1 : 1) * Number(power) - fraction.length + allDigits.length - digits.length;
  if (exponent === 0 && digits.length <= MAX_PLAIN_DIGITS) return sign + digits;
  if (exponent > 0 && digits.length + exponent <= MAX_PLAIN_DIGITS) return sign + digits + '0'.repeat(exponent);
  return `${sign}${digits}e${exponent}`;
}

// These functions use loops, because /0+$/ takes quadratic time on a long run of zeros before another digit.
function stripLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === '0') start += 1;
  return digits.slice(start);
}

function stripTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Maximum number of texts joined in one call. Joining millions at once needs more memory than the texts themselves. */
const JOINED_TEXTS_MAX = 1000;

class TextList {
  readonly #groups: string[] = [];
  #texts: string[] = [];

  add(text: string): void {
    this.#texts.push(text);
    if (this.#texts.length === JOINED_TEXTS_MAX) this.#join();
  }

  enclose(open: string, close: string): string {
    if (this.#texts.length > 0) this.#join();
    return concatenate(open, this.#groups.join(','), close);
  }

  #join(): void {
    this.#groups.push(this.#texts.join(','));
    this.#texts = [];
  }
}

/** Copies the texts. At a hundred levels of nesting, the operator + would take many times their memory. */
function concatenate(...texts: string[]): string {
  return texts.join('');
}

/** Parses a text from left to right. Recurses once per level of nesting, which validation has limited. */
class CanonicalReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readValue(): string {
    const first = this.#peek();
    if (first === '{') return this.#readObject();
    if (first === '[') return this.#readArray();
    if (first === '"') return this.#readString();
    const start = this.#offset;
    END_OF_TOKEN.lastIndex = start;
    this.#offset = END_OF_TOKEN.exec(this.#text)?.index ?? this.#text.length;
    const token = this.#text.slice(start, this.#offset);
    return token === 'true' || token === 'false' || token === 'null' ? token : toCanonicalNumber(token);
  }

  expectEnd(): void {
    if (this.#peek() !== '') throw new SyntaxError('more than one JSON value');
  }

  #readObject(): string {
    this.#offset += 1;
    if (this.#skip('}')) return '{}';
    const names: string[] = [];
    const values: string[] = [];
    do {
      if (this.#peek() !== '"') throw new SyntaxError('expected a name in a JSON object');
      const key = this.#readString();
      if (!this.#skip(':')) throw new SyntaxError('expected ":" after a name in a JSON object');
      names.push(decodeString(key));
      values.push(this.readValue());
    } while (this.#skip(','));
    if (!this.#skip('}')) throw new SyntaxError('unterminated JSON object');
    const order = names.map((_, index) => index);
    order.sort((a, b) => compareCodeUnits(names[a] ?? '', names[b] ?? ''));
    const sortedMembers = new TextList();
    for (const index of order) sortedMembers.add(concatenate(JSON.stringify(names[index]), ':', values[index] ?? ''));
    return sortedMembers.enclose('{', '}');
  }

  #readArray(): string {
    this.#offset += 1;
    if (this.#skip(']')) return '[]';
    const elements = new TextList();
    do elements.add(this.readValue());
    while (this.#skip(','));
    if (!this.#skip(']')) throw new SyntaxError('unterminated JSON array');
    return elements.enclose('[', ']');
  }

  /** Returns the string as JSON.stringify would write it. A string without escapes already has that form. */
  #readString(): string {
    const text = this.#text;
    const start = this.#offset;
    const end = findStringEnd(text, start);
    if (end === -1) throw new SyntaxError('unterminated JSON string');
    this.#offset = end + 1;
    const literal = text.slice(start, end + 1);
    return literal.includes('\\') ? JSON.stringify(decodeString(literal)) : literal;
  }

  #peek(): string {
    const text = this.#text;
    while (isWhiteSpace(text.charCodeAt(this.#offset))) this.#offset += 1;
    return text.charAt(this.#offset);
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#offset += 1;
    return true;
  }
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
