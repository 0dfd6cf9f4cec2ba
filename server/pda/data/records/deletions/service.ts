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
import { excerptOf } from './excerpt.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import { recordEvent, endpointEvent, type ChangeContext } from '../changes/change-events.ts';
import { removeRecord } from '../changes/removal.ts';
import type { RecordService } from '../service.ts';
import type { RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

/**
 * Deletes records and endpoints restorably for 30 days (dashboard), and endpoints permanently (API). A whole endpoint disappears at once
 * because it loses its path; its rows are removed later in small transactions.
 */
export type DeletionService = {
  deleteRecords(ids: readonly string[], origin: Origin): Promise<Deletion>;
  /** @throws Failure not_found */
  deleteEndpoint(path: string, origin: Origin): Promise<Deletion>;
  /** Restores a deletion. @throws Failure not_found if it has expired or was already undone */
  undo(deletionId: string, origin: Origin): Promise<Deletion>;
  /** Restores single records of a deletion. @throws Failure not_found | data_missing (a record is not in it; nothing is restored) */
  restore(deletionId: string, seqs: readonly number[], origin: Origin): Promise<RestoreResult>;
  /** Makes a deletion permanent. @throws Failure not_found */
  deletePermanently(deletionId: string): Promise<Deletion>;
  /** Returns deletions, newest first, each with its first records. */
  list(page: { skip: number; take: number }): DeletionEntry[];
  /** Returns a page of the records of a deletion, after a sequence number. @throws Failure not_found */
  records(deletionId: string, page: { after: number; take: number }): DeletedRecordPage;
  /** Permanently deletes all records of an endpoint; does nothing if there are none. */
  clearEndpoint(path: string, origin: Origin, onCleared?: (cleared: ClearedRecords) => void): Promise<void>;
  /** Purges expired deletions. Runs in the background; tests await it. */
  sweep(): Promise<void>;
  /** Registers a listener that is called within the transaction that restores the last record of a deletion. */
  onRestore(listener: (tx: Transaction, deletionId: string) => void): void;
  close(): Promise<void>;
};

/** Records that were deleted with their endpoint. `unnamed`: number of records that are not listed because there are too many. */
export type ClearedRecords = { records: readonly { seq: number; id: string }[]; unnamed: number };

/** Records of a cleared endpoint that are listed. Listing a million records would block the event loop. */
const MAX_NAMED = 5000;
/** Rows that are purged per transaction. */
const PURGE_BATCH_ROWS = 500;
const SWEEP_EVERY_MS = 60_000;

export type DeletionParts = {
  store: DeletionStore;
  records: RecordStore;
  service: RecordService;
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

/** Records that a list shows of each deletion. */
const SAMPLE_RECORDS = 3;

const recordToWire = ({ seq, id, path, created, bytes, excerptSource }: DeletedHead): DeletedRecord => ({
  seq,
  recordId: id,
  endpoint: path,
  dateCreated: isoTime(created),
  bytes,
  excerpt: excerptSource === null ? null : excerptOf(excerptSource),
});

export const createDeletionService = (parts: DeletionParts): DeletionService => {
  const { store, records, service, endpoints, fingerprints, pageOffsets, usage, writer, events, clock, log } = parts;
  let sweeping: Promise<void> | undefined;
  let closed = false;
  const restoreListeners: Parameters<DeletionService['onRestore']>[0][] = [];
  const announceRestore = (tx: Transaction, deletionId: string): void => {
    for (const listener of restoreListeners) listener(tx, deletionId);
  };

  const changeContext = (tx: Transaction, origin: Origin): ChangeContext => ({
    origin: endpoints.origin(tx, origin),
    time: clock.now(),
  });

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
    events.report(tx, { ...endpointEvent('deleted', { endpoint: id, count }, changeContext(tx, origin)), path });
    return { id, records: count };
  };

  const sweep = async (): Promise<void> => {
    const before = clock.now() - DELETED_RECORDS_KEPT_MS;
    for (const row of store.expired(before)) {
      await writer.write((tx) => {
        if (row.endpoint !== null) store.markPermanent(tx, row.endpoint);
        store.forget(tx, row.id);
      });
    }
    for (let ids = store.purgeableEndpoints(); ids.length > 0 && !closed; ids = store.purgeableEndpoints()) {
      for (const endpoint of ids) {
        while (!closed && (await writer.write((tx) => store.purge(tx, endpoint, PURGE_BATCH_ROWS))));
      }
    }
  };

  const startSweep = (): Promise<void> => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'purging deleted records failed and will be retried'))
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
  };

  const timer = setInterval(() => void startSweep(), SWEEP_EVERY_MS);
  timer.unref();

  /** Inserts a deleted record at its endpoint again. Returns the id of the endpoint. */
  const restoreRecord = (tx: Transaction, { path, ...record }: DeletedRow, change: ChangeContext): number => {
    const endpoint = endpoints.intern(tx, path);
    const restored = { ...record, endpoint };
    records.insert(tx, restored);
    fingerprints.recordRestored(tx, restored);
    pageOffsets.drop(endpoint);
    const bytes = Buffer.byteLength(record.data);
    usage.add(tx, { endpoint, origin: record.origin, bytes });
    events.report(tx, recordEvent('restored', restored, bytes, change));
    return endpoint;
  };

  const undoRecords = (tx: Transaction, row: DeletionRow, change: ChangeContext): void => {
    for (const deleted of store.deletedRecords(row.id)) restoreRecord(tx, deleted, change);
  };

  const openDeletion = (deletionId: string): DeletionRow => {
    const row = store.find(deletionId);
    if (row !== undefined && row.time >= clock.now() - DELETED_RECORDS_KEPT_MS) return row;
    throw new Failure('not_found', 'This deletion cannot be undone: it was already undone, or its 30 days are over.');
  };

  const undoEndpoint = (
    tx: Transaction,
    row: DeletionRow & { path: string; endpoint: number },
    change: ChangeContext,
  ): void => {
    const recreated = endpoints.find(row.path);
    // Records that were stored at the path since the deletion are not part of the event.
    const lastSeq = store.newestIn(row.endpoint);
    if (recreated !== undefined) {
      endpoints.hide(tx, recreated, PERMANENT);
      store.merge(tx, row.endpoint, recreated);
      fingerprints.endpointReplaced(tx, recreated);
      pageOffsets.drop(recreated);
    }
    endpoints.show(tx, row.endpoint, row.path);
    fingerprints.endpointReplaced(tx, row.endpoint);
    pageOffsets.drop(row.endpoint);
    const absorbed = recreated === undefined ? {} : { absorbs: recreated };
    const { endpoint, records: count } = row;
    events.report(tx, { ...endpointEvent('restored', { endpoint, count, lastSeq }, change), ...absorbed });
  };

  return {
    deleteRecords: (ids, origin) =>
      writer.write((tx) => {
        const change = changeContext(tx, origin);
        const row = { id: randomUUID(), path: null, endpoint: null, records: new Set(ids).size, time: change.time };
        store.insert(tx, row);
        for (const id of new Set(ids)) {
          const match = service.find(id);
          if (match === undefined)
            throw new Failure('data_missing', 'Some of these records no longer exist. Nothing was deleted.');
          const { record, endpoint: path } = match;
          store.addRecord(tx, row.id, { ...record, path });
          removeRecord(parts, tx, record, change);
        }
        return toWire(row);
      }),

    deleteEndpoint: (path, origin) =>
      writer.write((tx) => {
        const id = randomUUID();
        const hidden = hideEndpoint(tx, path, id, origin);
        if (hidden === undefined) throw new Failure('not_found', `There are no records at ${path}.`);
        const row = { id, path, endpoint: hidden.id, records: hidden.records, time: clock.now() };
        store.insert(tx, row);
        return toWire(row);
      }),

    undo: (deletionId, origin) =>
      writer.write((tx) => {
        const row = openDeletion(deletionId);
        const change = changeContext(tx, origin);
        if (row.endpoint !== null && row.path !== null)
          undoEndpoint(tx, { ...row, path: row.path, endpoint: row.endpoint }, change);
        else undoRecords(tx, row, change);
        store.forget(tx, row.id);
        announceRestore(tx, row.id);
        return toWire(row);
      }),

    restore: (deletionId, seqs, origin) =>
      writer.write((tx) => {
        const row = openDeletion(deletionId);
        const change = changeContext(tx, origin);
        const selectedSeqs = [...new Set(seqs)];
        const remaining = row.records - selectedSeqs.length;
        let restoredTo: number | undefined;
        for (const seq of selectedSeqs) {
          const record = store.takeRecord(tx, row, seq);
          if (record === undefined)
            throw new Failure('data_missing', 'Some of these records were restored already. Nothing was changed.');
          restoredTo = restoreRecord(tx, record, change);
        }
        if (row.endpoint !== null && restoredTo !== undefined)
          store.moveImportKeys(tx, row.endpoint, restoredTo, selectedSeqs);
        if (remaining > 0) store.setLeft(tx, row.id, remaining);
        else {
          if (row.endpoint !== null) store.markPermanent(tx, row.endpoint);
          store.forget(tx, row.id);
          announceRestore(tx, row.id);
        }
        return { restored: selectedSeqs.length, left: Math.max(0, remaining) };
      }),

    async deletePermanently(deletionId) {
      const deletion = await writer.write((tx) => {
        const row = openDeletion(deletionId);
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
      const records = store.recordsAfter(openDeletion(deletionId), after, take + 1);
      const page = records.slice(0, take);
      return { records: page.map(recordToWire), next: records.length > take ? (page.at(-1)?.seq ?? null) : null };
    },

    async clearEndpoint(path, origin, onCleared) {
      const cleared = await writer.write((tx): ClearedRecords => {
        const id = endpoints.find(path);
        const count = endpoints.summary(path)?.records ?? 0;
        const isListed = onCleared !== undefined && id !== undefined && count <= MAX_NAMED;
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
      closed = true;
      clearInterval(timer);
      await sweeping;
    },
  };
};
