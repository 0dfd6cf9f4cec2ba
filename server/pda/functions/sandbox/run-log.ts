import { MAX_FUNCTION_LOG_BYTES, MAX_FUNCTION_LOG_LINES } from '../../../wire/limits.ts';
import { MAX_LOG_LINE_CHARS } from './limits.ts';

const FULL = '(the log is full)';

/** The log of a run, bounded whatever arrives. */
export type LogLines = { add(line: string): void; lines(): string[] };

/** What a log must not carry to a terminal: control characters other than tabulators and ends of lines, and what turns a line round. */
const CONTROL = /[^\P{Cc}\t\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes user-supplied text displayable: removes control characters and truncates it. */
export const fitToShow = (text: string, maxChars: number): string => {
  const clean = text.replaceAll(CONTROL, ' ').toWellFormed();
  return clean.length > maxChars ? `${clean.slice(0, maxChars)}…` : clean;
};

export const createLogLines = (): LogLines => {
  const lines: string[] = [];
  let bytes = 0;
  let full = false;
  return {
    add(line) {
      if (full) return;
      const shown = fitToShow(line, MAX_LOG_LINE_CHARS);
      const size = Buffer.byteLength(shown, 'utf8') + 1;
      // The last line is kept for saying that there was more.
      if (lines.length >= MAX_FUNCTION_LOG_LINES - 1 || bytes + size > MAX_FUNCTION_LOG_BYTES - FULL.length) {
        full = true;
        lines.push(FULL);
        return;
      }
      bytes += size;
      lines.push(shown);
    },
    lines: () => [...lines],
  };
};
