import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../storage/index.ts';
import { createExportService } from './export-service.ts';
import { importRoutes } from './routes.ts';
import { createImportService } from './service.ts';
import { createKindsStore } from './kinds-store.ts';
import { createImportStore } from './store.ts';

export type ImportRoomParts = Omit<Parameters<typeof createImportService>[0], 'store' | 'kinds'> &
  Omit<Parameters<typeof createExportService>[0], 'records'> & { db: Database; clock: Clock };

/** Imports and exports, put together. */
export const createImportRoom = ({ db, ...parts }: ImportRoomParts) => {
  const imports = createImportService({ ...parts, store: createImportStore(db), kinds: createKindsStore(db) });
  const exports = createExportService({ ...parts, records: parts.recordStore });
  return {
    imports,
    exports,
    routes: [...importRoutes({ imports, exports })] as const,
    close: () => imports.close(),
  };
};
