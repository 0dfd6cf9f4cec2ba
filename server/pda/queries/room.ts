import type { Log } from '../../platform/log.ts';
import type { NamedBundle } from '../../wire/query.ts';
import type { Database, DatabaseThread } from '../storage/index.ts';
import { createEarnedIndexes } from './earned-indexes.ts';
import { neededIndexes } from './needed-indexes.ts';
import { createQueryService, type QueryParts } from './service.ts';
import { createQueryStore } from './store.ts';

export type QueryRoomParts = Omit<QueryParts, 'store' | 'indexes'> & {
  db: Database;
  maintenance: DatabaseThread;
  /** Bundles of other rooms, which earn indexes as those that are registered here do. */
  otherBundles: () => readonly NamedBundle[];
  log: Log;
};

/** Combinators and bundles, and the indexes that they earn, put together. */
export const createQueryRoom = ({ db, maintenance, otherBundles, log, ...parts }: QueryRoomParts) => {
  const store = createQueryStore(db);
  const { endpoints, writer } = parts;
  const indexes = createEarnedIndexes({
    store,
    writer,
    maintenance,
    log,
    needed: () => neededIndexes({ store, endpoints, writer, others: otherBundles }),
  });
  return {
    queries: createQueryService({ ...parts, store, indexes }),
    indexes,
    isBundle: (name: string): boolean => store.bundles.find(name) !== undefined,
    close: () => indexes.close(),
  };
};
