import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { publicAccess } from '../../platform/auth/principal.ts';
import { json, jsonText, route } from '../../platform/http/route.ts';
import { accountOf, pdaOf, pdaOnly, withRole } from '../../platform/service/authorization.ts';
import { conditionalHeaders, conditionalResponse, NOT_MODIFIED } from '../../platform/http/response/etag.ts';
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
import { OFFER_PAGE_MAX, type OfferService } from './service.ts';

const TAG = 'Offers';
/** Default page size. No Offer can have more claims. */
const ALL_CLAIMS = 1_000_000_000;

const params = z.strictObject({ id: offerIdSchema });
const offerResponse = { 200: { description: 'The Offer', schema: offerSchema } } as const;

export const offerRoutes = ({ offers }: { offers: OfferService }) =>
  [
    route({
      method: 'POST',
      path: '/api/v2/offer',
      tag: TAG,
      summary: 'Register an Offer',
      description: 'The Offer is a draft until an administrator approves it.',
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
      summary: 'List Offers, newest first',
      description:
        'Returns approved Offers that have not expired. Accounts also receive their own, administrators all. `after` is the id of the last Offer of the previous page. Supports `ETag` and `If-None-Match`.',
      access: publicAccess,
      query: z.strictObject({
        status: z.enum(['draft', 'approved', 'rejected']).optional(),
        after: offerIdSchema.optional(),
        skip: wholeNumber.default(0),
        take: wholeNumber.pipe(z.int().max(OFFER_PAGE_MAX)).default(OFFER_PAGE_MAX),
      }),
      headers: conditionalHeaders,
      responses: { 200: { description: 'Offers', schema: z.array(offerSchema) }, ...NOT_MODIFIED },
      handler: async ({ query, headers, caller }) =>
        conditionalResponse(await offers.list(query, caller.principal), headers['if-none-match']),
    }),
    route({
      method: 'GET',
      path: '/api/v2/offer/:id',
      tag: TAG,
      summary: 'Get an Offer',
      description: 'Only the provider and administrators may read an Offer that is not approved.',
      access: publicAccess,
      params,
      responses: offerResponse,
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => json(200, await offers.get(id, caller.principal)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/offer/:id',
      tag: TAG,
      summary: 'Approve or reject an Offer, or change a draft',
      description:
        'With `status`, an administrator approves or rejects the Offer; with the `edition` of the reviewed Offer, the request fails if the Offer was changed after the review. With a body, its provider changes the draft.',
      access: {
        auth: 'scopes',
        scopesFor: ({ query }) => [query.status === undefined ? 'role:marketPlace' : 'role:administrator'] as const,
      },
      params,
      query: z.strictObject({
        status: offerVerdictSchema.optional(),
        edition: wholeNumber.pipe(z.int().min(1)).optional(),
      }),
      body: { as: 'json', schema: newOfferSchema.optional(), maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: offerResponse,
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query: { status, edition }, body, caller }) => {
        const account = accountOf(caller);
        if (status !== undefined && body === undefined)
          return json(200, await offers.decide(id, status, edition, account));
        if (status === undefined && body !== undefined) return json(200, await offers.change(body, id, account));
        throw new Failure('invalid_input', 'Send either `status` or the changed Offer.');
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2/offer/:id/claim',
      tag: TAG,
      summary: 'Claim an Offer',
      description:
        'Called by a PDA. Claiming again returns the same claim. At most `requiredMaxUser` PDAs can claim an Offer.',
      access: pdaOnly,
      params,
      responses: {
        200: { description: 'The claim, the Offer and the credentials of its provider', schema: claimDetailsSchema },
      },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, caller }) => json(200, await offers.claim(id, pdaOf(caller).pdaId)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/offer/:id/registerClaim',
      tag: TAG,
      summary: 'Register a claim for a PDA',
      description:
        'Called by the provider of the Offer. The exchange notifies the PDA, unless the claim is confirmed. The PDA then proposes a Data Debit to its owner. An unreachable PDA finds the claim later by polling.',
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
      summary: 'List the confirmed claims of an Offer with credentials for reading',
      description:
        'Called by the provider of the Offer. With fewer than `requiredMinUser` confirmed claims, `claims` is empty. Claims are in the order in which their PDAs were registered.',
      access: withRole('marketPlace'),
      params,
      query: z.strictObject({ skip: wholeNumber.default(0), take: wholeNumber.default(ALL_CLAIMS) }),
      responses: { 200: { description: 'Credentials and claims', schema: providerClaimsSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query, caller }) =>
        jsonText(200, await offers.streamProviderClaims(id, query, accountOf(caller))),
    }),
  ] as const;
