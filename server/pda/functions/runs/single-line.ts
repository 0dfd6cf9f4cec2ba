import { toDisplayLine } from '../../../wire/display-text.ts';

const MAX_MESSAGE_CHARS = 1000;

/** Reduces untrusted text to a single displayable line of bounded length. */
export const toMessageLine = (text: string): string =>
  toDisplayLine(text.slice(0, 2 * MAX_MESSAGE_CHARS)).slice(0, MAX_MESSAGE_CHARS);
