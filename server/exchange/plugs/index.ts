import { plugRoutes } from './routes.ts';
import { createPlugService } from './service.ts';

export type { PublishWithin } from './service.ts';

/** Creates the module of Data Plugs. */
export const createPlugModule = (parts: Parameters<typeof createPlugService>[0]) => {
  const plugs = createPlugService(parts);
  return { plugs, routes: plugRoutes({ plugs }) };
};
