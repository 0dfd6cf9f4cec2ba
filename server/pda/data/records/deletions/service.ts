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
import type { Anchors } from '../paging/page-offset-index.ts';
import { FOR_GOOD, type DeletedHead, type DeletedRow, type DeletionRow, type DeletionStore } from './store.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import { excerptOf } from './excerpt.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import { oneRecord, wholeEndpoint, type Happening } from '../changes/change-events.ts';
import { removeRecord } from '../changes/removal.ts';
import type { RecordService } from '../service.ts';
import type { RecordStore } from '../store.ts';
import type { UsageStore } from '../../../core/usage-store.ts';

/**
 * Deleting so that it can be undone for 30 days (the dashboard), and deleting endpoints for good (the interface). A whole endpoint
 * disappears at once because it loses its path; its rows are removed in small transactions later.
 */
export type DeletionService = {
  deleteRecords(ids: readonly string[], origin: Origin): Promise<Deletion>;
  /** @throws Failure not_found */
  deleteEndpoint(path: string, origin: Origin): Promise<Deletion>;
  /** @throws Failure not_found when it is over or was undone already */
  undo(deletionId: string, origin: Origin): Promise<Deletion>;
  /** Restores single records of a deletion. @throws Failure not_found | data_missing (a record is not in it; nothing is restored) */
  restore(deletionId: string, seqs: readonly number[], origin: Origin): Promise<RestoreResult>;
  /** Ends the time in which it can be undone. @throws Failure not_found */
  deleteForGood(deletionId: string): Promise<Deletion>;
  /** Newest first, each with its first records. */
  list(page: { skip: number; take: number }): DeletionEntry[];
  /** Records of a deletion in their order, `after` a sequence number. @throws Failure not_found */
  records(deletionId: string, page: { after: number; take: number }): DeletedRecordPage;
  /** Empties an endpoint for good; fine when there is nothing. `gone` hears what went. */
  clearEndpoint(path: string, origin: Origin, gone?: (what: Gone) => void): Promise<void>;
  /** Purges deletions whose period to restore is over. Runs in the background; tests await it. */
  sweep(): Promise<void>;
  /** Registers a listener that is called when all records of a deletion are back, within the transaction that restores them. */
  onRestore(listener: (tx: Transaction, deletionId: string) => void): void;
  close(): Promise<void>;
};

/** Records that went with their endpoint: each, or only how many when they are too many to name. */
export type Gone = { records: readonly { seq: number; id: string }[]; unnamed: number };

/** Records of an endpoint that are named when it goes. Naming a million of them would hold everybody up, for the sake of what is no more. */
const MAX_NAMED = 5000;
const ROWS_AT_ONCE = 500;
const SWEEP_EVERY_MS = 60_000;

export type DeletionParts = {
  store: DeletionStore;
  records: RecordStore;
  service: RecordService;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  anchors: Anchors;
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
  const { store, records, service, endpoints, fingerprints, anchors, usage, writer, events, clock, log } = parts;
  let sweeping: Promise<void> | undefined;
  let closed = false;
  const restoreListeners: Parameters<DeletionService['onRestore']>[0][] = [];
  const announceRestore = (tx: Transaction, deletionId: string): void => {
    for (const listener of restoreListeners) listener(tx, deletionId);
  };

  const happening = (tx: Transaction, origin: Origin): Happening => ({
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
    anchors.drop(id);
    const count = summary.records;
    events.report(tx, { ...wholeEndpoint('deleted', { endpoint: id, count }, happening(tx, origin)), path });
    return { id, records: count };
  };

  const sweep = async (): Promise<void> => {
    const before = clock.now() - DELETED_RECORDS_KEPT_MS;
    for (const row of store.over(before)) {
      await writer.write((tx) => {
        if (row.endpoint !== null) store.markForGood(tx, row.endpoint);
        store.forget(tx, row.id);
      });
    }
    for (let gone = store.goneEndpoints(); gone.length > 0 && !closed; gone = store.goneEndpoints()) {
      for (const endpoint of gone) {
        while (!closed && (await writer.write((tx) => store.purge(tx, endpoint, ROWS_AT_ONCE))));
      }
    }
  };

  const startSweep = (): Promise<void> => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'sweeping deleted records failed, it is tried again'))
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
  };

  const timer = setInterval(() => void startSweep(), SWEEP_EVERY_MS);
  timer.unref();

  /** Inserts a deleted record at its endpoint again. Returns the endpoint. */
  const restoreRecord = (tx: Transaction, { path, ...record }: DeletedRow, change: Happening): number => {
    const endpoint = endpoints.intern(tx, path);
    const restored = { ...record, endpoint };
    records.insert(tx, restored);
    fingerprints.restored(tx, restored);
    anchors.drop(endpoint);
    const bytes = Buffer.byteLength(record.data);
    usage.add(tx, { endpoint, origin: record.origin, bytes });
    events.report(tx, oneRecord('restored', restored, bytes, change));
    return endpoint;
  };

  const undoRecords = (tx: Transaction, row: DeletionRow, change: Happening): void => {
    for (const deleted of store.kept(row.id)) restoreRecord(tx, deleted, change);
  };

  const openDeletion = (deletionId: string): DeletionRow => {
    const row = store.find(deletionId);
    if (row !== undefined && row.time >= clock.now() - DELETED_RECORDS_KEPT_MS) return row;
    throw new Failure('not_found', 'This deletion cannot be undone: it was undone already, or its 30 days are over.');
  };

  const undoEndpoint = (
    tx: Transaction,
    row: DeletionRow & { path: string; endpoint: number },
    change: Happening,
  ): void => {
    const since = endpoints.find(row.path);
    // Whatever came to its path since then did not come back now.
    const lastSeq = store.newestIn(row.endpoint);
    if (since !== undefined) {
      endpoints.hide(tx, since, FOR_GOOD);
      store.merge(tx, row.endpoint, since);
      fingerprints.endpointReplaced(tx, since);
      anchors.drop(since);
    }
    endpoints.show(tx, row.endpoint, row.path);
    fingerprints.endpointReplaced(tx, row.endpoint);
    anchors.drop(row.endpoint);
    const absorbed = since === undefined ? {} : { absorbs: since };
    const { endpoint, records: count } = row;
    events.report(tx, { ...wholeEndpoint('restored', { endpoint, count, lastSeq }, change), ...absorbed });
  };

  return {
    deleteRecords: (ids, origin) =>
      writer.write((tx) => {
        const change = happening(tx, origin);
        const row = { id: randomUUID(), path: null, endpoint: null, records: new Set(ids).size, time: change.time };
        store.insert(tx, row);
        for (const id of new Set(ids)) {
          const found = service.find(id);
          if (found === undefined)
            throw new Failure('data_missing', 'Some of these records are not here any more. Nothing was deleted.');
          const { record, endpoint: path } = found;
          store.keep(tx, row.id, { ...record, path });
          removeRecord(parts, tx, record, change);
        }
        return toWire(row);
      }),

    deleteEndpoint: (path, origin) =>
      writer.write((tx) => {
        const id = randomUUID();
        const hidden = hideEndpoint(tx, path, id, origin);
        if (hidden === undefined) throw new Failure('not_found', `There is nothing at ${path}.`);
        const row = { id, path, endpoint: hidden.id, records: hidden.records, time: clock.now() };
        store.insert(tx, row);
        return toWire(row);
      }),

    undo: (deletionId, origin) =>
      writer.write((tx) => {
        const row = openDeletion(deletionId);
        const change = happening(tx, origin);
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
        const change = happening(tx, origin);
        const wanted = [...new Set(seqs)];
        const left = row.records - wanted.length;
        let restoredTo: number | undefined;
        for (const seq of wanted) {
          const record = store.release(tx, row, seq);
          if (record === undefined)
            throw new Failure('data_missing', 'Some of these records were restored already. Nothing was changed.');
          restoredTo = restoreRecord(tx, record, change);
        }
        if (row.endpoint !== null && restoredTo !== undefined)
          store.moveImportKeys(tx, row.endpoint, restoredTo, wanted);
        if (left > 0) store.setLeft(tx, row.id, left);
        else {
          if (row.endpoint !== null) store.markForGood(tx, row.endpoint);
          store.forget(tx, row.id);
          announceRestore(tx, row.id);
        }
        return { restored: wanted.length, left: Math.max(0, left) };
      }),

    async deleteForGood(deletionId) {
      const deletion = await writer.write((tx) => {
        const row = openDeletion(deletionId);
        if (row.endpoint !== null) store.markForGood(tx, row.endpoint);
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
      const found = store.recordsAfter(openDeletion(deletionId), after, take + 1);
      const shown = found.slice(0, take);
      return { records: shown.map(recordToWire), next: found.length > take ? (shown.at(-1)?.seq ?? null) : null };
    },

    async clearEndpoint(path, origin, gone) {
      const what = await writer.write((tx): Gone => {
        const id = endpoints.find(path);
        const count = endpoints.summary(path)?.records ?? 0;
        const named = gone !== undefined && id !== undefined && count <= MAX_NAMED;
        const records = named ? store.heads(id) : [];
        hideEndpoint(tx, path, FOR_GOOD, origin);
        return { records, unnamed: count - records.length };
      });
      gone?.(what);
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
