import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../../../platform/failure.ts';
import { TRANSACTION_MAX_BYTES, TRANSACTION_MAX_RECORDS } from '../../../../wire/work-limits.ts';
import { PERMANENT_DELETION, type EndpointStore, type Origin } from '../../../core/endpoint-store.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { UsageStore } from '../../../core/usage-store.ts';
import type { Transaction } from '../../../storage/index.ts';
import { createEndpointEvent, createRecordEvent, type ChangeContext } from '../changes/change-events.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import type { PageOffsetIndex } from '../paging/page-offset-index.ts';
import type { RecordStore } from '../store.ts';
import type { DeletedRow, DeletionRow, DeletionStore } from './store.ts';
import { withProgress, type DeletionMutex } from './deletion-mutex.ts';

export type RestorationParts = {
  store: DeletionStore;
  records: RecordStore;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  pageOffsets: PageOffsetIndex;
  usage: UsageStore;
  events: EventService;
  deletionMutex: DeletionMutex;
  createChangeContext: (tx: Transaction, origin: Origin) => ChangeContext;
};

type RestoreListener = (tx: Transaction, deletionId: string) => void;
type EndpointDeletion = DeletionRow & { path: string; endpoint: number };

type PartOutcome = {
  examined: number;
  restored: number;
  /** True if the deletion has no more records or has been erased. */
  isEnded: boolean;
};

const KEYS_PER_PART = 1000;

const isEndpointDeletion = (row: DeletionRow): row is EndpointDeletion => row.endpoint !== null && row.path !== null;

/**
 * Restores deleted records in small transactions, or a whole endpoint in one transaction if few records have since
 * been stored at its path. An interruption leaves the remaining records in the deletion. Changes of one deletion must
 * not run at the same time.
 */
export const createRestoration = (parts: RestorationParts) => {
  const { store, records, endpoints, fingerprints, pageOffsets, usage, events, deletionMutex } = parts;
  const { createChangeContext } = parts;
  const listeners: RestoreListener[] = [];

  const endDeletion = (tx: Transaction, deletionId: string): void => {
    store.forget(tx, deletionId);
    for (const listener of listeners) listener(tx, deletionId);
  };

  /** @param hiddenEndpoint endpoint with which the record was deleted; null if only the record was deleted */
  const restoreRecord = (
    tx: Transaction,
    { path, ...record }: DeletedRow,
    hiddenEndpoint: number | null,
    change: ChangeContext,
  ): void => {
    const endpoint = endpoints.intern(tx, path);
    const row = { ...record, endpoint };
    if (hiddenEndpoint === null) records.insert(tx, row);
    else {
      store.moveHidden(tx, record, { from: hiddenEndpoint, into: endpoint });
      fingerprints.removeRecord(tx, { ...record, endpoint: hiddenEndpoint });
    }
    fingerprints.restoreRecord(tx, row);
    pageOffsets.drop(endpoint);
    const bytes = Buffer.byteLength(record.data);
    usage.add(tx, { endpoint, origin: record.origin, bytes });
    events.report(tx, createRecordEvent('restored', row, bytes, change));
  };

  const restorePart = (tx: Transaction, row: DeletionRow, seqs: readonly number[], origin: Origin): PartOutcome => {
    const outcome: PartOutcome = { examined: 0, restored: 0, isEnded: false };
    // An erasure may remove records or the deletion between two transactions.
    if (store.find(row.id) === undefined) return { ...outcome, isEnded: true };
    const change = createChangeContext(tx, origin);
    let bytes = 0;
    for (const seq of seqs) {
      if (bytes >= TRANSACTION_MAX_BYTES) break;
      outcome.examined += 1;
      const record = store.findRecord(row, seq);
      if (record === undefined) continue;
      restoreRecord(tx, record, row.endpoint, change);
      if (row.endpoint === null) store.removeRecord(tx, row.id, seq);
      bytes += Buffer.byteLength(record.data);
      outcome.restored += 1;
    }
    store.reduceCount(tx, row.id, outcome.restored);
    if (store.firstSeqs(row, 1).length > 0) return outcome;
    if (isEndpointDeletion(row)) {
      const into = endpoints.find(row.path);
      if (into !== undefined) store.moveViewGrants(tx, { from: row.endpoint, into });
      store.markPermanent(tx, row.endpoint);
    }
    endDeletion(tx, row.id);
    return { ...outcome, isEnded: true };
  };

  /** @param nextSeqs returns the next sequence numbers, given how many were examined; undefined at the end */
  const restoreInParts = async (
    row: DeletionRow,
    origin: Origin,
    nextSeqs: (examined: number) => readonly number[] | undefined,
  ): Promise<number> => {
    let restoredCount = 0;
    let examined = 0;
    try {
      for (let seqs = nextSeqs(0); seqs !== undefined; seqs = nextSeqs(examined)) {
        const partSeqs = seqs;
        const outcome = await deletionMutex.write((tx) => restorePart(tx, row, partSeqs, origin));
        restoredCount += outcome.restored;
        examined += outcome.examined;
        if (outcome.isEnded) break;
      }
      return restoredCount;
    } catch (error) {
      throw withProgress(error, restoredCount, 'restored');
    }
  };

  /**
   * Moves import keys to the endpoint that now has the path. Imports ignore a key whose record has not been moved yet.
   * @param seqs records whose keys are moved; undefined: all
   */
  const moveImportKeys = async (row: EndpointDeletion, seqs?: ReadonlySet<number>): Promise<void> => {
    for (let after: Buffer = Buffer.alloc(0); ;) {
      const keys = store.importKeysAfter(row.endpoint, after, KEYS_PER_PART);
      const last = keys.at(-1);
      if (last === undefined) return;
      const movedKeys = seqs === undefined ? keys : keys.filter(({ seq }) => seqs.has(seq));
      if (movedKeys.length === 0) await nextTurn();
      else
        await deletionMutex.write((tx) => {
          // If an erasure has removed the deletion, its path must not be stored again.
          if (store.find(row.id) === undefined) return;
          const into = endpoints.intern(tx, row.path);
          for (const { key } of movedKeys) store.moveImportKey(tx, { from: row.endpoint, into, key });
        });
      after = last.key;
    }
  };

  /** Merges records that were stored at the path after the deletion into the deleted endpoint. */
  const mergeRecreated = (tx: Transaction, { endpoint }: EndpointDeletion, recreatedId: number): void => {
    const newRecords = records.chunk(recreatedId, -1, TRANSACTION_MAX_RECORDS);
    endpoints.hide(tx, recreatedId, PERMANENT_DELETION);
    store.merge(tx, endpoint, recreatedId);
    for (const record of newRecords) fingerprints.restoreRecord(tx, { ...record, endpoint });
    fingerprints.invalidateWatches(tx, recreatedId);
    pageOffsets.drop(recreatedId);
  };

  /**
   * Shows a deleted endpoint at its path again. Returns false if the records or import keys that have been stored
   * there since do not fit into one transaction.
   * @throws Failure not_found
   */
  const showEndpoint = (tx: Transaction, row: EndpointDeletion, origin: Origin): boolean => {
    if (store.find(row.id) === undefined) throw new Failure('not_found', 'This deletion was erased.');
    const recreatedId = endpoints.find(row.path);
    if (recreatedId !== undefined && !store.fitsTransaction(recreatedId)) return false;
    // The event does not include records that were stored at the path after the deletion.
    const lastSeq = store.readNewestSeq(row.endpoint);
    if (recreatedId !== undefined) mergeRecreated(tx, row, recreatedId);
    endpoints.show(tx, row.endpoint, row.path);
    fingerprints.invalidateWatches(tx, row.endpoint);
    pageOffsets.drop(row.endpoint);
    const absorption = recreatedId === undefined ? {} : { absorbs: recreatedId };
    const event = createEndpointEvent(
      'restored',
      { endpoint: row.endpoint, count: row.records, lastSeq },
      createChangeContext(tx, origin),
    );
    events.report(tx, { ...event, ...absorption });
    endDeletion(tx, row.id);
    return true;
  };

  return {
    /**
     * Restores the records of a deletion and removes the deletion. Returns the number of restored records.
     * @throws Failure unavailable, or not_found if the deletion of an endpoint has been erased
     */
    async restoreAll(row: DeletionRow, origin: Origin): Promise<number> {
      if (isEndpointDeletion(row)) {
        if (await deletionMutex.write((tx) => showEndpoint(tx, row, origin))) return row.records;
        await moveImportKeys(row);
      }
      return restoreInParts(row, origin, () => store.firstSeqs(row, TRANSACTION_MAX_RECORDS));
    },

    /**
     * Restores some records of a deletion. Removes the deletion if no record is left in it. Returns the number of
     * restored records.
     * @throws Failure unavailable
     */
    async restoreSome(row: DeletionRow, seqs: readonly number[], origin: Origin): Promise<number> {
      if (isEndpointDeletion(row)) await moveImportKeys(row, new Set(seqs));
      return restoreInParts(row, origin, (examined) =>
        examined < seqs.length ? seqs.slice(examined, examined + TRANSACTION_MAX_RECORDS) : undefined,
      );
    },

    onRestore: (listener: RestoreListener) => void listeners.push(listener),
  };
};
