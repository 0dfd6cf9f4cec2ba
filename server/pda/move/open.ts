import type { Database } from '../storage/index.ts';
import { createMoveDetails } from './details-store.ts';
import { createMoveService, type MoveParts, type MoveService } from './service.ts';
import { openMoveState } from './state.ts';
import { createWorker } from './worker.ts';

/** The working parts of moves, made when somebody asks. */
export const openMove = (parts: Omit<MoveParts, 'details' | 'worker' | 'state'>, db: Database): MoveService =>
  createMoveService({
    ...parts,
    details: createMoveDetails(db),
    worker: createWorker(),
    state: openMoveState(parts.home),
  });
