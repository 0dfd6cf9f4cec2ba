import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { outboxMessageSchema } from '../../../wire/ledger.ts';
import type { OutboxService } from './service.ts';

const TAG = 'Messages to others';
const PATH = '/api/v2.6/owner/outbox';

/** What could not be delivered yet, for the owner. */
export const outboxRoutes = (parts: { outbox: OutboxService }) => {
  const { outbox } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Webhooks that are not yet delivered',
      access: ownerOnly,
      responses: {
        200: {
          description: 'Given up ones first, then those that wait, in order; 500 at most',
          schema: z.array(outboxMessageSchema),
        },
      },
      handler: () => json(200, outbox.list()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/:id/retry`,
      tag: TAG,
      summary: 'Try again now',
      description: 'A message that was given up has three days again.',
      access: ownerOnly,
      params: z.strictObject({ id: z.uuid() }),
      responses: { 200: { description: 'It waits, and its turn is now', schema: outboxMessageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await outbox.retry(params.id.toLowerCase())),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:id`,
      tag: TAG,
      summary: 'Throw a message away unsent',
      access: ownerOnly,
      params: z.strictObject({ id: z.uuid() }),
      responses: { 200: { description: 'Thrown away', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => {
        await outbox.drop(params.id.toLowerCase());
        return messageResponse(200, 'Thrown away.');
      },
    }),
  ] as const;
};
