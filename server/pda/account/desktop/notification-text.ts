import { INVISIBLE_CHARACTER } from '../../../wire/display-text.ts';

/* Sanitises untrusted strings, such as requesters' names, for notifications. */

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE_CHARACTER.source, 'gu');
/** Stacked combining marks would cover neighbouring text. */
const STACKED_MARKS = /\p{M}{3,}/u;
const ALL_STACKED_MARKS = new RegExp(STACKED_MARKS.source, 'gu');

/** Returns a single line without invisible characters or stacked combining marks. */
export const sanitise = (text: string): string =>
  text.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(ALL_STACKED_MARKS, '').replaceAll(/\s+/gu, ' ').trim();
export const isPlain = (text: string): boolean =>
  !INVISIBLE_CHARACTER.test(text) && !STACKED_MARKS.test(text) && text.trim() !== '';

/** Shortens a longer text to at most `maxChars` characters, including an ellipsis at the end. */
export const truncate = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const prefix = text.slice(0, maxChars - 1);
  // The cut may be within a surrogate pair.
  return `${prefix.isWellFormed() ? prefix : prefix.slice(0, -1)}…`;
};
