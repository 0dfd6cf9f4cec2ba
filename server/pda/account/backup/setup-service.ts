import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Caller } from '../../../platform/http/route.ts';
import type { Restorable } from '../../../wire/backup.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { RestoreDone } from './worker/jobs.ts';
import type { Secret } from './format/key-file.ts';
import { asFailure } from './service.ts';
import type { BackupWorker } from './worker/client.ts';

type From = { code: string; from: string; secret: Secret; archive?: string | undefined };

/** Restore during the set-up, before there is an owner. Requires the one-time code, so the caller has access to the machine. */
export type SetUpRestore = {
  look(from: From, caller: Caller): Promise<Restorable>;
  /** Resolves when the home is ready; the server then restarts with it. */
  restore(from: From & { backup: string }, caller: Caller): Promise<RestoreDone>;
};

export const createSetUpRestore = (parts: {
  owner: Pick<OwnerService, 'isSetUp' | 'proveSetUp'>;
  worker: BackupWorker;
  home: string;
  clock: Clock;
  restart: () => void;
}): SetUpRestore => {
  const { owner, worker, home, restart } = parts;
  let busy = false;

  const alone = async <T>(
    { code, archive, ...from }: From,
    caller: Caller,
    work: (from: Omit<From, 'code'> & { archive: string | undefined }) => Promise<T>,
  ): Promise<T> => {
    if (!caller.local) throw new Failure('setup_only_local', 'Only its own machine can set this PDA up.');
    owner.proveSetUp(code);
    if (busy) throw new Failure('wrong_state', 'Another restore is running.');
    busy = true;
    try {
      return await work({ ...from, archive });
    } catch (error) {
      throw asFailure(error);
    } finally {
      busy = false;
    }
  };

  return {
    look: (request, caller) =>
      alone(request, caller, async ({ from, secret, archive }) => {
        const found = await worker.run({ op: 'look', from, secret, archive });
        return {
          archive: found.archive,
          backups: found.backups.map(({ number, name, page, problem }) => ({
            number,
            name,
            problem,
            created: page?.created ?? null,
            files: page?.files ?? 0,
            bytes: page?.bytes ?? 0,
          })),
        };
      }),
    restore: ({ backup, ...request }, caller) =>
      alone(request, caller, async ({ from, secret, archive }) => {
        const done = await worker.run({ op: 'restore', from, secret, archive, backup, home, now: parts.clock.now() });
        if (owner.isSetUp()) {
          rmSync(join(home, 'restored'), { recursive: true, force: true });
          throw new Failure('wrong_state', 'This PDA was set up meanwhile. Nothing was restored.');
        }
        restart();
        return done;
      }),
  };
};
