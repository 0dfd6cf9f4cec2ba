import { MAX_FUNCTION_LOG_BYTES, MAX_FUNCTION_LOG_LINES } from '../../../wire/limits.ts';
import { MAX_LOG_LINE_CHARS } from './limits.ts';

const LOG_FULL_NOTE = '(the log is full)';

/**
 * Characters that must not reach a terminal: bidi controls, line separators, and control characters except tabs and
 * newlines.
 */
const UNSAFE_CHARS = /[^\P{Cc}\t\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

export const toDisplayText = (text: string, maxChars: number): string => {
  const safeText = text.replaceAll(UNSAFE_CHARS, ' ');
  return safeText.length > maxChars ? `${safeText.slice(0, maxChars).toWellFormed()}…` : safeText.toWellFormed();
};

export const createRunLog = () => {
  const lines: string[] = [];
  let bytes = 0;
  let isFull = false;
  return {
    add(line: string): void {
      if (isFull) return;
      const text = toDisplayText(line, MAX_LOG_LINE_CHARS);
      const size = Buffer.byteLength(text, 'utf8') + 1;
      // The last line is reserved for the note that the log is full.
      if (lines.length >= MAX_FUNCTION_LOG_LINES - 1 || bytes + size > MAX_FUNCTION_LOG_BYTES - LOG_FULL_NOTE.length) {
        isFull = true;
        lines.push(LOG_FULL_NOTE);
        return;
      }
      bytes += size;
      lines.push(text);
    },
    lines: () => [...lines],
  };
};
