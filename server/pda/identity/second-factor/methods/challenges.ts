import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { PASSKEY_CHALLENGE_MS } from '../../../../wire/limits.ts';

/**
 * Challenges that a passkey signs. Each is authenticated by a MAC over its time and purpose, so that issued challenges need no storage
 * and a flood of requests cannot evict the owner's challenge.
 */
export type Challenges = {
  /** @param purpose operation and session for which the challenge is valid */
  issue(purpose: string): string;
  isValid(challenge: string, purpose: string): boolean;
  /** Marks the challenge as used. Returns false if it was used before. */
  use(challenge: string): boolean;
};

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;

export const createChallenges = (clock: Clock): Challenges => {
  /** Key of this process. Challenges do not outlive it. */
  const key = randomBytes(32);
  /** Expiry times of the challenges that a passkey of the owner has signed. */
  const used = new Map<string, number>();

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
      // Only the canonical encoding is accepted. Another encoding of the same challenge would not be recognized as used.
      if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
        return false;
      const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
      const age = clock.now() - head.readUIntBE(0, TIME_BYTES);
      return (
        timingSafeEqual(bytes.subarray(head.length), macOf(head, purpose)) && Math.abs(age) <= PASSKEY_CHALLENGE_MS
      );
    },
    use(challenge) {
      const now = clock.now();
      for (const [usedChallenge, expiry] of used) if (expiry < now) used.delete(usedChallenge);
      if (used.has(challenge)) return false;
      // Retained for twice its validity, because it can become valid again if the clock is set back.
      used.set(challenge, now + 2 * PASSKEY_CHALLENGE_MS);
      return true;
    },
  };
};
