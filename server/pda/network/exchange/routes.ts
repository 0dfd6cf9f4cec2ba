import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { proofAnswerSchema, proofRequestSchema } from '../../../wire/exchange.ts';
import { offerIdSchema } from '../../../wire/offers.ts';
import type { Claims } from './claims.ts';
import type { Registration } from './connection/registration.ts';

const TAG = 'The network';

/** What the exchange asks of this PDA. */
export const exchangeRoutes = ({
  registration,
  claims,
}: {
  registration: Registration;
  claims: Pick<Claims, 'take'>;
}) =>
  [
    route({
      method: 'POST',
      path: '/api/v2.6/exchange/proof',
      tag: TAG,
      summary: 'Prove to the exchange that this address is this PDA’s',
      description:
        'Answered while the owner has chosen an exchange. The token names that exchange and the challenge, and is worth nothing elsewhere.',
      access: publicAccess,
      body: { as: 'json', schema: proofRequestSchema },
      responses: { 200: { description: 'A token that says this and nothing else', schema: proofAnswerSchema } },
      errors: ['wrong_state', 'rate_limited'],
      handler: async ({ body }) => json(200, await registration.prove(body.challenge)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/exchange/claims',
      tag: TAG,
      summary: 'An Offer was claimed for this PDA',
      description:
        'By the exchange, whose word is not taken for it: the PDA fetches the claim, and proposes it to its owner.',
      access: { auth: 'scopes', scopesFor: () => ['exchange:claims'] },
      body: { as: 'json', schema: z.strictObject({ offerId: offerIdSchema }) },
      responses: { 200: { description: 'The Data Debit waits for the owner', schema: messageSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists', 'unavailable', 'out_of_disk'],
      handler: async ({ body }) => {
        await claims.take(body.offerId);
        return messageResponse(200, 'The owner is asked.');
      },
    }),
  ] as const;
