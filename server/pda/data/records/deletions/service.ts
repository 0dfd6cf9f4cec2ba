import { randomUUID } from 'node:crypto';
import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { DELETED_RECORDS_KEPT_MS } from '../../../../wire/limits.ts';
import { TRANSACTION_MAX_BYTES, TRANSACTION_MAX_RECORDS } from '../../../../wire/work-limits.ts';
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
import type { DeletedHead, DeletionRow, DeletionStore } from './store.ts';
import { PERMANENT_DELETION, type EndpointStore, type Origin } from '../../../core/endpoint-store.ts';
import { createRecordExcerpt } from './excerpt.ts';
import { createRestoration } from './restoration.ts';
import { createDeletionMutex, withProgress } from './deletion-mutex.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import { runInSlices, type SteppedWork } from '../deduplication/time-slices.ts';
import { createEndpointEvent, type ChangeContext } from '../changes/change-events.ts';
import { removeRecord } from '../changes/removal.ts';
import type { RecordService } from '../service.ts';
import type { RecordVersionService } from '../versions/service.ts';
import type { RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

/**
 * Deletes records and endpoints, which can be restored for 30 days or are deleted permanently.
 * A deleted endpoint disappears immediately, because it loses its path. Its rows are removed later in small
 * transactions.
 */
export type DeletionService = {
  /**
   * Deletes records in small transactions. All records must exist at the start; records that other requests delete in
   * the meantime are left out. If the process ends between transactions, the deletion contains the records deleted so
   * far.
   * @throws Failure data_missing: nothing was deleted; unavailable if the work of `runExclusively` takes too long
   */
  deleteRecords(ids: readonly string[], origin: Origin): Promise<Deletion>;
  /** @throws Failure not_found */
  deleteEndpoint(path: string, origin: Origin): Promise<Deletion>;
  /** @throws Failure unavailable, or not_found if the deletion has expired or been undone, made permanent or erased */
  undo(deletionId: string, origin: Origin): Promise<Deletion>;
  /** @throws Failure not_found | unavailable; data_missing if a record is not in the deletion: nothing was restored */
  restore(deletionId: string, seqs: readonly number[], origin: Origin): Promise<RestoreResult>;
  /** @throws Failure not_found */
  deletePermanently(deletionId: string): Promise<Deletion>;
  /** Returns the deletions, newest first. */
  list(page: { skip: number; take: number }): DeletionEntry[];
  /** @param page `after`: sequence number. @throws Failure not_found */
  records(deletionId: string, page: { after: number; take: number }): DeletedRecordPage;
  /** Permanently deletes all records of an endpoint, if there are any. Calls `onCleared` in either case. */
  clearEndpoint(path: string, origin: Origin, onCleared?: (clearedRecords: ClearedRecords) => void): Promise<void>;
  /** Purges expired deletions and endpoints that were deleted permanently, and prunes versions. */
  sweep(): Promise<void>;
  /**
   * Runs work while deletions of records and all restorations wait before their next transaction. A deletion or
   * restoration that waits for too long fails with `unavailable`.
   */
  runExclusively<R>(work: () => Promise<R>): Promise<R>;
  /** Registers a listener that is called within the transaction that restores the last record of a deletion. */
  onRestore(listener: (tx: Transaction, deletionId: string) => void): void;
  /** Stops the sweep after its current transaction. */
  close(): Promise<void>;
};

export type ClearedRecords = {
  /** Empty if there are too many to list. */
  records: readonly { seq: number; id: string }[];
  /** Number of deleted records that `records` omits. */
  omittedCount: number;
};

/** Listing a million records would block the event loop. */
const MAX_LISTED_RECORDS = 5000;
const SWEEP_INTERVAL_MS = 60_000;

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
  const { store, service, endpoints, fingerprints, pageOffsets, writer, events, clock, log } = parts;
  let currentSweep: Promise<void> | undefined;
  let isClosed = false;
  const deletionMutex = createDeletionMutex(writer);

  const createChangeContext = (tx: Transaction, origin: Origin): ChangeContext => ({
    origin: endpoints.internOrigin(tx, origin),
    time: clock.now(),
  });
  const restoration = createRestoration({ ...parts, deletionMutex, createChangeContext });

  /** Returns undefined if the endpoint has no records. */
  const hideEndpoint = (
    tx: Transaction,
    path: string,
    deletion: string,
    origin: Origin,
  ): { id: number; records: number } | undefined => {
    const { id, records } = endpoints.summary(path) ?? { id: -1, records: 0 };
    if (records === 0) return undefined;
    endpoints.hide(tx, id, deletion);
    fingerprints.invalidateWatches(tx, id);
    pageOffsets.drop(id);
    events.report(tx, {
      ...createEndpointEvent('deleted', { endpoint: id, count: records }, createChangeContext(tx, origin)),
      path,
    });
    return { id, records };
  };

  /** Purges records of an expired deletion. Returns true if some may be left. */
  const purgeExpired = (tx: Transaction, { id, endpoint }: DeletionRow): boolean => {
    if (endpoint === null) return store.purgeExpired(tx, id);
    // The endpoint's records are purged together with those of all permanently deleted endpoints.
    store.markPermanent(tx, endpoint);
    store.forget(tx, id);
    return false;
  };

  const sweep = async (): Promise<void> => {
    const expiredBefore = clock.now() - DELETED_RECORDS_KEPT_MS;
    for (const row of store.expiredDeletions(expiredBefore)) {
      // A deletion can expire while it is being restored.
      while (!isClosed && (await writer.write((tx) => !deletionMutex.isChanging(row.id) && purgeExpired(tx, row))));
    }
    for (let ids = store.purgeableEndpoints(); ids.length > 0 && !isClosed; ids = store.purgeableEndpoints()) {
      for (const endpoint of ids) {
        while (!isClosed && (await writer.write((tx) => store.purge(tx, endpoint))));
      }
    }
    if (!isClosed) await parts.versions.prune();
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

  const missingRecordsFailure = (): Failure =>
    new Failure('data_missing', 'Some of these records no longer exist. Nothing was deleted.');

  function* requireExisting(ids: readonly string[]): SteppedWork<void> {
    for (const id of ids) {
      if (service.locate(id) === undefined) throw missingRecordsFailure();
      yield 1;
    }
  }

  const deletePart = (
    tx: Transaction,
    { row, ids, isFirst }: { row: DeletionRow; ids: readonly string[]; isFirst: boolean },
    origin: Origin,
  ): { examined: number; deleted: number } => {
    const change = createChangeContext(tx, origin);
    const outcome = { examined: 0, deleted: 0 };
    let bytes = 0;
    for (const id of ids) {
      if (bytes >= TRANSACTION_MAX_BYTES) break;
      outcome.examined += 1;
      const match = service.find(id);
      if (match === undefined && isFirst) throw missingRecordsFailure();
      if (match === undefined) continue;
      const record = { ...match.record, path: match.endpoint };
      // Adds the row of `deleted_records` first: without a row there or in `records`, the versions would be orphaned.
      store.addRecord(tx, row.id, record);
      removeRecord(parts, tx, record, change);
      bytes += Buffer.byteLength(record.data);
      outcome.deleted += 1;
    }
    if (outcome.deleted > 0) store.addToCount(tx, row, outcome.deleted);
    return outcome;
  };

  const deleteInParts = async (row: DeletionRow, ids: readonly string[], origin: Origin): Promise<Deletion> => {
    let deletedCount = 0;
    try {
      for (let start = 0; start < ids.length;) {
        const part = { row, ids: ids.slice(start, start + TRANSACTION_MAX_RECORDS), isFirst: start === 0 };
        const outcome = await deletionMutex.write((tx) => deletePart(tx, part, origin));
        start += outcome.examined;
        deletedCount += outcome.deleted;
      }
    } catch (error) {
      throw withProgress(error, deletedCount, 'deleted');
    }
    return toWire({ ...row, records: deletedCount });
  };

  /** @throws Failure not_found */
  const requireRestorable = (deletionId: string): DeletionRow => {
    const row = store.find(deletionId);
    if (row !== undefined && row.time >= clock.now() - DELETED_RECORDS_KEPT_MS) return row;
    throw new Failure(
      'not_found',
      'This deletion does not exist. It may have been undone, made permanent or erased, or its 30 days are over.',
    );
  };

  return {
    async deleteRecords(ids, origin) {
      const selectedIds = [...new Set(ids)];
      await runInSlices(requireExisting(selectedIds));
      const row = { id: randomUUID(), path: null, endpoint: null, records: 0, time: clock.now() };
      return deletionMutex.runSerially(row.id, () => deleteInParts(row, selectedIds, origin));
    },

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
      deletionMutex.runSerially(deletionId, async () => {
        const row = requireRestorable(deletionId);
        return toWire({ ...row, records: await restoration.restoreAll(row, origin) });
      }),

    restore: (deletionId, seqs, origin) =>
      deletionMutex.runSerially(deletionId, async () => {
        const row = requireRestorable(deletionId);
        const selectedSeqs = [...new Set(seqs)];
        if (!store.contains(row, selectedSeqs))
          throw new Failure(
            'data_missing',
            'Some of these records are not in this deletion. They may already have been restored. Nothing was changed.',
          );
        const restored = await restoration.restoreSome(row, selectedSeqs, origin);
        return { restored, left: store.find(deletionId)?.records ?? 0 };
      }),

    async deletePermanently(deletionId) {
      const deletion = await deletionMutex.runSerially(deletionId, () =>
        writer.write((tx) => {
          const row = requireRestorable(deletionId);
          if (row.endpoint === null) store.expire(tx, row.id);
          else {
            store.markPermanent(tx, row.endpoint);
            store.forget(tx, row.id);
          }
          return toWire(row);
        }),
      );
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
      const clearedRecords = await writer.write((tx): ClearedRecords => {
        const summary = endpoints.summary(path);
        if (summary === undefined) return { records: [], omittedCount: 0 };
        const isListed = onCleared !== undefined && summary.records <= MAX_LISTED_RECORDS;
        const records = isListed ? store.heads(summary.id) : [];
        hideEndpoint(tx, path, PERMANENT_DELETION, origin);
        return { records, omittedCount: summary.records - records.length };
      });
      onCleared?.(clearedRecords);
      void startSweep();
    },

    sweep: startSweep,
    runExclusively: deletionMutex.runExclusively,
    onRestore: restoration.onRestore,

    async close() {
      isClosed = true;
      clearInterval(timer);
      await currentSweep;
    },
  };
};
