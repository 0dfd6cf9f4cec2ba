import type { OwnerService } from '../owner/service.ts';
import { createBackupService, type BackupParts, type BackupService } from './service.ts';
import { createSetUpRestore, type SetUpRestore } from './setup-service.ts';
import { createWorker } from './worker.ts';

export type OpenParts = Omit<BackupParts, 'worker' | 'owner'> & { owner: OwnerService };
export type OpenBackups = { backup: BackupService; setUp: SetUpRestore };

/** The working parts of backups, made when somebody asks or something may be due. @param restart a backup was restored in the set-up */
export const openBackups = (parts: OpenParts, restart: () => void): OpenBackups => {
  const worker = createWorker();
  return {
    backup: createBackupService({ ...parts, worker }),
    setUp: createSetUpRestore({ owner: parts.owner, worker, home: parts.home.path, clock: parts.clock, restart }),
  };
};
