import { isObject, RAW_NUMBER_KEY, type Json, type JsonObject } from './json.ts';

/**
 * One step into a value: a name (`a`), a place in an array (`[1]`), or a number after a dot (`.1`), which is a place in an array and
 * a name in an object.
 */
export interface Step {
  readonly key: string | null;
  readonly index: number | null;
}

/** A parsed path. `alternatives` are tried in order; the first that leads to a value, be it null, wins. */
export interface Path {
  readonly text: string;
  readonly alternatives: readonly (readonly Step[])[];
}

const PREFIX = 'data.';
const WITH_BRACKETS = /^(.*?)((?:\[\d*\])+)$/su;
/** Nine digits are more than any array has elements, and fewer than SQLite's 32 bits, beyond which it would count on from zero. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/u;
const BEYOND_EVERY_ARRAY = 999_999_999;

/**
 * Reads a path of a mapping, a filter or `orderBy`: `a.b`, `a[1]`, `a[]` (the whole array), `a.1`. Every text is a path; names may
 * hold any characters but dots, and brackets only where they are no index.
 *
 * The interface writes paths with `data.` in front, while stored records mostly have no such member: a path is tried literally and,
 * if that is missing and it begins with `data.`, once more without it.
 */
export function parsePath(text: string): Path {
  const literal = parseSteps(text);
  const stripped =
    text.startsWith(PREFIX) && text.length > PREFIX.length ? parseSteps(text.slice(PREFIX.length)) : undefined;
  return { text, alternatives: stripped === undefined ? [literal] : [literal, stripped] };
}

function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  for (const [position, segment] of text.split('.').entries()) {
    const match = WITH_BRACKETS.exec(segment);
    const name = match?.[1] ?? segment;
    // `[0]` at the very beginning is a place in an outermost array; elsewhere an empty name is a name.
    if (name !== '' || match === null || position > 0)
      steps.push({ key: name, index: INDEX.test(name) ? Number(name) : null });
    for (const [, digits] of (match?.[2] ?? '').matchAll(/\[(\d*)\]/gu)) {
      if (digits === undefined || digits === '') continue;
      steps.push({ key: null, index: Math.min(Number(digits), BEYOND_EVERY_ARRAY) });
    }
  }
  return steps;
}

/** The value at a path, or undefined when there is none. Own properties only: `constructor` and its like are names as others. */
export function resolvePath(value: Json, path: Path): Json | undefined {
  for (const steps of path.alternatives) {
    const found = follow(value, steps);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Own members of objects that are no arrays. A number kept as it was written has one member, which is not stored data. */
function isMemberOf(value: Json, key: string): value is JsonObject {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return key !== RAW_NUMBER_KEY || isObject(value);
}

function follow(value: Json, steps: readonly Step[]): Json | undefined {
  let current: Json | undefined = value;
  for (const { key, index } of steps) {
    if (Array.isArray(current)) current = index === null ? undefined : current[index];
    else if (key !== null && isMemberOf(current, key)) current = current[key];
    else return undefined;
    if (current === undefined) return undefined;
  }
  return current;
}
