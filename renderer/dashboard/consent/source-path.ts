import type { PlainProperty } from '../../shared/consent/bundle-text.ts';

/**
 * Returns the path that a value of a shared record has in the stored record. The requester can give a field the name of
 * another field, so the path is undefined unless all mappings of the endpoint agree. It is also undefined for a field
 * whose mapping selects members, and for values within it.
 */
export function sourcePathOf(
  properties: readonly PlainProperty[],
  property: string,
  endpoint: string,
  path: string,
): string | undefined {
  const entries = properties.filter((candidate) => candidate.property === property).flatMap((match) => match.entries);
  const sources = new Set<string | undefined>();
  for (const { fields } of entries.filter((entry) => entry.endpoint === endpoint)) {
    if (fields === null) sources.add(path);
    for (const { name, source, hasSelectedMembers } of fields ?? []) {
      if (path === name || path.startsWith(`${name}.`))
        sources.add(hasSelectedMembers ? undefined : source + path.slice(name.length));
    }
  }
  const [source] = sources;
  return sources.size === 1 ? source : undefined;
}
