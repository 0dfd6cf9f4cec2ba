import type { Assertion, PasskeyRegistration } from '../../../wire/passkeys.ts';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { Challenges } from './challenges.ts';
import type { Site } from './site.ts';

/* The verification module is imported on demand, because its libraries take 10 MB and most PDAs have no passkeys. */

export type Ceremony = { site: Site; purpose: string; challenges: Challenges };

export type NewCredential = { publicKey: Buffer; counter: number };

export type StoredPasskey = { id: string; public_key: Buffer; counter: number };

/** @throws Failure invalid_input, or wrong_state if the challenge was used before */
export const verifyRegistration = async (
  registration: PasskeyRegistration,
  { site, purpose, challenges }: Ceremony,
): Promise<NewCredential> => {
  const isOwnChallenge = (challenge: string): boolean => challenges.isValid(challenge, purpose);
  const { verifyNewPasskey } = await import('./verification.ts');
  const { challenge, publicKey, counter } = await verifyNewPasskey(registration, { ...site, isOwnChallenge });
  if (!challenges.use(challenge)) throw new Failure('wrong_state', 'This challenge was already used. Start again.');
  return { publicKey, counter };
};

/**
 * Verifies an assertion of a stored passkey. Uses up the challenge of a valid assertion, even if the request fails
 * later.
 * @returns the signature counter, which the caller compares again in its transaction; undefined if the assertion is
 *   refused
 */
export const verifyStoredPasskey = async (
  passkey: StoredPasskey,
  assertion: Assertion,
  { site, purpose, challenges, log }: Ceremony & { log: Log },
): Promise<{ counter: number } | undefined> => {
  const isOwnChallenge = (challenge: string): boolean => challenges.isValid(challenge, purpose);
  const { verifyAssertion } = await import('./verification.ts');
  const result = await verifyAssertion(assertion, passkey.public_key, { ...site, isOwnChallenge });
  if (result === undefined || !challenges.use(result.challenge)) return undefined;
  if (passkey.counter > 0 && result.counter <= passkey.counter) {
    log.warn({ passkey: passkey.id }, 'refused a passkey whose counter did not increase; it may have been copied');
    return undefined;
  }
  return { counter: result.counter };
};
