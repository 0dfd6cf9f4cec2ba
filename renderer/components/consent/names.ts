import { m } from '../../messages/texts.ts';

/** Names of programs as a person reads them. What they stand for is always shown beside. */

/** `data.heartRate_max` becomes "heart rate max"; the last name of a path leads: `when.start` is "start, when". */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\-~]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => (/^\p{Lu}[\p{Lu}\p{N}]+$/u.test(word) ? word : word.toLowerCase()))
    .join(' ');
}

export function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A path into a record: `data.start_time` is "Start time", `data.place.lat` is "Place lat", `tags[0]` "Tags 1". */
export function fieldName(path: string): string {
  const names = path
    .replace(/^data\.(?=.)/, '')
    .replaceAll('[]', '')
    .split('.')
    .map((name) => name.replaceAll(/\[(\d+)\]/g, (_, at: string) => ` ${Number(at) + 1}`));
  const text = sentenceCase(wordsOf(names.join(' ')));
  // A name of signs alone still names something.
  if (text === '') return path === '' ? m.consent.value : path;
  return text;
}

/** `fitbit/activity/day-summary` is "Activity day summary". Which source it is from stands beside it. */
export function endpointName(endpoint: string): string {
  const [, ...rest] = endpoint.split('/');
  const text = sentenceCase(wordsOf(rest.join(' ').replaceAll('.', ' ')));
  return text === '' ? endpoint : text;
}

/** At most three names, and how many more. */
export function namesOf(names: readonly string[], most = 3): string {
  const different = [...new Set(names)];
  const shown = different.length > most ? different.slice(0, most - 1) : different;
  const rest = different.length - shown.length;
  return m.consent.list(rest === 0 ? shown : [...shown, m.consent.morePlaces(rest)]);
}

/** The two letters that stand for somebody without a picture. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '', second = ''] = words;
  const letters = second === '' ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1));
  return letters.join('').toUpperCase();
}
