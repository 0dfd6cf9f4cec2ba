import { applicationRoutes } from './routes.ts';
import { createApplicationService } from './service.ts';

/** Creates the module of applications. */
export const createApplicationModule = (parts: Parameters<typeof createApplicationService>[0]) => {
  const applications = createApplicationService(parts);
  return { applications, routes: applicationRoutes({ applications }) };
};
