import { MAX_SEARCH_WORDS } from '../../../../wire/limits.ts';
import { wordsOf } from '../../../core/words.ts';

/** Separates two values of an indexed text, and their words, because it contains no letters or digits. */
export const VALUE_SEPARATOR = ' · ';

const EXCERPT_CHARS = 160;
const LEAD_CHARS = 40;

/**
 * Returns the FTS5 expression of a search; undefined if it has no words. The first MAX_SEARCH_WORDS words must occur;
 * the last of them may be the beginning of a word.
 */
export const toMatchExpression = (text: string): string | undefined => {
  const words = wordsOf(text).slice(0, MAX_SEARCH_WORDS);
  return words.length === 0 ? undefined : `${words.map((word) => `"${word}"`).join(' ')} *`;
};

/**
 * Returns an excerpt on one line. It begins shortly before the first search word in the first value that matches.
 * @param separator separates the values; a line feed if they are the lines of a file
 */
export const createExcerpt = (text: string, search: string, separator: string = VALUE_SEPARATOR): string => {
  const searchWords = wordsOf(search);
  const isMatch = (value: string): boolean =>
    wordsOf(value).some((word) => searchWords.some((start) => word.startsWith(start)));
  const values = text.split(separator).map((value) => value.replaceAll(/\s+/gu, ' ').trim());
  const matchingText = values
    .slice(Math.max(0, values.findIndex(isMatch)))
    .join(separator)
    .replaceAll('\n', ' ');
  const positions = searchWords
    .map((word) => matchingText.toLowerCase().indexOf(word))
    .filter((position) => position !== -1);
  const start = positions.length === 0 ? 0 : Math.max(0, Math.min(...positions) - LEAD_CHARS);
  const excerpt = matchingText.slice(start, start + EXCERPT_CHARS);
  return `${start > 0 ? '…' : ''}${excerpt}${start + EXCERPT_CHARS < matchingText.length ? '…' : ''}`.toWellFormed();
};
