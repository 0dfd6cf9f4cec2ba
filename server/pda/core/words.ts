import { normalizeText } from '../../wire/normalize.ts';

/**
 * Accents and vowel points, which people omit when they search. Other marks are essential parts of words, such as
 * Devanagari vowels or the Japanese voicing mark.
 */
const DIACRITICS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u{3099}\u{309a}]]+/gv;
/**
 * Characters without meaning inside words: the Arabic tatweel, and invisible characters such as soft hyphens and
 * joiners, but not zero-width spaces.
 */
const INSIGNIFICANT = /[[\p{Default_Ignorable_Code_Point}\u{640}]--\u{200b}]+/gv;
/** Replacements for letters with a stroke, ligatures and the final sigma, which Unicode does not decompose. */
const LETTER_REPLACEMENTS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
};
const REPLACED_LETTERS = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join('')}]`, 'gu');

/**
 * In scripts without spaces between words, each character is a word. This needs no dictionary, which would change
 * between Node versions and invalidate stored indexes.
 */
const WORD =
  /[[\p{L}\p{N}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv;

const ASCII = /^\p{ASCII}*$/u;
const ASCII_WORD = /[\da-z]+/gu;

/**
 * Maximum characters that a search reads of a field (of a text, or of the JSON of an array or object) and of the JSON
 * of a large record. Bounds the cost per record.
 */
export const SEARCHED_CHARS_MAX = 100_000;
/** Characters folded per step. One character can become up to 18, so the limit is checked after each step. */
const FOLD_STEP_CHARS = 4096;
const MARK_OR_LOW_SURROGATE = /^(?:\p{M}|[\udc00-\udfff])/u;

/**
 * Returns the words of a text in order, split at characters that are not letters, digits or marks, without case and
 * accents (`Straße` becomes `strasse`, `İ` and `ı` become `i`, `ﬁ` becomes `fi`). Stored indexes depend on the result.
 * Reads the first SEARCHED_CHARS_MAX characters. The words have at most as many characters in total.
 */
export function wordsOf(text: string): string[] {
  const head = text.slice(0, SEARCHED_CHARS_MAX);
  // Fast path for ASCII, which takes a third of the time.
  if (ASCII.test(head)) return head.toLowerCase().match(ASCII_WORD) ?? [];
  return foldAll(head).match(WORD) ?? [];
}

/** Folds slices that never begin with a mark or within a surrogate pair, up to SEARCHED_CHARS_MAX characters. */
function foldAll(text: string): string {
  let folded = '';
  for (let start = 0; start < text.length && folded.length < SEARCHED_CHARS_MAX;) {
    let end = Math.min(start + FOLD_STEP_CHARS, text.length);
    while (end < text.length && MARK_OR_LOW_SURROGATE.test(text.slice(end, end + 2))) end += 1;
    folded += fold(text.slice(start, end));
    start = end;
  }
  return folded.slice(0, SEARCHED_CHARS_MAX);
}

function fold(text: string): string {
  const letters = normalizeText(text, 'NFKD').replaceAll(DIACRITICS, '').replaceAll(INSIGNIFICANT, '');
  // Changes to lower case, to upper case and back: ẞ becomes ß, then SS, then ss. Lower case has a final sigma only at
  // the end of a word, so it is replaced below.
  const folded = letters.toLowerCase().toUpperCase().toLowerCase();
  const decomposed = folded.replaceAll(REPLACED_LETTERS, (letter) => LETTER_REPLACEMENTS[letter] ?? letter);
  return normalizeText(decomposed, 'NFKD').replaceAll(DIACRITICS, '');
}
