import type { Database, DatabaseThread } from '../../../storage/index.ts';
import { createPlanner, type PlannerParts } from './planner.ts';
import { createSearchStore } from './search-store.ts';
import { createSteps, type StepParts } from './steps.ts';
import { createSweepStore } from './sweep-store.ts';

/** Dependencies of the planner and the steps. */
export type PipelineParts = Omit<PlannerParts, 'search'> &
  Omit<StepParts, 'search' | 'sweep'> & {
    db: Database;
    /** Reader thread for searches that may scan all records. */
    reader: DatabaseThread;
    /** Thread that rewrites the database. */
    maintenance: DatabaseThread;
  };

/** Creates the planner and the steps of erasures. Called on first use. */
export const createPipeline = ({ db, reader, maintenance, ...parts }: PipelineParts) => {
  const search = createSearchStore(db, reader);
  const sweep = createSweepStore(db, maintenance);
  return { planner: createPlanner({ ...parts, search }), steps: createSteps({ ...parts, search, sweep }) };
};

/** The planner and the steps of erasures. */
export type Pipeline = ReturnType<typeof createPipeline>;
