import { isJsonObject, RAW_NUMBER_KEY, type Json, type JsonObject } from './json.ts';

/**
 * One step into a value: a name (`a`), an array index (`[1]`), or a number without brackets (`1`), which is an index in
 * an array and a name in an object.
 */
export interface PathStep {
  readonly key: string | null;
  readonly index: number | null;
}

/** A parsed path. The first alternative that leads to a value, which may be null, wins. */
export interface Path {
  readonly text: string;
  readonly alternatives: readonly (readonly PathStep[])[];
}

const DATA_PREFIX = 'data.';
const NAME_WITH_BRACKETS = /^(.*?)((?:\[\d*\])+)$/su;
/** Array index of at most nine digits. Longer ones exceed the size of any stored array and may exceed 32 bits. */
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/u;
const INDEX_BEYOND_ANY_ARRAY = 999_999_999;

/**
 * Parses a path of a mapping, a filter or `orderBy`: `a.b`, `a[1]`, `a[]` (the whole array), `a.1`. Every string is a
 * valid path. Names may contain any character except dots, but cannot end with an index or `[]`.
 *
 * A path may begin with `data.`, although most stored records have no such member. Such a path is resolved literally
 * first and, if it leads to no value, without the prefix.
 */
export function parsePath(text: string): Path {
  const literalSteps = parseSteps(text);
  const withoutPrefix =
    text.startsWith(DATA_PREFIX) && text.length > DATA_PREFIX.length
      ? parseSteps(text.slice(DATA_PREFIX.length))
      : undefined;
  return { text, alternatives: withoutPrefix === undefined ? [literalSteps] : [literalSteps, withoutPrefix] };
}

function parseSteps(text: string): PathStep[] {
  const steps: PathStep[] = [];
  for (const [position, segment] of text.split('.').entries()) {
    const match = NAME_WITH_BRACKETS.exec(segment);
    const name = match?.[1] ?? segment;
    // `[0]` at the start of a path is an index of the outermost array. In later segments, the empty name before it is a
    // member.
    if (name !== '' || match === null || position > 0)
      steps.push({ key: name, index: ARRAY_INDEX.test(name) ? Number(name) : null });
    for (const [, digits] of (match?.[2] ?? '').matchAll(/\[(\d*)\]/gu)) {
      if (digits === undefined || digits === '') continue;
      steps.push({ key: null, index: Math.min(Number(digits), INDEX_BEYOND_ANY_ARRAY) });
    }
  }
  return steps;
}

/** Returns the value at a path; undefined if it is missing. Ignores inherited properties such as `constructor`. */
export function resolvePath(value: Json, path: Path): Json | undefined {
  for (const steps of path.alternatives) {
    const target = follow(value, steps);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Returns true if an object has an own member. Excludes the member of an opaque number, which is not stored data. */
function hasMember(value: Json, key: string): value is JsonObject {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return key !== RAW_NUMBER_KEY || isJsonObject(value);
}

function follow(value: Json, steps: readonly PathStep[]): Json | undefined {
  let current: Json | undefined = value;
  for (const { key, index } of steps) {
    if (Array.isArray(current)) current = index === null ? undefined : current[index];
    else if (key !== null && hasMember(current, key)) current = current[key];
    else return undefined;
    if (current === undefined) return undefined;
  }
  return current;
}
