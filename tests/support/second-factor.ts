import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { codeAt, stepAt } from '../../server/pda/second-factor/totp.ts';
import {
  appSecretSchema,
  changedFactorSchema,
  passkeyOptionsSchema,
  secondFactorSchema,
  signInWaysSchema,
  type Assertion,
  type ChangedFactor,
  type NewPasskey,
  type Proof,
  type SecondFactor,
  type SignInWays,
} from '../../server/wire/second-factor.ts';
import type { Reply } from './http.ts';
import { OWNER, type TestPda } from './test-pda.ts';

/** A PDA with an address outside, as its owner and strangers reach it there. */

export const OUTSIDE = 'ada.example';
export const ORIGIN = `https://${OUTSIDE}`;
export const FACTOR = '/api/v2.6/owner/second-factor';
const WAYS = '/api/v2.6/owner/sign-in-ways';

export const bytesOf = (base32: string): Buffer => Buffer.from(base32nopad.decode(base32));

export const outside = (host = OUTSIDE): Record<string, string> => ({ host });

/** From outside, unless `headers` has another host. */
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

/** A code of an app whose clock is that of the PDA, or so many steps off. */
export const codeOf = (pda: TestPda, secret: string, off = 0): string =>
  codeAt(bytesOf(secret), stepAt(pda.clock.now()) + off);

export const proof = (more: Partial<Proof> = {}): { proof: Proof } => ({
  proof: { password: OWNER.password, ...more },
});

export const viewOf = async (pda: TestPda, headers: Record<string, string> = {}): Promise<SecondFactor> =>
  secondFactorSchema.parse((await pda.call('GET', FACTOR, { headers })).json);

export const waysOf = async (
  pda: TestPda,
  { host = OUTSIDE, token = null as string | null } = {},
): Promise<SignInWays> => signInWaysSchema.parse((await pda.call('GET', WAYS, { token, headers: { host } })).json);

/** Adds an authenticator app from this machine. The time moves on by two steps, so that its first code is over. */
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
};
const clientData = (type: string, { challenge, origin = ORIGIN, client = {}, ...given }: Ceremony): Buffer =>
  Buffer.from(JSON.stringify({ type: given.type ?? type, challenge, origin, crossOrigin: false, ...client }));

/** A passkey in software, honest unless it is told otherwise. */
export const createPasskey = (keys: { publicKey: KeyObject; privateKey: KeyObject } = newKeys('ec')) => {
  const id = randomBytes(16);
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
      const data = [
        head(ceremony.rpId ?? OUTSIDE, flags | WITH_KEY),
        Buffer.alloc(16),
        length,
        id,
        Buffer.from([0xa0]),
      ];
      return {
        name,
        id: id.toString('base64url'),
        clientDataJSON: clientData('webauthn.create', ceremony).toString('base64url'),
        authenticatorData: Buffer.concat(data).toString('base64url'),
        publicKey: keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
      };
    },
    /** Counts one up, unless it never counts. */
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

/** The header by which an answer of a passkey is sent. */
export const asHeader = (assertion: Assertion): string =>
  `passkey ${Buffer.from(JSON.stringify(assertion)).toString('base64url')}`;

/** A challenge of a sign-in from outside. */
export const challengeOf = async (pda: TestPda, more: { host?: string; token?: string | null } = {}): Promise<string> =>
  (await waysOf(pda, more)).passkey?.challenge ?? 'none';

export const registrationOf = async (pda: TestPda, more: Partial<Proof> = {}, token = pda.token): Promise<string> => {
  const reply = await pda.call('POST', `${FACTOR}/passkey-options`, { token, json: proof(more), headers: outside() });
  return passkeyOptionsSchema.parse(reply.json).challenge;
};

/** Adds a passkey by the public address. */
export const addPasskey = async (
  pda: TestPda,
  passkey: Passkey,
  name = 'laptop',
  more: Partial<Proof> = {},
): Promise<ChangedFactor> => {
  const json = passkey.create(name, { challenge: await registrationOf(pda, more) });
  const reply = await pda.call('POST', `${FACTOR}/passkeys`, { json, headers: outside() });
  return changedFactorSchema.parse(reply.json);
};
