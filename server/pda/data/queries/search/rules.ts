import { MAX_SEARCH_WORDS } from '../../../../wire/limits.ts';
import { wordsOf } from '../../../core/words.ts';

/** Separates two values of an indexed text, and their words, because it contains no letters or digits. */
export const VALUE_SEPARATOR = ' · ';

const EXCERPT_CHARS = 160;
const LEAD_CHARS = 40;

/** A run of characters that contains only whole words, with invisible characters such as soft hyphens. */
const WORD_RUN = /[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;

const searchWordsOf = (search: string): string[] => wordsOf(search).slice(0, MAX_SEARCH_WORDS);

/**
 * Returns the FTS5 expression of a search; undefined if it has no words. The first MAX_SEARCH_WORDS words must occur;
 * the last of them may be the beginning of a word.
 */
export const toMatchExpression = (text: string): string | undefined => {
  const words = searchWordsOf(text);
  return words.length === 0 ? undefined : `${words.map((word) => `"${word}"`).join(' ')} *`;
};

/** Returns the position of the first match in a text; 0 if there is none. */
const findMatchPosition = (text: string, findMatch: (text: string) => string | undefined): number => {
  for (const { 0: run, index } of text.matchAll(WORD_RUN)) {
    const match = findMatch(run);
    // In scripts without spaces, a run consists of many words.
    if (match !== undefined) return index + Math.max(0, run.toLowerCase().indexOf(match));
  }
  return 0;
};

/**
 * Returns an excerpt on one line. It begins shortly before the first search word in the first value that matches.
 * @param separator separates the values; a line feed if they are the lines of a file
 */
export const createExcerpt = (text: string, search: string, separator: string = VALUE_SEPARATOR): string => {
  const searchWords = searchWordsOf(search);
  const lastWord = searchWords.at(-1);
  const findMatch = (value: string): string | undefined =>
    lastWord === undefined
      ? undefined
      : wordsOf(value).find((word) => searchWords.includes(word) || word.startsWith(lastWord));
  const values = text.split(separator).map((value) => value.replaceAll(/\s+/gu, ' ').trim());
  const firstMatch = values.findIndex((value) => findMatch(value) !== undefined);
  const matchPosition = findMatchPosition(values[firstMatch] ?? '', findMatch);
  const matchingText = values.slice(Math.max(0, firstMatch)).join(separator).replaceAll('\n', ' ');
  const start = Math.max(0, matchPosition - LEAD_CHARS);
  const excerpt = matchingText.slice(start, start + EXCERPT_CHARS);
  return `${start > 0 ? '…' : ''}${excerpt}${start + EXCERPT_CHARS < matchingText.length ? '…' : ''}`.toWellFormed();
};
