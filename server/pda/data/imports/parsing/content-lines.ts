import { MAX_ENTRY_SIZE, MAX_TEXT_CHARS, nonEmptyList, nonEmptyText, UnreadableEntry } from './entries.ts';
import { createLineSplitter, decodeLine } from './text-lines.ts';

// Parses the folded lines `NAME;PARAM=VALUE:VALUE` that calendars (RFC 5545) and contacts (vCard 2.1, 3.0, 4.0) share.
// Also parses quoted-printable values with soft line breaks, parameters without a name, and folds within a character.

export type ContentLine = {
  /** Name in upper case, without its group. */
  readonly name: string;
  /** Group in lower case: "item1" in `item1.TEL`. Empty if there is none. */
  readonly group: string;
  /** Parameter values by upper-case name. A bare word, as in vCard 2.1, is a TYPE or an ENCODING. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** Value as written, with quoted-printable decoded. */
  readonly value: string;
  /** Number of the first physical line, counted from 1. */
  readonly line: number;
  /** Characters of the unfolded line. */
  readonly length: number;
};

/** Maximum folds of a content line: each fold costs memory, even if it is short. */
const MAX_FOLDS = 200_000;
/** Maximum parameters of a content line, and maximum values in one of them. */
const MAX_PARAMETERS = 1000;
/** Maximum values in one list, such as dates or categories. */
const MAX_VALUES = 10_000;

const NAME = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)/u;
const ENCODINGS = new Set(['QUOTED-PRINTABLE', 'BASE64', 'B', '8BIT', '7BIT']);

const decoderOf = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label);
  } catch {
    // If the encoding is unknown, at least ASCII characters are decoded correctly.
    return new TextDecoder('windows-1252');
  }
};

/** Decodes quoted-printable text (RFC 2045, section 6.7). */
const decodeQuotedPrintable = (text: string, charset: string | undefined): string => {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const hex = code === 0x3d ? /^[\da-f]{2}/iu.exec(text.slice(index + 1, index + 3)) : null;
    if (hex !== null) {
      bytes.push(Number.parseInt(hex[0], 16));
      index += 2;
    } else if (code < 0x80) bytes.push(code);
    else {
      const character = String.fromCodePoint(text.codePointAt(index) ?? code);
      bytes.push(...Buffer.from(character));
      index += character.length - 1;
    }
  }
  return decoderOf(charset ?? 'utf-8').decode(Uint8Array.from(bytes));
};

/** Returns the index of the first colon outside quotes, or else of the first colon; -1 if there is no colon. */
const colonOf = (text: string, from: number): number => {
  let isQuoted = false;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === ':' && !isQuoted) return index;
  }
  // All colons are within quotes, for example because a quote is never closed.
  return text.indexOf(':', from);
};

const splitOutsideQuotes = (text: string, separator: string): string[] => {
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === separator && !isQuoted) {
      if (parts.length + 1 === MAX_PARAMETERS) throw new UnreadableEntry('this line has too many parameters');
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
};

const paramsOf = (text: string): Map<string, string[]> => {
  const params = new Map<string, string[]>();
  for (const part of splitOutsideQuotes(text, ';')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const upperCasePart = part.toUpperCase();
    const name =
      equals === -1 ? (ENCODINGS.has(upperCasePart) ? 'ENCODING' : 'TYPE') : part.slice(0, equals).trim().toUpperCase();
    const value = equals === -1 ? part : part.slice(equals + 1);
    const values = splitOutsideQuotes(value, ',').flatMap((item) => {
      const unquotedItem = item.replaceAll('"', '').trim();
      // Some programs write TYPE="home,voice" as one value.
      return name === 'TYPE' ? splitOutsideQuotes(unquotedItem, ',') : [unquotedItem];
    });
    params.set(name, [...(params.get(name) ?? []), ...values]);
  }
  return params;
};

/** Parses an unfolded line. Returns undefined if it has no name or no value. @throws UnreadableEntry */
const parseContentLine = (text: string, line: number): ContentLine | undefined => {
  const match = NAME.exec(text);
  const name = match?.groups?.['name'];
  if (match === null || name === undefined) return undefined;
  const nameEnd = match[0].length;
  if (text[nameEnd] !== ':' && text[nameEnd] !== ';') return undefined;
  const colon = colonOf(text, nameEnd);
  if (colon === -1) return undefined;
  const params = paramsOf(text.slice(nameEnd + 1, colon));
  const rawValue = text.slice(colon + 1);
  const isQuotedPrintable =
    params.get('ENCODING')?.some((encoding) => encoding.toUpperCase() === 'QUOTED-PRINTABLE') === true;
  const value = isQuotedPrintable ? decodeQuotedPrintable(rawValue, params.get('CHARSET')?.[0]) : rawValue;
  const group = (match.groups?.['group'] ?? '').toLowerCase();
  return { name: name.toUpperCase(), group, params, value, line, length: text.length };
};

/** Unescapes a value. Omits the end of a very long value: at most MAX_TEXT_CHARS characters are needed. */
export const unescapeText = (value: string): string =>
  value
    .slice(0, 2 * MAX_TEXT_CHARS)
    .replaceAll(/\\(?<character>[nN\\,;:])/gu, (_, character: string) =>
      character === 'n' || character === 'N' ? '\n' : character,
    );

/** Splits a value at unescaped commas or semicolons. The parts are still escaped. @throws UnreadableEntry */
export const splitEscaped = (value: string, separator: ',' | ';'): string[] => {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < value.length; index += 1) {
    if (value[index] === '\\') index += 1;
    else if (value[index] === separator) {
      if (parts.length + 1 === MAX_VALUES) throw new UnreadableEntry('this entry has a list that is too long');
      parts.push(value.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, value.slice(start)];
};

/** Returns the non-empty texts of lists that are separated by commas; undefined if there are none. */
export const textsOfLists = (lines: readonly ContentLine[]): readonly string[] | undefined =>
  nonEmptyList(
    lines.flatMap(({ value }) => splitEscaped(value, ',').flatMap((part) => nonEmptyText(unescapeText(part)) ?? [])),
  );

export const createEntryLines = (maxLines: number) => {
  const lines: ContentLine[] = [];
  let length = 0;
  let isTooLarge = false;
  return {
    add(line: ContentLine): void {
      length += line.length;
      isTooLarge ||= length > MAX_ENTRY_SIZE || lines.length === maxLines;
      if (isTooLarge) lines.length = 0;
      else lines.push(line);
    },
    last: (): ContentLine | undefined => lines.at(-1),
    /** @throws UnreadableEntry if the lines exceed the limits */
    all(): readonly ContentLine[] {
      if (isTooLarge) throw new UnreadableEntry('this entry is too large');
      return lines;
    },
  };
};
export type EntryLines = ReturnType<typeof createEntryLines>;

const TOO_LONG_PROBLEM = 'this line is too long';
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

type ContentLineHandlers = {
  onLine: (line: ContentLine) => void;
  onBrokenLine: (line: number, problem: string) => void;
};

/** Unfolds the lines of a file, and passes each content line or broken line to a handler. */
export const createContentLineParser = ({ onLine, onBrokenLine }: ContentLineHandlers) => {
  // Contains bytes and not text, because some programs fold within a character.
  let pendingLine:
    | { chunks: Buffer[]; bytes: number; folds: number; line: number; problem: string | undefined }
    | undefined;
  let isQuotedPrintable = false;

  const endLine = (): void => {
    const current = pendingLine;
    pendingLine = undefined;
    if (current === undefined) return;
    if (current.problem !== undefined) return onBrokenLine(current.line, current.problem);
    const text = decodeLine(Buffer.concat(current.chunks));
    if (text.trim() === '') return;
    let contentLine: ContentLine | undefined;
    try {
      contentLine = parseContentLine(text, current.line);
    } catch (error) {
      if (!(error instanceof UnreadableEntry)) throw error;
      return onBrokenLine(current.line, error.message);
    }
    if (contentLine === undefined) onBrokenLine(current.line, 'this line has no name or no value');
    else onLine(contentLine);
  };

  const lines = createLineSplitter((bytes, number, isTruncated) => {
    if (bytes.length === 0) return endLine();
    const isFolded = bytes[0] === SPACE || bytes[0] === TAB;
    const last = pendingLine?.chunks.at(-1);
    const isSoftBreak = isQuotedPrintable && last?.at(-1) === EQUALS;
    if (pendingLine !== undefined && last !== undefined && (isSoftBreak || isFolded)) {
      pendingLine.bytes += bytes.length;
      pendingLine.folds += 1;
      if (isTruncated || pendingLine.bytes > MAX_ENTRY_SIZE) pendingLine.problem ??= TOO_LONG_PROBLEM;
      else if (pendingLine.folds > MAX_FOLDS) pendingLine.problem ??= 'this line has too many folds';
      // After a problem, only the last chunk is needed, to detect a soft line break.
      if (pendingLine.problem !== undefined) pendingLine.chunks = [];
      else if (isSoftBreak) pendingLine.chunks.splice(-1, 1, last.subarray(0, -1));
      pendingLine.chunks.push(Buffer.from(isFolded ? bytes.subarray(1) : bytes));
      return;
    }
    endLine();
    const problem = isTruncated ? TOO_LONG_PROBLEM : undefined;
    pendingLine = { chunks: [Buffer.from(bytes)], bytes: bytes.length, folds: 0, line: number, problem };
    isQuotedPrintable = /^[^:]*QUOTED-PRINTABLE/iu.test(bytes.toString('latin1', 0, 500));
  });

  return {
    push: (chunk: Buffer): void => lines.push(chunk),
    end(): void {
      lines.end();
      endLine();
    },
  };
};
