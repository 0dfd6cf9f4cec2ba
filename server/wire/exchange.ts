import { z } from 'zod';
import { applicationSchema } from './applications.ts';
import { namespaceSchema, unixMs } from './common.ts';
import { webUrlSchema } from './debits.ts';
import { requireDisplayTexts } from './display-text.ts';
import { MAX_PASSWORD_CHARS, MAX_URL_CHARS } from './limits.ts';
import { pdaAddressSchema } from './pda-address.ts';

// Accounts, PDAs and applications at the exchange (docs/decisions.md, 10).

export const accountRoleSchema = z.enum(['developer', 'dataPlug', 'marketPlace', 'management', 'administrator']);

/** Sign-in name of an account: letters, digits and inner `-._`, compared case-insensitively. */
export const accountNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/u, 'use letters and digits, with - . _ between them')
  .meta({ example: 'acme' });

export const exchangeTokenSchema = z
  .strictObject({
    accessToken: z.string().meta({ description: 'JWT, RS256' }),
    access_token: z.string().meta({ description: 'The same token' }),
    userId: z.uuid(),
  })
  .meta({ id: 'ExchangeToken' });

export const accountSchema = z
  .strictObject({
    userId: z.uuid(),
    name: accountNameSchema,
    roles: z.array(accountRoleSchema),
    enabled: z.boolean(),
    created: unixMs,
    lastSeen: unixMs.nullable(),
  })
  .meta({ id: 'ExchangeAccount' });

/** `POST /api/accounts`, administrators. */
export const newAccountSchema = z.strictObject({
  name: accountNameSchema,
  password: z.string().min(12).max(MAX_PASSWORD_CHARS),
  roles: z.array(accountRoleSchema).min(1),
});

/** `PUT /api/accounts/<userId>`, administrators. */
export const accountChangeSchema = z.strictObject({
  roles: z.array(accountRoleSchema).min(1).optional(),
  enabled: z.boolean().optional(),
  password: z.string().min(12).max(MAX_PASSWORD_CHARS).optional(),
});

/** `POST /api/users/registerPda`. Needs no token, because the PDA at the address proves its identity. */
export const registerPdaSchema = z.strictObject({
  pdaAddress: pdaAddressSchema,
  applicationId: z.string().max(100).optional(),
});

/** Challenge of the exchange to the PDA at `POST {pda}/api/v2.6/exchange/proof`. */
export const proofRequestSchema = z.strictObject({
  challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/u, 'must be 32 bytes as base64url'),
});

/**
 * Response to the challenge. `token` is signed with the PDA's key (RS256, `typ` JWT, valid for five minutes), with
 * `accessScope` `proof`, `iss` the PDA's address, `resource` the host of the exchange that the PDA's owner
 * chose, and `challenge` as sent. After a change of keys, `previous` has the same claims, signed with the previous key.
 */
export const proofResponseSchema = z
  .strictObject({ token: z.string().max(4000), previous: z.string().max(4000).optional() })
  .meta({ id: 'ProofOfAddress' });

export const registeredPdaSchema = z
  .strictObject({
    pdaId: z.uuid(),
    address: z.string(),
    publicKey: z.string().meta({ description: 'PEM' }),
    waitingKey: z.string().nullable().meta({
      description:
        'A different key that was presented at the address without a signature by `publicKey`. It is not used until an administrator accepts it',
    }),
    registered: unixMs,
    refreshed: unixMs,
    lastSeen: unixMs.nullable(),
  })
  .meta({ id: 'RegisteredPda' });

/** Administrators send the complete waiting key, so that no other key is accepted by mistake. */
export const pdaKeySchema = z.strictObject({ publicKey: z.string().max(4000) });

/** `GET /api/pdas/self`: what the exchange stores about the requesting PDA, without a key that awaits approval. */
export const pdaDisclosureSchema = z
  .strictObject({
    address: z.string(),
    publicKey: z.string(),
    registered: unixMs,
    refreshed: unixMs,
    lastSeen: unixMs.nullable(),
    reports: z.strictObject({ events: z.int(), last: unixMs.nullable() }),
    claims: z.array(
      z.strictObject({
        offerId: z.string(),
        title: z.string(),
        confirmed: z.boolean(),
        dataDebitId: z.string(),
        dateCreated: unixMs,
      }),
    ),
  })
  .meta({ id: 'PdaDisclosure' });

export const listedApplicationSchema = z
  .strictObject({
    application: applicationSchema,
    developer: z.string().meta({ description: 'Name of the account' }),
    state: z.enum(['draft', 'waiting', 'published', 'suspended']),
    created: unixMs,
    changed: unixMs,
    versions: z.array(z.strictObject({ version: z.string(), published: unixMs.nullable() })),
  })
  .meta({ id: 'ListedApplication' });

/** Application properties of the interface, as stored by `POST /api/users/update-application?cluster&pdaFilter`. */
export const applicationPropertiesSchema = z.looseObject({
  title: z.string().trim().min(1).max(200),
  namespace: namespaceSchema,
  description: z.string().max(10_000),
  logoUrl: z
    .string()
    .max(MAX_URL_CHARS)
    .meta({ description: 'An address, or a path that is resolved against `url`; empty: the logo does not change' }),
  url: webUrlSchema,
  authUrl: z.string().max(2000).meta({
    description:
      'The path for signing in, relative to `url`; empty or outside of `url`: the sign-in address does not change',
  }),
  browser: z.boolean(),
  category: z.string().max(100),
  setup: z.boolean(),
  loginAvailable: z.boolean(),
});

/** Body of `POST /api/users/update-application`. Its texts must be display texts (display-text.ts). */
export const newApplicationPropertiesSchema = applicationPropertiesSchema.superRefine(
  requireDisplayTexts('title', 'description', 'category'),
);

export type AccountRole = z.infer<typeof accountRoleSchema>;
export type Account = z.infer<typeof accountSchema>;
export type ApplicationProperties = z.infer<typeof applicationPropertiesSchema>;
export type ListedApplication = z.infer<typeof listedApplicationSchema>;
export type PdaDisclosure = z.infer<typeof pdaDisclosureSchema>;
export type RegisteredPda = z.infer<typeof registeredPdaSchema>;
