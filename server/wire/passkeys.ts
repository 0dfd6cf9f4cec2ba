import { z } from 'zod';
import { MAX_PASSKEY_NAME_CHARS } from './limits.ts';

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/u, 'must be base64url without padding');

/** Response of a passkey to a challenge: the parts of a WebAuthn assertion that the PDA verifies. */
export const assertionSchema = z
  .strictObject({
    id: base64url(1400),
    clientDataJSON: base64url(4000),
    authenticatorData: base64url(2000),
    signature: base64url(1400),
  })
  .meta({ id: 'PasskeyAssertion' });

/** A new passkey: the parts of a WebAuthn registration that the PDA verifies. */
export const passkeyRegistrationSchema = z.strictObject({
  id: base64url(1400),
  clientDataJSON: base64url(4000),
  attestationObject: base64url(6000).meta({ description: 'CBOR; the attestation must be `none` or self attestation' }),
});

/** Name of a passkey, for display only. */
export const passkeyNameSchema = z.string().trim().min(1).max(MAX_PASSKEY_NAME_CHARS);

export type Assertion = z.infer<typeof assertionSchema>;
export type PasskeyRegistration = z.infer<typeof passkeyRegistrationSchema>;
