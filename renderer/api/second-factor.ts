import { queryOptions } from '@tanstack/react-query';
import type {
  ChangedFactor,
  PasskeyOptions,
  Proof,
  SecondFactor,
  SignInWays,
} from '../../server/wire/second-factor.ts';
import { call } from './client.ts';
import { queryClient } from './queries.ts';

/** What the owner proves beside the password. The key is the topic by which the PDA tells of changes. */

export type { Proof, SecondFactor, SignInWays } from '../../server/wire/second-factor.ts';

export const secondFactor = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/second-factor', {}, signal),
});

export const askWays = (): Promise<SignInWays> => call('GET /api/v2.6/owner/sign-in-ways', {});

function take(now: SecondFactor): SecondFactor {
  queryClient.setQueryData(secondFactor.queryKey, now);
  return now;
}
function taken(changed: ChangedFactor): string[] | null {
  take(changed.secondFactor);
  return changed.recoveryCodes;
}

export const startApp = (proof: Proof): Promise<{ secret: string; uri: string }> =>
  call('POST /api/v2.6/owner/second-factor/app', { body: { proof } });

export async function confirmApp(code: string): Promise<string[] | null> {
  return taken(await call('POST /api/v2.6/owner/second-factor/app/confirm', { body: { code } }));
}

export async function removeApp(proof: Proof): Promise<SecondFactor> {
  return take(await call('POST /api/v2.6/owner/second-factor/app/remove', { body: { proof } }));
}

export async function renewCodes(proof: Proof): Promise<string[] | null> {
  return taken(await call('POST /api/v2.6/owner/second-factor/recovery-codes', { body: { proof } }));
}

export async function setAlways(always: boolean, proof: Proof): Promise<SecondFactor> {
  return take(await call('PUT /api/v2.6/owner/second-factor/always', { body: { always, proof } }));
}

export async function turnOff(proof: Proof): Promise<SecondFactor> {
  return take(await call('POST /api/v2.6/owner/second-factor/off', { body: { proof } }));
}

export async function renamePasskey(passkeyId: string, name: string): Promise<SecondFactor> {
  const parts = { params: { passkeyId }, body: { name } };
  return take(await call('PUT /api/v2.6/owner/second-factor/passkeys/:passkeyId', parts));
}

export async function removePasskey(passkeyId: string, proof: Proof): Promise<SecondFactor> {
  const parts = { params: { passkeyId }, body: { proof } };
  return take(await call('POST /api/v2.6/owner/second-factor/passkeys/:passkeyId/remove', parts));
}

export async function haveSeen(): Promise<SecondFactor> {
  return take(await call('POST /api/v2.6/owner/second-factor/seen', {}));
}

/** Whether this browser knows passkeys at all; it does on safe pages only. */
export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in window && 'credentials' in navigator;

type Bytes = Uint8Array<ArrayBuffer>;

function toBytes(base64url: string): Bytes {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const chars = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(chars).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** ES256, Ed25519 and RS256: what the PDA can check. */
const ALGORITHMS = [-7, -8, -257];
const WAIT_MS = 120_000;

/** Undefined: the owner, or the browser, did not go through with it. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential | undefined> {
  try {
    const found = await ask();
    return found instanceof PublicKeyCredential ? found : undefined;
  } catch (error) {
    // Cancelled, taken too long, not allowed here, or here already: browsers do not say much more.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

type Assertion = NonNullable<Proof['passkey']>;

/** Asks for a passkey of this PDA; undefined when none answered. A challenge is good once and for minutes: each try has its own. */
export async function answerOfPasskey(): Promise<Assertion | undefined> {
  const { passkey } = await askWays();
  if (passkey === null) return undefined;
  const { challenge, rpId } = passkey;
  const found = await asked(() =>
    navigator.credentials.get({
      publicKey: { challenge: toBytes(challenge), rpId, userVerification: 'required', timeout: WAIT_MS },
    }),
  );
  if (found === undefined || !(found.response instanceof AuthenticatorAssertionResponse)) return undefined;
  const { clientDataJSON, authenticatorData, signature } = found.response;
  return {
    id: found.id,
    clientDataJSON: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
  };
}

/** Has a passkey made and added; undefined when none was made, else new recovery codes if this made any. */
export async function addPasskey(
  name: string,
  options: PasskeyOptions,
): Promise<{ codes: string[] | null } | undefined> {
  const made = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: toBytes(options.challenge),
        rp: { id: options.rpId, name: options.rpName },
        user: { id: toBytes(options.userId), name: options.userName, displayName: options.userName },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
        excludeCredentials: options.exclude.map((id) => ({ type: 'public-key' as const, id: toBytes(id) })),
        // It is found again by the PDA's name alone, so that nobody is told its id.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: WAIT_MS,
      },
    }),
  );
  if (made === undefined || !(made.response instanceof AuthenticatorAttestationResponse)) return undefined;
  const key = made.response.getPublicKey();
  if (key === null) return undefined;
  const body = {
    name,
    id: made.id,
    clientDataJSON: toText(made.response.clientDataJSON),
    authenticatorData: toText(made.response.getAuthenticatorData()),
    publicKey: toText(key),
  };
  return { codes: taken(await call('POST /api/v2.6/owner/second-factor/passkeys', { body })) };
}

export const startPasskey = (proof: Proof): Promise<PasskeyOptions> =>
  call('POST /api/v2.6/owner/second-factor/passkey-options', { body: { proof } });

/** The header by which a sign-in carries what a passkey answered. */
export function passkeyHeader(assertion: Assertion): string {
  return `passkey ${toText(new TextEncoder().encode(JSON.stringify(assertion)).buffer)}`;
}
