import type { Log } from '../../../platform/log.ts';
import type { Database, DatabaseThread } from '../../storage/index.ts';
import { createChartService } from './charts/service.ts';
import { createChartStore } from './charts/store.ts';
import { createBundleSources } from './bundle-sources.ts';
import { createIndexManager } from './indexes/manager.ts';
import { requiredIndexes } from './indexes/requirements.ts';
import { createQueryService, type QueryParts } from './service.ts';
import { createQueryStore } from './store.ts';

export type QueryModuleParts = Omit<QueryParts, 'store' | 'indexes' | 'sources'> & {
  db: Database;
  maintenance: DatabaseThread;
  log: Log;
};

/** Creates the services for combinators and bundles, and the manager of their indexes. */
export const createQueryModule = ({ db, maintenance, log, ...parts }: QueryModuleParts) => {
  const store = createQueryStore(db);
  const sources = createBundleSources();
  const { endpoints, writer } = parts;
  const indexes = createIndexManager({
    store,
    writer,
    maintenance,
    log,
    requiredIndexes: () => requiredIndexes({ store, endpoints, writer, sources }),
  });
  return {
    queries: createQueryService({ ...parts, store, indexes, sources }),
    charts: createChartService({ endpoints, store: createChartStore(parts.reader) }),
    indexes,
    isBundle: (name: string): boolean => store.bundles.find(name) !== undefined,
    close: () => indexes.close(),
  };
};
