import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { z } from 'zod';
import type { Site } from '../../../platform/auth/passkeys/site.ts';
import { PASSKEY_ALGORITHMS } from '../../../wire/limits.ts';

/** An action that a guest confirms, as the access log names it. */
export type ConfirmedAction = 'password-change' | 'guest-left' | 'passkey-added' | 'passkey-removed';

export const SIGN_IN_PURPOSE = 'sign-in';
export const acceptancePurpose = (invitationId: string): string => `accept\n${invitationId}`;
export const registrationPurpose = (sessionId: string): string => `register\n${sessionId}`;
export const confirmationPurpose = (sessionId: string, action: ConfirmedAction): string =>
  `confirm\n${sessionId}\n${action}`;

const CEREMONY_TIMEOUT_MS = 120_000;

/** Returns the options of `navigator.credentials.create`. */
export const creationOptions = (
  site: Site,
  challenge: string,
  user: { userId: string; name: string; credentials: readonly string[] },
): PublicKeyCredentialCreationOptionsJSON => ({
  challenge,
  rp: { id: site.rpId, name: 'Personal Data Account' },
  user: { id: Buffer.from(user.userId).toString('base64url'), name: user.name, displayName: user.name },
  pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  excludeCredentials: user.credentials.map((id) => ({ type: 'public-key', id })),
  // A discoverable passkey: it signs in without the name of the user.
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  attestation: 'none',
  timeout: CEREMONY_TIMEOUT_MS,
});

/**
 * Returns the options of `navigator.credentials.get`. Without `credentials`, the browser offers all passkeys of the
 * site.
 */
export const requestOptions = (
  site: Site,
  challenge: string,
  credentials?: readonly string[],
): PublicKeyCredentialRequestOptionsJSON => ({
  challenge,
  rpId: site.rpId,
  userVerification: 'required',
  timeout: CEREMONY_TIMEOUT_MS,
  ...(credentials === undefined ? {} : { allowCredentials: credentials.map((id) => ({ type: 'public-key', id })) }),
});

export const parsePasskey = <S extends z.ZodType>(form: URLSearchParams, schema: S): z.output<S> | undefined => {
  try {
    return schema.safeParse(JSON.parse(form.get('passkey') ?? '')).data;
  } catch {
    return undefined;
  }
};
