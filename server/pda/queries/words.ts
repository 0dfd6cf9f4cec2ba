import { isObject, type Json } from './json.ts';

/**
 * Marks that are accents or vowel points, which people leave out when they search. Other marks make the word what it is: Devanagari
 * vowels, or the two strokes that make a Japanese ka a ga.
 */
const DIACRITICS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u{3099}\u{309a}]]+/gv;
/** Soft hyphens, joiners, stretched Arabic and their like stand inside words without being part of them; zero-width spaces part them. */
const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\u{640}]--\u{200b}]+/gv;
/** Letters with a stroke, and ligatures, that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', ς: 'σ' };
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

/**
 * In scripts that put no space between words each character is a word of its own: there "all words occur" finds what a reader looks
 * for, and needs no dictionary, which would differ from one Node version to the next and so spoil a stored index.
 */
const WORD =
  /[[\p{L}\p{N}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv;

const ASCII = /^\p{ASCII}*$/u;
const ASCII_WORD = /[\da-z]+/gu;

/**
 * The words of a text, in order: split at everything that is neither letter nor digit, without case and accents (`Straße` is
 * `strasse`, `İ` and `ı` are `i`, `ﬁ` is `fi`). The one tokenizer: search terms, stored text and any index go through it.
 */
export function wordsOf(text: string): string[] {
  // Most text: same result, a third of the time.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return fold(text).match(WORD) ?? [];
}

function fold(text: string): string {
  const bare = text.normalize('NFKD').replaceAll(DIACRITICS, '').replaceAll(INVISIBLE, '');
  // Lower, upper, lower: ẞ -> ß -> SS -> ss. The final sigma depends on its place in the word, so it is made an ordinary one.
  const folded = bare.toLowerCase().toUpperCase().toLowerCase();
  const plain = folded.replaceAll(NOT_PLAIN, (letter) => PLAIN[letter] ?? letter);
  return plain.normalize('NFKD').replaceAll(DIACRITICS, '');
}

/** All strings in a value, in order: itself, or those anywhere in an array or object. Names of members are no text. */
export function stringsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isObject(value) ? Object.values(value).flatMap(stringsOf) : [];
}

/** Words of the strings in a value. Words never reach across two strings. */
export function wordsIn(value: Json): string[] {
  return stringsOf(value).flatMap(wordsOf);
}

/** Whether every wanted word occurs. No wanted word at all: nothing was asked for, so nothing is found. */
export function hasAllWords(words: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return false;
  const found = new Set(words);
  return wanted.every((word) => found.has(word));
}
