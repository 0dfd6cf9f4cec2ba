import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { PASSKEY_CHALLENGE_MS } from '../../../../wire/limits.ts';

/**
 * What a passkey is asked to sign. Each carries its own proof that it was made here, when, and for what: nothing has to be kept for those who only ask,
 * so that no flood of them can drive out the owner's.
 */
export type Challenges = {
  /** @param purpose what it is for, and for whom: it is good for nothing else */
  make(purpose: string): string;
  isGood(challenge: string, purpose: string): boolean;
  /** Whether it was not used before; from now on it is. */
  use(challenge: string): boolean;
};

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;

export const createChallenges = (clock: Clock): Challenges => {
  /** Of this process: a challenge does not outlive it. */
  const key = randomBytes(32);
  /** Those that a passkey of the owner has signed, and when each runs out. */
  const used = new Map<string, number>();

  const macOf = (head: Buffer, purpose: string): Buffer =>
    createHmac('sha256', key).update(head).update(purpose).digest();

  return {
    make(purpose) {
      const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
      head.writeUIntBE(clock.now(), 0, TIME_BYTES);
      randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES);
      return Buffer.concat([head, macOf(head, purpose)]).toString('base64url');
    },
    isGood(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      // Written in one way only: of another spelling it would not be known that it was used.
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
      for (const [one, end] of used) if (end < now) used.delete(one);
      if (used.has(challenge)) return false;
      // Twice as long as it is good for: by a clock that is set back it may be good again.
      used.set(challenge, now + 2 * PASSKEY_CHALLENGE_MS);
      return true;
    },
  };
};
