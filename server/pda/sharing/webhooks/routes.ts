import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { outboxMessageSchema } from '../../../wire/ledger.ts';
import type { OutboxService } from './service.ts';

const TAG = 'Messages to others';
const PATH = '/api/v2.6/owner/outbox';

export const outboxRoutes = (parts: { outbox: OutboxService }) => {
  const { outbox } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List webhooks that are not yet delivered',
      access: ownerOnly,
      responses: {
        200: {
          description: 'Dead letters, then pending webhooks in order; at most 500',
          schema: z.array(outboxMessageSchema),
        },
      },
      handler: () => json(200, outbox.list()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/:id/retry`,
      tag: TAG,
      summary: 'Retry a webhook now',
      description: 'A dead letter is retried for another three days.',
      access: ownerOnly,
      params: z.strictObject({ id: z.uuid() }),
      responses: { 200: { description: 'The webhook is pending and due', schema: outboxMessageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await outbox.retry(params.id.toLowerCase())),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:id`,
      tag: TAG,
      summary: 'Discard a webhook without sending it',
      access: ownerOnly,
      params: z.strictObject({ id: z.uuid() }),
      responses: { 200: { description: 'Discarded', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => {
        await outbox.drop(params.id.toLowerCase());
        return messageResponse(200, 'Discarded.');
      },
    }),
  ] as const;
};
