import type { Database } from '../../storage/index.ts';
import { exampleRoutes } from './routes.ts';
import { createExampleService, type ExampleParts } from './service.ts';
import { createExampleStore } from './store.ts';

type ExampleModuleParts = Omit<ExampleParts, 'store'> & { db: Database; baseOf: (host: string) => string };

/** Creates the module of the example data and the dashboard's first steps. */
export const createExampleModule = ({ db, baseOf, ...parts }: ExampleModuleParts) => ({
  routes: exampleRoutes(createExampleService({ ...parts, store: createExampleStore(db) }), baseOf),
});
