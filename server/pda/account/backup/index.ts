import type { BackupStatus } from '../../../wire/backup.ts';
import type { BackupEntry } from '../../../wire/erasure.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database } from '../../storage/index.ts';
import { backupStatusOf } from './schedule-rules.ts';
import { backupRoutes } from './routes.ts';
import { createBackupService, type BackupParts } from './service.ts';
import { createSetupRestore } from './setup-service.ts';
import { openState } from './state.ts';
import { createBackupStore } from './store.ts';
import { createBackupWorker } from './worker/client.ts';

export { activateRestoredHome } from './home/activation.ts';

type BackupModuleParts = Omit<BackupParts, 'store' | 'state' | 'worker' | 'owner'> & {
  db: Database;
  owner: OwnerService;
};

/** The first check runs one interval after the start. */
const DUE_CHECK_INTERVAL_MS = 60_000;

/** Creates the module of backups, restore drills, and the restore during the set-up. */
export const createBackupModule = ({ db, ...options }: BackupModuleParts) => {
  const { home, log, clock } = options;
  const store = createBackupStore(db);
  const state = openState(home.backups, log);
  const { promise: whenRestored, resolve: restart } = Promise.withResolvers<void>();
  const worker = createBackupWorker();
  const backup = createBackupService({ ...options, store, state, worker });
  const setupRestore = createSetupRestore({ owner: options.owner, worker, home: home.path, clock, restart });
  let timer: NodeJS.Timeout | undefined;

  return {
    routes: backupRoutes({ backup, setupRestore }),
    /** Resolves when a restore during the set-up is complete. The server must then restart. */
    whenRestored,
    backup: {
      tick: backup.tick,
      waitUntilIdle: backup.waitUntilIdle,
      /** Returns the backups that may contain erased data, newest first; null if no backup is known. */
      listEntries(): BackupEntry[] | null {
        const { backups } = state.get();
        if (backups.length === 0) return null;
        return backups.map(({ number, created }) => ({ name: String(number), at: created, until: null }));
      },
      /** Returns the folders in which this PDA has stored backups, the current or last one at the end. */
      listFolders: (): string[] => state.get().madeIn,
      status(): BackupStatus {
        const { folder, every } = store.readRow();
        if (folder === null) return 'none';
        const { backups, problem } = state.get();
        const [newest] = backups;
        const newestAt = newest === undefined ? undefined : Date.parse(newest.created);
        return backupStatusOf(every, newestAt, problem?.what, clock.now());
      },
      start() {
        const runDue = (): void =>
          void backup
            .tick()
            .catch((error: unknown) => log.error({ err: error }, 'a due backup or restore drill failed'));
        timer = setInterval(runDue, DUE_CHECK_INTERVAL_MS).unref();
      },
    },
    async close() {
      clearInterval(timer);
      await backup.close();
      await state.whenWritten();
    },
  };
};
