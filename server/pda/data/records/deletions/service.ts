import { randomUUID } from 'node:crypto';
import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { DELETED_RECORDS_KEPT_MS } from '../../../../wire/limits.ts';
import type {
  DeletedRecord,
  DeletedRecordPage,
  Deletion,
  DeletionEntry,
  RestoreResult,
} from '../../../../wire/owner.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { PageOffsetIndex } from '../paging/page-offset-index.ts';
import { PERMANENT, type DeletedHead, type DeletedRow, type DeletionRow, type DeletionStore } from './store.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import { createRecordExcerpt } from './excerpt.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import { recordEvent, endpointEvent, type ChangeContext } from '../changes/change-events.ts';
import { removeRecord } from '../changes/removal.ts';
import type { RecordService } from '../service.ts';
import type { RecordVersionService } from '../versions/service.ts';
import type { RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

/**
 * Deletes records and endpoints so that they can be restored for 30 days (dashboard), and endpoints permanently (API).
 * A deleted endpoint disappears at once, because it loses its path. Its rows are removed later in small transactions.
 */
export type DeletionService = {
  /** Deletes all records, or none. @throws Failure data_missing */
  deleteRecords(ids: readonly string[], origin: Origin): Promise<Deletion>;
  /** Deletes all records of an endpoint. @throws Failure not_found */
  deleteEndpoint(path: string, origin: Origin): Promise<Deletion>;
  /** Restores a deletion. @throws Failure not_found if it has expired or was already undone */
  undo(deletionId: string, origin: Origin): Promise<Deletion>;
  /**
   * Restores single records of a deletion, all or none.
   * @throws Failure not_found, or data_missing if a record is not in it
   */
  restore(deletionId: string, seqs: readonly number[], origin: Origin): Promise<RestoreResult>;
  /** Makes a deletion permanent. @throws Failure not_found */
  deletePermanently(deletionId: string): Promise<Deletion>;
  /** Returns deletions, newest first, each with its first records. */
  list(page: { skip: number; take: number }): DeletionEntry[];
  /** Returns a page of the records of a deletion, after a sequence number. @throws Failure not_found */
  records(deletionId: string, page: { after: number; take: number }): DeletedRecordPage;
  /** Permanently deletes all records of an endpoint; does nothing if there are none. */
  clearEndpoint(path: string, origin: Origin, onCleared?: (cleared: ClearedRecords) => void): Promise<void>;
  /** Purges expired deletions and versions of records. Runs in the background; tests await it. */
  sweep(): Promise<void>;
  /** Registers a listener that is called within the transaction that restores the last record of a deletion. */
  onRestore(listener: (tx: Transaction, deletionId: string) => void): void;
  /** Stops the sweep after its current transaction. */
  close(): Promise<void>;
};

/**
 * Records that were deleted with their endpoint. `unnamed`: number of records that are not listed, because they are too
 * many.
 */
export type ClearedRecords = { records: readonly { seq: number; id: string }[]; unnamed: number };

/** Maximum records of a cleared endpoint that are listed. Listing a million records would block the event loop. */
const MAX_LISTED_RECORDS = 5000;
/** Maximum rows that are purged per transaction. */
const PURGE_BATCH_ROWS = 500;
const SWEEP_INTERVAL_MS = 60_000;

/** Dependencies of the deletion service. */
export type DeletionParts = {
  store: DeletionStore;
  records: RecordStore;
  service: RecordService;
  versions: Pick<RecordVersionService, 'prune'>;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  pageOffsets: PageOffsetIndex;
  usage: UsageStore;
  writer: Writer;
  events: EventService;
  clock: Clock;
  log: Log;
};

const toWire = (row: DeletionRow): Deletion => ({
  deletionId: row.id,
  endpoint: row.path,
  records: row.records,
  deleted: isoTime(row.time),
  until: isoTime(row.time + DELETED_RECORDS_KEPT_MS),
});

/** Records that the list shows for each deletion. */
const SAMPLE_RECORDS = 3;

const recordToWire = ({ seq, id, path, created, bytes, excerptSource }: DeletedHead): DeletedRecord => ({
  seq,
  recordId: id,
  endpoint: path,
  dateCreated: isoTime(created),
  bytes,
  excerpt: excerptSource === null ? null : createRecordExcerpt(excerptSource),
});

export const createDeletionService = (parts: DeletionParts): DeletionService => {
  const { store, records, service, endpoints, fingerprints, pageOffsets, usage, writer, events, clock, log } = parts;
  let currentSweep: Promise<void> | undefined;
  let isClosed = false;
  const restoreListeners: Parameters<DeletionService['onRestore']>[0][] = [];
  const notifyRestore = (tx: Transaction, deletionId: string): void => {
    for (const listener of restoreListeners) listener(tx, deletionId);
  };

  const createChangeContext = (tx: Transaction, origin: Origin): ChangeContext => ({
    origin: endpoints.origin(tx, origin),
    time: clock.now(),
  });

  /** Removes the path of an endpoint and reports its deletion. Returns undefined if it has no records. */
  const hideEndpoint = (
    tx: Transaction,
    path: string,
    deletion: string,
    origin: Origin,
  ): { id: number; records: number } | undefined => {
    const id = endpoints.find(path);
    const summary = endpoints.summary(path);
    if (id === undefined || summary === undefined || summary.records === 0) return undefined;
    endpoints.hide(tx, id, deletion);
    fingerprints.endpointReplaced(tx, id);
    pageOffsets.drop(id);
    const count = summary.records;
    events.report(tx, { ...endpointEvent('deleted', { endpoint: id, count }, createChangeContext(tx, origin)), path });
    return { id, records: count };
  };

  const sweep = async (): Promise<void> => {
    const expiredBefore = clock.now() - DELETED_RECORDS_KEPT_MS;
    for (const row of store.expired(expiredBefore)) {
      await writer.write((tx) => {
        if (row.endpoint !== null) store.markPermanent(tx, row.endpoint);
        store.forget(tx, row.id);
      });
    }
    for (let ids = store.purgeableEndpoints(); ids.length > 0 && !isClosed; ids = store.purgeableEndpoints()) {
      for (const endpoint of ids) {
        while (!isClosed && (await writer.write((tx) => store.purge(tx, endpoint, PURGE_BATCH_ROWS))));
      }
    }
    await parts.versions.prune();
  };

  const startSweep = (): Promise<void> => {
    currentSweep ??= sweep()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'failed to purge deleted records and versions; the purge is retried in a minute'),
      )
      .finally(() => {
        currentSweep = undefined;
      });
    return currentSweep;
  };

  const timer = setInterval(() => void startSweep(), SWEEP_INTERVAL_MS);
  timer.unref();

  /**
   * Stores a deleted record at its endpoint again. Returns the id of the endpoint.
   * @param hiddenEndpoint endpoint with which the record was deleted; null if it was deleted by itself
   */
  const restoreRecord = (
    tx: Transaction,
    { path, ...record }: DeletedRow,
    hiddenEndpoint: number | null,
    change: ChangeContext,
  ): number => {
    const endpoint = endpoints.intern(tx, path);
    const row = { ...record, endpoint };
    if (hiddenEndpoint === null) records.insert(tx, row);
    else store.moveHidden(tx, record, { from: hiddenEndpoint, into: endpoint });
    fingerprints.recordRestored(tx, row);
    pageOffsets.drop(endpoint);
    const bytes = Buffer.byteLength(record.data);
    usage.add(tx, { endpoint, origin: record.origin, bytes });
    events.report(tx, recordEvent('restored', row, bytes, change));
    return endpoint;
  };

  const undoRecords = (tx: Transaction, row: DeletionRow, change: ChangeContext): void => {
    // One by one, because together they may have gigabytes.
    for (const seq of store.deletedSeqs(row.id)) {
      const record = store.findRecord(row, seq);
      if (record !== undefined) restoreRecord(tx, record, null, change);
    }
  };

  /** Returns a deletion that can still be undone. @throws Failure not_found */
  const requireRestorable = (deletionId: string): DeletionRow => {
    const row = store.find(deletionId);
    if (row !== undefined && row.time >= clock.now() - DELETED_RECORDS_KEPT_MS) return row;
    throw new Failure('not_found', 'This deletion cannot be undone: it was already undone, or its 30 days are over.');
  };

  const undoEndpoint = (
    tx: Transaction,
    row: DeletionRow & { path: string; endpoint: number },
    change: ChangeContext,
  ): void => {
    const recreatedId = endpoints.find(row.path);
    // The event does not include records that were stored at the path after the deletion.
    const lastSeq = store.newestIn(row.endpoint);
    if (recreatedId !== undefined) {
      endpoints.hide(tx, recreatedId, PERMANENT);
      store.merge(tx, row.endpoint, recreatedId);
      fingerprints.endpointReplaced(tx, recreatedId);
      pageOffsets.drop(recreatedId);
    }
    endpoints.show(tx, row.endpoint, row.path);
    fingerprints.endpointReplaced(tx, row.endpoint);
    pageOffsets.drop(row.endpoint);
    const absorption = recreatedId === undefined ? {} : { absorbs: recreatedId };
    const { endpoint, records: count } = row;
    events.report(tx, { ...endpointEvent('restored', { endpoint, count, lastSeq }, change), ...absorption });
  };

  return {
    deleteRecords: (ids, origin) =>
      writer.write((tx) => {
        const change = createChangeContext(tx, origin);
        const row = { id: randomUUID(), path: null, endpoint: null, records: new Set(ids).size, time: change.time };
        store.insert(tx, row);
        for (const id of new Set(ids)) {
          const match = service.find(id);
          if (match === undefined)
            throw new Failure('data_missing', 'Some of these records no longer exist. Nothing was deleted.');
          const { record, endpoint: path } = match;
          // The deleted row is added first, because the versions of a record are dropped with its last row.
          store.addRecord(tx, row.id, { ...record, path });
          removeRecord(parts, tx, record, change);
        }
        return toWire(row);
      }),

    deleteEndpoint: (path, origin) =>
      writer.write((tx) => {
        const id = randomUUID();
        const endpoint = hideEndpoint(tx, path, id, origin);
        if (endpoint === undefined) throw new Failure('not_found', `There are no records at ${path}.`);
        const row = { id, path, endpoint: endpoint.id, records: endpoint.records, time: clock.now() };
        store.insert(tx, row);
        return toWire(row);
      }),

    undo: (deletionId, origin) =>
      writer.write((tx) => {
        const row = requireRestorable(deletionId);
        const change = createChangeContext(tx, origin);
        if (row.endpoint !== null && row.path !== null)
          undoEndpoint(tx, { ...row, path: row.path, endpoint: row.endpoint }, change);
        else undoRecords(tx, row, change);
        store.forget(tx, row.id);
        notifyRestore(tx, row.id);
        return toWire(row);
      }),

    restore: (deletionId, seqs, origin) =>
      writer.write((tx) => {
        const row = requireRestorable(deletionId);
        const change = createChangeContext(tx, origin);
        const selectedSeqs = [...new Set(seqs)];
        const remaining = row.records - selectedSeqs.length;
        let targetEndpoint: number | undefined;
        for (const seq of selectedSeqs) {
          const record = store.findRecord(row, seq);
          if (record === undefined)
            throw new Failure('data_missing', 'Some of these records have already been restored. Nothing was changed.');
          targetEndpoint = restoreRecord(tx, record, row.endpoint, change);
          if (row.endpoint === null) store.removeRecord(tx, row.id, seq);
        }
        if (row.endpoint !== null && targetEndpoint !== undefined)
          store.moveImportKeys(tx, row.endpoint, targetEndpoint, selectedSeqs);
        if (remaining > 0) store.setLeft(tx, row.id, remaining);
        else {
          if (row.endpoint !== null) store.markPermanent(tx, row.endpoint);
          store.forget(tx, row.id);
          notifyRestore(tx, row.id);
        }
        return { restored: selectedSeqs.length, left: Math.max(0, remaining) };
      }),

    async deletePermanently(deletionId) {
      const deletion = await writer.write((tx) => {
        const row = requireRestorable(deletionId);
        if (row.endpoint !== null) store.markPermanent(tx, row.endpoint);
        store.forget(tx, row.id);
        return toWire(row);
      });
      void startSweep();
      return deletion;
    },

    list: ({ skip, take }) =>
      store.list({ since: clock.now() - DELETED_RECORDS_KEPT_MS, skip, take }).map((row) => ({
        ...toWire(row),
        sample: store.recordsAfter(row, 0, SAMPLE_RECORDS).map(recordToWire),
      })),

    records(deletionId, { after, take }) {
      const records = store.recordsAfter(requireRestorable(deletionId), after, take + 1);
      const page = records.slice(0, take);
      return { records: page.map(recordToWire), next: records.length > take ? (page.at(-1)?.seq ?? null) : null };
    },

    async clearEndpoint(path, origin, onCleared) {
      const cleared = await writer.write((tx): ClearedRecords => {
        const id = endpoints.find(path);
        const count = endpoints.summary(path)?.records ?? 0;
        const isListed = onCleared !== undefined && id !== undefined && count <= MAX_LISTED_RECORDS;
        const records = isListed ? store.heads(id) : [];
        hideEndpoint(tx, path, PERMANENT, origin);
        return { records, unnamed: count - records.length };
      });
      onCleared?.(cleared);
      void startSweep();
    },

    sweep: startSweep,
    onRestore: (listener) => void restoreListeners.push(listener),

    async close() {
      isClosed = true;
      clearInterval(timer);
      await currentSweep;
    },
  };
};
