import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Caller } from '../../../platform/http/route.ts';
import type { Restorable } from '../../../wire/backup.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { BackupResults } from './worker/jobs.ts';
import type { Secret } from './format/key-file.ts';
import { asFailure } from './format/error.ts';
import type { BackupWorker } from './worker/client.ts';

type RestoreSource = { code: string; from: string; secret: Secret; archive?: string | undefined };

export type SetupRestore = ReturnType<typeof createSetupRestore>;

/**
 * Creates the service that restores a backup before there is an owner. Its operations require the one-time code of the
 * set-up and a request from this machine.
 */
export const createSetupRestore = (parts: {
  owner: Pick<OwnerService, 'isSetUp' | 'verifySetupCode'>;
  worker: BackupWorker;
  home: string;
  clock: Clock;
  restart: () => void;
}) => {
  const { owner, worker, home, restart } = parts;
  let isBusy = false;

  const runExclusively = async <T>(code: string, caller: Caller, operation: () => Promise<T>): Promise<T> => {
    if (!caller.local)
      throw new Failure('setup_only_local', 'This PDA can only be set up on the machine that runs it.');
    owner.verifySetupCode(code);
    if (isBusy)
      throw new Failure('wrong_state', 'Backups are already being listed or restored. Wait until this has ended.');
    isBusy = true;
    try {
      return await operation();
    } catch (error) {
      throw asFailure(error);
    } finally {
      isBusy = false;
    }
  };

  return {
    list: ({ code, from, secret, archive }: RestoreSource, caller: Caller): Promise<Restorable> =>
      runExclusively(code, caller, async () => {
        const result = await worker.run({ op: 'list', from, secret, archive });
        return {
          archive: result.archive,
          backups: result.backups.map(({ number, name, details, problem }) => ({
            number,
            name,
            problem,
            created: details?.created ?? null,
            files: details?.files ?? 0,
            bytes: details?.bytes ?? 0,
          })),
        };
      }),
    /** Resolves when the restored home is complete. The server then restarts with the restored account. */
    restore: (
      { code, from, secret, archive, backup }: RestoreSource & { backup: string },
      caller: Caller,
    ): Promise<BackupResults['restore']> =>
      runExclusively(code, caller, async () => {
        const now = parts.clock.now();
        const summary = await worker.run({ op: 'restore', from, secret, archive, backup, home, now });
        if (owner.isSetUp()) {
          rmSync(join(home, 'restored'), { recursive: true, force: true });
          throw new Failure('wrong_state', 'This PDA was set up during the restore. Nothing was restored.');
        }
        restart();
        return summary;
      }),
  };
};
