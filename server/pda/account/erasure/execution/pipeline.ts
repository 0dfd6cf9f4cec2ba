import type { Database, DatabaseThread } from '../../../storage/index.ts';
import { createPlanner, type PlannerParts } from './planner.ts';
import { createSearchStore } from './search-store.ts';
import { createSteps, type StepParts } from './steps.ts';
import { createSweepStore } from './sweep-store.ts';

export type PipelineParts = Omit<PlannerParts, 'search'> &
  Omit<StepParts, 'search' | 'sweep'> & {
    db: Database;
    reader: DatabaseThread;
    maintenance: DatabaseThread;
  };

export const createPipeline = ({ db, reader, maintenance, ...parts }: PipelineParts) => {
  const search = createSearchStore(db, reader);
  const sweep = createSweepStore(db, maintenance);
  return { planner: createPlanner({ ...parts, search }), steps: createSteps({ ...parts, search, sweep }) };
};

export type Pipeline = ReturnType<typeof createPipeline>;
