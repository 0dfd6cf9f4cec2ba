import type { Log } from '../../platform/log.ts';
import { createCompaction } from './compaction/compactor.ts';
import { statisticsRoutes } from './routes.ts';
import { createStatisticsService, type StatisticsParts } from './service.ts';

/** Number of PDAs that must report a name before it is published. PGlite is for development with one or two PDAs. */
const MIN_REPORTING_PDAS = { postgresql: 5, pglite: 1 } as const;

export type StatisticsModuleParts = Omit<StatisticsParts, 'minReportingPdas'> & {
  log: Log;
  minReportingPdas?: number | undefined;
  compactionIntervalMs?: number;
};

/** Creates the statistics module. `counts` is created earlier, because other modules need it. */
export const createStatisticsModule = (parts: StatisticsModuleParts) => {
  const minReportingPdas = parts.minReportingPdas ?? MIN_REPORTING_PDAS[parts.database.kind];
  const statistics = createStatisticsService({ ...parts, minReportingPdas });
  const compaction = createCompaction({ ...parts, minReportingPdas });
  return {
    statistics,
    compaction,
    routes: statisticsRoutes({ statistics }),
    close: () => compaction.close(),
  };
};
