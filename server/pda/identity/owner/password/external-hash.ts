import { randomBytes } from 'node:crypto';
import { createIdleThread } from '../../../../platform/workers/idle-thread.ts';
import type { Log } from '../../../../platform/log.ts';
import { passwordMatches } from '../../../../platform/auth/password.ts';

/**
 * Password hashes from other parties (Data Plugs and Offer claims). A hash states its own cost in time and memory, so a
 * malicious one could stall the PDA. Hashes that cost more than a sign-in may cost are rejected.
 */

const ARGON2 =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,86})\$([A-Za-z0-9+/]{22,86})$/u;
const BCRYPT = /^\$2[aby]\$(\d{2})\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/u;

/** Maximum cost of an argon2id hash: KiB, passes and lanes. The defaults of most libraries are well below. */
const MAX_ARGON2 = { memory: 65_536, time: 5, lanes: 4 };
/** Maximum cost of a bcrypt hash, as the binary logarithm of its rounds. */
const MAX_BCRYPT_COST = 12;
/** Milliseconds without sign-ins after which the thread ends. */
const BCRYPT_IDLE_MS = 30_000;
/** Concurrent checks. Each can take 64 MiB. */
const CONCURRENT_CHECKS_MAX = 2;

type Cost = { kind: 'argon2id' | 'bcrypt'; profile: string };

/** Returns the cost of checking a hash; undefined if the hash is invalid or too expensive. */
export const costOf = (hash: string): Cost | undefined => {
  const argon2 = ARGON2.exec(hash);
  if (argon2 !== null) {
    const [memory = 0, time = 0, lanes = 0] = argon2.slice(1, 4).map(Number);
    const isAffordable = memory <= MAX_ARGON2.memory && time <= MAX_ARGON2.time && lanes <= MAX_ARGON2.lanes;
    return isAffordable && time >= 1 && lanes >= 1 && memory >= 8 * lanes
      ? { kind: 'argon2id', profile: `argon2id ${memory} ${time} ${lanes}` }
      : undefined;
  }
  const cost = Number(BCRYPT.exec(hash)?.[1] ?? 0);
  return cost >= 4 && cost <= MAX_BCRYPT_COST ? { kind: 'bcrypt', profile: `bcrypt ${cost}` } : undefined;
};

/** Creates a hash with the same cost that matches no known password. */
export const decoyOf = (hash: string): string => {
  const digest = hash.slice(hash.startsWith('$argon2id') ? hash.lastIndexOf('$') + 1 : -31);
  const other = randomBytes(digest.length)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/gu, 'A')
    .slice(0, digest.length - 2);
  // The last characters contain bits that must be zero, so they are kept.
  return `${hash.slice(0, -digest.length)}${other}${digest.slice(-2)}`;
};

export type BcryptCheck = { hash: string; password: string };

export type ExternalHashes = {
  /** Returns false for a wrong password and for an invalid hash. */
  matches(hash: string, password: string): Promise<boolean>;
};

export const createExternalHashes = (log: Log): ExternalHashes => {
  const waiting: (() => void)[] = [];
  let running = 0;
  // bcryptjs is JavaScript and would block the event loop for a tenth of a second.
  const bcrypt = createIdleThread<BcryptCheck, boolean>({
    file: new URL('./bcrypt-worker.ts', import.meta.url),
    idleMs: BCRYPT_IDLE_MS,
    exitMessage: 'the password check thread has ended',
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  });

  /** Waits for a free slot. */
  const acquire = async (): Promise<void> => {
    if (running < CONCURRENT_CHECKS_MAX) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  /** Passes the slot to the next waiter. */
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async matches(hash, password) {
      const cost = costOf(hash);
      if (cost === undefined) return false;
      await acquire();
      try {
        return cost.kind === 'bcrypt' ? await bcrypt.ask({ hash, password }) : await passwordMatches(hash, password);
      } catch (error) {
        // An error here must not fail other sign-ins.
        log.warn({ err: error, kind: cost.kind }, 'the password of an account could not be checked');
        return false;
      } finally {
        release();
      }
    },
  };
};
