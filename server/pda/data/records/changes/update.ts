import type { Origin } from '../../../core/endpoint-store.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import type { RecordQuota } from '../quota/record-quota.ts';
import type { RecordRow, RecordStore } from '../store.ts';
import type { RecordVersionStore } from '../versions/store.ts';
import { createRecordEvent, type ChangeContext } from './change-events.ts';

export type UpdateParts = {
  store: RecordStore;
  versions: Pick<RecordVersionStore, 'add' | 'days'>;
  fingerprints: FingerprintStore;
  quota: Pick<RecordQuota, 'charge' | 'chargeVersions'>;
  events: EventService;
};

/** Characters of replaced data at which pending updates are applied. */
const BATCH_CHARS = 1_000_000;

/**
 * Collects the updates of one transaction. Versions are stored in batches, because one statement per record takes
 * longer than the update itself. `add` and `flush` throw Failure out_of_disk.
 */
export const createUpdateBatch = (parts: UpdateParts, tx: Transaction, author: Origin, change: ChangeContext) => {
  const { store, versions, fingerprints, quota, events } = parts;
  const keepsVersions = versions.days() > 0;
  const pendingUpdates = new Map<number, { record: RecordRow; data: string }>();
  let chars = 0;

  const replaceData = (record: RecordRow, data: string): void => {
    const bytes = Buffer.byteLength(data) - Buffer.byteLength(record.data);
    quota.charge(tx, { endpoint: record.endpoint, origin: record.origin, bytes }, author);
    store.update(tx, record.seq, data, change.time);
    fingerprints.replaceRecord(tx, record, data);
    events.report(tx, createRecordEvent('updated', record, bytes, change));
  };

  const flush = (): void => {
    const updates = [...pendingUpdates.values()];
    const effectiveUpdates = keepsVersions ? updates.filter(({ record, data }) => data !== record.data) : [];
    if (effectiveUpdates.length > 0) {
      const bytes = effectiveUpdates.reduce((sum, { record }) => sum + Buffer.byteLength(record.data), 0);
      quota.chargeVersions(tx, bytes, author);
      versions.add(
        tx,
        effectiveUpdates.map(({ record }) => record.seq),
        change,
      );
    }
    for (const { record, data } of updates) replaceData(record, data);
    pendingUpdates.clear();
    chars = 0;
  };

  return {
    isPending: (seq: number): boolean => pendingUpdates.has(seq),
    /** The record must not have a pending update. */
    add(record: RecordRow, data: string): void {
      pendingUpdates.set(record.seq, { record, data });
      chars += record.data.length;
      if (chars >= BATCH_CHARS) flush();
    },
    flush,
  };
};
