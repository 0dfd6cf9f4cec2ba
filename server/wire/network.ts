import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { pdaDisclosureSchema } from './exchange.ts';
import { offerSchema } from './offers.ts';
import { contractNamespaceSchema } from './contracts.ts';
import { webUrlSchema } from './debits.ts';

// The owner's view of the network (`/api/v2.6/owner/network`, `/owner/offers`, `/owner/contracts`).

const registrationStateSchema = z.enum(['none', 'registering', 'registered', 'failed', 'leaving']);

/** `GET /owner/network`. */
export const networkSchema = z
  .strictObject({
    exchange: z
      .strictObject({
        url: z.string(),
        /** True if config.json sets the URL, which the dashboard then cannot change. */
        fixed: z.boolean(),
        state: registrationStateSchema,
        address: z.string().nullable(),
        since: dateTimeSchema.nullable(),
        problem: z
          .string()
          .nullable()
          .meta({ description: 'Reason why the last attempt failed, or why this PDA cannot register' }),
        reachable: z
          .boolean()
          .nullable()
          .meta({ description: 'True if the exchange responded to the last request; null if there was no request' }),
        catalogueAt: dateTimeSchema
          .nullable()
          .meta({ description: 'When the applications of the exchange were last read' }),
      })
      .nullable(),
    contracts: z.strictObject({ url: z.string(), fixed: z.boolean() }).nullable(),
    publicAddress: z
      .string()
      .nullable()
      .meta({ description: 'Null: there is none, so no exchange can reach this PDA' }),
    reports: z.strictObject({
      on: z.boolean(),
      waiting: z.int().meta({ description: 'Events that have not been delivered yet' }),
      sent: z.int(),
      lastSent: dateTimeSchema.nullable(),
    }),
  })
  .meta({ id: 'Network' });

/** `PUT /owner/network`. Null leaves and removes a service. */
export const networkChangeSchema = z.strictObject({
  exchange: webUrlSchema.nullable().optional(),
  contracts: webUrlSchema.nullable().optional(),
  reports: z.boolean().optional(),
});

/** `GET /owner/network/known`: the exchange's data about this PDA, verbatim; null if it could not be read. */
export const networkKnownSchema = z
  .strictObject({ known: pdaDisclosureSchema.nullable(), problem: z.string().nullable() })
  .meta({ id: 'NetworkKnown' });

const claimStateSchema = z.enum(['unclaimed', 'waiting', 'sharing', 'rejected', 'ended']);

/** `GET /owner/offers`. */
export const ownerOfferSchema = z
  .strictObject({
    offer: offerSchema,
    state: claimStateSchema,
    open: z.boolean().meta({ description: 'True if the Offer can be claimed now' }),
    dataDebitKey: z.string().nullable(),
    claimed: dateTimeSchema.nullable(),
    /** Current number of records by requested endpoint. */
    recordCounts: z.record(z.string(), z.int()),
  })
  .meta({ id: 'OwnerOffer' });
export const ownerOffersSchema = z
  .strictObject({
    offers: z.array(ownerOfferSchema),
    asOf: dateTimeSchema.nullable(),
    problem: z.string().nullable().meta({ description: 'Reason why the Offers could not be read from the exchange' }),
  })
  .meta({ id: 'OwnerOffers' });

/** `GET /owner/contracts`. */
export const ownerContractSchema = z
  .strictObject({
    contractId: z.string(),
    name: z.string(),
    description: z.string(),
    developer: z.string(),
    namespaces: z.array(contractNamespaceSchema).meta({ description: 'Terms that the owner agreed to' }),
    state: z.enum(['joining', 'joined', 'leaving', 'failed']),
    problem: z.string().nullable(),
    joined: dateTimeSchema.nullable(),
    lastUsed: dateTimeSchema.nullable(),
    reads: z.int(),
    writes: z.int(),
    refused: z.int(),
    application: z.string(),
  })
  .meta({ id: 'OwnerContract' });

export type Network = z.infer<typeof networkSchema>;
export type NetworkChange = z.infer<typeof networkChangeSchema>;
export type OwnerOffer = z.infer<typeof ownerOfferSchema>;
export type OwnerOffers = z.infer<typeof ownerOffersSchema>;
export type OwnerContract = z.infer<typeof ownerContractSchema>;
