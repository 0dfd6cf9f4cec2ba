import { namespaceOf } from '../../../../../server/wire/display-name.ts';
import type { EndpointSummary, FileSummary } from '../../../../shared/api/contract.ts';
import type { Bundle } from '../../../../../server/wire/query.ts';

/** Numbers of records by endpoint and of files by source. */
export interface ItemCounts {
  records: ReadonlyMap<string, number>;
  files: ReadonlyMap<string, number>;
}

export function itemCountsOf(
  endpoints: readonly Pick<EndpointSummary, 'endpoint' | 'records'>[] | undefined,
  summary: Pick<FileSummary, 'sources'> | undefined,
): ItemCounts {
  return {
    records: new Map(endpoints?.map(({ endpoint, records }) => [endpoint, records])),
    files: new Map(summary?.sources.map(({ source, files }) => [source, files])),
  };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

export function countRecords(namespaces: readonly string[], { records }: ItemCounts): number {
  const includedRecords = [...records].filter(([endpoint]) => namespaces.includes(namespaceOf(endpoint)));
  return sum(includedRecords.map(([, count]) => count));
}

export function countFiles(sources: readonly string[], { files }: ItemCounts): number {
  return sum(sources.map((source) => files.get(source) ?? 0));
}

/**
 * Returns the maximum number of records in a bundle: each endpoint once, up to the limits. Ignores filters, because
 * only the PDA knows how many records match.
 */
export function countBundleRecords(bundle: Bundle, { records }: ItemCounts): number {
  const maxCounts = new Map<string, number>();
  for (const { endpoints, limit } of Object.values(bundle)) {
    for (const { endpoint } of endpoints) {
      const count = Math.min(records.get(endpoint) ?? 0, limit ?? Number.POSITIVE_INFINITY);
      maxCounts.set(endpoint, Math.max(count, maxCounts.get(endpoint) ?? 0));
    }
  }
  return sum(maxCounts.values());
}
