import { toDisplayLine } from '../../../wire/display-text.ts';

const MAX_MESSAGE_CHARS = 1000;

/** User-supplied text as a single displayable line. */
export const oneLine = (text: string): string =>
  toDisplayLine(text.slice(0, 2 * MAX_MESSAGE_CHARS)).slice(0, MAX_MESSAGE_CHARS);
