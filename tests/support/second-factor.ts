import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { codeAt, stepAt } from '../../server/pda/identity/second-factor/methods/totp.ts';
import {
  appSecretSchema,
  changedFactorSchema,
  passkeyOptionsSchema,
  secondFactorSchema,
  signInMethodsSchema,
  type Assertion,
  type ChangedFactor,
  type NewPasskey,
  type OwnerProof,
  type SecondFactor,
  type SignInMethods,
} from '../../server/wire/second-factor.ts';
import type { Reply } from './http.ts';
import { OWNER, type TestPda } from './test-pda.ts';

/** A PDA with a public address, and requests to it as the owner or an anonymous caller. */

export const OUTSIDE = 'ada.example';
export const ORIGIN = `https://${OUTSIDE}`;
export const FACTOR = '/api/v2.6/owner/second-factor';
const WAYS = '/api/v2.6/owner/sign-in-ways';

export const bytesOf = (base32: string): Buffer => Buffer.from(base32nopad.decode(base32));

export const outside = (host = OUTSIDE): Record<string, string> => ({ host });

/** Tries to sign in, from outside by default. */
export const signInFrom = (
  pda: TestPda,
  factor?: string,
  {
    password = OWNER.password,
    name = OWNER.name,
    host = OUTSIDE,
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

/** Returns the code of an authenticator app whose clock is that of the PDA, or off by some steps. */
export const codeOf = (pda: TestPda, secret: string, off = 0): string =>
  codeAt(bytesOf(secret), stepAt(pda.clock.now()) + off);

export const proof = (overrides: Partial<OwnerProof> = {}): { proof: OwnerProof } => ({
  proof: { password: OWNER.password, ...overrides },
});

export const viewOf = async (pda: TestPda, headers: Record<string, string> = {}): Promise<SecondFactor> =>
  secondFactorSchema.parse((await pda.call('GET', FACTOR, { headers })).json);

export const signInMethodsOf = async (
  pda: TestPda,
  { host = OUTSIDE, token = null as string | null } = {},
): Promise<SignInMethods> =>
  signInMethodsSchema.parse((await pda.call('GET', WAYS, { token, headers: { host } })).json);

/**
 * Adds an authenticator app from this machine. Advances the clock by two steps, so that its first code has expired.
 */
export const addApp = async (pda: TestPda): Promise<{ secret: string; codes: string[] }> => {
  const { secret } = appSecretSchema.parse((await pda.call('POST', `${FACTOR}/app`, { json: proof() })).json);
  const reply = await pda.call('POST', `${FACTOR}/app/confirm`, { json: { code: codeOf(pda, secret) } });
  const { recoveryCodes } = changedFactorSchema.parse(reply.json);
  pda.clock.advance(60_000);
  return { secret, codes: recoveryCodes ?? [] };
};

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

export const PRESENT = 0x01;
export const VERIFIED = 0x04;
const WITH_KEY = 0x40;

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

const clientData = (type: string, { challenge, origin = ORIGIN, client = {}, ...given }: Ceremony): Buffer =>
  Buffer.from(JSON.stringify({ type: given.type ?? type, challenge, origin, crossOrigin: false, ...client }));

const CURVES: Record<string, number> = { 'P-256': 1, 'P-384': 2, Ed25519: 6 };

/** Encodes a public key in COSE (RFC 9053, RFC 8230). */
const coseOf = (key: KeyObject, algorithm?: number): Uint8Array<ArrayBuffer> => {
  const { kty, crv = '', x, y, n, e } = key.export({ format: 'jwk' });
  const bytes = (text = ''): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));
  const curve = CURVES[crv] ?? 0;
  const parts: [number, CborValue][] =
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
  return isoCBOR.encode(new Map(parts));
};

type PasskeyParts = {
  keys?: { publicKey: KeyObject; privateKey: KeyObject };
  id?: Buffer;
  /** COSE algorithm that the key claims; by default the right one. */
  algorithm?: number;
};

/** A software passkey that behaves correctly by default. */
export const createPasskey = ({ keys = newKeys('ec'), id = randomBytes(16), algorithm }: PasskeyParts = {}) => {
  const hash = keys.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  let counter = 0;
  const head = (rpId: string, flags: number): Buffer => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted]);
  };
  return {
    id: id.toString('base64url'),
    countTo(to: number): void {
      counter = to;
    },
    create(name: string, { flags = PRESENT | VERIFIED, ...ceremony }: Ceremony): NewPasskey {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const aaguid = Buffer.alloc(16);
      const key = coseOf(keys.publicKey, algorithm);
      const data = Buffer.concat([head(ceremony.rpId ?? OUTSIDE, flags | WITH_KEY), aaguid, length, id, key]);
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
    /** Signs an assertion and increments the signature counter unless `counts` is false. */
    get({ flags = PRESENT | VERIFIED, ...ceremony }: Ceremony, counts = true): Assertion {
      if (counts) counter += 1;
      const client = clientData('webauthn.get', ceremony);
      const data = head(ceremony.rpId ?? OUTSIDE, flags);
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

/** Value of the sign-in header for a passkey assertion. */
export const asHeader = (assertion: Assertion): string =>
  `passkey ${Buffer.from(JSON.stringify(assertion)).toString('base64url')}`;

/** Requests a challenge for a sign-in from outside. */
export const challengeOf = async (
  pda: TestPda,
  options: { host?: string; token?: string | null } = {},
): Promise<string> => (await signInMethodsOf(pda, options)).passkey?.challenge ?? 'none';

export const registrationOf = async (
  pda: TestPda,
  overrides: Partial<OwnerProof> = {},
  token = pda.token,
): Promise<string> => {
  const reply = await pda.call('POST', `${FACTOR}/passkey-options`, {
    token,
    json: proof(overrides),
    headers: outside(),
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
  const json = passkey.create(name, { challenge: await registrationOf(pda, overrides) });
  const reply = await pda.call('POST', `${FACTOR}/passkeys`, { json, headers: outside() });
  return changedFactorSchema.parse(reply.json);
};
