import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { codeAt, stepAt } from '../../server/pda/identity/second-factor/methods/totp.ts';
import type { Assertion } from '../../server/wire/passkeys.ts';
import {
  appSecretSchema,
  changedFactorSchema,
  passkeyOptionsSchema,
  secondFactorSchema,
  signInMethodsSchema,
  type ChangedFactor,
  type NewPasskey,
  type OwnerProof,
  type SecondFactor,
  type SignInMethods,
} from '../../server/wire/second-factor.ts';
import type { Reply } from './http.ts';
import { OWNER, type TestPda } from './test-pda.ts';

// Requests about the second factor, codes of an authenticator app, and software passkeys.

export const PUBLIC_HOST = 'ada.example';
export const PUBLIC_ORIGIN = `https://${PUBLIC_HOST}`;
export const SECOND_FACTOR_PATH = '/api/v2.6/owner/second-factor';
const SIGN_IN_METHODS_PATH = '/api/v2.6/owner/sign-in-ways';

export const decodeBase32 = (base32: string): Buffer => Buffer.from(base32nopad.decode(base32));

export const publicHostHeader = (host = PUBLIC_HOST): Record<string, string> => ({ host });

/** Tries to sign in, from outside by default. */
export const signInFrom = (
  pda: TestPda,
  factor?: string,
  {
    password = OWNER.password,
    name = OWNER.name,
    host = PUBLIC_HOST,
  }: { password?: string; name?: string; host?: string } = {},
): Promise<Reply> =>
  pda.call('GET', '/users/access_token', {
    token: null,
    headers: {
      host,
      username: encodeURIComponent(name),
      password: encodeURIComponent(password),
      ...(factor === undefined ? {} : { 'x-second-factor': factor }),
    },
  });

/** Returns the code of an authenticator app. @param steps by how many time steps its clock differs from the PDA's */
export const codeOf = (pda: TestPda, secret: string, steps = 0): string =>
  codeAt(decodeBase32(secret), stepAt(pda.clock.now()) + steps);

export const proof = (overrides: Partial<OwnerProof> = {}): { proof: OwnerProof } => ({
  proof: { password: OWNER.password, ...overrides },
});

export const readSecondFactor = async (pda: TestPda, headers: Record<string, string> = {}): Promise<SecondFactor> =>
  secondFactorSchema.parse((await pda.call('GET', SECOND_FACTOR_PATH, { headers })).json);

export const signInMethodsOf = async (
  pda: TestPda,
  { host = PUBLIC_HOST, token = null as string | null } = {},
): Promise<SignInMethods> =>
  signInMethodsSchema.parse((await pda.call('GET', SIGN_IN_METHODS_PATH, { token, headers: { host } })).json);

/**
 * Adds an authenticator app from this machine. Advances the clock by two time steps, so that the first code has
 * expired.
 */
export const addAuthenticatorApp = async (pda: TestPda): Promise<{ secret: string; codes: string[] }> => {
  const { secret } = appSecretSchema.parse(
    (await pda.call('POST', `${SECOND_FACTOR_PATH}/app`, { json: proof() })).json,
  );
  const reply = await pda.call('POST', `${SECOND_FACTOR_PATH}/app/confirm`, { json: { code: codeOf(pda, secret) } });
  const { recoveryCodes } = changedFactorSchema.parse(reply.json);
  pda.clock.advance(60_000);
  return { secret, codes: recoveryCodes ?? [] };
};

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

export const USER_PRESENT = 0x01;
export const USER_VERIFIED = 0x04;
const HAS_ATTESTED_KEY = 0x40;

type Ceremony = {
  challenge: string;
  rpId?: string;
  origin?: string;
  flags?: number;
  type?: string;
  client?: Record<string, unknown>;
  /** Attestation of a new passkey: `packed` is signed by the key itself, optionally with certificates. */
  attestation?: { fmt: string; x5c?: Uint8Array<ArrayBuffer>[] };
};
type CborValue = Parameters<typeof isoCBOR.encode>[0];

const clientData = (type: string, { challenge, origin = PUBLIC_ORIGIN, client = {}, ...fields }: Ceremony): Buffer =>
  Buffer.from(JSON.stringify({ type: fields.type ?? type, challenge, origin, crossOrigin: false, ...client }));

const CURVES: Record<string, number> = { 'P-256': 1, 'P-384': 2, Ed25519: 6 };

/** Encodes a public key in COSE (RFC 9053, RFC 8230). */
const coseOf = (key: KeyObject, algorithm?: number): Uint8Array<ArrayBuffer> => {
  const { kty, crv = '', x, y, n, e } = key.export({ format: 'jwk' });
  const bytes = (text = ''): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));
  const curve = CURVES[crv] ?? 0;
  const parameters: [number, CborValue][] =
    kty === 'EC'
      ? [
          [1, 2],
          [3, algorithm ?? (crv === 'P-256' ? -7 : -35)],
          [-1, curve],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : kty === 'OKP'
        ? [
            [1, 1],
            [3, algorithm ?? -8],
            [-1, curve],
            [-2, bytes(x)],
          ]
        : [
            [1, 3],
            [3, algorithm ?? -257],
            [-1, bytes(n)],
            [-2, bytes(e)],
          ];
  return isoCBOR.encode(new Map(parameters));
};

type PasskeyParts = {
  keys?: { publicKey: KeyObject; privateKey: KeyObject };
  id?: Buffer;
  /** COSE algorithm that the key claims; the correct one by default. */
  algorithm?: number;
};

/** Creates a software passkey that behaves correctly by default. */
export const createPasskey = ({ keys = newKeys('ec'), id = randomBytes(16), algorithm }: PasskeyParts = {}) => {
  const hash = keys.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  let counter = 0;
  const authenticatorData = (rpId: string, flags: number): Buffer => {
    const counterBytes = Buffer.alloc(4);
    counterBytes.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counterBytes]);
  };
  return {
    id: id.toString('base64url'),
    setCounter(value: number): void {
      counter = value;
    },
    create(name: string, { flags = USER_PRESENT | USER_VERIFIED, ...ceremony }: Ceremony): NewPasskey {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const aaguid = Buffer.alloc(16);
      const key = coseOf(keys.publicKey, algorithm);
      const data = Buffer.concat([
        authenticatorData(ceremony.rpId ?? PUBLIC_HOST, flags | HAS_ATTESTED_KEY),
        aaguid,
        length,
        id,
        key,
      ]);
      const client = clientData('webauthn.create', ceremony);
      const { fmt = 'none', x5c } = ceremony.attestation ?? {};
      const statement = new Map<string, CborValue>();
      if (fmt !== 'none') {
        const signature = sign(hash, Buffer.concat([data, sha256(client)]), keys.privateKey);
        statement.set('alg', -7).set('sig', new Uint8Array(signature));
      }
      if (x5c !== undefined) statement.set('x5c', x5c);
      const attestation = new Map<string, CborValue>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', new Uint8Array(data)],
      ]);
      return {
        name,
        id: id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString('base64url'),
      };
    },
    /** Signs an assertion. Increments the signature counter first unless `isCounted` is false. */
    get({ flags = USER_PRESENT | USER_VERIFIED, ...ceremony }: Ceremony, isCounted = true): Assertion {
      if (isCounted) counter += 1;
      const client = clientData('webauthn.get', ceremony);
      const data = authenticatorData(ceremony.rpId ?? PUBLIC_HOST, flags);
      return {
        id: id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign(hash, Buffer.concat([data, sha256(client)]), keys.privateKey).toString('base64url'),
      };
    },
  };
};
export type Passkey = ReturnType<typeof createPasskey>;

export function newKeys(kind: 'ec' | 'rsa' | 'small rsa' | 'ed25519' | 'p384'): {
  publicKey: KeyObject;
  privateKey: KeyObject;
} {
  if (kind === 'ec' || kind === 'p384')
    return generateKeyPairSync('ec', { namedCurve: kind === 'ec' ? 'P-256' : 'P-384' });
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: kind === 'rsa' ? 2048 : 1024 });
}

/** Returns the value of the sign-in header for a passkey assertion. */
export const passkeyHeader = (assertion: Assertion): string =>
  `passkey ${Buffer.from(JSON.stringify(assertion)).toString('base64url')}`;

/** Requests a challenge for a passkey, by default for a sign-in from outside. Returns `none` if there is none. */
export const challengeOf = async (
  pda: TestPda,
  options: { host?: string; token?: string | null } = {},
): Promise<string> => (await signInMethodsOf(pda, options)).passkey?.challenge ?? 'none';

export const registrationChallengeOf = async (pda: TestPda, overrides: Partial<OwnerProof> = {}): Promise<string> => {
  const reply = await pda.call('POST', `${SECOND_FACTOR_PATH}/passkey-options`, {
    json: proof(overrides),
    headers: publicHostHeader(),
  });
  return passkeyOptionsSchema.parse(reply.json).challenge;
};

/** Adds a passkey at the public address. */
export const addPasskey = async (
  pda: TestPda,
  passkey: Passkey,
  name = 'laptop',
  overrides: Partial<OwnerProof> = {},
): Promise<ChangedFactor> => {
  const json = passkey.create(name, { challenge: await registrationChallengeOf(pda, overrides) });
  const reply = await pda.call('POST', `${SECOND_FACTOR_PATH}/passkeys`, { json, headers: publicHostHeader() });
  return changedFactorSchema.parse(reply.json);
};
