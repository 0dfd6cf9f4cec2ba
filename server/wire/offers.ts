import { z } from 'zod';
import { LAST_DATE_MS, pathNameSchema, timeInput, unixMs } from './common.ts';
import { webUrlSchema } from './debits.ts';
import { displayParagraph, displayText } from './display-text.ts';
import { namedBundleSchema, proposedBundleSchema } from './query.ts';

const momentSchema = timeInput(0, LAST_DATE_MS).meta({
  description: 'Unix milliseconds; ISO 8601 is accepted too',
  type: 'integer',
});

export const offerIdSchema = z.string().regex(/^[A-Za-z0-9-]{1,100}$/u, 'use letters, digits and hyphens');
const offerStatusSchema = z.enum(['draft', 'approved', 'rejected', 'satisfied', 'oversubscribed']);

const ignoredMember = z
  .unknown()
  .optional()
  .transform(() => undefined)
  .meta({ description: 'Ignored in requests' });

/**
 * `POST /api/v2/offer`, `PUT /api/v2/offer/<id>`. Also accepts an Offer as the exchange returned it: the properties
 * that only the exchange sets are ignored.
 */
export const newOfferSchema = z
  .strictObject({
    offerId: offerIdSchema,
    title: displayText(200),
    description: displayParagraph(10_000),
    starts: momentSchema,
    expires: momentSchema,
    collectionDuration: z.int().min(1000).max(3_155_760_000_000).meta({ description: 'Milliseconds' }),
    dataConditions: proposedBundleSchema.nullish(),
    requiredData: proposedBundleSchema,
    requiredMinUser: z.int().min(0).max(1_000_000_000),
    requiredMaxUser: z.int().min(1).max(1_000_000_000),
    // Extensions: properties that a Data Debit proposal needs, but the Offer of the interface lacks.
    termsUrl: webUrlSchema.optional(),
    url: webUrlSchema.optional(),
    logoUrl: webUrlSchema.optional(),
    status: ignoredMember,
    created: ignoredMember,
    provider: ignoredMember,
    providerName: ignoredMember,
    edition: ignoredMember,
    counts: ignoredMember,
  })
  .refine((offer) => offer.expires > offer.starts, { path: ['expires'], message: 'must be later than `starts`' })
  .refine((offer) => offer.requiredMaxUser >= offer.requiredMinUser, {
    path: ['requiredMaxUser'],
    message: 'must be at least `requiredMinUser`',
  })
  .meta({ id: 'NewOffer' });

export const offerSchema = z
  .strictObject({
    offerId: offerIdSchema,
    created: unixMs,
    provider: z.uuid().meta({ description: 'User id of the account that registered the Offer' }),
    providerName: z.string(),
    edition: z
      .int()
      .optional()
      .meta({ description: 'Increases with each change of the draft; a decision can name the reviewed edition' }),
    title: z.string(),
    description: z.string(),
    starts: unixMs,
    expires: unixMs,
    collectionDuration: z.int(),
    dataConditions: namedBundleSchema.optional(),
    requiredData: namedBundleSchema,
    requiredMinUser: z.int(),
    requiredMaxUser: z.int(),
    status: offerStatusSchema,
    counts: z
      .strictObject({ claimed: z.int(), confirmed: z.int() })
      .optional()
      .meta({ description: 'Visible to the Offer’s provider and to administrators' }),
    termsUrl: z.string().optional(),
    url: z.string().optional(),
    logoUrl: z.string().optional(),
  })
  .meta({ id: 'Offer' });

/** An owner's claim of an Offer, as the interface defines it. */
export const offerClaimSchema = z
  .strictObject({
    offerId: offerIdSchema,
    user: z.strictObject({ address: z.string(), publicKey: z.string() }),
    relationship: z.literal('claim'),
    confirmed: z.boolean(),
    dataDebitId: pathNameSchema,
    dateCreated: unixMs,
  })
  .meta({ id: 'OfferClaim' });

/** `GET /api/v2/offer/<id>/claim`, for the PDA. The provider signs in to the PDA with the credentials. */
export const claimDetailsSchema = z
  .strictObject({
    claim: offerClaimSchema,
    offer: offerSchema,
    credentials: z.strictObject({ login: z.string(), passwordHash: z.string() }),
  })
  .meta({ id: 'ClaimDetails' });

/** Each claim has its own password, so that a PDA that learns it cannot use it at another PDA. */
const providerClaimSchema = offerClaimSchema
  .extend({
    credentials: z.strictObject({
      offerId: offerIdSchema,
      login: z.string(),
      passwordPlain: z.string(),
      passwordHash: z.string(),
      dateCreated: unixMs,
    }),
  })
  .meta({ id: 'ProviderClaim' });

/** `GET /api/v2/offer/<id>/claims`. `claims` is empty until `requiredMinUser` claims are confirmed. */
export const providerClaimsSchema = z
  .strictObject({
    credentials: z.strictObject({ offerId: offerIdSchema, login: z.string(), dateCreated: unixMs }),
    count: z.int().meta({ description: 'Confirmed claims' }),
    claimed: z.int().meta({ description: 'All claims' }),
    claims: z.array(providerClaimSchema),
  })
  .meta({ id: 'ProviderClaims' });

/** `PUT /api/v2/offer/<id>?status=`, for administrators. */
export const offerVerdictSchema = z.enum(['approved', 'rejected']);

export type NewOffer = z.output<typeof newOfferSchema>;
export type Offer = z.infer<typeof offerSchema>;
export type OfferStatus = z.infer<typeof offerStatusSchema>;
export type OfferClaim = z.infer<typeof offerClaimSchema>;
export type ClaimDetails = z.infer<typeof claimDetailsSchema>;
export type ProviderClaims = z.infer<typeof providerClaimsSchema>;
