import { Parser } from 'htmlparser2';

export type Attributes = Readonly<Record<string, string>>;

type MarkupHandlers = {
  /** @param line number of the line in which the tag begins, counted from 1 */
  open(name: string, attributes: Attributes, line: number): void;
  /** Called for an end tag, and in XML for an empty element and for an open element inside the one that ends. */
  close?(name: string): void;
  /** Called for decoded text, which may arrive in several calls. Scripts and styles are omitted. */
  text?(text: string): void;
  /** Called for a tag or other markup that is too long, and for a tag that does not end. */
  onBrokenTag?(line: number): void;
};

/** Characters per parser call. Limits are checked between calls. */
const CHUNK_CHARS = 8192;
const MAX_TAG_CHARS = 1_000_000;
/** Maximum number of characters without an event, for example within a comment. */
const MAX_SILENT_CHARS = 8_000_000;
/** Maximum chunks without an event: the parser keeps them until the next event, and then drops them one by one. */
const MAX_SILENT_CHUNKS = 20_000;
/** Beyond this depth the parser is reset, because each tag costs time in proportion to the depth. */
const MAX_DEPTH = 500;

const ELEMENTS_WITHOUT_TEXT = new Set(['script', 'style']);
const LINE_START_WITH_TAG = /\n[^\S\n]*</gu;
/** Ends a tag in any state, even within a quoted attribute value. */
const END_OF_ANY_TAG = `x"'/>`;

/**
 * Creates a streaming parser for UTF-8 files. It runs htmlparser2 with bounded memory.
 * @param xml true if names are case-sensitive, `<a/>` is an empty element, and a tag ends before a line that begins
 *   with another tag
 */
export const createMarkupParser = ({ xml }: { xml: boolean }, handlers: MarkupHandlers) => {
  const decoder = new TextDecoder('utf-8');
  let pendingLine = '';
  let tagLine: number | undefined;
  let isAbandoning = false;
  let isEnding = false;
  let hiddenDepth = 0;
  let depth = 0;
  let silentChunks = 0;
  let silentChars = 0;

  let line = 1;
  let chunk = '';
  let chunkStart = 0;
  let countedUntil = 0;
  const countLines = (until: number): void => {
    for (let end = chunk.indexOf('\n', countedUntil); end !== -1 && end < until; end = chunk.indexOf('\n', end + 1))
      line += 1;
    countedUntil = Math.max(countedUntil, until);
  };

  const endSilence = (): void => {
    silentChunks = 0;
    silentChars = 0;
  };

  const parser = new Parser(
    {
      onopentagname(name) {
        endSilence();
        depth += 1;
        countLines(parser.endIndex - chunkStart);
        tagLine = line;
        if (ELEMENTS_WITHOUT_TEXT.has(name)) hiddenDepth += 1;
      },
      onopentag(name, attributes) {
        endSilence();
        if (!isAbandoning) handlers.open(name, attributes, tagLine ?? line);
        tagLine = undefined;
      },
      onclosetag(name, isImplied) {
        endSilence();
        depth -= 1;
        if (ELEMENTS_WITHOUT_TEXT.has(name)) hiddenDepth -= 1;
        // In HTML an implied end tag is not in the file. In XML it may be the end of an empty element.
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
    chunkStart = 0;
    depth = 0;
    hiddenDepth = 0;
    endSilence();
    tagLine = undefined;
  };

  const write = (text: string): void => {
    chunk = text;
    countedUntil = 0;
    parser.write(text);
    countLines(text.length);
    chunkStart += text.length;
  };

  const abandonTag = (): void => {
    handlers.onBrokenTag?.(tagLine ?? line);
    isAbandoning = true;
    write(END_OF_ANY_TAG);
    isAbandoning = false;
    if (tagLine !== undefined) reset();
  };

  const writeChunks = (text: string): void => {
    for (let start = 0; start < text.length; start += CHUNK_CHARS) {
      const nextChunk = text.slice(start, start + CHUNK_CHARS);
      silentChunks += 1;
      silentChars += nextChunk.length;
      write(nextChunk);
      if (tagLine !== undefined && silentChars > MAX_TAG_CHARS) abandonTag();
      else if (silentChunks > MAX_SILENT_CHUNKS || silentChars > MAX_SILENT_CHARS) {
        handlers.onBrokenTag?.(line);
        reset();
      } else if (depth > MAX_DEPTH) reset();
    }
  };

  const writeLines = (text: string): void => {
    let start = 0;
    for (const { index } of text.matchAll(LINE_START_WITH_TAG)) {
      writeChunks(text.slice(start, index));
      // A quote is missing. The tag would otherwise extend to the end of the file.
      if (tagLine !== undefined) abandonTag();
      start = index;
    }
    writeChunks(text.slice(start));
  };

  const parseText = (text: string): void => {
    if (!xml) return writeChunks(text);
    const pendingText = pendingLine + text;
    // Only the next chunk shows whether the last line begins with a tag.
    const lastLineStart = pendingText.lastIndexOf('\n');
    const isLastLineBlank =
      lastLineStart !== -1 &&
      pendingText.length - lastLineStart < CHUNK_CHARS &&
      pendingText.slice(lastLineStart).trim() === '';
    pendingLine = isLastLineBlank ? pendingText.slice(lastLineStart) : '';
    writeLines(isLastLineBlank ? pendingText.slice(0, lastLineStart) : pendingText);
  };

  return {
    push(bytes: Buffer): void {
      parseText(decoder.decode(bytes, { stream: true }));
    },
    end(): void {
      parseText(decoder.decode());
      writeChunks(pendingLine);
      if (tagLine !== undefined) abandonTag();
      isEnding = true;
      parser.end();
    },
  };
};
