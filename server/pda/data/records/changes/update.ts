import type { Origin } from '../../../core/endpoint-store.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import type { RecordQuota } from '../quota/record-quota.ts';
import type { RecordRow, RecordStore } from '../store.ts';
import type { RecordVersionStore } from '../versions/store.ts';
import { recordEvent, type ChangeContext } from './change-events.ts';

/** Dependencies of an update. */
export type UpdateParts = {
  store: RecordStore;
  versions: Pick<RecordVersionStore, 'add' | 'days'>;
  fingerprints: FingerprintStore;
  quota: Pick<RecordQuota, 'charge' | 'chargeVersions'>;
  events: EventService;
};

/** Characters of the replaced data up to which updates are collected, so that their versions are stored together. */
const BATCH_CHARS = 1_000_000;

/**
 * Creates an update of many records within one transaction. It replaces their data, updates index entries and usage,
 * keeps replaced data that differs as a version, and reports the events. Versions are stored in batches, because one
 * statement per record takes longer than the update itself.
 * @throws Failure out_of_disk
 */
export const createRecordUpdate = (parts: UpdateParts, tx: Transaction, by: Origin, change: ChangeContext) => {
  const { store, versions, fingerprints, quota, events } = parts;
  const keepsVersions = versions.days() > 0;
  const pending = new Map<number, { record: RecordRow; data: string }>();
  let chars = 0;

  const replaceData = (record: RecordRow, data: string): void => {
    const bytes = Buffer.byteLength(data) - Buffer.byteLength(record.data);
    quota.charge(tx, { endpoint: record.endpoint, origin: record.origin, bytes }, by);
    store.update(tx, record.seq, data, change.time);
    fingerprints.recordChanged(tx, record, data);
    events.report(tx, recordEvent('updated', record, bytes, change));
  };

  /** Applies the collected updates. */
  const flush = (): void => {
    const updates = [...pending.values()];
    const replaced = keepsVersions ? updates.filter(({ record, data }) => data !== record.data) : [];
    if (replaced.length > 0) {
      const bytes = replaced.reduce((sum, { record }) => sum + Buffer.byteLength(record.data), 0);
      quota.chargeVersions(tx, bytes, by);
      versions.add(
        tx,
        replaced.map(({ record }) => record.seq),
        change,
      );
    }
    for (const { record, data } of updates) replaceData(record, data);
    pending.clear();
    chars = 0;
  };

  return {
    /** Returns true if the record has an update that was not applied yet. */
    isPending: (seq: number): boolean => pending.has(seq),
    /** Adds an update of a record that has no pending update. */
    add(record: RecordRow, data: string): void {
      pending.set(record.seq, { record, data });
      chars += record.data.length;
      if (chars >= BATCH_CHARS) flush();
    },
    flush,
  };
};
