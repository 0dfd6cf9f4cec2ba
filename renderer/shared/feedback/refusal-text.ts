import type { Problem } from '../api/problem.ts';

/** Labels of request fields (by the last segment of the path), of list entries and of the URL path. */
interface FieldLabels {
  fields: Readonly<Record<string, string>>;
  entry: (number: number) => string;
  address: string;
}

/**
 * Returns the label of a field. Without a label, returns the path without its first segment (`body`, `query`), such as
 * "Entry 3, data.steps" for `body.2.data.steps`; empty for the request as a whole. All parameters of the URL path have
 * the label `address`.
 */
export function requestFieldName(path: string, labels: FieldLabels): string {
  const [source, ...segments] = path.split('.');
  if (source === 'path') return labels.address;
  const lastSegment = segments.at(-1) ?? '';
  const label = Object.hasOwn(labels.fields, lastSegment) ? labels.fields[lastSegment] : undefined;
  if (label !== undefined) return label;
  const [first = '', ...inner] = segments;
  if (!/^\d+$/u.test(first)) return segments.join('.');
  return [labels.entry(Number(first) + 1), inner.join('.')].filter((text) => text !== '').join(', ');
}

const asSentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`);

/**
 * Returns the server's message, unless it only repeats a detail, followed by the problems of fields that the message
 * does not mention, each once.
 */
export function refusalText({ message, details }: Pick<Problem, 'message' | 'details'>, labels: FieldLabels): string {
  // Without a better message, the server repeats the first detail.
  const ownMessage = details.some(({ path, problem }) => message === `${path}: ${problem}`) ? '' : message;
  const sentences = details
    .filter(({ problem }) => !ownMessage.includes(problem))
    .map(({ path, problem }) => {
      const name = requestFieldName(path, labels);
      return asSentence(name === '' ? problem : `${name}: ${problem}`);
    });
  return [
    ...(ownMessage === '' ? [] : [sentences.length === 0 ? ownMessage : asSentence(ownMessage)]),
    ...new Set(sentences),
  ].join(' ');
}
