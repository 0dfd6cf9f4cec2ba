import { Parser } from 'htmlparser2';

/**
 * Streams HTML or XML through htmlparser2 within fixed bounds: the parser keeps an unfinished tag, a comment and its stack of open
 * elements in memory, and its stack costs time in proportion to its depth.
 */

export type Attributes = Readonly<Record<string, string>>;

export type MarkupHandlers = {
  /** @param line in which the tag begins, counted from 1 */
  open(name: string, attributes: Attributes, line: number): void;
  /** An end tag, or the end of an empty XML element. Not called for elements that the file leaves open. */
  close?(name: string): void;
  /** Decoded text; one text may arrive in several calls. Scripts and styles are left out. */
  text?(text: string): void;
  /** A tag that was given up: it is too long, or in XML the next line begins with a tag before this one ends. */
  broken?(line: number): void;
};

/** Characters that are parsed at once: bounds are checked in between. */
const PIECE_CHARS = 8192;
/** Characters of one tag. */
const MAX_TAG_CHARS = 1_000_000;
/** Characters without any event, such as those of a comment. */
const MAX_SILENT_CHARS = 8_000_000;
/** Pieces without any event: the parser holds each of them, and drops them one by one. */
const MAX_SILENT_PIECES = 20_000;
/** Open elements; the parser forgets them beyond that. */
const MAX_DEPTH = 500;

const NOT_TEXT = new Set(['script', 'style']);
const LINE_THAT_BEGINS_WITH_A_TAG = /\n[^\S\n]*</gu;
/** Ends a tag wherever it is: in an attribute's name or value, in either kind of quotes or without. */
const END_OF_ANY_TAG = `x"'/>`;

/** @param xml whether names keep their case, `<a/>` is an empty element, and a tag ends before a line that begins with another */
export const createMarkup = ({ xml }: { xml: boolean }, handlers: MarkupHandlers) => {
  const decoder = new TextDecoder('utf-8');
  let heldLine = '';
  let tagLine: number | undefined;
  let isAbandoning = false;
  let isEnding = false;
  let hiddenDepth = 0;
  let depth = 0;
  let silentPieces = 0;
  let silentChars = 0;

  let line = 1;
  let piece = '';
  let pieceStart = 0;
  let counted = 0;
  /** Counts the line ends up to an offset of the current piece. */
  const countLines = (until: number): void => {
    for (let at = piece.indexOf('\n', counted); at !== -1 && at < until; at = piece.indexOf('\n', at + 1)) line += 1;
    counted = Math.max(counted, until);
  };

  const endSilence = (): void => {
    silentPieces = 0;
    silentChars = 0;
  };

  const parser = new Parser(
    {
      onopentagname(name) {
        endSilence();
        depth += 1;
        countLines(parser.endIndex - pieceStart);
        tagLine = line;
        if (NOT_TEXT.has(name)) hiddenDepth += 1;
      },
      onopentag(name, attributes) {
        endSilence();
        if (!isAbandoning) handlers.open(name, attributes, tagLine ?? line);
        tagLine = undefined;
      },
      onclosetag(name, isImplied) {
        endSilence();
        depth -= 1;
        if (NOT_TEXT.has(name)) hiddenDepth -= 1;
        // In HTML an implied end is one that the file does not have; in XML it may be that of an empty element.
        if (!isAbandoning && !isEnding && (xml || !isImplied)) handlers.close?.(name);
      },
      ontext(text) {
        endSilence();
        if (hiddenDepth === 0) handlers.text?.(text);
      },
      oncommentend() {
        endSilence();
      },
      onprocessinginstruction() {
        endSilence();
      },
    },
    { xmlMode: xml },
  );

  const reset = (): void => {
    parser.reset();
    pieceStart = 0;
    depth = 0;
    hiddenDepth = 0;
    endSilence();
    tagLine = undefined;
  };

  const write = (text: string): void => {
    piece = text;
    counted = 0;
    parser.write(text);
    countLines(text.length);
    pieceStart += text.length;
  };

  const abandonTag = (): void => {
    handlers.broken?.(tagLine ?? line);
    isAbandoning = true;
    write(END_OF_ANY_TAG);
    isAbandoning = false;
    if (tagLine !== undefined) reset();
  };

  const writeInPieces = (text: string): void => {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      const part = text.slice(at, at + PIECE_CHARS);
      silentPieces += 1;
      silentChars += part.length;
      write(part);
      if (tagLine !== undefined && silentChars > MAX_TAG_CHARS) abandonTag();
      else if (silentPieces > MAX_SILENT_PIECES || silentChars > MAX_SILENT_CHARS) {
        handlers.broken?.(line);
        reset();
      } else if (depth > MAX_DEPTH) reset();
    }
  };

  const writeLines = (text: string): void => {
    let from = 0;
    for (const { index } of text.matchAll(LINE_THAT_BEGINS_WITH_A_TAG)) {
      writeInPieces(text.slice(from, index));
      // A quote is missing: without this the tag would take in all that follows.
      if (tagLine !== undefined) abandonTag();
      from = index;
    }
    writeInPieces(text.slice(from));
  };

  const take = (text: string): void => {
    if (!xml) return writeInPieces(text);
    const whole = heldLine + text;
    // Whether the last line begins with a tag may only be known with the next piece.
    const lastLine = whole.lastIndexOf('\n');
    const isBlank = lastLine !== -1 && whole.length - lastLine < PIECE_CHARS && whole.slice(lastLine).trim() === '';
    heldLine = isBlank ? whole.slice(lastLine) : '';
    writeLines(isBlank ? whole.slice(0, lastLine) : whole);
  };

  return {
    push(bytes: Buffer): void {
      take(decoder.decode(bytes, { stream: true }));
    },
    end(): void {
      take(decoder.decode());
      writeInPieces(heldLine);
      if (tagLine !== undefined) abandonTag();
      isEnding = true;
      parser.end();
    },
  };
};
