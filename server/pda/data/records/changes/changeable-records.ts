import { Failure } from '../../../../platform/failure.ts';
import { namespaceOf } from '../../../../wire/display-name.ts';
import { CHANGED_RECORDS_MAX_BYTES } from '../../../../wire/work-limits.ts';
import type { LocatedRecord, RecordUpdate } from '../service.ts';
import type { RecordStore } from '../store.ts';

type RecordLookup = {
  locate: (id: string) => LocatedRecord | undefined;
  store: Pick<RecordStore, 'bytesOf'>;
};

export const missingRecordsFailure = (action: 'update' | 'delete'): Failure =>
  new Failure('data_missing', `Could not ${action} records: records missing. Nothing was changed.`);

/**
 * Refuses records that are together too large for one request. Accepts a single record of any size, so that every
 * record can be changed and deleted.
 * @throws Failure too_large
 */
const requireFittingSize = (store: Pick<RecordStore, 'bytesOf'>, records: readonly LocatedRecord[]): void => {
  const seqs = new Set(records.map(({ seq }) => seq));
  if (seqs.size <= 1) return;
  const bytes = store.bytesOf([...seqs]);
  if (bytes <= CHANGED_RECORDS_MAX_BYTES) return;
  throw new Failure(
    'too_large',
    `Together, these records take up ${bytes} bytes. One request can change or delete up to ` +
      `${CHANGED_RECORDS_MAX_BYTES} bytes, or a single record. Nothing was changed. Use several requests.`,
  );
};

/** @throws Failure data_missing if a record is not at its endpoint; too_large if the records are together too large */
export const requireUpdatableRecords = ({ locate, store }: RecordLookup, changes: readonly RecordUpdate[]): void => {
  const records = changes.map(({ recordId, endpoint }) => {
    const record = locate(recordId);
    if (record === undefined || record.endpoint !== endpoint) throw missingRecordsFailure('update');
    return record;
  });
  requireFittingSize(store, records);
};

/**
 * Returns the records with these ids, without duplicates.
 * @throws Failure data_missing; forbidden unless all of them may be deleted; too_large if they are together too large
 */
export const locateRemovableRecords = (
  { locate, store }: RecordLookup,
  ids: readonly string[],
  mayWrite: (namespace: string) => boolean,
): LocatedRecord[] => {
  const records = [...new Set(ids)].map((id) => {
    const record = locate(id);
    if (record === undefined) throw missingRecordsFailure('delete');
    if (mayWrite(namespaceOf(record.endpoint))) return record;
    throw new Failure(
      'forbidden',
      'This token does not allow deleting at least one of these records. Nothing was deleted.',
    );
  });
  requireFittingSize(store, records);
  return records;
};
