import { isolateText } from '../../../server/wire/isolation.ts';
import type { EndpointDisplay } from '../../../server/wire/fields.ts';
import type { EndpointSummary } from '../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES } from '../../shared/components/program-names.ts';

type ShownEndpoint = Pick<
  EndpointSummary,
  'endpoint' | 'name' | 'icon' | 'colour' | 'fieldNames' | 'fieldColours' | 'namespaceDisplay'
>;

/** How the owner wants to see data. */
export interface DataDisplay {
  /** Endpoints and fields that the owner has not named get a name derived from their path. */
  names: DataNames;
  /** Returns the icon and the colour of an endpoint, or of its source. */
  iconOf: (endpoint: string) => Pick<EndpointDisplay, 'icon' | 'colour'>;
  /** @param path path into a record, with or without the prefix `data.` */
  fieldColourOf: (path: string, endpoint: string) => EndpointDisplay['colour'];
}

const displays = new WeakMap<readonly ShownEndpoint[], DataDisplay>();

/** Returns how the owner wants to see data, created once per list, because many components of a page use it. */
export function dataDisplayOf(summaries: readonly ShownEndpoint[]): DataDisplay {
  const known = displays.get(summaries);
  if (known !== undefined) return known;
  const display = createDisplay(summaries);
  displays.set(summaries, display);
  return display;
}

/** Returns the path of a field as in its corrections. */
const correctionPath = (path: string): string => path.replace(/^data\.(?=.)/, '').replace(/\[\]$/, '');

function createDisplay(summaries: readonly ShownEndpoint[]): DataDisplay {
  const byEndpoint = new Map(summaries.map((summary) => [summary.endpoint, summary]));
  const names = namesOf(summaries);
  const fieldColours = new Map(
    summaries.map(({ endpoint, fieldColours: own = [] }) => [
      endpoint,
      new Map(own.map(({ path, colour }) => [path, colour])),
    ]),
  );
  return {
    names,
    iconOf: (endpoint) => byEndpoint.get(endpoint) ?? {},
    fieldColourOf: (path, endpoint) => fieldColours.get(endpoint)?.get(correctionPath(path)),
  };
}

function namesOf(summaries: readonly ShownEndpoint[]): DataNames {
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
    field: (path, endpoint) =>
      fieldNames.get(endpoint)?.get(correctionPath(path)) ?? DERIVED_NAMES.field(path, endpoint),
    namespace: (namespace) => {
      const name = namespaceNames.get(namespace);
      return name === undefined ? namespace : `${isolateText(name)} (${namespace})`;
    },
  };
}
