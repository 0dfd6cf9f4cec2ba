import { hashSync } from '@node-rs/argon2';
import { createHmac, randomBytes } from 'node:crypto';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../storage/index.ts';
import { keepSecret } from './store.ts';

/**
 * The account by which the provider of an Offer reads from one PDA. Its password is derived from the id of the claim and a secret of the exchange, so that it
 * need not be stored; the PDA gets its hash.
 */
export type ClaimCredentials = {
  password(claimId: string): string;
  hash(claimId: string): string;
};

/** The least that argon2id can do: stretching is for passwords that people choose, and these have 256 random bits. */
const HASHING = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Characters of the random end of a Data Debit's key: 72 bits. */
export const randomDebitEnd = (): string => randomBytes(9).toString('base64url');

export const createClaimCredentials = async (secret: string): Promise<ClaimCredentials> => {
  const password = (claimId: string): string =>
    createHmac('sha256', secret).update(`claim ${claimId}`).digest('base64url');
  // At once: it takes fifty microseconds, and a hop to another thread as long.
  return { password, hash: (claimId) => hashSync(password(claimId), HASHING) };
};

const FINGERPRINT = 'claims-fingerprint';
const KEPT = 'claims';
/** Characters of a secret: fewer could be guessed from the hashes that PDAs get. */
const MIN_SECRET_CHARS = 32;

/** By this the database knows a secret again; nothing else can be made of it. */
const fingerprintOf = (secret: string): string =>
  createHmac('sha256', secret).update('fingerprint').digest('base64url');

/**
 * Credentials by the secret that is given, or by one that the database keeps. All processes must derive the same passwords, today and in a year: another
 * secret than the first one is refused before it can do harm.
 *
 * @throws Error when the secret is too short, or another one than before
 */
export const openClaimCredentials = async (parts: {
  database: Database;
  secret: string | undefined;
  log: Log;
}): Promise<ClaimCredentials> => {
  const { database, secret: given, log } = parts;
  if (given !== undefined && given.length < MIN_SECRET_CHARS)
    throw new Error(`EXCHANGE_SECRET needs at least ${MIN_SECRET_CHARS} characters.`);
  if (given === undefined)
    log.warn('no EXCHANGE_SECRET: the secret of the claims is kept in the database, which is for trying things out');
  const secret = await database.transact(async (tx) => {
    const used = given ?? (await keepSecret(tx, KEPT, randomBytes(32).toString('base64url')));
    if ((await keepSecret(tx, FINGERPRINT, fingerprintOf(used))) !== fingerprintOf(used))
      throw new Error(
        'EXCHANGE_SECRET is not the one that this database was started with: passwords of claims would not fit.',
      );
    return used;
  });
  return createClaimCredentials(secret);
};
