import type { Log } from '../../platform/log.ts';
import { createCompaction } from './compaction/compactor.ts';
import { statisticsRoutes } from './routes.ts';
import { createStatisticsService, type StatisticsParts } from './service.ts';

/** PDAs that must have reported a name before others see it. With PGlite somebody tries things out with one or two. */
const FEWEST_PDAS = { postgresql: 5, pglite: 1 } as const;

export type StatisticsRoomParts = Omit<StatisticsParts, 'minReportingPdas'> & {
  log: Log;
  minReportingPdas?: number | undefined;
  /** Milliseconds between two rounds in the background. */
  compactionIntervalMs?: number;
};

/** Statistics, put together. `counts` is made before: see counts.ts. */
export const createStatisticsRoom = (parts: StatisticsRoomParts) => {
  const minReportingPdas = parts.minReportingPdas ?? FEWEST_PDAS[parts.database.kind];
  const statistics = createStatisticsService({ ...parts, minReportingPdas });
  const compaction = createCompaction({ ...parts, minReportingPdas });
  return {
    statistics,
    compaction,
    routes: statisticsRoutes({ statistics }),
    close: () => compaction.close(),
  };
};
