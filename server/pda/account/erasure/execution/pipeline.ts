import type { Database, DatabaseThread } from '../../../storage/index.ts';
import { createPlanner, type PlannerParts } from './planner.ts';
import { createSearchStore } from './search-store.ts';
import { createSteps, type StepParts } from './steps.ts';
import { createSweepStore } from './sweep-store.ts';

export type WorkParts = Omit<PlannerParts, 'search'> &
  Omit<StepParts, 'search' | 'sweep'> & {
    db: Database;
    /** For looks that may go through all records. */
    reader: DatabaseThread;
    maintenance: DatabaseThread;
  };

/** Finds and removes what is erased. Loaded on first use. */
export const createWork = ({ db, reader, maintenance, ...parts }: WorkParts) => {
  const search = createSearchStore(db, reader);
  const sweep = createSweepStore(db, maintenance);
  return { planner: createPlanner({ ...parts, search }), steps: createSteps({ ...parts, search, sweep }) };
};

export type Work = ReturnType<typeof createWork>;
