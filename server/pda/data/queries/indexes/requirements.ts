import type { Bundle, CombinatorEntry } from '../../../../wire/query.ts';
import { ENDPOINT_MAX_INDEXES } from '../../../../wire/work-limits.ts';
import type { Endpoints } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { RequiredIndex } from './manager.ts';
import { indexesFor, textIndexPaths } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import { defineTextIndex } from '../sql/text-indexes.ts';

/** Limit for all endpoints together. */
const MAX_INDEXES = 100;

const applyLimits = (indexes: readonly RequiredIndex[]): RequiredIndex[] => {
  const byEndpoint = Map.groupBy(indexes, ({ endpoint }) => endpoint);
  const permittedIndexes = new Set([...byEndpoint.values()].flatMap((group) => group.slice(0, ENDPOINT_MAX_INDEXES)));
  return indexes.filter((index) => permittedIndexes.has(index)).slice(0, MAX_INDEXES);
};

type Query = { entries: readonly CombinatorEntry[]; orderBy?: string | null | undefined };

/** Returns the indexes for queries. Text indexes come first, because `find` is the slowest operator. */
const indexesOf = (queries: readonly Query[], intern: (path: string) => number): RequiredIndex[] => {
  const textIndexes = new Map<string, RequiredIndex>();
  const otherIndexes = new Map<string, RequiredIndex>();
  for (const { entries, orderBy } of queries) {
    for (const entry of entries) {
      const { endpoint: path } = entry;
      const internedEntry = { ...entry, endpoint: intern(path) };
      for (const index of indexesFor([internedEntry], orderBy ?? null))
        otherIndexes.set(index.name, { ...index, path });
      for (const field of textIndexPaths(entry)) {
        const index = defineTextIndex(internedEntry.endpoint, field);
        textIndexes.set(index.name, { ...index, path });
      }
    }
  }
  return [...textIndexes.values(), ...otherIndexes.values()];
};

/**
 * Takes, for each endpoint, the first index of each combinator and bundle, then the second of each, and so on, so that
 * a query with many filters does not use up the limits. Within a round, text indexes come first, then existing indexes.
 */
const mergeInRounds = (
  groups: readonly RequiredIndex[][],
  isExisting: (index: RequiredIndex) => boolean,
): RequiredIndex[] => {
  const candidates = new Map<string, { index: RequiredIndex; round: number }>();
  for (const group of groups) {
    for (const indexes of Map.groupBy(group, ({ endpoint }) => endpoint).values()) {
      for (const [round, index] of indexes.entries()) {
        const candidate = candidates.get(index.name);
        if (candidate === undefined || round < candidate.round) candidates.set(index.name, { index, round });
      }
    }
  }
  const rankOf = (index: RequiredIndex): number => ('fillSql' in index ? 0 : isExisting(index) ? 1 : 2);
  return [...candidates.values()]
    .toSorted((a, b) => a.round - b.round || rankOf(a.index) - rankOf(b.index))
    .map(({ index }) => index);
};

/**
 * Returns the required indexes up to the limits. Indexes of combinators and bundles have priority over those of tables
 * and charts, and of the latter, existing ones over new ones. Interns new endpoints.
 */
export const collectRequiredIndexes = async (parts: {
  store: QueryStore;
  endpoints: Endpoints;
  writer: Writer;
  sources: BundleSources;
  tableIndexes: () => readonly RequiredIndex[];
}): Promise<RequiredIndex[]> => {
  const { store, endpoints, writer } = parts;
  const bundles = [
    ...store.bundles.list().map((row) => JSON.parse(row.definition) as Bundle),
    ...parts.sources.bundles().map(({ bundle }) => bundle),
  ];
  const queryGroups: Query[][] = [
    ...store.combinators.list().map((row) => [{ entries: JSON.parse(row.definition) as CombinatorEntry[] }]),
    ...bundles.map((bundle) => Object.values(bundle).map(({ endpoints: entries, orderBy }) => ({ entries, orderBy }))),
  ];
  return writer.write((tx) => {
    const groups = queryGroups.map((queries) => indexesOf(queries, (path) => endpoints.intern(tx, path)));
    const readyNames = new Set(store.indexes().flatMap(({ name, ready }) => (ready === 1 ? [name] : [])));
    const isExisting = ({ name }: RequiredIndex): boolean => readyNames.has(name);
    const tableIndexes = parts.tableIndexes().toSorted((a, b) => Number(isExisting(b)) - Number(isExisting(a)));
    const candidates = [...mergeInRounds(groups, isExisting), ...tableIndexes];
    return applyLimits([...new Map(candidates.map((index) => [index.name, index])).values()]);
  });
};
