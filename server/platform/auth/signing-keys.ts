import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from './tokens.ts';

/** A signing key as a database keeps it. */
export type StoredKey = {
  kid: string;
  private_pem: string;
  public_pem: string;
  created: number;
  retired: number | null;
};

const generate = promisify(generateKeyPair);

/** RSA 2048: what RS256 clients of the interface can verify. */
export const newKey = async (now: number): Promise<Omit<StoredKey, 'retired'>> => {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const kid = hash('sha256', publicKey, 'base64url').slice(0, 22);
  return { kid, private_pem: privateKey, public_pem: publicKey, created: now };
};

export const toSigningKey = (row: StoredKey): SigningKey => ({
  kid: row.kid,
  privateKey: createPrivateKey(row.private_pem),
  publicKey: createPublicKey(row.public_pem),
  retired: row.retired !== null,
});

/** A public key as a JSON Web Key Set lists it. */
export const publicJwk = ({ kid, publicKey }: Pick<SigningKey, 'kid' | 'publicKey'>): Record<string, string> => {
  const { kty = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return { kty, n, e, kid, alg: 'RS256', use: 'sig' };
};

/** SHA-256 of a public key's SubjectPublicKeyInfo, by which a key is known again. */
export const spkiHash = (publicKey: KeyObject, encoding: 'base64' | 'base64url'): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), encoding);
