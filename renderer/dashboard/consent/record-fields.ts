import { isObject } from '../../../server/wire/values.ts';
import type { PlainEntry } from '../../shared/consent/bundle-text.ts';

/** Fields of the owner's records, and those that were not requested. */

const MAX_DEPTH = 3;

function collect(value: unknown, before: string, depth: number, into: Set<string>): void {
  if (!isObject(value) || depth > MAX_DEPTH || Object.keys(value).length === 0) {
    if (before !== '') into.add(before);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    collect(inner, before === '' ? name : `${before}.${name}`, depth + 1, into);
  }
}

/** Paths of all values in some records: `steps`, `place.lat`. */
export function fieldPaths(records: readonly unknown[]): string[] {
  const paths = new Set<string>();
  for (const record of records) collect(record, '', 1, paths);
  return [...paths];
}

function isWhole(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isObject) : isObject(value);
}

/** The value at an output field: its name is a path. */
function valueAt(data: unknown, name: string): unknown {
  return name
    .replaceAll('[]', '')
    .split('.')
    .reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), data);
}

/** Output fields that hold not one value but a whole object: whatever is added in there later leaves with it. */
export function wholeObjects(records: readonly unknown[], entry: PlainEntry): Set<string> {
  const here = records.filter(isObject).filter(({ endpoint }) => endpoint === entry.endpoint);
  const names = (entry.fields ?? []).filter(({ picked }) => !picked).map(({ name }) => name);
  return new Set(names.filter((name) => here.some(({ data }) => isWhole(valueAt(data, name)))));
}

/** `a.b[0]` and `a.b[].c` are of `a.b`: lists are named as a whole. */
const plainPath = (path: string): string => path.replace(/^data\.(?=.)/, '').split('[', 1)[0] ?? '';

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`);

/** The paths that no entry touches; nothing stays of records that are asked for entire. */
export function unrequestedPaths(paths: readonly string[], entries: readonly PlainEntry[]): string[] {
  if (entries.some(({ fields }) => fields === null)) return [];
  const asked = entries.flatMap(({ fields }) => (fields ?? []).map(({ source }) => plainPath(source)));
  return paths.filter((path) => !asked.some((one) => isWithin(path, one) || isWithin(one, path)));
}
