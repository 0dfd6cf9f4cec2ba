import { findStringEnd } from '../../../../platform/json/strings.ts';
import { SEARCHED_CHARS_MAX, wordsOf } from '../../../core/words.ts';
import { parseJson } from './json.ts';

/**
 * Returns the strings in an array or object in order, from its JSON text as SQLite writes it (valid, without white
 * space). Names of members are omitted. Reads only the first SEARCHED_CHARS_MAX characters and parses only the strings.
 */
export function stringsInJson(json: string): string[] {
  const head = json.slice(0, SEARCHED_CHARS_MAX);
  const strings: string[] = [];
  for (let start = head.indexOf('"'); start !== -1;) {
    const end = findStringEnd(head, start);
    const text = end === -1 ? `${dropIncompleteEscape(head.slice(start))}"` : head.slice(start, end + 1);
    const isName = end !== -1 && json[end + 1] === ':';
    const string = isName ? undefined : parseJson(text);
    if (typeof string === 'string') strings.push(string);
    start = end === -1 ? -1 : head.indexOf('"', end + 1);
  }
  return strings;
}

function dropIncompleteEscape(start: string): string {
  const escape = /(?<!\\)(?:\\\\)*(\\(?:u[\da-f]{0,3})?)$/iu.exec(start);
  return escape?.[1] === undefined ? start : start.slice(0, -escape[1].length);
}

/** Returns the words of the strings in a JSON text. Words never span two strings. */
export function wordsInJson(json: string): string[] {
  return stringsInJson(json).flatMap(wordsOf);
}

/** Returns true if all words of a search occur. An empty search matches nothing. */
export function hasAllWords(words: readonly string[], searchWords: readonly string[]): boolean {
  if (searchWords.length === 0) return false;
  const wordSet = new Set(words);
  return searchWords.every((word) => wordSet.has(word));
}
