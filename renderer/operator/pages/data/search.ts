import type { AvailableNamespace } from '../../api/client.ts';

/** Filters by name and description. A matching namespace or endpoint includes its contents. */
export function filterNamespaces(data: readonly AvailableNamespace[], find: string): readonly AvailableNamespace[] {
  const wanted = find.trim().toLowerCase();
  if (wanted === '') return data;
  const fits = (...texts: string[]): boolean => texts.some((text) => text.toLowerCase().includes(wanted));
  return data.flatMap((one) => {
    if (fits(one.namespace, one.description)) return [one];
    const endpoints = one.endpoints.flatMap((endpoint) => {
      if (fits(endpoint.endpoint, `${one.namespace}/${endpoint.endpoint}`, endpoint.description)) return [endpoint];
      const fields = endpoint.fields.filter(({ name, description }) => fits(name, description));
      return fields.length === 0 ? [] : [{ ...endpoint, fields }];
    });
    return endpoints.length === 0 ? [] : [{ ...one, endpoints }];
  });
}
