import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { MAX_PASSKEYS, MAX_PASSWORD_CHARS, RECOVERY_CODES } from './limits.ts';
import { assertionSchema, passkeyNameSchema, passkeyRegistrationSchema } from './passkeys.ts';

// The owner's second factor (`/api/v2.6/owner/second-factor`; docs/decisions.md, the second factor).

export const factorCodeSchema = z.string().max(100).meta({ description: 'Six digits, or a recovery code' });

export const newPasskeySchema = passkeyRegistrationSchema.extend({ name: passkeyNameSchema });

/** Confirms a change by the owner: the password and, if it is required for this request, the second factor. */
const ownerProofSchema = z.strictObject({
  password: z.string().max(MAX_PASSWORD_CHARS),
  code: factorCodeSchema.optional(),
  passkey: assertionSchema.optional(),
});
export const ownerProofRequestSchema = z.strictObject({ proof: ownerProofSchema });
export const alwaysRequestSchema = z.strictObject({ always: z.boolean(), proof: ownerProofSchema });
export const appConfirmationSchema = z.strictObject({ code: z.string().max(20) });
export const passkeyRenameSchema = z.strictObject({ name: passkeyNameSchema });
export const passkeyParamsSchema = z.strictObject({ passkeyId: z.uuid() });

const passkeySchema = z
  .strictObject({
    passkeyId: z.uuid(),
    name: z.string(),
    created: dateTimeSchema,
    lastUsed: dateTimeSchema.nullable(),
    address: z.string().meta({ description: 'Host for which the passkey works' }),
    usableHere: z.boolean().meta({ description: 'True if the passkey works at the address of this request' }),
  })
  .meta({ id: 'Passkey' });

export const secondFactorSchema = z
  .strictObject({
    on: z.boolean(),
    always: z.boolean().meta({ description: 'True if the second factor is also required on this machine' }),
    required: z
      .boolean()
      .meta({ description: 'True if a change from the origin of this request requires the second factor' }),
    app: z.strictObject({ since: dateTimeSchema }).nullable().meta({ description: 'The authenticator app' }),
    passkeys: z.array(passkeySchema).max(MAX_PASSKEYS),
    passkeyAddress: z
      .string()
      .nullable()
      .meta({ description: 'Host for which a passkey can be added at this address; null: passkeys do not work here' }),
    recovery: z
      .strictObject({ left: z.int().min(0), made: dateTimeSchema })
      .nullable()
      .meta({ description: '`left`: number of unused codes; `made`: time of their creation' }),
    news: z
      .strictObject({
        recoveryUsed: dateTimeSchema.nullable(),
        wrongTries: z.int().min(0),
        lastWrongTry: dateTimeSchema.nullable(),
      })
      .meta({
        description:
          'Events that the owner has not acknowledged: use of a recovery code, and wrong second factors with the right password',
      }),
  })
  .meta({ id: 'SecondFactor' });

/** Displayed once. The PDA stores only hashes. */
const recoveryCodesSchema = z.array(z.string()).length(RECOVERY_CODES);

export const changedFactorSchema = z
  .strictObject({
    secondFactor: secondFactorSchema,
    recoveryCodes: recoveryCodesSchema
      .nullable()
      .meta({ description: 'New recovery codes, if the change created any' }),
  })
  .meta({ id: 'ChangedSecondFactor' });

export const appSecretSchema = z
  .strictObject({
    secret: z.string().meta({ description: 'Base32' }),
    uri: z.string().meta({ description: 'otpauth:// address, for a QR code' }),
  })
  .meta({ id: 'AppSecret' });

export const passkeyOptionsSchema = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string(),
    rpName: z.string(),
    userId: z.string(),
    userName: z.string(),
    exclude: z.array(z.string()).meta({ description: 'Credential ids of the passkeys that exist for `rpId`' }),
  })
  .meta({ id: 'PasskeyOptions' });

/** Sign-in methods at this address. Reveals nothing about names or passwords. */
export const signInMethodsSchema = z
  .strictObject({
    required: z.boolean().meta({ description: 'True if the owner needs a second factor at this address' }),
    app: z.boolean(),
    passkey: z.strictObject({ challenge: z.string(), rpId: z.string() }).nullable().meta({
      description: 'Challenge and host for signing in with a passkey; null: no passkey works at this address',
    }),
  })
  .meta({ id: 'SignInMethods' });

export type NewPasskey = z.infer<typeof newPasskeySchema>;
export type OwnerProof = z.infer<typeof ownerProofSchema>;
export type SecondFactor = z.infer<typeof secondFactorSchema>;
export type ChangedFactor = z.infer<typeof changedFactorSchema>;
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;
export type SignInMethods = z.infer<typeof signInMethodsSchema>;
