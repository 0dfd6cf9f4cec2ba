import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { proofRequestSchema, proofResponseSchema } from '../../../wire/exchange.ts';
import { offerIdSchema } from '../../../wire/offers.ts';
import type { Claims } from './claims.ts';
import type { Registration } from './connection/registration.ts';

const TAG = 'The network';

export const exchangeRoutes = ({
  registration,
  claims,
}: {
  registration: Registration;
  claims: Pick<Claims, 'ensureProposed'>;
}) =>
  [
    route({
      method: 'POST',
      path: '/api/v2.6/exchange/proof',
      tag: TAG,
      summary: 'Prove to the exchange that this PDA owns its address',
      description:
        'Available while this PDA uses an exchange and has a public address. The token names that exchange and the ' +
        'challenge, so it is valid for nothing else.',
      access: publicAccess,
      body: { as: 'json', schema: proofRequestSchema },
      responses: { 200: { description: 'A token that serves only as the proof', schema: proofResponseSchema } },
      errors: ['wrong_state'],
      handler: async ({ body }) => json(200, await registration.prove(body.challenge)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/exchange/claims',
      tag: TAG,
      summary: 'Notify this PDA of a claimed Offer',
      description:
        'Sent by the exchange. The PDA does not trust the notification: it fetches the claim and proposes it to its ' +
        'owner.',
      access: { auth: 'scopes', scopesFor: () => ['exchange:claims'] },
      body: { as: 'json', schema: z.strictObject({ offerId: offerIdSchema }) },
      responses: { 200: { description: 'The Data Debit has been proposed to the owner', schema: messageSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists'],
      handler: async ({ body }) => {
        await claims.ensureProposed(body.offerId);
        return messageResponse(200, 'The Data Debit was proposed to the owner.');
      },
    }),
  ] as const;
