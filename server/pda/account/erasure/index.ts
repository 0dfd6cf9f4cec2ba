import type { BackupService } from '../backup/service.ts';
import { removeFullErasureMarker, type FullErasureMarker } from './home/full-erasure.ts';
import { erasureRoutes } from './routes.ts';
import { createErasureService, fullErasureRow, type ErasureParts } from './service.ts';
import { createErasureStore } from './store.ts';
import { createPipeline, type PipelineParts } from './execution/pipeline.ts';

export { finishFullErasure, type FullErasureMarker } from './home/full-erasure.ts';

export type ErasureModuleParts = Omit<PipelineParts, 'throwIfStopped' | BackupPart> &
  Omit<ErasureParts, 'store' | 'createPipeline' | BackupPart> & {
    backup: Pick<BackupService, 'idle'> & { entries: ErasureParts['backups'] };
  };
/** Parts that the backup module provides. */
type BackupPart = 'backups' | 'backupsIdle';

export const createErasureModule = ({ backup, ...options }: ErasureModuleParts) => {
  const parts = { ...options, backups: backup.entries, backupsIdle: backup.idle };
  const store = createErasureStore(parts.db);
  const erasure = createErasureService({
    ...parts,
    store,
    createPipeline: (throwIfStopped) => createPipeline({ ...parts, throwIfStopped }),
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
    close: () => erasure.close(),
  };
};
