import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftOver, placesIn } from './places.ts';
import type { Database } from '../storage/index.ts';
import { adoptMoved as adopt } from './adopt.ts';
import { createMoveDetails } from './details-store.ts';
import { moveRoutes } from './routes.ts';
import { createMoveService, type MoveParts } from './service.ts';
import { openMoveState } from './state.ts';
import { createMoveStore } from './store.ts';
import { createWorker } from './worker.ts';

export type MoveRoomParts = Omit<MoveParts, 'store' | 'details' | 'worker' | 'state' | 'restart' | 'speak'> & {
  db: Database;
};

/**
 * Puts an account that was imported in its place, before the database is opened. Copies of an account that an export or an import had begun when the
 * machine stopped go: nobody asks for them any more.
 */
export const adoptMoved = async (home: string, now: number): Promise<void> => {
  const { folder, made, arriving } = placesIn(home);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (isLeftOver(name)) rmSync(join(folder, name), { recursive: true, force: true });
  if (existsSync(made) || existsSync(arriving)) adopt(home, now);
};

/** Moving a whole account, put together. */
export const createMoveRoom = ({ db, ...parts }: MoveRoomParts) => {
  const store = createMoveStore(db);
  const row = store.last();
  let held = row !== undefined && row.settled === null;
  let waiting: (() => unknown)[] = [];
  const { promise: arrived, resolve: restart } = Promise.withResolvers<void>();
  const speak = (): void => {
    held = false;
    for (const start of waiting.splice(0)) start();
  };
  const service = createMoveService({
    ...parts,
    store,
    restart,
    speak,
    details: createMoveDetails(db),
    worker: createWorker(),
    state: openMoveState(parts.home),
  });
  return {
    routes: moveRoutes(service),
    service,
    /** Resolves when an account was imported: the home is to be opened anew. */
    arrived,
    /** What goes out by itself: it waits in an account that has just come here, until the owner says that it lives here now. */
    speaking: (starts: readonly (() => unknown)[]) => (): void => {
      waiting = [...starts];
      if (!held) speak();
    },
    close: service.close,
  };
};
