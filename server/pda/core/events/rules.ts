import type { DataEvent } from './store.ts';

/**
 * Merges the creations of one transaction that have the same endpoint and origin, no gaps, and no other change of the
 * endpoint between them, so that many single writes are stored as one event. The events stay in order.
 */
export const mergeEvents = (events: readonly DataEvent[]): DataEvent[] => {
  const merged: DataEvent[] = [];
  const lastByEndpoint = new Map<number, DataEvent>();
  for (const event of events) {
    const previous = lastByEndpoint.get(event.endpoint);
    if (
      previous !== undefined &&
      previous.kind === event.kind &&
      previous.origin === event.origin &&
      previous.kind === 'created' &&
      previous.seqs === null &&
      event.seqs === null
    ) {
      previous.count += event.count;
      previous.lastSeq = event.lastSeq;
      previous.bytes += event.bytes;
      previous.time = event.time;
      continue;
    }
    const copy = { ...event };
    merged.push(copy);
    lastByEndpoint.set(event.endpoint, copy);
  }
  return merged;
};
