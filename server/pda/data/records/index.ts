import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Database, DatabaseThread, Writer } from '../../storage/index.ts';
import { createPageOffsetIndex } from './paging/page-offset-index.ts';
import { createDeletionService } from './deletions/service.ts';
import { createDeletionStore } from './deletions/store.ts';
import type { EndpointStore } from '../../core/endpoint-store.ts';
import { createDiskSpace } from './quota/disk-space.ts';
import { createDigestStore } from './deduplication/digest-store.ts';
import { createFingerprintStore } from './deduplication/fingerprint-store.ts';
import { createIndexBuilder } from './deduplication/index-builder.ts';
import { createRecordMoveService } from './moves/service.ts';
import { createRecordMoveStore } from './moves/store.ts';
import { createRecordQuota, type RecordLimits } from './quota/record-quota.ts';
import type { Sequence } from '../../core/sequence.ts';
import { createRecordService } from './service.ts';
import { createRecordStore } from './store.ts';
import { createRecordVersionService } from './versions/service.ts';
import { createRecordVersionStore } from './versions/store.ts';
import { createUsageStore } from '../../core/usage-store.ts';

/** Maximum size of a record that `newestRecords` returns. */
const PREVIEWED_RECORD_MAX_BYTES = 16_000;

export type RecordModuleParts = {
  db: Database;
  writer: Writer;
  /** Reader thread of the owner. */
  reader: Pick<DatabaseThread, 'all'>;
  /** Reader thread of all other principals. */
  nonOwnerThread: Pick<DatabaseThread, 'all'>;
  events: EventService;
  endpoints: EndpointStore;
  sequence: Sequence;
  home: string;
  limits: RecordLimits;
  clock: Clock;
  log: Log;
};

export const createRecordModule = ({ db, home, limits, ...parts }: RecordModuleParts) => {
  const store = createRecordStore(db);
  const fingerprints = createFingerprintStore(db);
  const indexBuilder = createIndexBuilder({ ...parts, store, fingerprints, digests: createDigestStore(parts) });
  const pageOffsets = createPageOffsetIndex();
  parts.sequence.reserveThrough(store.readNewestSeq());
  const usage = createUsageStore(db);
  const quota = createRecordQuota({ usage, limits, disk: createDiskSpace({ db, folder: home, log: parts.log }) });
  const versionStore = createRecordVersionStore(db);
  const records = createRecordService({
    ...parts,
    store,
    versions: versionStore,
    fingerprints,
    indexBuilder,
    pageOffsets,
    usage,
    quota,
  });
  const moveStore = createRecordMoveStore(db);
  const versions = createRecordVersionService({ ...parts, store: versionStore, moves: moveStore, records });
  const deletions = createDeletionService({
    ...parts,
    store: createDeletionStore(db),
    records: store,
    service: records,
    versions,
    fingerprints,
    pageOffsets,
    usage,
  });
  const moves = createRecordMoveService({
    ...parts,
    store: moveStore,
    service: records,
    fingerprints,
    pageOffsets,
    usage,
  });
  return {
    store,
    records,
    deletions,
    moves,
    versions,
    quota,
    /** Returns the newest records as JSON texts. Omits large ones, because callers parse them on the main thread. */
    newestRecords: (endpoint: string, count: number): string[] =>
      records
        .seqs(endpoint, { order: 'descending', skip: 0, take: count })
        .flatMap((seq) => store.findSized(seq, PREVIEWED_RECORD_MAX_BYTES)?.data ?? []),
    async close() {
      await deletions.close();
      await versions.close();
    },
  };
};
