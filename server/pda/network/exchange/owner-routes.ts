import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, jsonText, route } from '../../../platform/http/route.ts';
import { wholeNumber } from '../../../wire/common.ts';
import { previewSchema } from '../../../wire/debits.ts';
import { offerIdSchema } from '../../../wire/offers.ts';
import {
  networkChangeSchema,
  networkKnownSchema,
  networkSchema,
  ownerOfferSchema,
  ownerOffersSchema,
} from '../../../wire/network.ts';
import type { NetworkService, OfferService } from './service.ts';

const NETWORK = 'The network';
const OFFERS = 'Offers';
const PATH = '/api/v2.6/owner/network';

const params = z.strictObject({ offerId: offerIdSchema });

/** The exchange and the contracts service as the owner sees them, and the Offers that the exchange has. */
export const ownerNetworkRoutes = (parts: { network: NetworkService; offers: OfferService }) => {
  const { network, offers } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: NETWORK,
      summary: 'Which services this PDA takes part in, and where it stands with them',
      access: ownerOnly,
      responses: { 200: { description: 'As of now', schema: networkSchema } },
      handler: () => json(200, network.view()),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: NETWORK,
      summary: 'Choose an exchange or a contracts service, or none',
      description: 'What is set in config.json cannot be changed here. An exchange that is given up is left.',
      access: ownerOnly,
      body: { as: 'json', schema: networkChangeSchema },
      responses: { 200: { description: 'As it is now', schema: networkSchema } },
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body }) => json(200, await network.change(body)),
    }),
    route({
      method: 'POST',
      path: `${PATH}/register`,
      tag: NETWORK,
      summary: 'Register with the exchange, or refresh that, now',
      description: '`state` and `problem` of the answer say what came of it.',
      access: ownerOnly,
      responses: { 200: { description: 'As it is now', schema: networkSchema } },
      errors: ['wrong_state', 'out_of_disk'],
      handler: async () => json(200, await network.register()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/leave`,
      tag: NETWORK,
      summary: 'Leave the exchange',
      description:
        'It forgets this PDA. While it cannot be reached the state is `leaving`, and it is tried until it is done.',
      access: ownerOnly,
      responses: { 200: { description: 'As it is now', schema: networkSchema } },
      errors: ['wrong_state', 'out_of_disk'],
      handler: async () => json(200, await network.leave()),
    }),
    route({
      method: 'GET',
      path: `${PATH}/known`,
      tag: NETWORK,
      summary: 'What the exchange knows of this PDA',
      description: 'Asked of it now.',
      access: ownerOnly,
      responses: { 200: { description: 'Its answer', schema: networkKnownSchema } },
      handler: async () => json(200, await network.known()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/offers',
      tag: OFFERS,
      summary: 'Offers of the exchange, and what became of those that were claimed',
      access: ownerOnly,
      responses: { 200: { description: 'Newest first', schema: ownerOffersSchema } },
      handler: async () => json(200, await offers.list()),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/offers/:offerId/claim',
      tag: OFFERS,
      summary: 'Claim an Offer',
      description:
        'Shares nothing yet: the Data Debit that it proposes waits for the owner. Claiming again changes nothing.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'Claimed', schema: ownerOfferSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists', 'too_large', 'unavailable', 'out_of_disk'],
      handler: async ({ params: { offerId } }) => json(200, await offers.claim(offerId)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/offers/:offerId/preview',
      tag: OFFERS,
      summary: 'What an Offer would share now',
      access: ownerOnly,
      params,
      query: z.object({ skip: wholeNumber.default(0), take: wholeNumber.pipe(z.int().max(500)).default(20) }),
      responses: { 200: { description: 'Property by property', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params: { offerId }, query }) => jsonText(200, await offers.preview(offerId, query)),
    }),
  ] as const;
};
