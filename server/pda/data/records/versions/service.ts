import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import { RECORD_VERSIONS_MAX_BYTES } from '../../../../wire/limits.ts';
import type {
  RecordVersion,
  RecordVersionList,
  VersionRestore,
  VersionRetention,
} from '../../../../wire/record-versions.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { Writer } from '../../../storage/index.ts';
import { originToWire } from '../owner-view/service.ts';
import type { RecordMoveStore } from '../moves/store.ts';
import type { RecordRow } from '../store.ts';
import type { RecordService } from '../service.ts';
import type { RecordVersionStore, VersionRow } from './store.ts';

export type RecordVersionService = ReturnType<typeof createRecordVersionService>;

export type RecordVersionParts = {
  store: RecordVersionStore;
  moves: Pick<RecordMoveStore, 'list'>;
  records: Pick<RecordService, 'find' | 'updateWithin'>;
  endpoints: Pick<EndpointStore, 'originOf'>;
  writer: Writer;
  clock: Clock;
  /** Maximum bytes of all versions, for tests. */
  maxBytes?: number;
};

const DAY_MS = 86_400_000;

export const createRecordVersionService = (parts: RecordVersionParts) => {
  const { store, moves, records, endpoints, writer, clock, maxBytes = RECORD_VERSIONS_MAX_BYTES } = parts;
  let currentPrune: Promise<void> | undefined;
  let isClosed = false;

  /** Returns the start of the retention period in Unix milliseconds. Data that was replaced earlier is not kept. */
  const retentionStart = (): number => {
    const days = store.days();
    return days === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - days * DAY_MS;
  };

  const requireRecord = (recordId: string): { record: RecordRow; endpoint: string } => {
    const existing = records.find(recordId);
    if (existing === undefined) throw new Failure('not_found', 'There is no record with this id.');
    return existing;
  };

  const requireVersion = (seq: number, version: number) => {
    const row = store.find(seq, version, retentionStart());
    if (row !== undefined) return row;
    throw new Failure('not_found', 'The record has no such version, or it is no longer kept.');
  };

  const authorToWire = (author: number | null) => (author === null ? null : originToWire(endpoints.originOf(author)));

  const toWire = ({ version, stored, author, replaced, bytes }: VersionRow): RecordVersion => ({
    versionId: version,
    stored: isoTime(stored),
    storedBy: authorToWire(author),
    bytes,
    replaced: isoTime(replaced),
  });

  const findPrunable = (): number[] => {
    const expiredVersions = store.expiredVersions(retentionStart());
    const excess = store.totalBytes() - maxBytes;
    return expiredVersions.length > 0 || excess <= 0 ? expiredVersions : store.oldestVersions(excess);
  };

  const pruneAll = async (): Promise<void> => {
    while (store.hasOrphaned() && !isClosed) await writer.write((tx) => store.dropOrphaned(tx));
    for (let versions = findPrunable(); versions.length > 0 && !isClosed; versions = findPrunable())
      await writer.write((tx) => store.drop(tx, versions));
  };

  /** Drops versions of permanently deleted records, expired versions, and the oldest ones beyond the maximum size. */
  const prune = (): Promise<void> => {
    currentPrune ??= pruneAll().finally(() => {
      currentPrune = undefined;
    });
    return currentPrune;
  };

  const retention = (): VersionRetention => ({ days: store.days(), bytes: store.totalBytes(), maxBytes });

  return {
    /** Returns the versions and moves of a record, newest first. @throws Failure not_found */
    list(recordId: string): RecordVersionList {
      const { record } = requireRecord(recordId);
      const rows = store.list(record.seq, retentionStart());
      const newestVersion = rows[0];
      const { created, updated } = record;
      const author = newestVersion?.origin ?? (updated === null ? record.origin : null);
      return {
        current: {
          stored: isoTime(newestVersion?.replaced ?? updated ?? created),
          storedBy: authorToWire(author),
          bytes: Buffer.byteLength(record.data),
        },
        versions: rows.map(toWire),
        moves: moves.list(record.seq).map(({ time, origin, from, to }) => ({
          moved: isoTime(time),
          movedBy: originToWire(endpoints.originOf(origin)),
          from,
          to,
        })),
        days: store.days(),
      };
    },

    /** Yields the data of a version as JSON text (`RecordVersionData`). @throws Failure not_found */
    read(recordId: string, version: number): AsyncGenerator<string | Buffer> {
      const row = requireVersion(requireRecord(recordId).record.seq, version);
      return (async function* chunks() {
        yield `${JSON.stringify(toWire(row)).slice(0, -1)},"data":`;
        yield* decodeInSlices(row.data);
        yield '}';
      })();
    },

    /**
     * Restores the data of a version. Changes nothing if the record already has that data.
     * @throws Failure not_found
     */
    restore: (recordId: string, version: number, origin: Origin): Promise<VersionRestore> =>
      writer.write((tx) => {
        const { record, endpoint } = requireRecord(recordId);
        const data = requireVersion(record.seq, version).data.toString();
        if (data === record.data) return { undoVersionId: null };
        records.updateWithin(tx, [{ endpoint, recordId: record.id, data }], origin);
        return { undoVersionId: store.list(record.seq, retentionStart())[0]?.version ?? null };
      }),

    retention,

    /** Sets for how many days versions are kept, and drops older ones. 0 drops all and keeps none. */
    async setDays(days: number): Promise<VersionRetention> {
      await writer.write((tx) => store.setDays(tx, days));
      // The current pruning may have read the previous setting.
      await currentPrune;
      await prune();
      return retention();
    },

    prune,

    /** Stops the pruning after its current transaction. */
    async close(): Promise<void> {
      isClosed = true;
      await currentPrune;
    },
  };
};
