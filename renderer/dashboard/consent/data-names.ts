import { isolateText } from '../../../server/wire/isolation.ts';
import type { EndpointSummary } from '../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES } from '../../shared/components/program-names.ts';

type NamedEndpoint = Pick<EndpointSummary, 'endpoint' | 'name' | 'fieldNames' | 'namespaceDisplay'>;

/**
 * Returns the owner's names for endpoints, fields and namespaces. Endpoints and fields that the owner has not named get
 * a name derived from their path.
 */
export function dataNamesOf(summaries: readonly NamedEndpoint[]): DataNames {
  const names = new Map(summaries.map(({ endpoint, name }) => [endpoint, name]));
  const fieldNames = new Map(
    summaries.map(({ endpoint, fieldNames: own = [] }) => [
      endpoint,
      new Map(own.map(({ path, name }) => [path, name])),
    ]),
  );
  const namespaceNames = new Map(
    summaries.map(({ endpoint, namespaceDisplay }) => [
      endpoint.slice(0, endpoint.indexOf('/')),
      namespaceDisplay?.name,
    ]),
  );
  return {
    endpoint: (endpoint) => names.get(endpoint) ?? DERIVED_NAMES.endpoint(endpoint),
    field: (path, endpoint) => {
      const plainPath = path.replace(/^data\.(?=.)/, '').replace(/\[\]$/, '');
      return fieldNames.get(endpoint)?.get(plainPath) ?? DERIVED_NAMES.field(path, endpoint);
    },
    namespace: (namespace) => {
      const name = namespaceNames.get(namespace);
      return name === undefined ? namespace : `${isolateText(name)} (${namespace})`;
    },
  };
}
