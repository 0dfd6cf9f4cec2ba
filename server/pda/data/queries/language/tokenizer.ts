import { findStringEnd } from '../../../../platform/json/strings.ts';
import { normalizeText } from '../../../../wire/normalize.ts';
import { parseJson } from './json.ts';

/**
 * Accents and vowel points, which people omit when they search. Other marks are essential parts of words, such as Devanagari vowels or the
 * Japanese voicing mark.
 */
const DIACRITICS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u{3099}\u{309a}]]+/gv;
/** Invisible characters inside words, such as soft hyphens, joiners and Arabic tatweel. Zero-width spaces separate words and are excluded. */
const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\u{640}]--\u{200b}]+/gv;
/** Replacements for letters with a stroke and ligatures, which Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', ς: 'σ' };
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

/**
 * In scripts without spaces between words, each character is a word. "All words occur" then finds what users expect
 * without a dictionary, which would change between Node versions and invalidate stored indexes.
 */
const WORD =
  /[[\p{L}\p{N}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv;

const ASCII = /^\p{ASCII}*$/u;
const ASCII_WORD = /[\da-z]+/gu;

/**
 * Characters of one field that `find` searches: the beginning of a text, or of the JSON of an array or object. Bounds the cost of a search and
 * of a full-text index per record.
 */
export const SEARCHED_CHARS_MAX = 100_000;
/** Characters that are folded in one step. One character can become 18, so folding stops as soon as there is enough text. */
const FOLD_CHARS = 4096;
const MARK_OR_LOW_SURROGATE = /^(?:\p{M}|[\udc00-\udfff])/u;

/**
 * Returns the words of a text in order, split at characters that are neither letters nor digits, without case and accents (`Straße` is
 * `strasse`, `İ` and `ı` are `i`, `ﬁ` is `fi`). Search terms, stored text and every index use this one tokenizer. Only the first
 * SEARCHED_CHARS_MAX characters are read, and as many are returned.
 */
export function wordsOf(text: string): string[] {
  const searched = text.slice(0, SEARCHED_CHARS_MAX);
  // Fast path for most text: same result in a third of the time.
  if (ASCII.test(searched)) return searched.toLowerCase().match(ASCII_WORD) ?? [];
  return foldAll(searched).match(WORD) ?? [];
}

/** Folds a text in slices that begin at a letter, up to the length that is searched. */
function foldAll(text: string): string {
  let folded = '';
  for (let start = 0; start < text.length && folded.length < SEARCHED_CHARS_MAX;) {
    let end = Math.min(start + FOLD_CHARS, text.length);
    while (end < text.length && MARK_OR_LOW_SURROGATE.test(text.slice(end, end + 2))) end += 1;
    folded += fold(text.slice(start, end));
    start = end;
  }
  return folded.slice(0, SEARCHED_CHARS_MAX);
}

function fold(text: string): string {
  const bare = normalizeText(text, 'NFKD').replaceAll(DIACRITICS, '').replaceAll(INVISIBLE, '');
  // Lower, upper, lower: ẞ -> ß -> SS -> ss. The final sigma depends on its position in the word, so it is replaced.
  const folded = bare.toLowerCase().toUpperCase().toLowerCase();
  const plain = folded.replaceAll(NOT_PLAIN, (letter) => PLAIN[letter] ?? letter);
  return normalizeText(plain, 'NFKD').replaceAll(DIACRITICS, '');
}

/**
 * Returns the strings in an array or object in order, from its JSON text as SQLite writes it (valid, without white space). Names of members are
 * omitted. Reads only the first SEARCHED_CHARS_MAX characters and parses only the strings.
 */
export function stringsInJson(json: string): string[] {
  const searched = json.slice(0, SEARCHED_CHARS_MAX);
  const strings: string[] = [];
  for (let open = searched.indexOf('"'); open !== -1;) {
    const close = findStringEnd(searched, open);
    // A string at the end of the searched part is searched up to that end.
    const text = close === -1 ? `${withoutCutEscape(searched.slice(open))}"` : searched.slice(open, close + 1);
    const isName = close !== -1 && json[close + 1] === ':';
    const string = isName ? undefined : parseJson(text);
    if (typeof string === 'string') strings.push(string);
    open = close === -1 ? -1 : searched.indexOf('"', close + 1);
  }
  return strings;
}

/** Removes an incomplete escape sequence from the end of a truncated JSON string. */
function withoutCutEscape(start: string): string {
  const cut = /(?<!\\)(?:\\\\)*(\\(?:u[\da-f]{0,3})?)$/iu.exec(start);
  return cut?.[1] === undefined ? start : start.slice(0, -cut[1].length);
}

/** Returns the words of the strings in an array or object, given as JSON text. Words never span two strings. */
export function wordsInJson(json: string): string[] {
  return stringsInJson(json).flatMap(wordsOf);
}

/** Returns true if every searched word occurs. An empty search matches nothing. */
export function hasAllWords(words: readonly string[], required: readonly string[]): boolean {
  if (required.length === 0) return false;
  const wordSet = new Set(words);
  return required.every((word) => wordSet.has(word));
}
