import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { outboxMessageSchema } from '../../../wire/ledger.ts';
import type { OutboxService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Messages to others', access: ownerOnly });
const PATH = '/api/v2.6/owner/outbox';

export const outboxRoutes = (parts: { outbox: OutboxService }) => {
  const { outbox } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List undelivered webhooks',
      responses: {
        200: {
          description: 'Dead letters, latest first, then pending webhooks in order; at most 500',
          schema: z.array(outboxMessageSchema),
        },
      },
      handler: () => json(200, outbox.list()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/:id/retry`,
      summary: 'Retry a webhook now',
      description:
        'Earlier webhooks of the same queue are sent first, without waiting for their next attempt. A dead letter is ' +
        'retried for another three days.',
      params: z.strictObject({ id: z.uuid() }),
      responses: { 200: { description: 'The webhook is pending', schema: outboxMessageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await outbox.retry(params.id.toLowerCase())),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/:id`,
      summary: 'Discard a webhook',
      description: 'A delivery in flight is aborted, but the receiver may already have processed it.',
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
