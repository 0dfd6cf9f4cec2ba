import type { DataEvent } from './store.ts';

/**
 * Merges the events of one transaction, so that fifty single writes to one endpoint become one event for fifty records
 * and the database stores one row instead of fifty. Only consecutive events without gaps are merged, in their original
 * order.
 */
export const mergeEvents = (events: readonly DataEvent[]): DataEvent[] => {
  const merged: DataEvent[] = [];
  const lastOf = new Map<number, DataEvent>();
  for (const event of events) {
    const previous = lastOf.get(event.endpoint);
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
    lastOf.set(event.endpoint, copy);
  }
  return merged;
};
