import type { Database } from '../../storage/index.ts';
import { outboxRoutes } from './routes.ts';
import { createOutboxService } from './service.ts';
import { createOutboxStore } from './store.ts';

export type WebhookModuleParts = Omit<Parameters<typeof createOutboxService>[0], 'store'> & { db: Database };

/** Creates the outbox of webhooks. */
export const createWebhookModule = ({ db, ...parts }: WebhookModuleParts) => {
  const outbox = createOutboxService({ ...parts, store: createOutboxStore(db) });
  return { outbox, routes: outboxRoutes({ outbox }), close: () => outbox.close() };
};
