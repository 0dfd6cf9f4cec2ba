import { z } from 'zod';
import { endpointSchema, jsonSchema, namespaceSchema, wholeNumber } from './common.ts';
import { pdaNameSchema } from './owner.ts';

// Contracted access (docs/decisions.md, 9).

export const contractIdSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u, 'use letters, digits and . _ -')
  .meta({ description: 'Also the id of the application of kind Contract through which owners join' });

export const contractNamespaceSchema = z
  .strictObject({ namespace: namespaceSchema, read: z.boolean(), write: z.boolean() })
  .refine(({ read, write }) => read || write, 'must grant read, write or both')
  .meta({ id: 'ContractNamespace' });

export const keyringQuerySchema = z.object({ skip: wholeNumber.default(0), take: wholeNumber.optional() });

/** `GET /v1/contracts/keyring`, streamed as JSON. */
export const keyringSchema = z
  .strictObject({
    token: z.string().meta({ description: 'The short-lived token: JWT, RS256, valid for 15 minutes' }),
    associatedPdas: z.array(z.string()).meta({ description: 'Names of the PDAs that joined, in alphabetical order' }),
  })
  .meta({ id: 'Keyring' });

export const keySetSchema = z
  .strictObject({ keys: z.array(z.record(z.string(), z.string())) })
  .meta({ id: 'JsonWebKeySet' });

/** Claims of the short-lived token. Times are Unix seconds. */
export const shortLivedClaimsSchema = z.object({
  iss: z.string(),
  sub: contractIdSchema,
  namespaces: z.array(z.strictObject({ namespace: z.string(), read: z.boolean(), write: z.boolean() })),
  jti: z.string(),
  iat: z.number(),
  exp: z.number(),
});

/** `GET /v1/contracts/<id>`, public: the terms to which owners agree by joining. */
export const contractSchema = z
  .strictObject({
    contractId: contractIdSchema,
    name: z.string(),
    description: z.string(),
    developer: z.string(),
    namespaces: z.array(contractNamespaceSchema),
  })
  .meta({ id: 'Contract' });

/**
 * Response of `PUT` and `DELETE /v1/contracts/<id>/pdas/<name>`. Both requests need `Authorization: Bearer <token>`: a
 * token signed with the PDA's key (RS256, `typ` JWT, valid for at most five minutes) with `accessScope` `contract`,
 * `iss` the PDA's address, `sub` the PDA's name, `contract` the contract's ID, `resource` the host of the contracts
 * service, and `jti`.
 */
export const contractMembershipSchema = z
  .strictObject({
    contractId: contractIdSchema,
    pdaName: pdaNameSchema,
    joined: z.boolean(),
    since: z.int().nullable().meta({ description: 'Unix milliseconds; null after leaving' }),
  })
  .meta({ id: 'ContractMembership' });

/** Credentials of a contracted request, sent in its body or its query. */
const credentials = {
  token: z.string().min(1).max(8000),
  contractId: contractIdSchema,
  pdaName: z.string().min(1).max(200),
};
const pagingInBody = {
  orderBy: z.string().max(500).optional(),
  ordering: z.string().optional(),
  skip: z.int().min(0).optional(),
  take: z.int().min(0).optional(),
};

/** Bodies of `POST /contract-data/read|create/<namespace>/<endpoint>` and `PUT /contract-data/update/<namespace>`. */
export const contractReadSchema = z.object({ ...credentials, ...pagingInBody });
export const contractCreateSchema = z.object({ ...credentials, body: jsonSchema });
export const contractUpdateSchema = z.object({
  ...credentials,
  body: z.array(z.strictObject({ endpoint: endpointSchema, recordId: z.uuid(), data: jsonSchema })),
});

export type ContractNamespace = z.infer<typeof contractNamespaceSchema>;
export type ShortLivedClaims = z.infer<typeof shortLivedClaimsSchema>;
export type Contract = z.infer<typeof contractSchema>;
export type ContractMembership = z.infer<typeof contractMembershipSchema>;
