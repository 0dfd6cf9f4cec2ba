import { setBounded } from '../../../../platform/limits/bounded-map.ts';

// Speeds up paging with `skip`, which would otherwise count from the start each time: a page starts from the nearest
// entry. Appended records keep the entries valid; a deletion, restoration or move makes them invalid.

/** `rank` records of the endpoint have a sequence number up to `seq`. */
type OffsetEntry = { rank: number; seq: number };

/** Maximum entries of an endpoint. */
const MAX_ENTRIES = 4000;
const MAX_ENDPOINTS = 200;

export type ReadStart = {
  /** The read continues after (ascending) or at (descending) this sequence number. */
  seq: number;
  /** Records to skip from `seq`. */
  offset: number;
};

export type PageOffsetIndex = ReturnType<typeof createPageOffsetIndex>;

/** Returns the index of the first entry whose rank is greater than `rank`. */
const indexAfter = (entries: readonly OffsetEntry[], rank: number): number => {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.rank ?? 0) <= rank) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const createPageOffsetIndex = () => {
  const byEndpoint = new Map<number, OffsetEntry[]>();
  let dropCount = 0;

  return {
    add(endpoint: number, rank: number, seq: number): void {
      let entries = byEndpoint.get(endpoint);
      if (entries === undefined) {
        entries = [];
        setBounded(byEndpoint, endpoint, entries, MAX_ENDPOINTS);
      }
      const insertIndex = indexAfter(entries, rank);
      if (entries[insertIndex - 1]?.rank === rank) return;
      entries.splice(insertIndex, 0, { rank, seq });
      // Evicts every second entry: the list stays small, and pages stay close to an entry.
      if (entries.length > MAX_ENTRIES)
        byEndpoint.set(
          endpoint,
          entries.filter((_, index) => index % 2 === 0),
        );
    },

    findAscending(endpoint: number, skip: number): ReadStart | undefined {
      const entries = byEndpoint.get(endpoint) ?? [];
      const nearestEntry = entries[indexAfter(entries, skip) - 1];
      return nearestEntry === undefined ? undefined : { seq: nearestEntry.seq, offset: skip - nearestEntry.rank };
    },

    findDescending(endpoint: number, skip: number, total: number): ReadStart | undefined {
      const entries = byEndpoint.get(endpoint) ?? [];
      const firstRank = total - skip;
      const nearestEntry = entries[indexAfter(entries, firstRank - 1)];
      return nearestEntry === undefined ? undefined : { seq: nearestEntry.seq, offset: nearestEntry.rank - firstRank };
    },

    drop(endpoint: number): void {
      dropCount += 1;
      byEndpoint.delete(endpoint);
    },

    /** Returns the number of calls of `drop`. A rank that was counted before such a call may be invalid. */
    dropCount: (): number => dropCount,
  };
};
