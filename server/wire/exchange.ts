import { z } from 'zod';
import { applicationSchema } from './applications.ts';
import { dateTimeSchema, namespaceSchema, pathNameSchema } from './common.ts';
import { webUrlSchema } from './debits.ts';
import { MAX_PASSWORD_CHARS, MAX_REPORTED_EVENTS } from './limits.ts';
import { namedBundleSchema } from './query.ts';

/** What crosses the network to and from the exchange (interface, "Exchange service"; decisions 10). */

/** Unix milliseconds, in all that the exchange writes. */
const unixMs = z.int().min(0);
/** Unix milliseconds or ISO 8601; comes out as Unix milliseconds. */
const momentSchema = z
  .union([z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)), z.int()])
  .pipe(z.int().min(0).max(253_402_300_799_999))
  .meta({ description: 'Unix milliseconds; ISO 8601 is read too', type: 'integer' });

const text = (max: number) => z.string().trim().min(1).max(max);

/**
 * Where a PDA answers, without a scheme: `host` or `host:port`, lower case. What is read may carry a scheme and an end slash; `http` is used for
 * `localhost`, names below it and 127.0.0.1, `https` for all else.
 */
export const pdaAddressSchema = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .transform((given) =>
    given
      .toLowerCase()
      .replace(/^https?:\/\//u, '')
      .replace(/\/$/u, ''),
  )
  .pipe(
    z
      .string()
      .regex(
        /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)(?::[1-9]\d{0,4})?$/u,
        'the address of a PDA is a host, or host:port',
      )
      .max(255),
  )
  .meta({ id: 'PdaAddress', example: 'ada.example.org' });

export const accountRoleSchema = z.enum(['developer', 'dataPlug', 'marketPlace', 'management', 'administrator']);

/** Letters, digits and inner `-._`; compared without case. It is what an account signs in with. */
export const accountNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/u, 'use letters, digits and inner - . _')
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

/** `POST /api/users/registerPda`. No token: whoever answers at the address proves it. */
export const registerPdaSchema = z.strictObject({
  pdaAddress: pdaAddressSchema,
  applicationId: z.string().max(100).optional(),
});

/** What the exchange asks the PDA at `POST {pda}/api/v2.6/exchange/proof`. */
export const proofRequestSchema = z.strictObject({
  challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/u, '32 bytes as base64url'),
});

/**
 * Its answer: a token of the PDA's key (RS256, `typ` JWT, five minutes) with `accessScope` `proof`, `iss` the PDA's address, `resource` the host of
 * the one exchange that its owner chose, `challenge` as asked, and, where the key was changed, `previous`: the same claims signed by the key before.
 */
export const proofAnswerSchema = z
  .strictObject({ token: z.string().max(4000), previous: z.string().max(4000).optional() })
  .meta({ id: 'ProofOfAddress' });

/** A registered PDA, as the operator sees it. */
export const registeredPdaSchema = z
  .strictObject({
    pdaId: z.uuid(),
    address: z.string(),
    publicKey: z.string().meta({ description: 'PEM' }),
    waitingKey: z.string().nullable().meta({
      description:
        'Another key that was shown at the address, without the signature of this one. It counts for nothing until it is let in',
    }),
    registered: unixMs,
    refreshed: unixMs,
    lastSeen: unixMs.nullable(),
  })
  .meta({ id: 'RegisteredPda' });

/** `PUT /api/pdas/<pdaId>/key`, administrators: the waiting key, word for word, so that no other one is let in by mistake. */
export const pdaKeySchema = z.strictObject({ publicKey: z.string().max(4000) });

/** `GET /api/pdas/self`: everything that the exchange knows of the PDA that asks. */
export const knownOfPdaSchema = z
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
  .meta({ id: 'KnownOfPda' });

/** The service record of the interface: a Data Plug. `passwordHash`: to the plug's owner, administrators and PDAs only, else left out. */
export const dataPlugSchema = z
  .strictObject({
    uuid: z.uuid(),
    providerId: z.string().meta({ description: 'User id of the account that owns the plug' }),
    created: dateTimeSchema,
    name: z.string(),
    description: z.string(),
    url: z.string(),
    illustrationUrl: z.string(),
    passwordHash: z.string().optional(),
    approved: z.boolean(),
    connected: z.boolean().meta({ description: 'Its owner says that it runs: PDAs may be connected to it' }),
    applicationId: z.string().meta({ description: 'The application of kind Data Plug that owners set up' }),
  })
  .meta({ id: 'DataPlug' });

const passwordHashSchema = z
  .string()
  .regex(
    /^(?:\$argon2id\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}|\$2[aby]\$\d{2}\$[./A-Za-z0-9]{53})$/u,
    'an argon2id or bcrypt hash',
  );

/** `POST /api/dataplugs`, administrators: how an operator registers a plug for whoever asked them to. */
export const newDataPlugSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9]{1,60}$/u, 'letters and digits'),
  description: text(5000),
  url: webUrlSchema,
  illustrationUrl: webUrlSchema,
  passwordHash: passwordHashSchema,
  approved: z.boolean(),
  /** Name of the account that owns it; one with the role dataPlug. */
  owner: accountNameSchema,
  /** Where it writes; its name in lower case unless it says otherwise. */
  namespace: namespaceSchema.optional(),
});

/** `PUT /api/dataplugs/<uuid>`: administrators all of it, its owner the password and the addresses. */
export const dataPlugChangeSchema = newDataPlugSchema.omit({ name: true, owner: true, namespace: true }).partial();

export const offerIdSchema = z.string().regex(/^[A-Za-z0-9]{1,100}$/u, 'letters and digits');
export const offerStatusSchema = z.enum(['draft', 'approved', 'rejected', 'satisfied', 'oversubscribed']);

/** `POST /api/v2/offer`. */
export const newOfferSchema = z
  .strictObject({
    offerId: offerIdSchema,
    title: text(200),
    description: text(10_000),
    starts: momentSchema,
    expires: momentSchema,
    collectionDuration: z.int().min(1000).max(3_155_760_000_000).meta({ description: 'Milliseconds' }),
    dataConditions: namedBundleSchema.nullish(),
    requiredData: namedBundleSchema,
    requiredMinUser: z.int().min(0).max(1_000_000_000),
    requiredMaxUser: z.int().min(1).max(1_000_000_000),
    // Ours: what the proposal on the PDA needs and an Offer of the interface has no place for.
    termsUrl: webUrlSchema.optional(),
    url: webUrlSchema.optional(),
    logoUrl: webUrlSchema.optional(),
  })
  .refine((offer) => offer.expires > offer.starts, { path: ['expires'], message: 'later than `starts`' })
  .refine((offer) => offer.requiredMaxUser >= offer.requiredMinUser, {
    path: ['requiredMaxUser'],
    message: 'at least `requiredMinUser`',
  })
  .meta({ id: 'NewOffer' });

export const offerSchema = z
  .strictObject({
    offerId: offerIdSchema,
    created: unixMs,
    provider: z.uuid().meta({ description: 'User id of the account that registered it' }),
    providerName: z.string(),
    edition: z
      .int()
      .optional()
      .meta({ description: 'Grows with every change of the draft; a verdict can name the one that was seen' }),
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
      .meta({ description: 'PDAs that claimed it and that confirmed it; to its owner and administrators' }),
    termsUrl: z.string().optional(),
    url: z.string().optional(),
    logoUrl: z.string().optional(),
  })
  .meta({ id: 'Offer' });

/** The Offer claim of the interface. */
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

/** `GET /api/v2/offer/<id>/claim`, to the PDA: its claim, the Offer it is for, and the account by which the provider will read. */
export const claimDetailsSchema = z
  .strictObject({
    claim: offerClaimSchema,
    offer: offerSchema,
    credentials: z.strictObject({ login: z.string(), passwordHash: z.string() }),
  })
  .meta({ id: 'ClaimDetails' });

/** One password for each claim: a PDA that hears it learns nothing that another PDA would let in. */
export const providerClaimSchema = offerClaimSchema
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

/** `GET /api/v2/offer/<id>/claims`, to the Offer's owner. Below `requiredMinUser` confirmed claims: the count and no claim. */
export const providerClaimsSchema = z
  .strictObject({
    credentials: z.strictObject({ offerId: offerIdSchema, login: z.string(), dateCreated: unixMs }),
    count: z.int().meta({ description: 'Confirmed claims' }),
    claimed: z.int().meta({ description: 'All claims' }),
    claims: z.array(providerClaimSchema),
  })
  .meta({ id: 'ProviderClaims' });

/** `PUT /api/v2/offer/<id>?status=`, administrators. */
export const offerVerdictSchema = z.enum(['approved', 'rejected']);

/** An application as the exchange keeps it: what its maker wrote, and where it stands. */
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

/** `POST /api/users/update-application?cluster&pdaFilter`: application properties of the interface. */
export const applicationPropertiesSchema = z.looseObject({
  title: text(200),
  namespace: namespaceSchema,
  description: z.string().max(10_000),
  logoUrl: z.union([webUrlSchema, z.literal('')]),
  url: webUrlSchema,
  authUrl: z.string().max(2000),
  browser: z.boolean(),
  category: z.string().max(100),
  setup: z.boolean(),
  loginAvailable: z.boolean(),
});

/** Leaf values of stored data by the path of their field (`a.b`, array elements `a[].b`). Names of fields, never a value. */
const propertyStatsSchema = z.record(z.string().max(300), z.int().min(0).max(10_000_000));
const endpointStatsSchema = z.strictObject({
  endpoint: z.string().max(401),
  records: z.int().min(0).max(10_000_000),
  propertyStats: propertyStatsSchema,
});
const eventParts = {
  /** UUID. An event that is known already counts no second time. */
  id: z.uuid(),
  time: unixMs,
};

/** `POST /stats/report`: what PDAs report of themselves. */
export const statisticEventSchema = z.discriminatedUnion('statsType', [
  z.strictObject({
    ...eventParts,
    statsType: z.literal('inbound'),
    /** The Data Plug or application that wrote. */
    application: z.string().max(100),
    stats: z.array(endpointStatsSchema).max(1000),
  }),
  z.strictObject({
    ...eventParts,
    statsType: z.literal('outbound'),
    dataDebitKey: z.string().max(200),
    stats: z.array(endpointStatsSchema).max(1000),
  }),
  z.strictObject({
    ...eventParts,
    statsType: z.literal('datadebit'),
    dataDebitKey: z.string().max(200),
    operation: z.enum(['Create', 'Change', 'Enable', 'Disable', 'Remove']),
  }),
]);
export const reportSchema = z.array(statisticEventSchema).min(1).max(MAX_REPORTED_EVENTS);
export const reportAnswerSchema = z
  .strictObject({
    message: z.string(),
    taken: z.int().meta({ description: 'Events that were new' }),
    known: z.int().meta({ description: 'Events that are not counted: reported before, or older than 35 days' }),
  })
  .meta({ id: 'ReportAnswer' });

const statisticSchema = z.strictObject({ title: z.string(), value: z.int(), updated: unixMs });
/** `GET /stats`. */
export const statisticsSchema = z.array(
  statisticSchema.extend({ children: z.record(z.string(), statisticSchema).optional() }).meta({ id: 'Statistic' }),
);

/** `GET /stats/available-data`, and with descriptions `POST /stats/available-data/descriptions`. */
export const availableDataSchema = z.array(
  z
    .strictObject({
      namespace: namespaceSchema,
      description: z.string().max(5000),
      endpoints: z.array(
        z.strictObject({
          endpoint: pathNameSchema,
          description: z.string().max(5000),
          fields: z.array(
            z.strictObject({ name: z.string().max(300), description: z.string().max(5000), count: z.int().min(0) }),
          ),
        }),
      ),
    })
    .meta({ id: 'AvailableData' }),
);

/** `GET /api/statistics/daily`, administrators: the newest day last, days by UTC, none left out. */
export const dailyStatisticsSchema = z.array(
  z
    .strictObject({
      day: z.iso.date(),
      registrations: z.int().meta({ description: 'PDAs that registered for the first time' }),
      leavings: z.int(),
      claims: z.int().meta({ description: 'Of Offers, made on that day' }),
      confirmations: z.int().meta({ description: 'Claims that are confirmed since that day' }),
      eventsIn: z.int(),
      eventsOut: z.int(),
      valuesIn: z.int(),
      valuesOut: z.int(),
      applications: z.record(z.string(), z.int()).meta({
        description: 'Values in by the id of the published application that wrote them; `other` for the rest',
      }),
    })
    .meta({ id: 'DayOfStatistics' }),
);

/** `GET /api/audit`, administrators. */
export const auditEntrySchema = z
  .strictObject({
    id: z.uuid(),
    time: unixMs,
    who: z.string().meta({ description: 'Name of an account, address of a PDA, or `command line`' }),
    what: z.string().meta({ description: 'Stable name of what was done, e.g. `offer.approved`' }),
    subject: z.string().meta({ description: 'What it was done to' }),
    detail: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export type PdaAddress = z.output<typeof pdaAddressSchema>;
export type AccountRole = z.infer<typeof accountRoleSchema>;
export type Account = z.infer<typeof accountSchema>;
export type DataPlug = z.infer<typeof dataPlugSchema>;
export type NewOffer = z.output<typeof newOfferSchema>;
export type Offer = z.infer<typeof offerSchema>;
export type OfferStatus = z.infer<typeof offerStatusSchema>;
export type OfferClaim = z.infer<typeof offerClaimSchema>;
export type ClaimDetails = z.infer<typeof claimDetailsSchema>;
export type ProviderClaims = z.infer<typeof providerClaimsSchema>;
export type ApplicationProperties = z.infer<typeof applicationPropertiesSchema>;
export type ListedApplication = z.infer<typeof listedApplicationSchema>;
export type StatisticEvent = z.infer<typeof statisticEventSchema>;
export type Statistics = z.infer<typeof statisticsSchema>;
export type AvailableData = z.infer<typeof availableDataSchema>;
export type DailyStatistics = z.infer<typeof dailyStatisticsSchema>;
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type KnownOfPda = z.infer<typeof knownOfPdaSchema>;
export type RegisteredPda = z.infer<typeof registeredPdaSchema>;
