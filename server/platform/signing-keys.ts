import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
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
  const kid = createHash('sha256').update(publicKey).digest('base64url').slice(0, 22);
  return { kid, private_pem: privateKey, public_pem: publicKey, created: now };
};

export const toSigningKey = (row: StoredKey): SigningKey => ({
  kid: row.kid,
  privateKey: createPrivateKey(row.private_pem),
  publicKey: createPublicKey(row.public_pem),
  retired: row.retired !== null,
});
