import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftOver, placesIn } from './format/paths.ts';
import type { Database } from '../../storage/index.ts';
import { adoptMoved as adopt } from './import/activation.ts';
import { createMoveDetails } from './import/details-store.ts';
import { moveRoutes } from './routes.ts';
import { createMoveService, type MoveParts } from './service.ts';
import { openMoveState } from './import/state.ts';
import { createMoveStore } from './store.ts';
import { createTransferWorker } from './worker/client.ts';

export type TransferModuleParts = Omit<MoveParts, 'store' | 'details' | 'worker' | 'state' | 'restart' | 'speak'> & {
  db: Database;
};

/**
 * Activates an account that was imported. Must run before the database is opened. Removes the unfinished copies of an export or import that a stop
 * interrupted.
 */
export const activateImport = async (home: string, now: number): Promise<void> => {
  const { folder, made, arriving } = placesIn(home);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (isLeftOver(name)) rmSync(join(folder, name), { recursive: true, force: true });
  if (existsSync(made) || existsSync(arriving)) adopt(home, now);
};

/** Creates the transfer of whole accounts. */
export const createTransferModule = ({ db, ...parts }: TransferModuleParts) => {
  const store = createMoveStore(db);
  const row = store.last();
  let isHeld = row !== undefined && row.settled === null;
  let heldStarts: (() => unknown)[] = [];
  const { promise: arrived, resolve: restart } = Promise.withResolvers<void>();
  const resumeOutbound = (): void => {
    isHeld = false;
    for (const start of heldStarts.splice(0)) start();
  };
  const service = createMoveService({
    ...parts,
    store,
    restart,
    speak: resumeOutbound,
    details: createMoveDetails(db),
    worker: createTransferWorker(),
    state: openMoveState(parts.home),
  });
  return {
    routes: moveRoutes(service),
    service,
    /** Resolves when an account was imported: the home must be opened again. */
    arrived,
    /** Starts what sends by itself. In an account that was just imported it waits until the owner confirms that the account lives here now. */
    startOutbound(starts: readonly (() => unknown)[]): void {
      heldStarts = [...starts];
      if (!isHeld) resumeOutbound();
    },
    close: service.close,
  };
};
