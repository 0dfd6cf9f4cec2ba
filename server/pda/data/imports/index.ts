import type { Database } from '../../storage/index.ts';
import { importRoutes } from './routes.ts';
import { createImportService } from './service.ts';
import { createKindsStore } from './runs/kinds-store.ts';
import { createImportStore } from './store.ts';

export type ImportModuleParts = Omit<Parameters<typeof createImportService>[0], 'store' | 'kinds'> & { db: Database };

/** Creates the import service with its stores and routes. */
export const createImportModule = ({ db, ...parts }: ImportModuleParts) => {
  const imports = createImportService({ ...parts, store: createImportStore(db), kinds: createKindsStore(db) });
  return {
    imports,
    routes: [...importRoutes({ imports })] as const,
    close: () => imports.close(),
  };
};
