import type { DataEvent } from './store.ts';

/**
 * Merges the events of one transaction, so that fifty single writes to one endpoint become one event for fifty records
 * and the database stores one row instead of fifty. Only creations of one origin are merged, and only if no other
 * change of the endpoint was reported between them. The events stay in their original order.
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
