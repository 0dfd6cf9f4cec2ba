import type { DataEvent } from './store.ts';

/**
 * Fifty single writes to one endpoint in one transaction are one thing that happened: fifty records came in. Merging keeps a
 * row per transaction instead of one per call. Only runs without gaps merge, and only in the order they came.
 */
export const mergeEvents = (events: readonly DataEvent[]): DataEvent[] => {
  const merged: DataEvent[] = [];
  const lastOf = new Map<number, DataEvent>();
  for (const event of events) {
    const before = lastOf.get(event.endpoint);
    if (
      before !== undefined &&
      before.kind === event.kind &&
      before.origin === event.origin &&
      before.kind === 'created' &&
      before.seqs === null &&
      event.seqs === null
    ) {
      before.count += event.count;
      before.lastSeq = event.lastSeq;
      before.bytes += event.bytes;
      before.time = event.time;
      continue;
    }
    const copy = { ...event };
    merged.push(copy);
    lastOf.set(event.endpoint, copy);
  }
  return merged;
};
