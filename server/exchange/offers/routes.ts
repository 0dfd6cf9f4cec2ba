import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { anyone } from '../../platform/principal.ts';
import { json, jsonText, route } from '../../platform/route.ts';
import { accountOf, pdaOf, pdaOnly, withRole } from '../../platform/service-access.ts';
import { conditionalHeaders, tagged, UNCHANGED } from '../../platform/tagged.ts';
import { wholeNumber } from '../../wire/common.ts';
import {
  claimDetailsSchema,
  newOfferSchema,
  offerClaimSchema,
  offerIdSchema,
  offerSchema,
  offerVerdictSchema,
  providerClaimsSchema,
} from '../../wire/offers.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { ALL_OFFERS, type OfferService } from './service.ts';

const TAG = 'Offers';
/** Claims in one answer when nothing else is asked for: more than any Offer has. */
const ALL = 1_000_000_000;

const params = z.strictObject({ id: offerIdSchema });
const one = { 200: { description: 'The Offer', schema: offerSchema } } as const;

export const offerRoutes = ({ offers }: { offers: OfferService }) =>
  [
    route({
      method: 'POST',
      path: '/api/v2/offer',
      tag: TAG,
      summary: 'Register an Offer',
      description: 'It is a draft until an administrator approves it.',
      access: withRole('marketPlace'),
      body: { as: 'json', schema: newOfferSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Registered', schema: offerSchema } },
      errors: ['already_exists', 'wrong_state'],
      handler: async ({ body, caller }) => json(201, await offers.register(body, accountOf(caller))),
    }),
    route({
      method: 'GET',
      path: '/api/v2/offers',
      tag: TAG,
      summary: 'Offers, the newest first',
      description:
        'Those that are approved and not over. An account sees its own besides, an administrator all. `after` is the id of the last Offer of the page before. `ETag` and `If-None-Match` work.',
      access: anyone,
      query: z.strictObject({
        status: z.enum(['draft', 'approved', 'rejected']).optional(),
        after: offerIdSchema.optional(),
        skip: wholeNumber.default(0),
        take: wholeNumber.pipe(z.int().max(ALL_OFFERS)).default(ALL_OFFERS),
      }),
      headers: conditionalHeaders,
      responses: { 200: { description: 'Offers', schema: z.array(offerSchema) }, ...UNCHANGED },
      handler: async ({ query, headers, caller }) =>
        tagged(await offers.list(query, caller.principal), headers['if-none-match']),
    }),
    route({
      method: 'GET',
      path: '/api/v2/offer/:id',
      tag: TAG,
      summary: 'One Offer',
      description: 'One that is not approved is known to its owner and to administrators only.',
      access: anyone,
      params,
      responses: one,
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => json(200, await offers.find(id, caller.principal)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/offer/:id',
      tag: TAG,
      summary: 'Decide about an Offer, or change a draft',
      description:
        'With `status`: an administrator approves or rejects it; `edition` is the one that they looked at. With a body: its owner words a draft anew.',
      access: {
        want: 'scopes',
        of: ({ query }) => [query.status === undefined ? 'role:marketPlace' : 'role:administrator'] as const,
      },
      params,
      query: z.strictObject({
        status: offerVerdictSchema.optional(),
        edition: wholeNumber.pipe(z.int().min(1)).optional(),
      }),
      body: { as: 'json', schema: newOfferSchema.optional(), maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: one,
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query: { status, edition }, body, caller }) => {
        if ((status === undefined) === (body === undefined))
          throw new Failure('invalid_input', 'Send either a `status` or the Offer as it is to be.');
        const account = accountOf(caller);
        if (status !== undefined) return json(200, await offers.decide(id, status, edition, account));
        return json(200, body === undefined ? {} : await offers.change(body, id, account));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2/offer/:id/claim',
      tag: TAG,
      summary: 'Claim an Offer',
      description:
        'By a PDA. The same claim however often it is asked for. Never more than `requiredMaxUser` PDAs get one.',
      access: pdaOnly,
      params,
      responses: { 200: { description: 'The claim, and what the PDA needs for it', schema: claimDetailsSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, caller }) => json(200, await offers.claim(id, pdaOf(caller).pdaId)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/offer/:id/registerClaim',
      tag: TAG,
      summary: 'Register a claim for a PDA',
      description:
        'By the owner of the Offer. The PDA is told and proposes a Data Debit to its owner; one that cannot be reached finds the claim when it looks itself.',
      access: withRole('marketPlace'),
      params,
      query: z.strictObject({ pda: pdaAddressSchema }),
      responses: { 200: { description: 'The claim', schema: offerClaimSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query: { pda }, caller }) =>
        json(200, await offers.registerClaim(id, pda, accountOf(caller), caller.host)),
    }),
    route({
      method: 'GET',
      path: '/api/v2/offer/:id/claims',
      tag: TAG,
      summary: 'Confirmed claims of an Offer, with the accounts to read by',
      description:
        'To the owner of the Offer. Below `requiredMinUser` confirmed claims the count and no claim. In the order in which the PDAs registered.',
      access: withRole('marketPlace'),
      params,
      query: z.strictObject({ skip: wholeNumber.default(0), take: wholeNumber.default(ALL) }),
      responses: { 200: { description: 'Credentials and claims', schema: providerClaimsSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query, caller }) =>
        jsonText(200, await offers.providerClaims(id, query, accountOf(caller))),
    }),
  ] as const;
