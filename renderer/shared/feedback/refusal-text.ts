import type { Problem } from '../api/problem.ts';

/** Names of fields as the page calls them, by the last part of their path in a request, and of a part of a list. */
export interface FieldWords {
  fields: Readonly<Record<string, string>>;
  entry: (number: number) => string;
  address: string;
}

/**
 * A path of a request (`body.2.data.name`) in the words of the page: "Entry 3, data.name". Empty for the request as a whole.
 * The first part says where in the request the field is, which tells the owner nothing.
 */
export function requestFieldName(path: string, words: FieldWords): string {
  const [part, ...rest] = path.split('.');
  if (part === 'path') return words.address;
  const last = rest.at(-1) ?? '';
  const label = Object.hasOwn(words.fields, last) ? words.fields[last] : undefined;
  if (label !== undefined) return label;
  const [first = '', ...inner] = rest;
  if (!/^\d+$/u.test(first)) return rest.join('.');
  return [words.entry(Number(first) + 1), inner.join('.')].filter((text) => text !== '').join(', ');
}

const asSentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`);

/** Why the server refused a request: its own sentence, then what it found wrong with each field, once. */
export function refusalText({ message, details }: Pick<Problem, 'message' | 'details'>, words: FieldWords): string {
  // The server repeats the first detail as its message when it has no better one.
  const ownMessage = details.some(({ path, problem }) => message === `${path}: ${problem}`) ? '' : message;
  const lines = details
    .filter(({ problem }) => !ownMessage.includes(problem))
    .map(({ path, problem }) => {
      const name = requestFieldName(path, words);
      return asSentence(name === '' ? problem : `${name}: ${problem}`);
    });
  return [
    ...(ownMessage === '' ? [] : [lines.length === 0 ? ownMessage : asSentence(ownMessage)]),
    ...new Set(lines),
  ].join(' ');
}
