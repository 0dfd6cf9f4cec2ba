import { namespaceOf } from '../../../../../server/wire/display-name.ts';
import type { EndpointSummary, FileSummary } from '../../../../shared/api/contract.ts';
import type { Bundle } from '../../../../../server/wire/query.ts';

/** Numbers of stored records by endpoint and of files by source, by which readers are compared. */
export interface Amounts {
  records: ReadonlyMap<string, number>;
  files: ReadonlyMap<string, number>;
}

/** Undefined arguments are unknown and count as nothing. */
export function amountsOf(
  endpoints: readonly Pick<EndpointSummary, 'endpoint' | 'records'>[] | undefined,
  summary: Pick<FileSummary, 'sources'> | undefined,
): Amounts {
  return {
    records: new Map(endpoints?.map(({ endpoint, records }) => [endpoint, records])),
    files: new Map(summary?.sources.map(({ source, files }) => [source, files])),
  };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

/** Returns the number of records in namespaces. */
export function countRecords(namespaces: readonly string[], { records }: Amounts): number {
  const included = [...records].filter(([endpoint]) => namespaces.includes(namespaceOf(endpoint)));
  return sum(included.map(([, count]) => count));
}

/** Returns the number of files of sources. */
export function countFiles(sources: readonly string[], { files }: Amounts): number {
  return sum(sources.map((source) => files.get(source) ?? 0));
}

/**
 * Returns how many records a bundle can contain at most: all records of its endpoints, each endpoint once, up to the
 * limits. Filters are ignored, because only the PDA knows how many records match.
 */
export function countBundleRecords(bundle: Bundle, { records }: Amounts): number {
  const largest = new Map<string, number>();
  for (const { endpoints, limit } of Object.values(bundle)) {
    for (const { endpoint } of endpoints) {
      const count = Math.min(records.get(endpoint) ?? 0, limit ?? Number.POSITIVE_INFINITY);
      largest.set(endpoint, Math.max(count, largest.get(endpoint) ?? 0));
    }
  }
  return sum(largest.values());
}
