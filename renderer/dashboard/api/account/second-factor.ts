import {
  browserSupportsWebAuthn,
  bufferToBase64URLString,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { PASSKEY_ALGORITHMS } from '../../../../server/wire/limits.ts';
import type {
  ChangedFactor,
  PasskeyOptions,
  OwnerProof,
  SecondFactor,
  SignInMethods,
} from '../../../../server/wire/second-factor.ts';
import { call } from '../../../shared/api/client.ts';
import { queryClient, routeQuery } from '../../../shared/api/query-client.ts';

// The owner's second factor. The query key equals the topic of the PDA's change events.

export type { OwnerProof, SecondFactor, SignInMethods } from '../../../../server/wire/second-factor.ts';

export const secondFactor = routeQuery(['second-factor'], 'GET /api/v2.6/owner/second-factor', {});

export const fetchSignInMethods = (): Promise<SignInMethods> => call('GET /api/v2.6/owner/sign-in-ways', {});

function cacheSecondFactor(state: SecondFactor): SecondFactor {
  queryClient.setQueryData(secondFactor.queryKey, state);
  return state;
}
function cacheChange(change: ChangedFactor): string[] | null {
  cacheSecondFactor(change.secondFactor);
  return change.recoveryCodes;
}

export const startAppSetup = (proof: OwnerProof): Promise<{ secret: string; uri: string }> =>
  call('POST /api/v2.6/owner/second-factor/app', { body: { proof } });

export async function confirmAppSetup(code: string): Promise<string[] | null> {
  return cacheChange(await call('POST /api/v2.6/owner/second-factor/app/confirm', { body: { code } }));
}

export async function removeAuthenticatorApp(proof: OwnerProof): Promise<SecondFactor> {
  return cacheSecondFactor(await call('POST /api/v2.6/owner/second-factor/app/remove', { body: { proof } }));
}

export async function renewRecoveryCodes(proof: OwnerProof): Promise<string[] | null> {
  return cacheChange(await call('POST /api/v2.6/owner/second-factor/recovery-codes', { body: { proof } }));
}

export async function setAlwaysRequired(isAlwaysRequired: boolean, proof: OwnerProof): Promise<SecondFactor> {
  return cacheSecondFactor(
    await call('PUT /api/v2.6/owner/second-factor/always', { body: { always: isAlwaysRequired, proof } }),
  );
}

export async function turnOffSecondFactor(proof: OwnerProof): Promise<SecondFactor> {
  return cacheSecondFactor(await call('POST /api/v2.6/owner/second-factor/off', { body: { proof } }));
}

export async function renamePasskey(passkeyId: string, name: string): Promise<SecondFactor> {
  const request = { params: { passkeyId }, body: { name } };
  return cacheSecondFactor(await call('PUT /api/v2.6/owner/second-factor/passkeys/:passkeyId', request));
}

export async function removePasskey(passkeyId: string, proof: OwnerProof): Promise<SecondFactor> {
  const request = { params: { passkeyId }, body: { proof } };
  return cacheSecondFactor(await call('POST /api/v2.6/owner/second-factor/passkeys/:passkeyId/remove', request));
}

export async function acknowledgeNotices(): Promise<SecondFactor> {
  return cacheSecondFactor(await call('POST /api/v2.6/owner/second-factor/seen', {}));
}

/** Returns true if the browser supports passkeys, which require a secure context. */
export const supportsPasskeys = browserSupportsWebAuthn;

const CEREMONY_TIMEOUT_MS = 120_000;

/** Returns undefined if the ceremony was not completed. */
async function completeCeremony<T>(ceremony: Promise<T>): Promise<T | undefined> {
  try {
    return await ceremony;
  } catch (error) {
    // The ceremony was cancelled, timed out or is not allowed at this address, or the passkey is already registered.
    if (error instanceof WebAuthnError || error instanceof DOMException) return undefined;
    throw error;
  }
}

type Assertion = NonNullable<OwnerProof['passkey']>;

/**
 * Requests an assertion for a fresh challenge. Returns undefined if no passkey works at this address, or if the
 * ceremony was not completed.
 */
export async function requestAssertion(): Promise<Assertion | undefined> {
  const { passkey } = await fetchSignInMethods();
  if (passkey === null) return undefined;
  const credential = await completeCeremony(
    startAuthentication({ optionsJSON: { ...passkey, userVerification: 'required', timeout: CEREMONY_TIMEOUT_MS } }),
  );
  if (credential === undefined) return undefined;
  const { clientDataJSON, authenticatorData, signature } = credential.response;
  return { id: credential.id, clientDataJSON, authenticatorData, signature };
}

/**
 * Creates a passkey and registers it with the PDA. Returns undefined if no passkey was created.
 * `codes`: new recovery codes; null if there are none.
 */
export async function addPasskey(
  name: string,
  { challenge, rpId, rpName, userId, userName, exclude }: PasskeyOptions,
): Promise<{ codes: string[] | null } | undefined> {
  const credential = await completeCeremony(
    startRegistration({
      optionsJSON: {
        challenge,
        rp: { id: rpId, name: rpName },
        user: { id: userId, name: userName, displayName: userName },
        pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: exclude.map((id) => ({ type: 'public-key', id })),
        // The browser finds a discoverable passkey by the PDA's host name, so its id need not be published.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: CEREMONY_TIMEOUT_MS,
      },
    }),
  );
  if (credential === undefined) return undefined;
  const { clientDataJSON, attestationObject } = credential.response;
  const body = { name, id: credential.id, clientDataJSON, attestationObject };
  return { codes: cacheChange(await call('POST /api/v2.6/owner/second-factor/passkeys', { body })) };
}

export const fetchPasskeyOptions = (proof: OwnerProof): Promise<PasskeyOptions> =>
  call('POST /api/v2.6/owner/second-factor/passkey-options', { body: { proof } });

export function formatPasskeyHeader(assertion: Assertion): string {
  return `passkey ${bufferToBase64URLString(new TextEncoder().encode(JSON.stringify(assertion)).buffer)}`;
}
