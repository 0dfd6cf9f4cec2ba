import type { FileKind, FileStatus } from '../../../wire/files.ts';
import { FILE_TEXT_MAX_BYTES } from '../../../wire/work-limits.ts';
import { wordsOf } from '../../core/words.ts';
import type { SearchSettings } from '../../data/queries/search/service.ts';

export const PDF_TYPE = 'application/pdf';

/**
 * Stored with each examined file. Increase this version when PDF.js or the reader changes, so that unreadable files are
 * read again.
 */
export const TEXT_READER_VERSION = 1;

/** Attempts after which a file counts as unreadable, if the process died during each of them. */
const READ_ATTEMPTS_MAX = 3;

export type FileText = { text: string; words: string };

export type QueuedFile = {
  seq: number;
  /** Reads that started but did not finish. */
  attempts: number;
};

export type SearchedFile = { status: FileStatus; kind: FileKind; type: string | null; source: string };

export const isTextSearched = (
  { status, kind, type, source }: SearchedFile,
  { fileTexts, excludedSources }: Pick<SearchSettings, 'fileTexts' | 'excludedSources'>,
): boolean =>
  fileTexts && status === 'Completed' && (kind === 'text' || type === PDF_TYPE) && !excludedSources.includes(source);

/**
 * Returns the first files that can be processed together. A file that was being read when the process died is processed
 * alone, because it may have caused the crash.
 */
export const firstBatchOf = (queuedFiles: readonly QueuedFile[]): readonly QueuedFile[] => {
  const suspectIndex = queuedFiles.findIndex(({ attempts }) => attempts > 0);
  return suspectIndex === -1 ? queuedFiles : queuedFiles.slice(0, Math.max(1, suspectIndex));
};

export const isGivenUp = ({ attempts }: QueuedFile): boolean => attempts >= READ_ATTEMPTS_MAX;

/**
 * Returns true for an HTML or XML document. Only the text between the tags of such documents is searched. The type
 * `text/html` is not sufficient: any text that contains markup has it, such as a note about HTML.
 */
export const isMarkupDocument = (text: string, name: string): boolean =>
  /^\s*<(?:!doctype|html|\?xml)/iu.test(text) || /\.(?:html?|xhtml|xml)$/iu.test(name);

const LINE_END = /[\n\r\f\v\u0085\u2028\u2029]+/u;

/**
 * Collapses white space and control characters to single spaces and line breaks. Truncates the text to
 * `FILE_TEXT_MAX_BYTES`.
 */
export const tidyText = (text: string): string => {
  const trimmedText = text
    .split(LINE_END)
    .map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
    .toWellFormed();
  const { read } = new TextEncoder().encodeInto(trimmedText, new Uint8Array(FILE_TEXT_MAX_BYTES));
  return trimmedText.slice(0, read);
};

export const toFileText = (text: string): FileText => {
  const trimmedText = tidyText(text);
  return { text: trimmedText, words: wordsOf(trimmedText).join(' ') };
};
