import type { Bundle, CombinatorEntry } from '../../../../wire/query.ts';
import { ENDPOINT_MAX_INDEXES } from '../../../../wire/work-limits.ts';
import type { Endpoints } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { RequiredIndex } from './manager.ts';
import { indexesFor, textIndexRequirements } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import { textIndex } from '../sql/text-indexes.ts';

/** Maximum number of indexes of all endpoints together. */
const MAX_INDEXES = 100;

/** Returns the first indexes of each endpoint, and of all together, up to the limits. */
const withinLimits = (indexes: readonly RequiredIndex[]): RequiredIndex[] => {
  const byEndpoint = Map.groupBy(indexes, ({ endpoint }) => endpoint);
  const permitted = new Set([...byEndpoint.values()].flatMap((group) => group.slice(0, ENDPOINT_MAX_INDEXES)));
  return indexes.filter((index) => permitted.has(index)).slice(0, MAX_INDEXES);
};

/**
 * Returns the indexes required by registered combinators and bundles, by bundles of other modules, and by the table of
 * records, up to the limits. Existing indexes have priority, followed by those of combinators, of bundles and of the
 * table. Interns new endpoints.
 */
export const collectRequiredIndexes = async (parts: {
  store: QueryStore;
  endpoints: Endpoints;
  writer: Writer;
  sources: BundleSources;
  /** Returns the indexes that the table of records requires. */
  tableIndexes: () => readonly RequiredIndex[];
}): Promise<RequiredIndex[]> => {
  const { store, endpoints, writer } = parts;
  const bundles = [
    ...store.bundles.list().map((row) => JSON.parse(row.definition) as Bundle),
    ...parts.sources.bundles().map(({ bundle }) => bundle),
  ];
  const queries: { entries: readonly CombinatorEntry[]; orderBy?: string | null | undefined }[] = [
    ...store.combinators.list().map((row) => ({ entries: JSON.parse(row.definition) as CombinatorEntry[] })),
    ...bundles.flatMap((bundle) =>
      Object.values(bundle).map(({ endpoints: entries, orderBy }) => ({ entries, orderBy })),
    ),
  ];
  return writer.write((tx) => {
    const indexesByName = new Map<string, RequiredIndex>();
    for (const { entries, orderBy } of queries) {
      for (const entry of entries) {
        const { endpoint: path } = entry;
        const internedEntry = { ...entry, endpoint: endpoints.intern(tx, path) };
        for (const index of indexesFor([internedEntry], orderBy ?? null))
          indexesByName.set(index.name, { ...index, path });
        for (const requirement of textIndexRequirements([internedEntry])) {
          const index = textIndex(requirement.endpoint, requirement.path);
          indexesByName.set(index.name, { ...index, path });
        }
      }
    }
    for (const index of parts.tableIndexes()) indexesByName.set(index.name, index);
    const existingNames = new Set(store.indexes().map(({ name }) => name));
    const all = [...indexesByName.values()];
    const existingIndexes = all.filter(({ name }) => existingNames.has(name));
    return withinLimits([...existingIndexes, ...all.filter(({ name }) => !existingNames.has(name))]);
  });
};
