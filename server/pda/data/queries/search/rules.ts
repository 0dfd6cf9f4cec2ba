import { MAX_SEARCH_WORDS } from '../../../../wire/limits.ts';
import { wordsOf } from '../language/tokenizer.ts';

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

/** Yields texts and numbers of a parsed record in order, without the names of members. */
function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part);
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    // The text was cut off.
    return json;
  }
};

/** Returns the values of a record around the first one that contains a word of the search, in one line. */
export const searchExcerpt = (json: string, search: string): string => {
  const searched = wordsOf(search);
  const values = [...valuesIn(parsed(json))].map((value) => value.replaceAll(/\s+/gu, ' ').trim());
  const isMatch = (value: string): boolean =>
    wordsOf(value).some((word) => searched.some((start) => word.startsWith(start)));
  const index = values.findIndex(isMatch);
  const [match = ''] = values.slice(Math.max(0, index), Math.max(0, index) + 1);
  const position = searched.reduce((lowest, word) => {
    const at = match.toLowerCase().indexOf(word);
    return at === -1 ? lowest : Math.min(lowest, at);
  }, Number.POSITIVE_INFINITY);
  const start = Number.isFinite(position) && position > LEAD_CHARS ? position - LEAD_CHARS : 0;
  const rest = [match.slice(start), ...values.slice(Math.max(0, index) + 1)].join(' · ');
  const excerpt = rest.slice(0, EXCERPT_CHARS);
  return `${start > 0 ? '…' : ''}${excerpt}${rest.length > EXCERPT_CHARS ? '…' : ''}`.toWellFormed();
};
