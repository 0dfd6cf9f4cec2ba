import { isObject } from '../../../../../../server/wire/values.ts';
import { isPlainObject } from '../field-format.ts';

/** Path from the root of a record to a value: member names and list indexes. */
export type ValuePath = readonly (string | number)[];

export type ValueDifference =
  | { kind: 'added'; path: ValuePath; after: unknown }
  | { kind: 'removed'; path: ValuePath; before: unknown }
  | { kind: 'changed'; path: ValuePath; before: unknown; after: unknown };

type List = readonly unknown[];
type Members = Readonly<Record<string, unknown>>;

const isNested = (value: unknown): value is List | Members =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.keys(value).length > 0;

/** Returns true if two JSON values are equal. The order of members does not matter. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, n) => isSameValue(item, b[n]))
    );
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name], b[name]))
  );
}

function* innerValues(value: unknown, path: ValuePath): Generator<{ path: ValuePath; value: unknown }> {
  if (!isNested(value)) yield { path, value };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* innerValues(item, [...path, index]);
  else for (const [name, member] of Object.entries(value)) yield* innerValues(member, [...path, name]);
}

function* additions(value: unknown, path: ValuePath): Generator<ValueDifference> {
  for (const inner of innerValues(value, path)) yield { kind: 'added', path: inner.path, after: inner.value };
}

function* removals(value: unknown, path: ValuePath): Generator<ValueDifference> {
  for (const inner of innerValues(value, path)) yield { kind: 'removed', path: inner.path, before: inner.value };
}

function* memberDifferences(before: Members, after: Members, path: ValuePath): Generator<ValueDifference> {
  for (const [name, value] of Object.entries(before)) {
    const innerPath = [...path, name];
    if (Object.hasOwn(after, name)) yield* differences(value, after[name], innerPath);
    else yield* removals(value, innerPath);
  }
  for (const [name, value] of Object.entries(after))
    if (!Object.hasOwn(before, name)) yield* additions(value, [...path, name]);
}

/** Skips equal items at the start and at the end, so that an inserted item does not make those after it differ. */
function* itemDifferences(before: List, after: List, path: ValuePath): Generator<ValueDifference> {
  const shorterLength = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorterLength && isSameValue(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorterLength - start && isSameValue(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const removedItems = before.slice(start, before.length - end);
  const addedItems = after.slice(start, after.length - end);
  for (let n = 0; n < Math.max(removedItems.length, addedItems.length); n += 1) {
    const itemPath = [...path, start + n];
    if (n >= addedItems.length) yield* removals(removedItems[n], itemPath);
    else if (n >= removedItems.length) yield* additions(addedItems[n], itemPath);
    else yield* differences(removedItems[n], addedItems[n], itemPath);
  }
}

function* differences(before: unknown, after: unknown, path: ValuePath): Generator<ValueDifference> {
  if (Array.isArray(before) && Array.isArray(after)) yield* itemDifferences(before, after, path);
  else if (isPlainObject(before) && isPlainObject(after)) yield* memberDifferences(before, after, path);
  else if (!isSameValue(before, after)) yield { kind: 'changed', path, before, after };
}

export function compareVersions(
  before: unknown,
  after: unknown,
  maxDifferences: number,
): { differences: ValueDifference[]; total: number } {
  const firstDifferences: ValueDifference[] = [];
  let total = 0;
  for (const difference of differences(before, after, [])) {
    total += 1;
    if (firstDifferences.length < maxDifferences) firstDifferences.push(difference);
  }
  return { differences: firstDifferences, total };
}

/** Words that differ between two strings, with the equal text around them. */
interface TextDifference {
  start: string;
  before: string;
  after: string;
  end: string;
}

export function compareTexts(before: string, after: string): TextDifference {
  const shorterLength = Math.min(before.length, after.length);
  let equalChars = 0;
  while (equalChars < shorterLength && before[equalChars] === after[equalChars]) equalChars += 1;
  // Whole words are easier to read, and a word boundary never splits a surrogate pair.
  const start = before.slice(0, equalChars).replace(/\S+$/u, '');
  let equalEnd = 0;
  while (equalEnd < shorterLength - start.length && before.at(-1 - equalEnd) === after.at(-1 - equalEnd)) equalEnd += 1;
  const end = before.slice(before.length - equalEnd).replace(/^\S+/u, '');
  return {
    start,
    before: before.slice(start.length, before.length - end.length),
    after: after.slice(start.length, after.length - end.length),
    end,
  };
}

export const lastChars = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `…${text.slice(-maxChars).replace(/^[\uDC00-\uDFFF]/u, '')}`;
