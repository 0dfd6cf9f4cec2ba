import type { Database, DatabaseThread } from '../../storage/index.ts';
import type { BackupService } from '../backup/service.ts';
import { createPlanner, type PlannerParts } from './execution/planner.ts';
import { createErasureSearchStore } from './execution/search-store.ts';
import { createSteps, type StepParts } from './execution/steps.ts';
import { createSweepStore } from './execution/sweep-store.ts';
import { removeFullErasureMarker, type FullErasureMarker } from './home/full-erasure.ts';
import { erasureRoutes } from './routes.ts';
import { createErasureService, fullErasureRow, type ErasureParts } from './service.ts';
import { createErasureStore } from './store.ts';

export { finishFullErasure, type FullErasureMarker } from './home/full-erasure.ts';

/** Parts that the backup module provides or this module creates. */
type OtherPart =
  | 'listBackups'
  | 'listBackupFolders'
  | 'waitUntilBackupsIdle'
  | 'store'
  | 'planner'
  | 'createSteps'
  | 'search'
  | 'sweep'
  | 'throwIfStopped';
export type ErasureModuleParts = Omit<PlannerParts & StepParts & ErasureParts, OtherPart> & {
  db: Database;
  reader: DatabaseThread;
  maintenance: DatabaseThread;
  backup: Pick<BackupService, 'waitUntilIdle'> & {
    listEntries: ErasureParts['listBackups'];
    listFolders: ErasureParts['listBackupFolders'];
  };
};

export const createErasureModule = ({ backup, ...options }: ErasureModuleParts) => {
  const parts = {
    ...options,
    listBackups: backup.listEntries,
    listBackupFolders: backup.listFolders,
    waitUntilBackupsIdle: backup.waitUntilIdle,
  };
  const { db, reader, maintenance } = parts;
  const store = createErasureStore(db);
  const search = createErasureSearchStore(db, reader);
  const sweep = createSweepStore(db, maintenance);
  const erasure = createErasureService({
    ...parts,
    store,
    planner: createPlanner({ ...parts, search }),
    createSteps: (throwIfStopped) => createSteps({ ...parts, search, sweep, throwIfStopped }),
  });
  return {
    erasure,
    routes: erasureRoutes({ erasure }),
    /** Stores the report of a full erasure, if there was one, and removes its marker file. */
    async storeReport(marker: FullErasureMarker | undefined): Promise<void> {
      if (marker === undefined) return;
      await parts.writer.write((tx) => store.insert(tx, fullErasureRow(marker, parts.clock.now())));
      removeFullErasureMarker(parts.home.path);
    },
  };
};
