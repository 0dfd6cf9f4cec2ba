import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isUnfinished, transferPaths } from './format/paths.ts';
import type { Database } from '../../storage/index.ts';
import { replaceWithImport } from './import/activation.ts';
import { createTransferDetails } from './import/details-store.ts';
import { transferRoutes } from './routes.ts';
import { createTransferService, type TransferParts } from './service.ts';
import { openTransferState } from './import/state.ts';
import { createTransferStore } from './store.ts';
import { createTransferWorker } from './worker/client.ts';

type TransferModuleParts = Omit<
  TransferParts,
  'store' | 'details' | 'worker' | 'state' | 'restart' | 'resumeOutbound'
> & {
  db: Database;
};

/**
 * Activates an imported account and deletes the files of an interrupted export or import. Must run before the database
 * is opened.
 */
export const activateImport = (home: string, parts: Parameters<typeof replaceWithImport>[1]): void => {
  const { folder, completeImport, activatingImport } = transferPaths(home);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (isUnfinished(name)) rmSync(join(folder, name), { recursive: true, force: true });
  if (existsSync(completeImport) || existsSync(activatingImport)) replaceWithImport(home, parts);
};

/** Creates the module that exports and imports whole accounts. */
export const createTransferModule = ({ db, ...parts }: TransferModuleParts) => {
  const store = createTransferStore(db);
  const row = store.findLast();
  let isOutboundPaused = row !== undefined && row.settled === null;
  let pendingStarts: (() => unknown)[] = [];
  const { promise: whenImported, resolve: restart } = Promise.withResolvers<void>();
  const resumeOutbound = (): void => {
    isOutboundPaused = false;
    for (const start of pendingStarts.splice(0)) start();
  };
  const service = createTransferService({
    ...parts,
    store,
    restart,
    resumeOutbound,
    details: createTransferDetails(db),
    worker: createTransferWorker(),
    state: openTransferState(parts.home),
  });
  return {
    routes: transferRoutes(service),
    service,
    /** Resolves after an import. The home must then be reopened. */
    whenImported,
    /** Starts the outbound services. In a newly imported account they start only after the owner has activated it. */
    startOutbound(starts: readonly (() => unknown)[]): void {
      pendingStarts = [...starts];
      if (!isOutboundPaused) resumeOutbound();
    },
    close: service.close,
  };
};
