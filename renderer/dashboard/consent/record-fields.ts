import { isObject } from '../../../server/wire/values.ts';
import { stripDataPrefix } from '../../shared/components/display-names.ts';
import { containsEntireRecords, type PlainEntry } from '../../shared/consent/bundle-text.ts';
import { type Choices, isFieldShared } from './choices.ts';

/** Object depth up to which members are listed individually. */
const MAX_DEPTH = 3;

function collectPaths(value: unknown, prefix: string, depth: number, paths: Set<string>): void {
  if (!isObject(value) || depth > MAX_DEPTH || Object.keys(value).length === 0) {
    if (prefix !== '') paths.add(prefix);
    return;
  }
  for (const [name, innerValue] of Object.entries(value)) {
    collectPaths(innerValue, prefix === '' ? name : `${prefix}.${name}`, depth + 1, paths);
  }
}

/** Returns paths such as `steps` and `place.lat`. */
export function fieldPaths(records: readonly unknown[]): string[] {
  const paths = new Set<string>();
  for (const record of records) collectPaths(record, '', 1, paths);
  return [...paths];
}

function containsObject(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isObject) : isObject(value);
}

function valueAt(data: unknown, name: string): unknown {
  return name
    .replaceAll('[]', '')
    .split('.')
    .reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), data);
}

/** Finds output fields that contain whole objects. Anything added to such objects later is shared too. */
export function fieldsWithObjects(records: readonly unknown[], entry: PlainEntry): Set<string> {
  const endpointRecords = records.filter(isObject).filter(({ endpoint }) => endpoint === entry.endpoint);
  const names = (entry.fields ?? []).filter(({ hasSelectedMembers }) => !hasSelectedMembers).map(({ name }) => name);
  return new Set(names.filter((name) => endpointRecords.some(({ data }) => containsObject(valueAt(data, name)))));
}

/**
 * Removes the prefix `data.`, a leading `[]`, which is no step, and everything from the first other bracket: `a.b[0]`
 * and `[].a.b[].c` become `a.b`.
 */
const plainPath = (path: string): string =>
  stripDataPrefix(path)
    .replace(/^(?:\[\])+\./, '')
    .split('[', 1)[0] ?? '';

/** Returns the steps of a source path in the stored record. `[]` is the whole value and no step. */
function stepsOf(path: string): string[] {
  return path
    .replaceAll('[]', '')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
}

/** Returns true if the value at a path is the value at the other path or a part of it. */
export function isWithin(path: string, ancestor: string): boolean {
  const steps = stepsOf(path);
  return stepsOf(ancestor).every((step, index) => step === steps[index]);
}

/** Returns an empty list if entire records are requested, as such or as a mapped field. */
export function unrequestedPaths(paths: readonly string[], entries: readonly PlainEntry[]): string[] {
  if (entries.some(containsEntireRecords)) return [];
  // A path with the prefix `data.` leads to a member of an object with this name if the record has one.
  const requestedPaths = entries
    .flatMap(({ fields }) => (fields ?? []).map(({ source }) => plainPath(source)))
    .flatMap((path) => (path === '' ? [] : [path, `data.${path}`]));
  return paths.filter(
    (path) => !requestedPaths.some((requestedPath) => isWithin(path, requestedPath) || isWithin(requestedPath, path)),
  );
}

/**
 * Returns true if a field of the endpoint that the owner shares contains the value at a path. A request can name the
 * same data several times, and the owner may have excluded only one of these fields.
 * @param entries all requested entries
 */
export function isSharedByOtherField(
  endpoint: string,
  path: string,
  entries: readonly PlainEntry[],
  choices: Choices,
): boolean {
  const [topLevelField = ''] = stepsOf(path);
  return entries
    .filter((entry) => entry.endpoint === endpoint)
    .some((entry) =>
      entry.fields === null
        ? isFieldShared(choices, entry, topLevelField)
        : entry.fields.some(
            ({ name, source, hasSelectedMembers, isEntireRecord }) =>
              isFieldShared(choices, entry, name) &&
              (isEntireRecord || (!hasSelectedMembers && isWithin(path, source))),
          ),
    );
}
