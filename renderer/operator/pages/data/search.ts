import type { AvailableNamespace } from '../../api/client.ts';

/** Filters by name and description. A matching namespace or endpoint keeps all its contents. */
export function filterNamespaces(
  namespaces: readonly AvailableNamespace[],
  searchText: string,
): readonly AvailableNamespace[] {
  const text = searchText.trim().toLowerCase();
  if (text === '') return namespaces;
  const matches = (...values: string[]): boolean => values.some((value) => value.toLowerCase().includes(text));
  return namespaces.flatMap((entry) => {
    if (matches(entry.namespace, entry.description)) return [entry];
    const endpoints = entry.endpoints.flatMap((endpoint) => {
      if (matches(endpoint.endpoint, `${entry.namespace}/${endpoint.endpoint}`, endpoint.description))
        return [endpoint];
      const fields = endpoint.fields.filter(({ name, description }) => matches(name, description));
      return fields.length === 0 ? [] : [{ ...endpoint, fields }];
    });
    return endpoints.length === 0 ? [] : [{ ...entry, endpoints }];
  });
}
