import type { Database } from '../storage/index.ts';
import { outboxRoutes } from './routes.ts';
import { createOutboxService } from './service.ts';
import { createOutboxStore } from './store.ts';

export type OutboxRoomParts = Omit<Parameters<typeof createOutboxService>[0], 'store'> & { db: Database };

/** What must still reach somebody else, put together. */
export const createOutboxRoom = ({ db, ...parts }: OutboxRoomParts) => {
  const outbox = createOutboxService({ ...parts, store: createOutboxStore(db) });
  return { outbox, routes: outboxRoutes({ outbox }), close: () => outbox.close() };
};
