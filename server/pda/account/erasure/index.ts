import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../platform/log.ts';
import type { BackupService } from '../backup/service.ts';
import {
  ERASE_EVERYTHING_FILE,
  finishEverything,
  forgetEverythingMark,
  type ErasedEverything,
} from './home/full-erasure.ts';
import { erasureRoutes } from './routes.ts';
import { createErasureService, rowOfEverything, type ErasureParts } from './service.ts';
import { createErasureStore } from './store.ts';
import { createWork, type WorkParts } from './execution/pipeline.ts';

export type ErasureModuleParts = Omit<WorkParts, 'still' | Backups> &
  Omit<ErasureParts, 'store' | 'work' | Backups> & {
    backup: Pick<BackupService, 'idle'> & { entries: ErasureParts['backups'] };
  };
type Backups = 'backups' | 'backupsIdle';

/** Erases everything when the owner asked for it before the last stop. Must run before anything of the home is opened. */
export const finishErasure = async (home: string, log: Log): Promise<ErasedEverything | undefined> =>
  existsSync(join(home, ERASE_EVERYTHING_FILE)) ? finishEverything(home, log) : undefined;

/** Creates erasure. */
export const createErasureModule = ({ backup, ...given }: ErasureModuleParts) => {
  const parts = { ...given, backups: backup.entries, backupsIdle: backup.idle };
  const store = createErasureStore(parts.db);
  const erasure = createErasureService({
    ...parts,
    store,
    work: (still) => createWork({ ...parts, still }),
  });
  return {
    erasure,
    routes: [...erasureRoutes({ erasure })] as const,
    /** Stores the report of an erasure of everything, which ends it. Does nothing when there was none. */
    async keepReport(erased: ErasedEverything | undefined): Promise<void> {
      if (erased === undefined) return;
      await parts.writer.write((tx) => store.insert(tx, rowOfEverything(erased, parts.clock.now())));
      forgetEverythingMark(parts.home.path);
    },
    close: () => erasure.close(),
  };
};
