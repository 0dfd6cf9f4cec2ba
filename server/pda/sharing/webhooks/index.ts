import type { Database } from '../../storage/index.ts';
import { outboxRoutes } from './routes.ts';
import { createOutboxService, type OutboxParts } from './service.ts';
import { createOutboxStore } from './store.ts';

/** Creates the outbox of webhooks. */
export const createWebhookModule = ({ db, ...parts }: Omit<OutboxParts, 'store'> & { db: Database }) => {
  const outbox = createOutboxService({ ...parts, store: createOutboxStore(db) });
  return { outbox, routes: outboxRoutes({ outbox }), close: () => outbox.close() };
};
