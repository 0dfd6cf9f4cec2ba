import { m } from '../messages/texts.ts';

/** Turns names of fields and endpoints into plain words. The pages show the original name beside them. */

/** Splits an identifier into lower-case words: `heartRate_max` becomes "heart rate max". Keeps the case of acronyms. */
function splitWords(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\-~]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => (/^\p{Lu}[\p{Lu}\p{N}]+$/u.test(word) ? word : word.toLowerCase()))
    .join(' ');
}

export function toSentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns the label of a path into a record: "Start time" for `data.start_time`, "Place lat" for `data.place.lat`. */
export function fieldName(path: string): string {
  const names = path
    .replace(/^data\.(?=.)/, '')
    .replaceAll('[]', '')
    .split('.')
    .map((name) => name.replaceAll(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`));
  const text = toSentenceCase(splitWords(names.join(' ')));
  // A name that consists of punctuation is shown unchanged.
  if (text === '') return path === '' ? m.consent.value : path;
  return text;
}

/** Returns the label of an endpoint without its namespace: "Activity day summary" for `fitbit/activity/day-summary`. */
export function endpointName(endpoint: string): string {
  const [, ...rest] = endpoint.split('/');
  const text = toSentenceCase(splitWords(rest.join(' ').replaceAll('.', ' ')));
  return text === '' ? endpoint : text;
}

/** Lists the distinct names. If there are more than `max`, lists `max - 1` and counts the rest: "A, B and 2 more". */
export function summariseNames(names: readonly string[], max = 3): string {
  const distinct = [...new Set(names)];
  const listedNames = distinct.length > max ? distinct.slice(0, max - 1) : distinct;
  const hiddenCount = distinct.length - listedNames.length;
  return m.consent.list(hiddenCount === 0 ? listedNames : [...listedNames, m.consent.more(hiddenCount)]);
}

/** Returns up to two letters that replace a missing picture. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '', second = ''] = words;
  const letters = second === '' ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1));
  return letters.join('').toUpperCase();
}
