import { hashSync } from '@node-rs/argon2';
import { createHmac, randomBytes } from 'node:crypto';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../storage/index.ts';
import { readOrInsertSecret } from '../store.ts';

/**
 * Derives the credentials with which an Offer's provider reads from a PDA. The password is derived from the claim's id
 * and a secret of the exchange, so that it need not be stored. The PDA receives the hash.
 */
export type ClaimCredentialDeriver = {
  password(claimId: string): string;
  hash(claimId: string): string;
};

/** Minimum cost of argon2id. The passwords are 256-bit HMACs and need no key stretching. */
const HASH_OPTIONS = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Returns a random suffix for the key of a claim's Data Debit: 12 characters with 72 bits. */
export const randomDebitSuffix = (): string => randomBytes(9).toString('base64url');

export const createClaimCredentialDeriver = (secret: string): ClaimCredentialDeriver => {
  const password = (claimId: string): string =>
    createHmac('sha256', secret).update(`claim ${claimId}`).digest('base64url');
  // Synchronous, because hashing takes 50 µs, about as long as switching to another thread.
  return { password, hash: (claimId) => hashSync(password(claimId), HASH_OPTIONS) };
};

const FINGERPRINT_NAME = 'claims-fingerprint';
const SECRET_NAME = 'claims';
/** Shorter secrets could be guessed from the hashes that PDAs receive. */
const MIN_SECRET_CHARS = 32;

const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret).update('fingerprint').digest('base64url');

/**
 * Creates the deriver from the configured secret, otherwise from a stored one. All processes must always derive the
 * same passwords, so only the first secret is accepted.
 * @throws Error if the secret is too short or has changed
 */
export const openClaimCredentialDeriver = async (parts: {
  database: Database;
  secret: string | undefined;
  log: Log;
}): Promise<ClaimCredentialDeriver> => {
  const { database, secret: configuredSecret, log } = parts;
  if (configuredSecret !== undefined && configuredSecret.length < MIN_SECRET_CHARS)
    throw new Error(`EXCHANGE_SECRET needs at least ${MIN_SECRET_CHARS} characters.`);
  if (configuredSecret === undefined)
    log.warn('EXCHANGE_SECRET is not set. The claim secret is stored in the database; use this for development only.');
  const secret = await database.transact(async (tx) => {
    const value =
      configuredSecret ?? (await readOrInsertSecret(tx, SECRET_NAME, randomBytes(32).toString('base64url')));
    if ((await readOrInsertSecret(tx, FINGERPRINT_NAME, fingerprintOf(value))) !== fingerprintOf(value))
      throw new Error(
        'EXCHANGE_SECRET differs from the one with which this database was first used. Set the original value, or unset it if there was none.',
      );
    return value;
  });
  return createClaimCredentialDeriver(secret);
};
