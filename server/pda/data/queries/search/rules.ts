import { MAX_SEARCH_WORDS } from '../../../../wire/limits.ts';
import { wordsOf } from '../language/tokenizer.ts';

/** Between two values of a searched text. Contains no letters or digits, so it separates words as well. */
export const VALUE_SEPARATOR = ' · ';

const EXCERPT_CHARS = 160;
/** Characters of the excerpt before the match. */
const LEAD_CHARS = 40;

/**
 * Returns the FTS5 expression for a search: all words must occur, and the last one may be the beginning of a word. Undefined
 * if the text has no words.
 */
export const matchExpression = (text: string): string | undefined => {
  const words = wordsOf(text).slice(0, MAX_SEARCH_WORDS);
  return words.length === 0 ? undefined : `${words.map((word) => `"${word}"`).join(' ')} *`;
};

/** Returns the values of a searched text around the first one that contains a word of the search, in one line. */
export const searchExcerpt = (text: string, search: string): string => {
  const searched = wordsOf(search);
  const isMatch = (value: string): boolean =>
    wordsOf(value).some((word) => searched.some((start) => word.startsWith(start)));
  const values = text.split(VALUE_SEPARATOR).map((value) => value.replaceAll(/\s+/gu, ' ').trim());
  const shown = values.slice(Math.max(0, values.findIndex(isMatch))).join(VALUE_SEPARATOR);
  const positions = searched.map((word) => shown.toLowerCase().indexOf(word)).filter((position) => position !== -1);
  const start = positions.length === 0 ? 0 : Math.max(0, Math.min(...positions) - LEAD_CHARS);
  const excerpt = shown.slice(start, start + EXCERPT_CHARS);
  return `${start > 0 ? '…' : ''}${excerpt}${start + EXCERPT_CHARS < shown.length ? '…' : ''}`.toWellFormed();
};
