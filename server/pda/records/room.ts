import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { EventService } from '../events/service.ts';
import type { Database, Writer } from '../storage/index.ts';
import { createAnchors } from './anchors.ts';
import { createDeletionService, type DeletionParts } from './deletions.ts';
import { createDeletionStore } from './deletion-store.ts';
import { createEndpointStore } from './endpoints.ts';
import { createDiskSpace } from './disk-space.ts';
import { createFingerprintStore } from './fingerprint-store.ts';
import { createRecordQuota, type RecordLimits } from './quota.ts';
import { createSequence } from './sequence.ts';
import { createRecordService } from './service.ts';
import { createRecordStore } from './store.ts';
import { createUsageStore } from './usage-store.ts';

/** Bytes of a record that is parsed to see which fields its endpoint has. */
const SAMPLED_RECORD_BYTES_MAX = 16_000;

export type RecordRoomParts = Pick<DeletionParts, 'onUndo'> & {
  db: Database;
  writer: Writer;
  events: EventService;
  /** Places that something else took, or speaks of: they are never taken again, also when their record is gone. */
  takenElsewhere: readonly number[];
  /** Folder of the database. */
  home: string;
  limits: RecordLimits;
  clock: Clock;
  log: Log;
};

/** Everything that stores, changes and deletes records, put together. What reads them in other ways comes after the query language. */
export const createRecordRoom = ({ db, takenElsewhere, home, limits, ...parts }: RecordRoomParts) => {
  const endpoints = createEndpointStore(db);
  const store = createRecordStore(db);
  const fingerprints = createFingerprintStore(db, store);
  const anchors = createAnchors();
  const sequence = createSequence(Math.max(store.newestSeq(), ...takenElsewhere), parts.clock);
  const usage = createUsageStore(db);
  const quota = createRecordQuota({ usage, limits, disk: createDiskSpace({ db, folder: home, log: parts.log }) });
  const records = createRecordService({ ...parts, store, endpoints, fingerprints, anchors, sequence, usage, quota });
  const deletions = createDeletionService({
    ...parts,
    store: createDeletionStore(db),
    records: store,
    service: records,
    endpoints,
    fingerprints,
    anchors,
    usage,
  });
  return {
    endpoints,
    store,
    sequence,
    records,
    deletions,
    quota,
    /** The newest records of an endpoint as text. Larger ones are left out: they are parsed on the main thread. */
    newestAt: (endpoint: string, count: number): string[] =>
      records
        .places(endpoint, { order: 'descending', skip: 0, take: count })
        .flatMap((seq) => store.sized(seq, SAMPLED_RECORD_BYTES_MAX)?.data ?? []),
    close: () => deletions.close(),
  };
};
