import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from './tokens.ts';

export type StoredKey = {
  kid: string;
  private_pem: string;
  public_pem: string;
  created: number;
  retired: number | null;
};

/** Length of a key ID: 132 bits of the hash, in base64url. */
const KID_CHARS = 22;

const generate = promisify(generateKeyPair);

/** Generates an RSA key with 2048 bits, whose RS256 signatures all clients can verify. @param now Unix milliseconds */
export const generateSigningKey = async (now: number): Promise<Omit<StoredKey, 'retired'>> => {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const kid = hash('sha256', publicKey, 'base64url').slice(0, KID_CHARS);
  return { kid, private_pem: privateKey, public_pem: publicKey, created: now };
};

export const toSigningKey = (row: StoredKey): SigningKey => ({
  kid: row.kid,
  privateKey: createPrivateKey(row.private_pem),
  publicKey: createPublicKey(row.public_pem),
  retired: row.retired !== null,
});

/** Returns a public key as an entry of a JSON Web Key Set (RFC 7517). */
export const toPublicJwk = ({ kid, publicKey }: Pick<SigningKey, 'kid' | 'publicKey'>): Record<string, string> => {
  const { kty = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return { kty, n, e, kid, alg: 'RS256', use: 'sig' };
};

/** Returns a hash of the SubjectPublicKeyInfo, which identifies the key. */
export const hashSpki = (publicKey: KeyObject, encoding: 'base64' | 'base64url'): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), encoding);
