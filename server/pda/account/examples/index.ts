import type { Database } from '../../storage/index.ts';
import { exampleRoutes } from './routes.ts';
import { createExampleService, type ExampleParts } from './service.ts';
import { createExampleStore } from './store.ts';

export type ExampleModuleParts = Omit<ExampleParts, 'store'> & { db: Database; baseOf: (host: string) => string };

/** Example data, and the dashboard's first steps. */
export const createExampleModule = ({ db, baseOf, ...parts }: ExampleModuleParts) => {
  const store = createExampleStore(db);
  const { writer, events, clock } = parts;
  const examples = createExampleService({ ...parts, store });
  return {
    routes: exampleRoutes({
      examples,
      listDismissed: store.listDismissed,
      setDismissed: (step, isDismissed) =>
        writer.write((tx) => {
          store.setDismissed(tx, step, isDismissed ? clock.now() : null);
          events.notify(tx, 'examples');
        }),
      baseOf,
    }),
  };
};
