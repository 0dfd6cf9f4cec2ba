import type { Database } from '../../storage/index.ts';
import { createCollector, type CollectorParts } from './collector.ts';
import { createStatisticsService, type StatisticsParts } from './service.ts';
import { createStatisticsStore } from './store.ts';

export type StatisticsModuleParts = Omit<CollectorParts, 'store'> &
  Omit<StatisticsParts, 'store' | 'collector'> & { db: Database };

/** Creates the module that counts records and reports the counts to the exchange. */
export const createStatisticsModule = ({ db, ...parts }: StatisticsModuleParts) => {
  const store = createStatisticsStore(db);
  const collector = createCollector({ ...parts, store });
  return createStatisticsService({ ...parts, store, collector });
};
