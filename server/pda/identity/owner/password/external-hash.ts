import { randomBytes } from 'node:crypto';
import { createIdleThread } from '../../../../platform/workers/idle-thread.ts';
import type { Log } from '../../../../platform/log.ts';
import { passwordMatches } from '../../../../platform/auth/password.ts';

// A hash of an external account determines the time and memory of its check, so costly hashes are rejected.

const ARGON2_PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,86})\$([A-Za-z0-9+/]{22,86})$/u;
const BCRYPT_PATTERN = /^\$2[aby]\$(\d{2})\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/u;

/** KiB, passes and lanes. The defaults of common libraries do not exceed them. */
const ARGON2_COST_MAX = { memory: 65_536, time: 5, lanes: 4 };
/** Binary logarithm of the rounds. */
const BCRYPT_COST_MAX = 12;
const BCRYPT_IDLE_MS = 30_000;
/** Each check can take 64 MiB. */
const CONCURRENT_CHECKS_MAX = 2;

type Cost = { kind: 'argon2id' | 'bcrypt'; profile: string };

/** Returns undefined if the hash is invalid or too expensive. */
export const hashCostOf = (hash: string): Cost | undefined => {
  const argon2 = ARGON2_PATTERN.exec(hash);
  if (argon2 !== null) {
    const [memory = 0, time = 0, lanes = 0] = argon2.slice(1, 4).map(Number);
    const isAffordable =
      memory <= ARGON2_COST_MAX.memory && time <= ARGON2_COST_MAX.time && lanes <= ARGON2_COST_MAX.lanes;
    return isAffordable && time >= 1 && lanes >= 1 && memory >= 8 * lanes
      ? { kind: 'argon2id', profile: `argon2id ${memory} ${time} ${lanes}` }
      : undefined;
  }
  const cost = Number(BCRYPT_PATTERN.exec(hash)?.[1] ?? 0);
  return cost >= 4 && cost <= BCRYPT_COST_MAX ? { kind: 'bcrypt', profile: `bcrypt ${cost}` } : undefined;
};

/** Returns a hash with the same cost that matches no known password. */
export const createDecoy = (hash: string): string => {
  const digest = hash.slice(hash.startsWith('$argon2id') ? hash.lastIndexOf('$') + 1 : -31);
  const decoyDigest = randomBytes(digest.length)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/gu, 'A')
    .slice(0, digest.length - 2);
  // The last two characters are kept, because some of their bits must be zero.
  return `${hash.slice(0, -digest.length)}${decoyDigest}${digest.slice(-2)}`;
};

export type BcryptCheck = { hash: string; password: string };

export type ExternalHashes = {
  /** Also returns false for an invalid or too expensive hash, and if the check fails. */
  matches(hash: string, password: string): Promise<boolean>;
};

export const createExternalHashes = (log: Log): ExternalHashes => {
  const waitQueue: (() => void)[] = [];
  let activeChecks = 0;
  // bcryptjs is JavaScript and would block the event loop for a tenth of a second at a time.
  const bcrypt = createIdleThread<BcryptCheck, boolean>({
    file: new URL('./bcrypt-worker.ts', import.meta.url),
    idleMs: BCRYPT_IDLE_MS,
    exitMessage: 'the password check thread has ended',
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  });

  const acquire = async (): Promise<void> => {
    if (activeChecks < CONCURRENT_CHECKS_MAX) activeChecks += 1;
    else await new Promise<void>((resolve) => waitQueue.push(resolve));
  };
  const release = (): void => {
    const next = waitQueue.shift();
    if (next === undefined) activeChecks -= 1;
    else next();
  };

  return {
    async matches(hash, password) {
      const cost = hashCostOf(hash);
      if (cost === undefined) return false;
      await acquire();
      try {
        return cost.kind === 'bcrypt' ? await bcrypt.send({ hash, password }) : await passwordMatches(hash, password);
      } catch (error) {
        // A failed check must not fail the sign-in of another account.
        log.warn({ err: error, kind: cost.kind }, 'could not check the password of an external account');
        return false;
      } finally {
        release();
      }
    },
  };
};
