import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { EventService } from '../events/service.ts';
import type { Database, Writer } from '../storage/index.ts';
import { createAnchors } from './anchors.ts';
import { createDeletionService, type DeletionParts } from './deletions.ts';
import { createDeletionStore } from './deletion-store.ts';
import { createEndpointStore } from './endpoints.ts';
import { createFingerprintStore } from './fingerprint-store.ts';
import { createSequence } from './sequence.ts';
import { createRecordService } from './service.ts';
import { createRecordStore } from './store.ts';

export type RecordRoomParts = Pick<DeletionParts, 'onUndo'> & {
  db: Database;
  writer: Writer;
  events: EventService;
  /** Places that something else took, or speaks of: they are never taken again, also when their record is gone. */
  takenElsewhere: readonly number[];
  clock: Clock;
  log: Log;
};

/** Everything that stores, changes and deletes records, put together. What reads them in other ways comes after the query language. */
export const createRecordRoom = ({ db, takenElsewhere, ...parts }: RecordRoomParts) => {
  const endpoints = createEndpointStore(db);
  const store = createRecordStore(db);
  const fingerprints = createFingerprintStore(db, store);
  const anchors = createAnchors();
  const sequence = createSequence(Math.max(store.newestSeq(), ...takenElsewhere), parts.clock);
  const records = createRecordService({ ...parts, store, endpoints, fingerprints, anchors, sequence });
  const deletions = createDeletionService({
    ...parts,
    store: createDeletionStore(db),
    records: store,
    service: records,
    endpoints,
    fingerprints,
    anchors,
  });
  return {
    endpoints,
    store,
    sequence,
    records,
    deletions,
    /** What was last stored at an endpoint, as text. */
    newestAt: (endpoint: string, count: number): string[] =>
      records
        .places(endpoint, { order: 'descending', skip: 0, take: count })
        .flatMap((seq) => store.bySeq(seq)?.data ?? []),
    close: () => deletions.close(),
  };
};
