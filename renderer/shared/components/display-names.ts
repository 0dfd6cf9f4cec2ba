import { isWholeValuePath } from '../../../server/wire/entire-records.ts';
import { displayNameOf, endpointNameOf } from '../../../server/wire/display-name.ts';
import { m } from '../messages/texts.ts';

// Derives display names from technical names, such as the paths of fields and endpoints.

export function toSentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function stripDataPrefix(path: string): string {
  return path.replace(/^data\.(?=.)/, '');
}

/**
 * Returns a label, such as "Start time" for `data.start_time` or "Place lat" for `data.place.lat`. Includes the names
 * of outer objects, because a consent must distinguish fields with equal names.
 */
export function fieldName(path: string): string {
  if (isWholeValuePath(path)) return m.consent.value;
  const names = stripDataPrefix(path)
    .replaceAll('[]', '')
    .replaceAll(/\[(\d+)\]/g, (_, index: string) => `_${Number(index) + 1}`);
  // A path that consists only of punctuation is shown unchanged.
  return displayNameOf(names) || (path === '' ? m.consent.value : path);
}

export interface DataNames {
  endpoint: (endpoint: string) => string;
  /** @param path with or without the prefix `data.` */
  field: (path: string, endpoint: string) => string;
  /** Returns the namespace; if the owner gave it a name, the name comes first: "My watch (fitbit)". */
  namespace: (namespace: string) => string;
}

export const DERIVED_NAMES: DataNames = {
  endpoint: endpointNameOf,
  field: fieldName,
  namespace: (namespace) => namespace,
};

/** Appends the path to each name that several endpoints have: "Summary (sleep/summary)". */
export function disambiguateNames(names: DataNames, endpoints: readonly string[]): DataNames {
  const counts = new Map<string, number>();
  for (const name of [...new Set(endpoints)].map(names.endpoint)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    ...names,
    endpoint: (endpoint) => {
      const name = names.endpoint(endpoint);
      return (counts.get(name) ?? 0) > 1 ? `${name} (${endpoint})` : name;
    },
  };
}

/** Lists distinct names. If there are more than `max`, lists `max - 1` and counts the rest: "A, B and 2 more". */
export function summariseNames(names: readonly string[], max = 3): string {
  const uniqueNames = [...new Set(names)];
  const listedNames = uniqueNames.length > max ? uniqueNames.slice(0, max - 1) : uniqueNames;
  const hiddenCount = uniqueNames.length - listedNames.length;
  return m.consent.list(hiddenCount === 0 ? listedNames : [...listedNames, m.consent.more(hiddenCount)]);
}

/** Returns up to two letters or digits, which replace a missing picture. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '', second = ''] = words;
  const letters = second === '' ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1));
  return letters.join('').toUpperCase();
}
