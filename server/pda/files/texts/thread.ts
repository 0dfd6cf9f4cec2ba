import { readSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { getDocumentProxy } from 'unpdf';
import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import {
  FILE_TEXT_MAX_BYTES,
  SEARCHED_PDF_MAX_BYTES,
  SEARCHED_PDF_MAX_PAGES,
  SEARCHED_TEXT_FILE_MAX_BYTES,
} from '../../../wire/work-limits.ts';
import type { ContentRequest } from '../content/thread-reader.ts';
import { PDF_TYPE, tidyText } from './rules.ts';

/**
 * Worker thread of `indexer.ts`. Reads the text of untrusted files outside the main thread. The client ends the thread
 * if a file takes too much time or memory.
 */

/** Logging level of PDF.js that omits its warnings about damaged files. */
const ERRORS_ONLY = 0;
/** HTML elements that do not interrupt a word or a line. */
const INLINE_ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup time u var wbr'.split(' '),
);
const ELEMENTS_WITHOUT_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** Reads the first bytes of a file, at most `max`. */
const readStart = (fd: number, max: number): Uint8Array => {
  const bytes = new Uint8Array(max);
  let length = 0;
  while (length < max) {
    const count = readSync(fd, bytes, length, max - length, length);
    if (count === 0) return bytes.slice(0, length);
    length += count;
  }
  return bytes;
};

/** Returns the text of an HTML or XML document. Elements other than INLINE_ELEMENTS begin and end a line. */
const textOfMarkup = (markup: string): string => {
  let text = '';
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (ELEMENTS_WITHOUT_TEXT.has(name)) hiddenDepth += 1;
      if (!INLINE_ELEMENTS.has(name)) text += '\n';
    },
    onclosetag(name) {
      if (ELEMENTS_WITHOUT_TEXT.has(name)) hiddenDepth -= 1;
      if (!INLINE_ELEMENTS.has(name)) text += '\n';
    },
    ontext(part) {
      // A line feed in the source is not the end of a line.
      if (hiddenDepth === 0) text += part.replaceAll('\n', ' ');
    },
  });
  parser.end(markup);
  return text;
};

/** Returns the text of the first pages. @throws Error of PDF.js if the file is damaged or needs a password */
const textOfPdf = async (content: Uint8Array): Promise<string> => {
  const pdf = await getDocumentProxy(content, { verbosity: ERRORS_ONLY });
  try {
    const pages = Math.min(pdf.numPages, SEARCHED_PDF_MAX_PAGES);
    let text = '';
    for (let number = 1; number <= pages && text.length < FILE_TEXT_MAX_BYTES; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str;
      text += '\n';
      page.cleanup();
    }
    return text;
  } finally {
    await pdf.loadingTask.destroy();
  }
};

/** Returns null if the text cannot be read. */
serveRequests(async ({ fd, size, type }: ContentRequest): Promise<string | null> => {
  if (type === PDF_TYPE) {
    if (size > SEARCHED_PDF_MAX_BYTES) return null;
    try {
      return tidyText(await textOfPdf(readStart(fd, size)));
    } catch {
      return null;
    }
  }
  // As a stream, the decoder omits a character that is cut off at the end.
  const text = new TextDecoder().decode(readStart(fd, Math.min(size, SEARCHED_TEXT_FILE_MAX_BYTES)), { stream: true });
  return tidyText(type === 'text/html' ? textOfMarkup(text) : text);
});
