import { MAX_ENTRY, MAX_TEXT, UnreadableEntry } from './entries.ts';
import { createLines, lineText } from './text-lines.ts';

/**
 * The lines that calendars (RFC 5545) and contacts (vCard 2.1, 3.0, 4.0) have in common: `NAME;PARAM=VALUE:VALUE`, folded. Taken as programs
 * really write them: broken folds, quoted-printable with soft line ends, parameters without a name, groups.
 */

export type ContentLine = {
  /** In upper case, without its group. */
  readonly name: string;
  /** "item1" of `item1.TEL`, in lower case. */
  readonly group: string;
  /** Names in upper case. A bare word of vCard 2.1 stands under TYPE. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** As it stands there; quoted-printable is decoded. */
  readonly value: string;
  readonly line: number;
  /** Characters of the whole line. */
  readonly length: number;
};

/** Lines that one content line is folded over: each costs memory, however short it is. */
const MAX_FOLDS = 200_000;
/** Parameters of a content line, and values of one of them. */
const MAX_PARAMETERS = 1000;
/** Values in one list, such as dates or categories. */
const MAX_VALUES = 10_000;

/** A word, or a value in quotes. */
const NAME = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)/u;
const ENCODINGS = new Set(['QUOTED-PRINTABLE', 'BASE64', 'B', '8BIT', '7BIT']);

const decoderOf = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label);
  } catch {
    // For an unknown encoding, at least the ASCII part is right.
    return new TextDecoder('windows-1252');
  }
};

export const quotedPrintable = (text: string, charset: string | undefined): string => {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const hex = code === 0x3d ? /^[\da-f]{2}/iu.exec(text.slice(at + 1, at + 3)) : null;
    if (hex !== null) {
      bytes.push(Number.parseInt(hex[0], 16));
      at += 2;
    } else if (code < 0x80) bytes.push(code);
    else for (const byte of Buffer.from(text[at] ?? '')) bytes.push(byte);
  }
  return decoderOf(charset ?? 'utf-8').decode(Uint8Array.from(bytes));
};

/** Where the value begins: the first colon outside quotes. */
const colonOf = (text: string, from: number): number => {
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') quoted = !quoted;
    else if (text[at] === ':' && !quoted) return at;
  }
  // A quote that is never closed: the first colon will do.
  return text.indexOf(':', from);
};

const splitOutsideQuotes = (text: string, by: string): string[] => {
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') quoted = !quoted;
    else if (text[at] === by && !quoted) {
      if (parts.length === MAX_PARAMETERS) throw new UnreadableEntry('this line has too many parameters');
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
};

const paramsOf = (text: string): Map<string, string[]> => {
  const params = new Map<string, string[]>();
  for (const part of splitOutsideQuotes(text, ';')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const bare = part.toUpperCase();
    const name =
      equals === -1 ? (ENCODINGS.has(bare) ? 'ENCODING' : 'TYPE') : part.slice(0, equals).trim().toUpperCase();
    const value = equals === -1 ? part : part.slice(equals + 1);
    const values = splitOutsideQuotes(value, ',').flatMap((one) => {
      const plain = one.replaceAll('"', '').trim();
      // Some write TYPE="home,voice" as one value.
      return name === 'TYPE' ? splitOutsideQuotes(plain, ',') : [plain];
    });
    params.set(name, [...(params.get(name) ?? []), ...values]);
  }
  return params;
};

/** @throws UnreadableEntry */
export const parseContentLine = (text: string, line: number): ContentLine | undefined => {
  const found = NAME.exec(text);
  const name = found?.groups?.['name'];
  if (found === null || name === undefined) return undefined;
  const from = found[0].length;
  if (text[from] !== ':' && text[from] !== ';') return undefined;
  const colon = colonOf(text, from);
  if (colon === -1) return undefined;
  const params = paramsOf(text.slice(from + 1, colon));
  const raw = text.slice(colon + 1);
  const isQuoted = params.get('ENCODING')?.some((one) => one.toUpperCase() === 'QUOTED-PRINTABLE') === true;
  const value = isQuoted ? quotedPrintable(raw, params.get('CHARSET')?.[0]) : raw;
  const group = (found.groups?.['group'] ?? '').toLowerCase();
  return { name: name.toUpperCase(), group, params, value, line, length: text.length };
};

/** Unescaped text of a value, as much as is stored of it. */
export const plainText = (value: string): string =>
  value
    .slice(0, 2 * MAX_TEXT)
    .replaceAll(/\\(?<what>[nN\\,;:])/gu, (_, what: string) => (what === 'n' || what === 'N' ? '\n' : what));

/** The parts of a value with several, at commas or semicolons that are not escaped; still escaped. @throws UnreadableEntry */
export const splitEscaped = (value: string, by: ',' | ';'): string[] => {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === by) {
      if (parts.length === MAX_VALUES) throw new UnreadableEntry('this entry has a list that is too long');
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, value.slice(start)];
};

/** Collects the lines of one event or contact, and drops them all where they become too many. */
export const createEntryLines = (maxLines: number) => {
  const lines: ContentLine[] = [];
  let length = 0;
  let isTooLarge = false;
  return {
    add(line: ContentLine): void {
      length += line.length;
      isTooLarge ||= length > MAX_ENTRY || lines.length === maxLines;
      if (isTooLarge) lines.length = 0;
      else lines.push(line);
    },
    last: (): ContentLine | undefined => lines.at(-1),
    /** @throws UnreadableEntry */
    all(): readonly ContentLine[] {
      if (isTooLarge) throw new UnreadableEntry('this entry is too large');
      return lines;
    },
  };
};
export type EntryLines = ReturnType<typeof createEntryLines>;

const SPACES = Buffer.alloc(0);
const TOO_LONG = 'this line is too long';
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

/** Unfolds the lines of a file and passes on each content line. Reports invalid lines and skips blank ones. */
export const createContentLines = (parts: {
  take: (line: ContentLine) => void;
  broken: (line: number, problem: string) => void;
}) => {
  const { take, broken } = parts;
  // Bytes and no text: some programs fold within a character.
  let held: { pieces: Buffer[]; bytes: number; folds: number; line: number; problem: string | undefined } | undefined;
  let isQuoted = false;

  const settle = (): void => {
    const current = held;
    held = undefined;
    if (current === undefined) return;
    if (current.problem !== undefined) return broken(current.line, current.problem);
    const text = lineText(current.pieces.length === 1 ? (current.pieces[0] ?? SPACES) : Buffer.concat(current.pieces));
    if (text.trim() === '') return;
    let parsed: ContentLine | undefined;
    try {
      parsed = parseContentLine(text, current.line);
    } catch (error) {
      if (!(error instanceof UnreadableEntry)) throw error;
      return broken(current.line, error.message);
    }
    if (parsed === undefined) broken(current.line, 'this line has no name and no value');
    else take(parsed);
  };

  const lines = createLines((bytes, number, cut) => {
    if (bytes.length === 0) return settle();
    const folded = bytes[0] === SPACE || bytes[0] === TAB;
    const last = held?.pieces.at(-1);
    const softly = isQuoted && last?.at(-1) === EQUALS;
    if (held !== undefined && last !== undefined && (softly || folded)) {
      held.bytes += bytes.length;
      held.folds += 1;
      if (cut || held.bytes > MAX_ENTRY) held.problem ??= TOO_LONG;
      else if (held.folds > MAX_FOLDS) held.problem ??= 'this line has too many folds';
      // The last piece alone tells whether a soft line end follows.
      if (held.problem !== undefined) held.pieces = [];
      else if (softly) held.pieces.splice(-1, 1, last.subarray(0, -1));
      held.pieces.push(Buffer.from(folded ? bytes.subarray(1) : bytes));
      return;
    }
    settle();
    const problem = cut ? TOO_LONG : undefined;
    held = { pieces: [Buffer.from(bytes)], bytes: bytes.length, folds: 0, line: number, problem };
    isQuoted = /^[^:]*QUOTED-PRINTABLE/iu.test(bytes.toString('latin1', 0, 500));
  });

  return {
    push: (piece: Buffer): void => lines.push(piece),
    end(): void {
      lines.end();
      settle();
    },
  };
};
