import { z } from 'zod';
import { dateTimeSchema, versionSchema } from './common.ts';
import { narrowingSchema, webUrlSchema } from './debits.ts';
import { checkTexts, requireDisplayTexts } from './display-text.ts';
import { MAX_URL_CHARS } from './limits.ts';
import { checkBundleNames, namedBundleSchema } from './query.ts';

// Applications (docs/decisions.md, 7). Unknown members are stored and returned unchanged.

export const applicationIdSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u, 'use letters, digits and . _ -');

const webUrlOrEmpty = z.union([webUrlSchema, z.literal('')]);
/**
 * A URL of the application, e.g. `myapp://…`. Refuses schemes with which a link could run code or open local content.
 */
const applicationUrl = z
  .string()
  .max(MAX_URL_CHARS)
  .refine(
    (value) => value === '' || /^(?!(?:javascript|data|vbscript|blob|file|about):)[a-z][a-z0-9+.-]*:\S+$/iu.test(value),
    'must be an address such as https://example.org or myapp://open',
  );

const drawableSchema = z.looseObject({
  normal: webUrlOrEmpty,
  small: webUrlOrEmpty.nullish(),
  large: webUrlOrEmpty.nullish(),
  xlarge: webUrlOrEmpty.nullish(),
});
const formattedTextSchema = z.looseObject({
  text: z.string(),
  markdown: z.string().nullish(),
  html: z.string().nullish(),
});

const userRoleSchema = z.looseObject({
  role: z.string().min(1).max(100),
  detail: z.string().max(200).nullish(),
});

/** The spelling `DataPlug` is also accepted. */
const kindSchema = z.preprocess(
  (kind) => (kind === 'DataPlug' ? 'Data Plug' : kind),
  z.enum(['App', 'Data Plug', 'Tool', 'Contract']),
);

export const applicationSchema = z
  .looseObject({
    id: applicationIdSchema,
    kind: z.looseObject({
      kind: kindSchema,
      url: applicationUrl,
      iosUrl: applicationUrl.nullish(),
      androidUrl: applicationUrl.nullish(),
    }),
    info: z.looseObject({
      version: versionSchema,
      published: z.boolean(),
      name: z.string().min(1).max(200),
      headline: z.string().max(1000),
      description: formattedTextSchema,
      dataPreview: z.array(z.unknown()).default([]),
      graphics: z.looseObject({
        banner: drawableSchema.nullish(),
        logo: drawableSchema,
        screenshots: z.array(drawableSchema).default([]),
      }),
      termsUrl: webUrlOrEmpty.nullish(),
      privacyPolicyUrl: webUrlOrEmpty.nullish(),
      dataUsePurpose: z.string().nullish(),
      supportContact: z.string().nullish(),
      callbackUrl: webUrlOrEmpty.nullish(),
      updateNotes: z.looseObject({ header: z.string(), notes: z.array(z.string()).nullish() }).nullish(),
    }),
    developer: z.looseObject({ id: z.string(), name: z.string(), url: webUrlOrEmpty.nullish() }).nullish(),
    permissions: z.looseObject({
      rolesGranted: z.array(userRoleSchema).default([]),
      /** Bundle of the Data Debit `app-<id>`. The owner agrees to it by setting the application up. */
      dataRetrieved: namedBundleSchema.nullish(),
      dataRequired: z
        .looseObject({
          bundle: namedBundleSchema,
          conditions: namedBundleSchema.nullish(),
          startDate: z.union([z.string(), z.number()]).nullish(),
          endDate: z.union([z.string(), z.number()]).nullish(),
          rolling: z.boolean().nullish(),
        })
        .nullish(),
    }),
    dependencies: z
      .looseObject({
        plugs: z.array(z.string()).nullish(),
        tools: z.array(z.string()).nullish(),
        contracts: z.array(z.string()).nullish(),
      })
      .nullish(),
    setup: z.looseObject({
      kind: z.enum(['Internal', 'External']),
      onboarding: z.array(z.unknown()).nullish(),
      preferences: z.unknown().optional(),
      url: applicationUrl.nullish(),
      iosUrl: applicationUrl.nullish(),
      androidUrl: applicationUrl.nullish(),
      validRedirectUris: z.array(applicationUrl).nullish(),
    }),
    status: z.looseObject({
      kind: z.enum(['Internal', 'External']),
      compatibility: versionSchema,
      recentDataCheckEndpoint: z.string().nullish(),
      statusUrl: webUrlOrEmpty.nullish(),
      expectedStatus: z.int().nullish(),
    }),
  })
  .meta({ id: 'Application' });

/**
 * Application as the developer sends it and the exchange lists it. Texts that the dashboard shows must be display texts
 * (display-text.ts).
 */
export const publishedApplicationSchema = applicationSchema
  .superRefine(requireDisplayTexts('info', 'developer', 'dependencies'))
  .superRefine(({ permissions }, context) => {
    const { rolesGranted, dataRetrieved, dataRequired } = permissions;
    checkTexts(rolesGranted, ['permissions', 'rolesGranted'], context);
    const bundles = [
      [dataRetrieved, 'dataRetrieved'],
      [dataRequired?.bundle, 'dataRequired', 'bundle'],
      [dataRequired?.conditions, 'dataRequired', 'conditions'],
    ] as const;
    for (const [bundle, ...path] of bundles) {
      if (bundle !== null && bundle !== undefined) checkBundleNames(bundle, ['permissions', ...path], context);
    }
  })
  .meta({ id: 'PublishedApplication' });

/** Item of `GET /applications`. `needsUpdating` is present only if the application is enabled. */
export const applicationItemSchema = z
  .strictObject({
    application: applicationSchema,
    setup: z.boolean(),
    enabled: z.boolean(),
    active: z.boolean(),
    needsUpdating: z.boolean().optional(),
    dependenciesEnabled: z.boolean().optional(),
    mostRecentData: dateTimeSchema.optional(),
  })
  .meta({ id: 'ApplicationItem' });

const rightsSchema = z
  .strictObject({
    read: z.array(z.string()).meta({ description: 'Namespaces' }),
    write: z.array(z.string()).meta({ description: 'Namespaces' }),
    files: z.array(z.string()).meta({ description: 'Sources of files' }),
    proposesDebits: z.boolean().meta({ description: 'May request data with Data Debits of any key' }),
    debits: z
      .array(z.string())
      .meta({ description: 'Keys of the Data Debits with which the application may request and read data' }),
    actsAsOwner: z.boolean().meta({
      description: 'True if the application may read and write all records, and use combinators, bundles and functions',
    }),
    other: z.array(z.string()).meta({ description: 'Granted roles without effect on this PDA' }),
  })
  .meta({ id: 'ApplicationRights' });

export const ownerApplicationSchema = z
  .strictObject({
    item: applicationItemSchema,
    edition: z.string().meta({
      description: 'Identifies the published definition; an approval names the edition that was shown',
    }),
    asks: rightsSchema.meta({ description: 'Rights that the published version requests' }),
    asksData: namedBundleSchema.nullable(),
    approved: z
      .strictObject({
        version: versionSchema,
        time: dateTimeSchema,
        rights: rightsSchema,
        data: namedBundleSchema.nullable(),
      })
      .nullable()
      .meta({
        description: 'The approved version, which determines the rights of the application; null if it is not enabled',
      }),
    debitKey: z.string().nullable(),
    sessions: z.int().min(0),
    lastSeen: dateTimeSchema
      .nullable()
      .meta({ description: 'Time of the last request of the application in the access history' }),
    addresses: z.array(z.string()).meta({ description: 'Allowed redirect addresses of a sign-in to the application' }),
    status: z
      .strictObject({ ok: z.boolean(), problem: z.string().nullable(), checked: dateTimeSchema })
      .nullable()
      .meta({ description: 'Outcome of the last external status check' }),
  })
  .meta({ id: 'OwnerApplication' });

/** Edition that the owner saw. Developers do not always raise the version when they request more rights. */
const editionSchema = z.string().max(100).optional();

/** `POST /owner/applications/<id>/setup`. The response is 409 if a different version or edition is published. */
export const setupApprovalSchema = z.strictObject({
  version: versionSchema,
  edition: editionSchema,
  narrowing: narrowingSchema.optional(),
});

export const applicationViewSchema = z
  .strictObject({
    endpoints: z.array(
      z.strictObject({ endpoint: z.string(), records: z.int().min(0), read: z.boolean(), write: z.boolean() }),
    ),
    hidden: z.strictObject({ endpoints: z.int().min(0), records: z.int().min(0) }).meta({
      description: 'Number of endpoints that the application has no right to read or write, and of their records',
    }),
    debits: z.array(z.strictObject({ dataDebitKey: z.string(), state: z.string() })),
  })
  .meta({ id: 'ApplicationView' });

export const loginRequestSchema = z
  .strictObject({
    state: z.enum(['consent', 'ready', 'refused']).meta({
      description: '`ready`: set up and current, so no consent is needed; `refused`: `reason` states why',
    }),
    application: ownerApplicationSchema.nullable(),
    redirect: z.string().meta({
      description:
        'Full address to which the sign-in returns; if it is refused, the requested address with invisible characters escaped',
    }),
    registered: z.array(z.string()).meta({ description: 'Redirect addresses that the application has registered' }),
    reason: z.string().nullable().meta({ description: 'Stable code of a refusal' }),
    failureUrl: z
      .string()
      .nullable()
      .meta({ description: 'Address to open if the owner declines, or after a refusal' }),
  })
  .meta({ id: 'LoginRequest' });

/** `POST /owner/login`: the owner signs in to the application. */
export const loginApprovalSchema = z.strictObject({
  name: z.string().max(MAX_URL_CHARS),
  redirect: z.string().max(MAX_URL_CHARS),
  fallback: z.string().max(MAX_URL_CHARS).optional(),
  /** Version that the consent page showed; absent if no consent was needed. */
  version: versionSchema.optional(),
  edition: editionSchema,
  narrowing: narrowingSchema.optional(),
});

/** `POST /owner/applications/<id>/preview`: data that the application would receive if it were set up now. */
export const applicationPreviewRequestSchema = z.strictObject({
  narrowing: narrowingSchema.optional(),
  skip: z.int().min(0).default(0),
  take: z.int().min(0).max(500).default(20),
});

export const loginResponseSchema = z
  .strictObject({ url: z.string().meta({ description: 'Address to open: the registered address with the token' }) })
  .meta({ id: 'LoginResponse' });

export type Application = z.output<typeof applicationSchema>;
export type UserRole = z.output<typeof userRoleSchema>;
export type ApplicationItem = z.output<typeof applicationItemSchema>;
export type OwnerApplication = z.output<typeof ownerApplicationSchema>;
export type ApplicationRights = z.infer<typeof rightsSchema>;
export type LoginRequest = z.output<typeof loginRequestSchema>;
export type ApplicationPreviewRequest = z.output<typeof applicationPreviewRequestSchema>;
export type LoginApproval = z.output<typeof loginApprovalSchema>;
