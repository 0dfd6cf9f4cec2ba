import type { FileKind, FileStatus } from '../../../wire/files.ts';
import { FILE_TEXT_MAX_BYTES } from '../../../wire/work-limits.ts';
import type { SearchSettings } from '../../data/queries/search/service.ts';

export const PDF_TYPE = 'application/pdf';

/** Properties of a file that decide whether its text is searched. */
export type SearchedFile = { status: FileStatus; kind: FileKind; type: string | null; source: string };

/** Returns true if the text of a file is searched: it is a complete text file or PDF, and the settings include it. */
export const isTextSearched = (
  { status, kind, type, source }: SearchedFile,
  { fileTexts, excludedSources }: Pick<SearchSettings, 'fileTexts' | 'excludedSources'>,
): boolean =>
  fileTexts && status === 'Completed' && (kind === 'text' || type === PDF_TYPE) && !excludedSources.includes(source);

/** Line feeds and other characters that end a line or page. */
const LINE_END = /[\n\r\f\v\u0085\u2028\u2029]+/u;

/**
 * Returns the lines of a text without superfluous white space and control characters, up to the number of bytes that is
 * searched.
 */
export const tidyText = (text: string): string => {
  const tidied = text
    .split(LINE_END)
    .map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
    .toWellFormed();
  const { read } = new TextEncoder().encodeInto(tidied, new Uint8Array(FILE_TEXT_MAX_BYTES));
  return tidied.slice(0, read);
};
