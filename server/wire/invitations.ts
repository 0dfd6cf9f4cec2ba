import { z } from 'zod';
import { unixTimeSchema } from './common.ts';
import { isDisplayLine, NOT_A_DISPLAY_LINE } from './display-text.ts';
import { fileIdSchema, folderPathSchema } from './files.ts';
import { MAX_INVITATION_DAYS, MAX_INVITATION_FILES, MAX_USER_NAME_CHARS } from './limits.ts';

// Invitations: one-time links to create an account or to set a new password (docs/decisions.md, section 6).

const nameSchema = z.string().trim().min(1).max(MAX_USER_NAME_CHARS).refine(isDisplayLine, NOT_A_DISPLAY_LINE);
const validity = {
  days: z
    .int()
    .min(1)
    .max(MAX_INVITATION_DAYS)
    .optional()
    .meta({ description: 'Days until the invitation expires; alternatively `expires`' }),
  expires: z
    .int()
    .optional()
    .meta({
      description: `Unix time in milliseconds at which the invitation expires, at most ${MAX_INVITATION_DAYS} days from now`,
    }),
};
const hasOneExpiry = ({ days, expires }: InvitationValidity): boolean =>
  (days === undefined) !== (expires === undefined);
const NOT_ONE_EXPIRY = { message: 'set exactly one of days and expires' };

/** Issued tokens are 32 random bytes in base64url; the schema limits only the length. */
export const invitationTokenSchema = z.string().min(1).max(100);

export const invitationSchema = z
  .strictObject({
    invitationId: z.uuid(),
    kind: z.enum(['account', 'password']).meta({
      description: '`account`: the person creates a user with it; `password`: a user sets a new password with it',
    }),
    name: z.string().meta({ description: 'The invited person, as the owner calls them' }),
    created: unixTimeSchema,
    expires: unixTimeSchema,
    state: z.enum(['open', 'expired', 'accepted', 'revoked']),
    accepted: unixTimeSchema.nullable(),
    user: z.strictObject({ userId: z.uuid(), name: z.string() }).nullable().meta({
      description:
        'The user who accepted the invitation or sets a password with it; null if there is none or the user was deleted',
    }),
    files: z
      .array(z.strictObject({ fileId: fileIdSchema, name: z.string() }))
      .meta({ description: 'Files that are shared with the person when they accept' }),
    folder: z
      .string()
      .nullable()
      .meta({ description: 'Path of a folder that is shared with the person when they accept' }),
    collection: z
      .strictObject({ collectionId: z.uuid(), name: z.string() })
      .nullable()
      .meta({ description: 'A collection that is shared with the person when they accept' }),
  })
  .meta({ id: 'Invitation' });

export const invitationsSchema = z.strictObject({ invitations: z.array(invitationSchema) }).meta({ id: 'Invitations' });

export const issuedInvitationSchema = z
  .strictObject({
    invitation: invitationSchema,
    path: z.string().meta({
      description:
        'Path of the invitation’s page at the address of this PDA. Returned only once, because only a hash of the token is stored',
    }),
  })
  .meta({ id: 'IssuedInvitation' });

export const newInvitationSchema = z
  .strictObject({
    name: nameSchema,
    ...validity,
    fileIds: z.array(fileIdSchema).max(MAX_INVITATION_FILES).default([]),
    folder: folderPathSchema.optional(),
    collectionId: z.uuid().optional(),
  })
  .refine(hasOneExpiry, NOT_ONE_EXPIRY)
  .meta({ id: 'NewInvitation' });

export const newPasswordLinkSchema = z
  .strictObject({ userId: z.uuid(), ...validity })
  .refine(hasOneExpiry, NOT_ONE_EXPIRY)
  .meta({ id: 'NewPasswordLink' });

export const invitationRenewalSchema = z
  .strictObject(validity)
  .refine(hasOneExpiry, NOT_ONE_EXPIRY)
  .meta({ id: 'InvitationRenewal' });

export const guestPreviewSchema = z
  .strictObject({ html: z.string().meta({ description: 'A complete HTML page without scripts' }) })
  .meta({ id: 'GuestPreview' });

/** Expiry of an invitation: a number of days, or a time in Unix milliseconds. Exactly one is set. */
export type InvitationValidity = { days?: number | undefined; expires?: number | undefined };
export type Invitation = z.infer<typeof invitationSchema>;
export type IssuedInvitation = z.infer<typeof issuedInvitationSchema>;
export type NewPasswordLink = z.output<typeof newPasswordLinkSchema>;
export type NewInvitation = z.output<typeof newInvitationSchema>;
