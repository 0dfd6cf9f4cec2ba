import type { Bundle, CombinatorEntry } from '../../../../wire/query.ts';
import type { Endpoints } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { RequiredIndex } from './manager.ts';
import { indexesFor, textIndexRequirements } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import { textIndex } from '../sql/text-indexes.ts';

/**
 * Maximum number of indexes, because each write pays for every index of its endpoint. Existing indexes have priority.
 */
const MAX_INDEXES = 100;

/**
 * Returns the indexes required by registered combinators and bundles, by bundles of other modules, and by the table of
 * records. Interns new endpoints.
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
    return [...existingIndexes, ...all.filter(({ name }) => !existingNames.has(name))].slice(0, MAX_INDEXES);
  });
};
