import { namespaceOf } from '../../../server/wire/display-name.ts';
import { isolateText } from '../../../server/wire/isolation.ts';
import type { EndpointDisplay } from '../../../server/wire/fields.ts';
import type { EndpointSummary, NamespaceDisplay } from '../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES, stripDataPrefix } from '../../shared/components/display-names.ts';

type DisplayedEndpoint = Pick<
  EndpointSummary,
  'endpoint' | 'name' | 'icon' | 'colour' | 'fieldNames' | 'fieldColours' | 'namespaceDisplay'
>;

export interface DataDisplay {
  /** The owner's names; otherwise names that are derived from the path. */
  names: DataNames;
  /** Returns the owner's icon and colour for an endpoint, or else for its source. */
  iconOf: (endpoint: string) => Pick<EndpointDisplay, 'icon' | 'colour'>;
  /** @param path with or without the prefix `data.` */
  fieldColourOf: (path: string, endpoint: string) => EndpointDisplay['colour'];
  namespaceDisplayOf: (namespace: string) => NamespaceDisplay | undefined;
}

const displays = new WeakMap<readonly DisplayedEndpoint[], DataDisplay>();

/** Creates one index per list, because many components of a page use it. */
export function dataDisplayOf(summaries: readonly DisplayedEndpoint[]): DataDisplay {
  const existing = displays.get(summaries);
  if (existing !== undefined) return existing;
  const display = createDisplay(summaries);
  displays.set(summaries, display);
  return display;
}

/** Removes the prefix `data.` and a trailing `[]`, which stored paths lack. */
const toStoredPath = (path: string): string => stripDataPrefix(path).replace(/\[\]$/, '');

function createFieldLookup<Choice extends { path: string }>(
  summaries: readonly DisplayedEndpoint[],
  choicesOf: (summary: DisplayedEndpoint) => readonly Choice[] | undefined,
): (path: string, endpoint: string) => Choice | undefined {
  const byEndpoint = new Map(
    summaries.map((summary) => [
      summary.endpoint,
      new Map((choicesOf(summary) ?? []).map((choice) => [choice.path, choice])),
    ]),
  );
  return (path, endpoint) => byEndpoint.get(endpoint)?.get(toStoredPath(path));
}

function createDisplay(summaries: readonly DisplayedEndpoint[]): DataDisplay {
  const byEndpoint = new Map(summaries.map((summary) => [summary.endpoint, summary]));
  const byNamespace = new Map(
    summaries.map(({ endpoint, namespaceDisplay }) => [namespaceOf(endpoint), namespaceDisplay]),
  );
  const findFieldName = createFieldLookup(summaries, ({ fieldNames }) => fieldNames);
  const findFieldColour = createFieldLookup(summaries, ({ fieldColours }) => fieldColours);
  return {
    names: {
      endpoint: (endpoint) => byEndpoint.get(endpoint)?.name ?? DERIVED_NAMES.endpoint(endpoint),
      field: (path, endpoint) => findFieldName(path, endpoint)?.name ?? DERIVED_NAMES.field(path, endpoint),
      namespace: (namespace) => {
        const name = byNamespace.get(namespace)?.name;
        return name === undefined ? namespace : `${isolateText(name)} (${namespace})`;
      },
    },
    iconOf: (endpoint) => byEndpoint.get(endpoint) ?? {},
    fieldColourOf: (path, endpoint) => findFieldColour(path, endpoint)?.colour,
    namespaceDisplayOf: (namespace) => byNamespace.get(namespace),
  };
}
