import { z } from 'zod';
import { dateTimeSchema, namespaceSchema } from './common.ts';
import { webUrlSchema } from './debits.ts';
import { displayParagraph } from './display-text.ts';
import { accountNameSchema } from './exchange.ts';

// Data Plugs at the exchange: "service records" in the interface.

/** Item of `GET /api/dataplugs`. Only the plug's owner, administrators and PDAs see `passwordHash`. */
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
    connected: z.boolean().meta({
      description:
        'True if the account that owns the plug marked it as running. PDAs see only approved and connected plugs.',
    }),
    applicationId: z.string().meta({ description: 'The application of kind Data Plug that owners set up' }),
  })
  .meta({ id: 'DataPlug' });

const passwordHashSchema = z
  .string()
  .regex(
    /^(?:\$argon2id\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}|\$2[aby]\$\d{2}\$[./A-Za-z0-9]{53})$/u,
    'must be an argon2id or bcrypt hash',
  );

/** `POST /api/dataplugs`, administrators: registers a plug for its developer. */
export const newDataPlugSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9]{1,60}$/u, 'use at most 60 letters and digits'),
  description: displayParagraph(5000),
  url: webUrlSchema,
  illustrationUrl: webUrlSchema,
  passwordHash: passwordHashSchema,
  approved: z.boolean(),
  /** Name of the account that owns the plug. The account must have the role `dataPlug`. */
  owner: accountNameSchema,
  /** Namespace to which the plug writes. Default: the plug's name in lower case. */
  namespace: namespaceSchema.optional(),
});

/** Administrators may change all of these fields, the plug's owner only the password hash and the URLs. */
export const dataPlugChangeSchema = newDataPlugSchema.omit({ name: true, owner: true, namespace: true }).partial();

export type DataPlug = z.infer<typeof dataPlugSchema>;
