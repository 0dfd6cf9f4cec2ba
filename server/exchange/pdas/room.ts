import { pdaRoutes } from './routes.ts';
import { createPdaService } from './service.ts';

export const createPdaRoom = (parts: Parameters<typeof createPdaService>[0]) => {
  const pdas = createPdaService(parts);
  return { pdas, routes: pdaRoutes({ pdas }), close: pdas.close };
};
