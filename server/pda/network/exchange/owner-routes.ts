import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText } from '../../../platform/http/route.ts';
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

const networkRoute = createRouteDeclarer({ tag: 'The network', access: ownerOnly });
const offersRoute = createRouteDeclarer({ tag: 'Offers', access: ownerOnly });
const PATH = '/api/v2.6/owner/network';

const params = z.strictObject({ offerId: offerIdSchema });

export const ownerNetworkRoutes = (parts: { network: NetworkService; offers: OfferService }) => {
  const { network, offers } = parts;
  return [
    networkRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the services that this PDA uses and the state of its registration',
      responses: { 200: { description: 'Current state', schema: networkSchema } },
      handler: () => json(200, network.view()),
    }),
    networkRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Change the exchange, the contracts service and whether statistics are reported',
      description:
        'Settings in config.json cannot be changed by this route. If the exchange changes, the PDA leaves the previous ' +
        'one.',
      body: { as: 'json', schema: networkChangeSchema },
      responses: { 200: { description: 'Current state', schema: networkSchema } },
      errors: ['wrong_state'],
      handler: async ({ body }) => json(200, await network.change(body)),
    }),
    networkRoute({
      method: 'POST',
      path: `${PATH}/register`,
      summary: 'Register with the exchange now, or refresh the registration',
      description: '`exchange.state` and `exchange.problem` in the response contain the result.',
      responses: { 200: { description: 'Current state', schema: networkSchema } },
      errors: ['wrong_state'],
      handler: async () => json(200, await network.register()),
    }),
    networkRoute({
      method: 'POST',
      path: `${PATH}/leave`,
      summary: 'Leave the exchange',
      description:
        'The exchange deletes its record of this PDA. While it cannot be reached, the state is `leaving` and the PDA ' +
        'retries.',
      responses: { 200: { description: 'Current state', schema: networkSchema } },
      errors: ['wrong_state'],
      handler: async () => json(200, await network.leave()),
    }),
    networkRoute({
      method: 'GET',
      path: `${PATH}/known`,
      summary: 'Get the data that the exchange stores about this PDA',
      description:
        'The PDA requests the data from the exchange. If that fails, `known` is null and `problem` states the reason.',
      responses: { 200: { description: 'Record of the exchange', schema: networkKnownSchema } },
      handler: async () => json(200, await network.readExchangeRecord()),
    }),
    offersRoute({
      method: 'GET',
      path: '/api/v2.6/owner/offers',
      summary: 'List the Offers of the exchange and the state of claims',
      responses: { 200: { description: 'Newest first', schema: ownerOffersSchema } },
      handler: async () => json(200, await offers.list()),
    }),
    offersRoute({
      method: 'POST',
      path: '/api/v2.6/owner/offers/:offerId/claim',
      summary: 'Claim an Offer',
      description:
        'Shares nothing yet: the proposed Data Debit waits for the owner’s approval. Claiming again changes nothing.',
      params,
      responses: { 200: { description: 'Claimed', schema: ownerOfferSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists', 'too_large'],
      handler: async ({ params: { offerId } }) => json(200, await offers.claim(offerId)),
    }),
    offersRoute({
      method: 'GET',
      path: '/api/v2.6/owner/offers/:offerId/preview',
      summary: 'Preview the records that an Offer would share',
      params,
      query: z.object({ skip: wholeNumber.default(0), take: wholeNumber.pipe(z.int().max(500)).default(20) }),
      responses: { 200: { description: 'The records by property', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params: { offerId }, query }) => jsonText(200, await offers.preview(offerId, query)),
    }),
  ] as const;
};
