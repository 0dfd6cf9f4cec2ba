import type { DataEvent } from './store.ts';

/**
 * Merges successive creations at the same endpoint by the same origin, so that many single writes are stored as one
 * event. Does not merge events that list their sequence numbers (`seqs`). Keeps the order of the events.
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
