import type { Log } from '../../../platform/log.ts';
import type { Database, DatabaseThread } from '../../storage/index.ts';
import { createChartService } from './charts/service.ts';
import { createChartStore } from './charts/store.ts';
import { createBundleSources } from './bundle-sources.ts';
import { createEarnedIndexes } from './indexes/manager.ts';
import { neededIndexes } from './indexes/requirements.ts';
import { createQueryService, type QueryParts } from './service.ts';
import { createQueryStore } from './store.ts';

export type QueryRoomParts = Omit<QueryParts, 'store' | 'indexes' | 'sources'> & {
  db: Database;
  maintenance: DatabaseThread;
  log: Log;
};

/** Creates combinators and bundles, and the indexes that they need. */
export const createQueryRoom = ({ db, maintenance, log, ...parts }: QueryRoomParts) => {
  const store = createQueryStore(db);
  const sources = createBundleSources();
  const { endpoints, writer } = parts;
  const indexes = createEarnedIndexes({
    store,
    writer,
    maintenance,
    log,
    needed: () => neededIndexes({ store, endpoints, writer, sources }),
  });
  return {
    queries: createQueryService({ ...parts, store, indexes, sources }),
    charts: createChartService({ endpoints, store: createChartStore(parts.reader) }),
    indexes,
    isBundle: (name: string): boolean => store.bundles.find(name) !== undefined,
    close: () => indexes.close(),
  };
};
