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

/** Kibibytes, passes and lanes of an argon2id hash; the default of most libraries is well below. */
const MAX_ARGON2 = { memory: 65_536, time: 5, lanes: 4 };
/** Of a bcrypt hash: two to this power rounds. */
const MAX_BCRYPT_COST = 12;
/** Milliseconds without sign-ins after which the thread ends. */
const BCRYPT_IDLE_MS = 30_000;
/** Checks that run at one time: each may take 64 MiB. */
const AT_ONCE = 2;

type Cost = { kind: 'argon2id' | 'bcrypt'; profile: string };

/** What a hash costs to check; undefined when it is none, or when that is too much. */
export const costOf = (hash: string): Cost | undefined => {
  const argon2 = ARGON2.exec(hash);
  if (argon2 !== null) {
    const [memory = 0, time = 0, lanes = 0] = argon2.slice(1, 4).map(Number);
    const fits = memory <= MAX_ARGON2.memory && time <= MAX_ARGON2.time && lanes <= MAX_ARGON2.lanes;
    return fits && time >= 1 && lanes >= 1 && memory >= 8 * lanes
      ? { kind: 'argon2id', profile: `argon2id ${memory} ${time} ${lanes}` }
      : undefined;
  }
  const cost = Number(BCRYPT.exec(hash)?.[1] ?? 0);
  return cost >= 4 && cost <= MAX_BCRYPT_COST ? { kind: 'bcrypt', profile: `bcrypt ${cost}` } : undefined;
};

/** A hash that takes the same work and that no password is known for. */
export const decoyOf = (hash: string): string => {
  const digest = hash.slice(hash.startsWith('$argon2id') ? hash.lastIndexOf('$') + 1 : -31);
  const other = randomBytes(digest.length)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/gu, 'A')
    .slice(0, digest.length - 2);
  // The last characters hold bits that must be zero: they stay what they are.
  return `${hash.slice(0, -digest.length)}${other}${digest.slice(-2)}`;
};

export type BcryptCheck = { hash: string; password: string };

export type ForeignHashes = {
  /** False also for what is no hash to us. */
  matches(hash: string, password: string): Promise<boolean>;
};

export const createForeignHashes = (log: Log): ForeignHashes => {
  const waiting: (() => void)[] = [];
  let running = 0;
  // bcrypt is plain script, and would hold everybody up for a tenth of a second.
  const bcrypt = createIdleThread<BcryptCheck, boolean>({
    file: new URL('./bcrypt-worker.ts', import.meta.url),
    idleMs: BCRYPT_IDLE_MS,
    ended: 'the thread that checks passwords has ended',
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  });

  const place = async (): Promise<void> => {
    if (running < AT_ONCE) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  /** Passes the slot to the next waiter. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async matches(hash, password) {
      const cost = costOf(hash);
      if (cost === undefined) return false;
      await place();
      try {
        return cost.kind === 'bcrypt' ? await bcrypt.ask({ hash, password }) : await passwordMatches(hash, password);
      } catch (error) {
        // An error here must not fail other sign-ins.
        log.warn({ err: error, kind: cost.kind }, 'the password of an account could not be checked');
        return false;
      } finally {
        leave();
      }
    },
  };
};
