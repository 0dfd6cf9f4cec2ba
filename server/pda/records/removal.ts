import type { EventService } from '../events/service.ts';
import type { Transaction } from '../storage/index.ts';
import type { Anchors } from './anchors.ts';
import type { FingerprintStore } from './fingerprint-store.ts';
import type { RecordRow, RecordStore } from './store.ts';

export type RemovalParts = {
  records: RecordStore;
  fingerprints: FingerprintStore;
  anchors: Anchors;
  events: EventService;
};

/** Takes one record away with all that hangs on it, and reports it: the same whether it can come back or not. */
export const removeRecord = (
  { records, fingerprints, anchors, events }: RemovalParts,
  tx: Transaction,
  record: RecordRow,
  change: { origin: number; time: number },
): void => {
  const { seq, endpoint } = record;
  records.remove(tx, seq);
  fingerprints.removed(tx, record);
  anchors.drop(endpoint);
  const bytes = -Buffer.byteLength(record.data);
  events.report(tx, {
    kind: 'deleted',
    endpoint,
    count: 1,
    firstSeq: seq,
    lastSeq: seq,
    seqs: null,
    bytes,
    ...change,
  });
};
