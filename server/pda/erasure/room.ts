import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../platform/log.ts';
import type { BackupService } from '../backup/service.ts';
import { finishEverything, forgetEverythingMark, type ErasedEverything } from './everything.ts';
import { erasureRoutes } from './routes.ts';
import { createErasureService, MARK, rowOfEverything, type ErasureParts } from './service.ts';
import { createErasureStore } from './store.ts';
import { createWork, type WorkParts } from './work.ts';

export type ErasureRoomParts = Omit<WorkParts, 'still' | Backups> &
  Omit<ErasureParts, 'store' | 'work' | Backups> & {
    backup: () => Pick<BackupService, 'idle'> & { entries: ErasureParts['backups'] };
  };
type Backups = 'backups' | 'backupsIdle';

/** When the owner asked for everything to be erased: does it. Before anything of the home is opened. */
export const finishErasing = async (home: string, log: Log): Promise<ErasedEverything | undefined> =>
  existsSync(join(home, MARK)) ? finishEverything(home, log) : undefined;

/** Erasing for good, put together. */
export const createErasureRoom = ({ backup, ...given }: ErasureRoomParts) => {
  const parts = { ...given, backups: () => backup().entries(), backupsIdle: () => backup().idle() };
  const store = createErasureStore(parts.db);
  const erasure = createErasureService({
    ...parts,
    store,
    work: (still) => createWork({ ...parts, still }),
  });
  return {
    erasure,
    routes: [...erasureRoutes({ erasure })] as const,
    /** Keeps the report of what was there before, if everything was erased; then that is done. */
    async keepReport(erased: ErasedEverything | undefined): Promise<void> {
      if (erased === undefined) return;
      await parts.writer.write((tx) => store.insert(tx, rowOfEverything(erased, parts.clock.now())));
      forgetEverythingMark(parts.home.path);
    },
    close: () => erasure.close(),
  };
};
