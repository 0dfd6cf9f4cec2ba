import { readSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { getResolvedPDFJS } from 'unpdf';
import { serveRequests, THREAD_START_FAILED } from '../../../platform/workers/idle-thread.ts';
import { asError } from '../../../wire/values.ts';
import {
  FILE_TEXT_MAX_BYTES,
  SEARCHED_PDF_MAX_BYTES,
  SEARCHED_PDF_MAX_PAGES,
  SEARCHED_TEXT_FILE_MAX_BYTES,
} from '../../../wire/work-limits.ts';
import type { ContentRequest } from '../content/thread-reader.ts';
import { isMarkupDocument, PDF_TYPE, toFileText, type FileText } from './rules.ts';

// Reads untrusted files. The thread ends if a file takes too much time or memory.

/**
 * Options of PDF.js: no files or addresses besides the content, and no warnings about damaged files. `getDocumentProxy`
 * of unpdf would add paths of a package that it searches for in parent folders.
 */
const PDF_OPTIONS = { verbosity: 0, useSystemFonts: false, useWorkerFetch: false, enableXfa: false };
/** HTML elements that do not interrupt a word or a line. */
const INLINE_ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup time u var wbr'.split(' '),
);
const ELEMENTS_WITHOUT_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'template']);

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
      // A line break in the source does not end a line.
      if (hiddenDepth === 0) text += part.replaceAll(/[\r\n]/gu, ' ');
    },
  });
  parser.end(markup);
  return text;
};

type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;

/** @throws Error with the code THREAD_START_FAILED, because the failure does not depend on the file */
const loadPdfJs = async (): Promise<PdfJs> => {
  try {
    return await getResolvedPDFJS();
  } catch (error) {
    throw Object.assign(asError(error), { code: THREAD_START_FAILED });
  }
};

/** @throws Error of PDF.js if the file is damaged or needs a password */
const textOfPdf = async ({ getDocument }: PdfJs, data: Uint8Array): Promise<string> => {
  const loadingTask = getDocument({ ...PDF_OPTIONS, data });
  try {
    const pdf = await loadingTask.promise;
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
    // Also frees the memory of a file that could not be opened.
    await loadingTask.destroy();
  }
};

/** Returns null if the text cannot be read. @throws Error of the disk or the system */
serveRequests(async ({ fd, size, type, name }: ContentRequest): Promise<FileText | null> => {
  if (type === PDF_TYPE) {
    if (size > SEARCHED_PDF_MAX_BYTES) return null;
    const content = readStart(fd, size);
    const pdfJs = await loadPdfJs();
    try {
      return toFileText(await textOfPdf(pdfJs, content));
    } catch {
      return null;
    }
  }
  // As a stream, the decoder omits a character that is cut off at the end.
  const text = new TextDecoder().decode(readStart(fd, Math.min(size, SEARCHED_TEXT_FILE_MAX_BYTES)), { stream: true });
  return toFileText(isMarkupDocument(text, name) ? textOfMarkup(text) : text);
});
