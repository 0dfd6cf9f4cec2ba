import { Failure } from '../../../../platform/failure.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { RequestOrigin, SignedIn } from '../service.ts';
import type { SignInParts } from './authenticator.ts';

export type UserSignInAttempt = {
  /** The login throttle counts attempts of remote callers by this key and by their network. */
  key: string;
  userId: string | undefined;
  /** @returns undefined to refuse; otherwise a check that runs in the transaction of the sign-in */
  verify: () => Promise<((tx: Transaction) => boolean) | undefined>;
};

const refusal = (): Failure => new Failure('invalid_credentials', 'This user or passkey cannot sign in here.');

export const createUserSignIn = (
  parts: Pick<
    SignInParts,
    'networks' | 'userDirectory' | 'requirePasswordAllowed' | 'throttle' | 'accountLog' | 'clock' | 'log' | 'start'
  >,
) => {
  const { networks, userDirectory, throttle, accountLog, clock, log, start } = parts;

  const startUserSession = (
    { userId, name }: { userId: string; name: string },
    from: RequestOrigin,
    check: (tx: Transaction) => void,
  ): Promise<SignedIn> =>
    start('user', userId, from, { accessScope: 'user', resource: from.host }, (tx) => {
      check(tx);
      userDirectory.setLastSeen(tx, userId, clock.now());
      networks.save(tx, `user:${userId}`, from.address, clock.now());
      accountLog.record(tx, 'sign-in', from, { kind: 'user', userId, name });
    });

  const signInUser = ({ key, userId, verify }: UserSignInAttempt, from: RequestOrigin): Promise<SignedIn> =>
    accountLog.recordRefusals('sign-in', from, async () => {
      const account = userId === undefined ? undefined : (`user:${userId}` as const);
      const origin = { ...from, isKnown: networks.has(account, from.address, clock.now()) };
      throttle.countSignIn(key, origin);
      parts.requirePasswordAllowed(from.host);
      const use = await throttle.check(origin, verify);
      const user = userId === undefined ? undefined : userDirectory.find(userId);
      if (use === undefined || userId === undefined || user?.enabled !== true) {
        log.info({ address: from.address, local: from.local }, 'sign-in of a user refused');
        throw refusal();
      }
      return startUserSession({ userId, name: user.name }, from, (tx) => {
        // Another request may have disabled or deleted the user, or removed the passkey.
        if (userDirectory.passwordHashWithin(tx, userId) === undefined || !use(tx)) throw refusal();
      });
    });

  return { startUserSession, signInUser };
};
