import { splitEndpoint } from '../../../wire/display-name.ts';
import type { AvailableData } from '../../../wire/statistics.ts';
import { compareText } from '../rules.ts';
import type { Description, KnownName } from '../store.ts';

const MAX_FIELDS_PER_ENDPOINT = 300;

type Endpoint = { description: string; fields: Map<string, { description: string; count: number }> };
type Namespace = { description: string; endpoints: Map<string, Endpoint> };

const getOrCreate = <V>(map: Map<string, V>, key: string, create: () => V): V => {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const newValue = create();
  map.set(key, newValue);
  return newValue;
};

const sortEntries = <V>(map: ReadonlyMap<string, V>): [string, V][] =>
  [...map].toSorted(([a], [b]) => compareText(a, b));

/** Combines reported names and descriptions. Uses at most the first 300 reported fields of an endpoint. */
export const availableDataOf = (names: readonly KnownName[], descriptions: readonly Description[]): AvailableData => {
  const namespaces = new Map<string, Namespace>();
  const namespaceAt = (name: string): Namespace =>
    getOrCreate(namespaces, name, () => ({ description: '', endpoints: new Map() }));
  const endpointAt = (namespace: string, path: string): Endpoint =>
    getOrCreate(namespaceAt(namespace).endpoints, path, () => ({ description: '', fields: new Map() }));

  for (const { endpoint, field, amount } of names) {
    const { fields } = endpointAt(...splitEndpoint(endpoint));
    if (field !== '' && fields.size < MAX_FIELDS_PER_ENDPOINT) fields.set(field, { description: '', count: amount });
  }
  // Described data is listed even if no PDA has reported it.
  for (const { namespace, endpoint, field, description } of descriptions) {
    if (endpoint === '') namespaceAt(namespace).description = description;
    else if (field === '') endpointAt(namespace, endpoint).description = description;
    else
      getOrCreate(endpointAt(namespace, endpoint).fields, field, () => ({ description: '', count: 0 })).description =
        description;
  }

  return sortEntries(namespaces).map(([namespace, { description, endpoints }]) => ({
    namespace,
    description,
    endpoints: sortEntries(endpoints).map(([endpoint, { description: endpointDescription, fields }]) => ({
      endpoint,
      description: endpointDescription,
      fields: sortEntries(fields).map(([name, field]) => ({ name, ...field })),
    })),
  }));
};
