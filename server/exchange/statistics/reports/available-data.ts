import type { AvailableData } from '../../../wire/statistics.ts';
import { compare } from '../rules.ts';
import type { Description, KnownName } from '../store.ts';

/** What data there is in PDAs, put together from names that were reported and from descriptions that were written. */

const MAX_FIELDS_PER_ENDPOINT = 300;

type Endpoint = { description: string; fields: Map<string, { description: string; count: number }> };
type Namespace = { description: string; endpoints: Map<string, Endpoint> };

const entry = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
};

const sorted = <V>(map: ReadonlyMap<string, V>): [string, V][] => [...map].toSorted(([a], [b]) => compare(a, b));

/** Splits `fitness/steps/daily` behind the namespace. */
const splitEndpoint = (endpoint: string): [namespace: string, path: string] => {
  const slash = endpoint.indexOf('/');
  return [endpoint.slice(0, slash), endpoint.slice(slash + 1)];
};

/** `names` with those of the most PDAs first: where there are too many fields, those are the ones that stay. */
export const availableDataOf = (names: readonly KnownName[], descriptions: readonly Description[]): AvailableData => {
  const namespaces = new Map<string, Namespace>();
  const namespaceAt = (name: string): Namespace =>
    entry(namespaces, name, () => ({ description: '', endpoints: new Map() }));
  const endpointAt = (namespace: string, path: string): Endpoint =>
    entry(namespaceAt(namespace).endpoints, path, () => ({ description: '', fields: new Map() }));

  for (const { endpoint, field, amount } of names) {
    const at = endpointAt(...splitEndpoint(endpoint));
    if (field !== '' && at.fields.size < MAX_FIELDS_PER_ENDPOINT)
      at.fields.set(field, { description: '', count: amount });
  }
  // What the operator described is there, also before anybody has it.
  for (const { namespace, endpoint, field, description } of descriptions) {
    if (endpoint === '') namespaceAt(namespace).description = description;
    else if (field === '') endpointAt(namespace, endpoint).description = description;
    else
      entry(endpointAt(namespace, endpoint).fields, field, () => ({ description: '', count: 0 })).description =
        description;
  }

  return sorted(namespaces).map(([namespace, { description, endpoints }]) => ({
    namespace,
    description,
    endpoints: sorted(endpoints).map(([endpoint, { description: ofEndpoint, fields }]) => ({
      endpoint,
      description: ofEndpoint,
      fields: sorted(fields).map(([name, field]) => ({ name, ...field })),
    })),
  }));
};
