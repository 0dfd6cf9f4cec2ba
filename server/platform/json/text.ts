import { isAscii, isUtf8 } from 'node:buffer';
import { JSON_LIMITS, type JsonLimits, type JsonProblem, JsonRefusal } from './refusal.ts';
import { JsonScanner, type MemberSpan } from './scanner.ts';

export { JSON_LIMITS, type JsonLimits, type JsonProblem } from './refusal.ts';

export interface JsonFailure {
  readonly ok: false;
  readonly problem: JsonProblem;
  /** Bytes from the start of the body. */
  readonly position: number;
  /** Counted from 1. */
  readonly line: number;
  /** Readable problem, without the line number and without a full stop. */
  readonly reason: string;
  /** `reason` with the line number: `Line 3: …`. */
  readonly cause: string;
}

export interface JsonScan {
  readonly ok: true;
  readonly kind: 'array' | 'object' | 'scalar';
  /**
   * Minified texts: one per element of an array, otherwise one. Digits and escapes are preserved exactly. Already
   * minified elements are views of the body.
   */
  readonly elements: Buffer[];
  /** Number of elements, including elements beyond the limit, which are not kept. */
  readonly count: number;
}

export interface Envelope {
  /** Minified text of the member that is kept as text; undefined if it is missing. */
  readonly raw: string | undefined;
  readonly otherMembers: Readonly<Record<string, unknown>>;
}

/** Like `Envelope`, but with the other members as JSON text. */
export interface EnvelopeText {
  /** Position of the object in the body, in bytes. */
  readonly start: number;
  readonly raw: string | undefined;
  readonly otherMembers: string;
}

export interface EnvelopeScan<Item = Envelope> {
  readonly ok: true;
  readonly kind: 'array' | 'object';
  readonly envelopes: Item[];
  readonly count: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const ARRAY_OPEN = 0x5b;
const OBJECT_OPEN = 0x7b;

/**
 * Checks a JSON body and splits it into the texts to store. Accepts the texts that JSON.parse accepts, except: nesting
 * beyond the limit (the outermost level counts as one), duplicate keys (after decoding), the key `__proto__`, unpaired
 * surrogates, numbers that overflow a double, and bytes that are not UTF-8. Never throws.
 */
export function scanJson(body: Buffer, limits: JsonLimits = JSON_LIMITS): JsonScan | JsonFailure {
  const { maxElements = Number.POSITIVE_INFINITY } = limits;
  return catchRefusals(body, () => {
    const scanner = new JsonScanner(body, limits);
    const start = scanner.skipSpace(0);
    const first = scanner.byteAt(start);
    if (first !== ARRAY_OPEN) {
      const bytes = readWholeValue(body, scanner, start);
      return { ok: true, kind: first === OBJECT_OPEN ? 'object' : 'scalar', elements: [bytes], count: 1 };
    }
    const spans: number[] = [];
    let count = 0;
    const end = scanner.checkArray(start, 1, (offset) => {
      const spaces = scanner.spaces;
      const end = scanner.checkValue(offset, 2);
      count += 1;
      if (count <= maxElements) spans.push(offset, end, scanner.spaces === spaces ? 0 : 1);
      return end;
    });
    scanner.expectEnd(end);
    return { ok: true, kind: 'array', elements: elementsOf(body, spans), count };
  });
}

/** Checks a body as one value of any type: an array is not split. Same rules as `scanJson`. */
export function scanValue(body: Buffer, limits: JsonLimits = JSON_LIMITS): { ok: true; text: string } | JsonFailure {
  return catchRefusals(body, () => {
    const scanner = new JsonScanner(body, limits);
    return { ok: true, text: readWholeValue(body, scanner, scanner.skipSpace(0)).toString() };
  });
}

/** Scans an object, or an array of objects, with one member that is kept as text. Other JSON is `not_an_object`. */
export function scanEnvelopes(
  body: Buffer,
  rawMember: string,
  limits: JsonLimits = JSON_LIMITS,
): EnvelopeScan | JsonFailure {
  const scan = scanEnvelopeTexts(body, rawMember, limits);
  return scan.ok ? { ...scan, envelopes: scan.envelopes.map(parseEnvelope) } : scan;
}

export function parseEnvelope({ raw, otherMembers }: EnvelopeText): Envelope {
  const members: unknown = JSON.parse(otherMembers);
  return { raw, otherMembers: members as Record<string, unknown> };
}

export function scanEnvelopeTexts(
  body: Buffer,
  rawMember: string,
  limits: JsonLimits = JSON_LIMITS,
): EnvelopeScan<EnvelopeText> | JsonFailure {
  const { maxElements = Number.POSITIVE_INFINITY } = limits;
  return catchRefusals(body, () => {
    const scanner = new JsonScanner(body, limits);
    const start = scanner.skipSpace(0);
    const readEnvelope = createEnvelopeReader(body, scanner, rawMember);
    if (scanner.byteAt(start) !== ARRAY_OPEN) {
      const { end, envelope } = readEnvelope(start, 1);
      scanner.expectEnd(end);
      return { ok: true, kind: 'object', envelopes: [envelope], count: 1 };
    }
    const envelopes: EnvelopeText[] = [];
    let count = 0;
    const end = scanner.checkArray(start, 1, (offset) => {
      count += 1;
      if (count > maxElements && scanner.byteAt(offset) === OBJECT_OPEN) return scanner.checkValue(offset, 2);
      const { end, envelope } = readEnvelope(offset, 2);
      envelopes.push(envelope);
      return end;
    });
    scanner.expectEnd(end);
    return { ok: true, kind: 'array', envelopes, count };
  });
}

function catchRefusals<Result>(body: Buffer, scan: () => Result): Result | JsonFailure {
  try {
    if (!isUtf8(body)) return notUtf8Failure(body);
    if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
      return failureAt(body, 'not_json', 0, 'the JSON begins with a byte order mark');
    return scan();
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error;
    const isEmpty = error.problem === 'not_json' && error.position === body.length && isBlank(body);
    if (isEmpty) return failureAt(body, 'empty', 0, 'the body is empty');
    return failureAt(body, error.problem, error.position, error.message);
  }
}

function readWholeValue(body: Buffer, scanner: JsonScanner, start: number): Buffer {
  const spaces = scanner.spaces;
  const end = scanner.checkValue(start, 1);
  const isMinified = scanner.spaces === spaces;
  scanner.expectEnd(end);
  return isMinified ? body.subarray(start, end) : minify(body, start, end);
}

/** Returns the minified elements. @param spans triples: start, end, and 1 if the element contains white space */
function elementsOf(body: Buffer, spans: readonly number[]): Buffer[] {
  const elements: Buffer[] = [];
  for (let index = 0; index < spans.length; index += 3) {
    const [start = 0, end = 0] = [spans[index], spans[index + 1]];
    elements.push(spans[index + 2] === 0 ? body.subarray(start, end) : minify(body, start, end));
  }
  return elements;
}

/** Returns a function that decodes byte ranges. For ASCII, the slices are views of one decoded string, not copies. */
function createSlicer(bytes: Buffer): (start: number, end: number) => string {
  if (!isAscii(bytes)) return (start, end) => bytes.toString('utf8', start, end);
  const decodedText = bytes.toString('latin1');
  return (start, end) => decodedText.slice(start, end);
}

function minify(body: Buffer, start: number, end: number): Buffer {
  const out = Buffer.allocUnsafe(end - start);
  return out.subarray(0, copyMinified(body, start, end, out, 0));
}

/** Copies a value to `out`, without white space outside strings. Returns the end in `out`. */
function copyMinified(body: Buffer, start: number, end: number, out: Buffer, outStart: number): number {
  let offset = start;
  let length = outStart;
  while (offset < end) {
    let byte = body[offset] ?? 0;
    offset += 1;
    if (byte <= SPACE) continue;
    out[length] = byte;
    length += 1;
    if (byte !== QUOTE) continue;
    do {
      byte = body[offset] ?? 0;
      out[length] = byte;
      offset += 1;
      length += 1;
      if (byte !== BACKSLASH) continue;
      out[length] = body[offset] ?? 0;
      offset += 1;
      length += 1;
    } while (byte !== QUOTE);
  }
  return length;
}

function createEnvelopeReader(body: Buffer, scanner: JsonScanner, rawMember: string) {
  const slice = createSlicer(body);
  const rawName = Buffer.from(rawMember);
  return (start: number, depth: number): { end: number; envelope: EnvelopeText } => {
    if (scanner.byteAt(start) !== OBJECT_OPEN) {
      // Input that is not JSON gets its own error.
      scanner.checkValue(start, depth);
      throw new JsonRefusal('not_an_object', start, 'an object is expected here');
    }
    const members: MemberSpan[] = [];
    const end = scanner.checkObject(start, depth, members);
    const index = members.findIndex(({ keyStart, keyEnd }) => scanner.isKey(keyStart, keyEnd, rawName));
    const member = members[index];
    if (member === undefined) return { end, envelope: { start, raw: undefined, otherMembers: slice(start, end) } };
    const { valueStart, valueEnd, isMinified } = member;
    const raw = isMinified ? slice(valueStart, valueEnd) : minify(body, valueStart, valueEnd).toString();
    // The object's text without the member and its comma.
    const textBefore = slice(start + 1, members[index - 1]?.valueEnd ?? start + 1);
    const textAfter = slice(members[index + 1]?.keyStart ?? end - 1, end - 1);
    const comma = index === 0 || index === members.length - 1 ? '' : ',';
    return { end, envelope: { start, raw, otherMembers: `{${textBefore}${comma}${textAfter}}` } };
  };
}

function isBlank(body: Buffer): boolean {
  for (const byte of body) {
    if (byte > SPACE) return false;
  }
  return true;
}

function notUtf8Failure(body: Buffer): JsonFailure {
  const position = findInvalidUtf8(body);
  // Some encoders write an unpaired surrogate as three bytes (ED A0 80 to ED BF BF): report the surrogate.
  const next = body[position + 1] ?? 0;
  if (body[position] === 0xed && next >= 0xa0 && next <= 0xbf)
    return failureAt(body, 'lone_surrogate', position, 'a string contains an unpaired surrogate (half of a character)');
  return failureAt(body, 'not_utf8', position, 'the text is not encoded as UTF-8');
}

/** Finds the start of the first invalid sequence by binary search. `bytes` must contain one. */
export function findInvalidUtf8(bytes: Buffer): number {
  let validLength = 0;
  let invalidIndex = bytes.length;
  while (invalidIndex - validLength > 8) {
    let middle = (validLength + invalidIndex) >> 1;
    // Cut between characters: step back over at most three continuation bytes.
    for (let steps = 0; steps < 3 && ((bytes[middle] ?? 0) & 0xc0) === 0x80; steps += 1) middle -= 1;
    if (middle <= validLength) break;
    if (isUtf8(bytes.subarray(validLength, middle))) validLength = middle;
    else invalidIndex = middle;
  }
  for (let end = validLength + 1; end <= bytes.length; end += 1) {
    if (isUtf8(bytes.subarray(validLength, end))) validLength = end;
    else if (end - validLength >= 4) break;
  }
  return validLength;
}

export function failureAt(body: Buffer, problem: JsonProblem, position: number, reason: string): JsonFailure {
  let line = 1;
  for (
    let index = body.indexOf(LINE_FEED);
    index !== -1 && index < position;
    index = body.indexOf(LINE_FEED, index + 1)
  )
    line += 1;
  return { ok: false, problem, position, line, reason, cause: `Line ${line}: ${reason}` };
}
