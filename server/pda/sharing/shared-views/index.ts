import type { Database } from '../../storage/index.ts';
import { createSharedViewReads } from './reads.ts';
import { sharedViewRoutes } from './routes.ts';
import { createSharedViewService } from './service.ts';
import { createViewGrantStore } from './store.ts';

type SharedViewParts = Omit<Parameters<typeof createSharedViewService>[0], 'store'> & {
  db: Database;
  /** Reads of the data wing for principals other than the owner. */
  reads: Pick<Parameters<typeof createSharedViewReads>[0], 'table' | 'charts' | 'calendar' | 'maps' | 'fieldsOf'>;
};

/** Creates the module for shared tables and charts. */
export const createSharedViews = ({ db, reads, ...parts }: SharedViewParts) => {
  const sharedViews = createSharedViewService({ ...parts, store: createViewGrantStore(db) });
  return {
    sharedViews,
    sharedViewReads: createSharedViewReads({
      ...reads,
      clock: parts.clock,
      timeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    routes: sharedViewRoutes({ sharedViews }),
  };
};

export type SharedViews = ReturnType<typeof createSharedViews>;
export type { TableCell } from '../../data/queries/table/cells.ts';
export type { SharedChartValues } from './chart-reads.ts';
export type { SharedViewReads } from './reads.ts';
export type { GrantedView, SharedViewService } from './service.ts';
