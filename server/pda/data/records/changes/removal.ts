import type { EventService } from '../../../core/events/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Anchors } from '../paging/page-offset-index.ts';
import { oneRecord, type Happening } from './change-events.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import type { RecordRow, RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

export type RemovalParts = {
  records: RecordStore;
  fingerprints: FingerprintStore;
  anchors: Anchors;
  events: EventService;
  usage: UsageStore;
};

/** Takes one record away with all that hangs on it, and reports it: the same whether it can come back or not. */
export const removeRecord = (
  { records, fingerprints, anchors, events, usage }: RemovalParts,
  tx: Transaction,
  record: RecordRow,
  change: Happening,
): void => {
  const { seq, endpoint } = record;
  records.remove(tx, seq);
  fingerprints.removed(tx, record);
  anchors.drop(endpoint);
  const bytes = -Buffer.byteLength(record.data);
  usage.add(tx, { endpoint, origin: record.origin, bytes });
  events.report(tx, oneRecord('deleted', record, bytes, change));
};
