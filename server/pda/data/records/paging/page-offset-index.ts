import { setBounded } from '../../../../platform/limits/bounded-map.ts';

/**
 * Paging by `skip` without counting from the start each time. An entry says how many records of an endpoint have a sequence
 * number up to a given one. Each page that was read adds one; a later page starts from the nearest. New records are appended
 * and keep every entry valid; a deletion invalidates those of its endpoint, and they are dropped.
 */

type Anchor = { rank: number; seq: number };

/** Anchors kept for one endpoint, and endpoints kept. */
const MAX_ANCHORS = 4000;
const MAX_ENDPOINTS = 200;

export type Start = {
  /** Continue after (ascending) or up to and including (descending) this seq. */
  seq: number;
  /** Records still to be skipped from there. */
  offset: number;
};

export type Anchors = {
  note(endpoint: number, rank: number, seq: number): void;
  /** Where to start an ascending read that skips `skip` records. */
  ascending(endpoint: number, skip: number): Start | undefined;
  /** Where to start a descending read that skips `skip` of `total` records. */
  descending(endpoint: number, skip: number, total: number): Start | undefined;
  drop(endpoint: number): void;
  /** Counts the drops: a rank that was counted before one is no longer true. */
  drops(): number;
};

/** Index of the first anchor whose rank is greater than `rank`. */
const after = (anchors: readonly Anchor[], rank: number): number => {
  let low = 0;
  let high = anchors.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((anchors[middle]?.rank ?? 0) <= rank) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const createAnchors = (): Anchors => {
  const byEndpoint = new Map<number, Anchor[]>();
  let drops = 0;

  return {
    note(endpoint, rank, seq) {
      let anchors = byEndpoint.get(endpoint);
      if (anchors === undefined) {
        anchors = [];
        setBounded(byEndpoint, endpoint, anchors, MAX_ENDPOINTS);
      }
      const at = after(anchors, rank);
      if (anchors[at - 1]?.rank === rank) return;
      anchors.splice(at, 0, { rank, seq });
      // Every second one is given up: pages stay near to an anchor, and the list stays small.
      if (anchors.length > MAX_ANCHORS)
        byEndpoint.set(
          endpoint,
          anchors.filter((_, index) => index % 2 === 0),
        );
    },

    ascending(endpoint, skip) {
      const anchors = byEndpoint.get(endpoint);
      if (anchors === undefined) return undefined;
      const found = anchors[after(anchors, skip) - 1];
      return found === undefined ? undefined : { seq: found.seq, offset: skip - found.rank };
    },

    descending(endpoint, skip, total) {
      const anchors = byEndpoint.get(endpoint);
      if (anchors === undefined) return undefined;
      const wanted = total - skip; // the rank of the first record of the page
      const found = anchors[after(anchors, wanted - 1)];
      return found === undefined ? undefined : { seq: found.seq, offset: found.rank - wanted };
    },

    drop(endpoint) {
      drops += 1;
      byEndpoint.delete(endpoint);
    },

    drops: () => drops,
  };
};
