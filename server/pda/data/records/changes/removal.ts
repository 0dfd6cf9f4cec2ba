import type { EndpointStore } from '../../../core/endpoint-store.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { PageOffsetIndex } from '../paging/page-offset-index.ts';
import { createRecordEvent, type ChangeContext } from './change-events.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import type { LocatedRecord } from '../service.ts';
import type { RecordRow, RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

export type RemovalParts = {
  records: RecordStore;
  fingerprints: FingerprintStore;
  pageOffsets: PageOffsetIndex;
  events: EventService;
  usage: UsageStore;
};

export const removeRecord = (
  { records, fingerprints, pageOffsets, events, usage }: RemovalParts,
  tx: Transaction,
  { path, ...record }: RecordRow & { path: string },
  change: ChangeContext,
): void => {
  const { seq, endpoint } = record;
  fingerprints.removeRecord(tx, record);
  records.remove(tx, seq);
  pageOffsets.drop(endpoint);
  const bytes = -Buffer.byteLength(record.data);
  usage.add(tx, { endpoint, origin: record.origin, bytes });
  events.report(tx, { ...createRecordEvent('deleted', record, bytes, change), path });
};

/** Removes records, and endpoints that then have no records and to which nothing else refers. */
export const removePermanently = (
  parts: RemovalParts & { endpoints: Pick<EndpointStore, 'dropIfEmpty'> },
  tx: Transaction,
  records: readonly LocatedRecord[],
  change: ChangeContext,
): void => {
  const changedEndpoints = new Set<number>();
  for (const { seq, endpoint: path } of records) {
    const record = parts.records.findBySeq(seq);
    if (record === undefined) continue;
    removeRecord(parts, tx, { ...record, path }, change);
    changedEndpoints.add(record.endpoint);
  }
  for (const endpoint of changedEndpoints) parts.endpoints.dropIfEmpty(tx, endpoint);
};
