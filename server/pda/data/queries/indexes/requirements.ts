import type { Bundle, CombinatorEntry } from '../../../../wire/query.ts';
import type { Endpoints } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { NeededIndex } from './manager.ts';
import { indexesFor, textNeedsFor } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import { textIndex } from '../sql/text-indexes.ts';

/** Every write of a record pays for each index of its endpoint. What has one keeps it; the others wait until one is free. */
const MAX_INDEXES = 100;

/** Indexes needed by registered combinators and bundles, and by bundles of other rooms. Interns endpoints that have no records yet. */
export const neededIndexes = async (parts: {
  store: QueryStore;
  endpoints: Endpoints;
  writer: Writer;
  sources: BundleSources;
}): Promise<NeededIndex[]> => {
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
    const found = new Map<string, NeededIndex>();
    for (const { entries, orderBy } of queries) {
      for (const entry of entries) {
        const { endpoint: path } = entry;
        const numbered = { ...entry, endpoint: endpoints.intern(tx, path) };
        for (const index of indexesFor([numbered], orderBy ?? null)) found.set(index.name, { ...index, path });
        for (const need of textNeedsFor([numbered])) {
          const index = textIndex(need.endpoint, need.path);
          found.set(index.name, { ...index, path });
        }
      }
    }
    const has = new Set(store.earned().map(({ name }) => name));
    const all = [...found.values()];
    const first = all.filter(({ name }) => has.has(name));
    return [...first, ...all.filter(({ name }) => !has.has(name))].slice(0, MAX_INDEXES);
  });
};
