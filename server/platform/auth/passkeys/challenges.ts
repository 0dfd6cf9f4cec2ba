import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../clock.ts';

/**
 * Challenges for passkeys. Each contains a MAC, so that unused challenges need no storage and no flood of requests can
 * evict them.
 */
export type Challenges = {
  /** @param purpose operation and context (host, session or invitation) for which the challenge is valid */
  issue(purpose: string): string;
  /** Returns true if the challenge was issued for the purpose and has not expired, even if it was used. */
  isValid(challenge: string, purpose: string): boolean;
  /** Marks a valid challenge as used. Returns false if it was used before. */
  use(challenge: string): boolean;
};

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;

export const createChallenges = (clock: Clock, validityMs: number): Challenges => {
  const key = randomBytes(MAC_BYTES);
  const usedChallenges = new Map<string, number>();

  const macOf = (head: Buffer, purpose: string): Buffer =>
    createHmac('sha256', key).update(head).update(purpose).digest();

  return {
    issue(purpose) {
      const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
      head.writeUIntBE(clock.now(), 0, TIME_BYTES);
      randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES);
      return Buffer.concat([head, macOf(head, purpose)]).toString('base64url');
    },
    isValid(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      // Only the canonical encoding is valid: another encoding of a used challenge would not be recognised.
      if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
        return false;
      const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
      const age = clock.now() - head.readUIntBE(0, TIME_BYTES);
      return timingSafeEqual(bytes.subarray(head.length), macOf(head, purpose)) && Math.abs(age) <= validityMs;
    },
    use(challenge) {
      const now = clock.now();
      for (const [usedChallenge, expiry] of usedChallenges) if (expiry < now) usedChallenges.delete(usedChallenge);
      if (usedChallenges.has(challenge)) return false;
      // Entries are kept for twice the validity, because a challenge becomes valid again if the clock is set back.
      usedChallenges.set(challenge, now + 2 * validityMs);
      return true;
    },
  };
};
