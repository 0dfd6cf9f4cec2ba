import { randomUUID } from 'node:crypto';
import {
  verifyRegistration,
  verifyStoredPasskey,
  type NewCredential,
} from '../../../platform/auth/passkeys/ceremonies.ts';
import { createChallenges } from '../../../platform/auth/passkeys/challenges.ts';
import { siteOfBase, type Site } from '../../../platform/auth/passkeys/site.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import type { Log } from '../../../platform/log.ts';
import { GUEST_PASSKEY_CHALLENGE_MS, MAX_PASSKEYS } from '../../../wire/limits.ts';
import type { Assertion, PasskeyRegistration } from '../../../wire/passkeys.ts';
import type { OwnerService, RequestOrigin, SignedIn } from '../owner/service.ts';
import type { Transaction } from '../../storage/index.ts';
import { isLastSignInMethod } from './rules.ts';
import type { UserPasskeyRow, UserPasskeyStore } from './store.ts';
import type { UserService } from '../users/service.ts';

export type VerifiedPasskey = NewCredential & { credential: string; rpId: string };

export type UserPasskeys = ReturnType<typeof createUserPasskeys>;

const THROTTLE_KEY_CHARS = 64;

/** Manages users' passkeys. Each challenge is for one purpose at one host, and is valid once. */
export const createUserPasskeys = (parts: {
  store: UserPasskeyStore;
  users: Pick<UserService, 'find' | 'hasPassword' | 'exists'>;
  owner: Pick<OwnerService, 'signInUser' | 'requirePasswordAllowed'>;
  throttle: LoginThrottle;
  baseOf: (host: string) => string;
  clock: Clock;
  log: Log;
}) => {
  const { store, users, owner, throttle, clock, log } = parts;
  const challenges = createChallenges(clock, GUEST_PASSKEY_CHALLENGE_MS);
  const siteOf = (host: string): Site | undefined => siteOfBase(parts.baseOf(host));
  const purposeAt = (host: string, purpose: string): string => `${host}\n${purpose}`;

  const requireSite = (host: string): Site => {
    const site = siteOf(host);
    if (site === undefined)
      throw new Failure('wrong_state', 'Passkeys need an HTTPS address with a host name, or localhost.');
    return site;
  };

  const verify = async (
    passkey: UserPasskeyRow | undefined,
    assertion: Assertion,
    host: string,
    purpose: string,
  ): Promise<((tx: Transaction) => boolean) | undefined> => {
    const site = siteOf(host);
    if (site === undefined || passkey === undefined) return undefined;
    const ceremony = { site, purpose: purposeAt(host, purpose), challenges, log };
    const result = await verifyStoredPasskey(passkey, assertion, ceremony);
    return result === undefined ? undefined : (tx) => store.use(tx, passkey.id, result.counter, clock.now());
  };

  const find = (assertion: Assertion, host: string): UserPasskeyRow | undefined => {
    const site = siteOf(host);
    return site === undefined ? undefined : store.findByCredential(site.rpId, assertion.id);
  };

  const isLast = (userId: string, passkeyId: string, host: string): boolean =>
    isLastSignInMethod(passkeyId, store.listByUser(userId), {
      hasPassword: users.hasPassword(userId),
      rpId: siteOf(host)?.rpId,
    });

  return {
    siteOf,
    /** @param purpose operation, with the invitation or session to which it belongs, if any */
    issueChallenge: (host: string, purpose: string): string => challenges.issue(purposeAt(host, purpose)),
    /** Returns the passkeys of a user, oldest first. */
    list: (userId: string): UserPasskeyRow[] => store.listByUser(userId),

    /** Signs in the user of a passkey. @throws Failure invalid_credentials | forbidden | rate_limited */
    signIn: (assertion: Assertion, purpose: string, from: RequestOrigin): Promise<SignedIn> => {
      const passkey = find(assertion, from.host);
      return owner.signInUser(
        {
          key: assertion.id.slice(0, THROTTLE_KEY_CHARS),
          userId: passkey?.user_id,
          verify: () => verify(passkey, assertion, from.host, purpose),
        },
        from,
      );
    },

    /**
     * Verifies a passkey with which a signed-in user confirms an action. Counts as a sign-in attempt.
     * @returns undefined if there is no assertion or it is refused; otherwise a function that records the use and
     *   returns false if another request has removed the passkey or increased its counter
     * @throws Failure forbidden | rate_limited
     */
    async confirm(
      userId: string,
      assertion: Assertion | undefined,
      purpose: string,
      from: Pick<RequestOrigin, 'address' | 'host' | 'local'>,
    ): Promise<((tx: Transaction) => boolean) | undefined> {
      throttle.countSignIn(users.find(userId)?.name ?? '', { ...from, isKnown: true });
      owner.requirePasswordAllowed(from.host);
      if (assertion === undefined) return undefined;
      const passkey = find(assertion, from.host);
      return passkey?.user_id === userId ? verify(passkey, assertion, from.host, purpose) : undefined;
    },

    /** @throws Failure invalid_input | wrong_state if passkeys do not work at this address or the challenge was used */
    async verifyNew(registration: PasskeyRegistration, host: string, purpose: string): Promise<VerifiedPasskey> {
      const site = requireSite(host);
      const ceremony = { site, purpose: purposeAt(host, purpose), challenges };
      const { publicKey, counter } = await verifyRegistration(registration, ceremony);
      return { publicKey, counter, credential: registration.id, rpId: site.rpId };
    },

    /**
     * @throws Failure already_exists with a detail for `body.passkey` | not_found for a deleted user | wrong_state at
     *   the maximum number of passkeys
     */
    add(tx: Transaction, userId: string, passkey: VerifiedPasskey, name: string): void {
      if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user.');
      if (store.listByUser(userId).length >= MAX_PASSKEYS)
        throw new Failure('wrong_state', `There are already ${MAX_PASSKEYS} passkeys. Remove a passkey first.`);
      if (store.findByCredential(passkey.rpId, passkey.credential) !== undefined)
        throw new Failure('already_exists', 'This passkey already exists.', {
          details: [{ path: 'body.passkey', problem: 'already exists' }],
        });
      store.insert(tx, {
        id: randomUUID(),
        user_id: userId,
        credential: passkey.credential,
        rp_id: passkey.rpId,
        public_key: passkey.publicKey,
        counter: passkey.counter,
        name,
        created: clock.now(),
      });
    },

    isLast,

    /** @throws Failure not_found | wrong_state for the last sign-in method */
    remove(tx: Transaction, userId: string, passkeyId: string, host: string): void {
      if (store.listByUser(userId).every(({ id }) => id !== passkeyId))
        throw new Failure('not_found', 'There is no such passkey.');
      if (isLast(userId, passkeyId, host))
        throw new Failure('wrong_state', 'The last way to sign in cannot be removed. Add another one first.');
      store.remove(tx, passkeyId);
    },
  };
};
