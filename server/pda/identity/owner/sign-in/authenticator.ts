import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { hashPassword, passwordMatches } from '../../../../platform/auth/password.ts';
import type { NewToken } from '../../../../platform/auth/tokens.ts';
import type { Assertion } from '../../../../wire/passkeys.ts';
import type { LoginThrottle } from '../../../../platform/limits/login-throttle.ts';
import type { Transaction } from '../../../storage/index.ts';
import { createAccountCheck, isSameName, type ExternalAccount, type ExternalAccounts } from './external-accounts.ts';
import { createExternalHashes } from '../password/external-hash.ts';
import type { AccountLog } from '../account-log.ts';
import type { RequestOrigin, SignedIn } from '../service.ts';
import type { SignInAccount, SignInNetworkStore } from './network-store.ts';
import { createUserSignIn } from './user-sign-in.ts';
import type { OwnerRow, OwnerStore, SessionRow } from '../store.ts';

export type UserDirectory = {
  /** Finds enabled and disabled users. */
  findByName(name: string): UserCredentials | undefined;
  find(userId: string): { name: string; enabled: boolean } | undefined;
  /** Returns undefined if the user may not sign in. */
  passwordHashWithin(tx: Transaction, userId: string): string | undefined;
  setLastSeen(tx: Transaction, userId: string, time: number): void;
};

export type UserCredentials = { userId: string; name: string; enabled: boolean; passwordHash: string };

export type SecondFactorInput = { code?: string | undefined; passkey?: Assertion | undefined };

export type SecondFactorCheck = {
  isRequired(from: RequestOrigin): boolean;
  /** @param session id of the session that changes the password; undefined at a sign-in */
  verify(
    secondFactor: SecondFactorInput,
    from: RequestOrigin,
    session?: string,
  ): Promise<{
    isRecovery: boolean;
    /**
     * Must be called only after the password has been verified. Returns undefined if the factor is refused,
     * otherwise a function that consumes it and returns false if another request has consumed it.
     */
    accept(): ((tx: Transaction) => boolean) | undefined;
  }>;
};

export type SignInParts = {
  store: Pick<OwnerStore, 'owner'>;
  networks: Pick<SignInNetworkStore, 'has' | 'save'>;
  owner: () => OwnerRow | undefined;
  userDirectory: UserDirectory;
  accounts: () => ExternalAccounts;
  secondFactor: () => SecondFactorCheck | undefined;
  /** Throws Failure forbidden if a third party could read a password that is sent to this host. */
  requirePasswordAllowed: (host: string) => void;
  throttle: LoginThrottle;
  accountLog: AccountLog;
  clock: Clock;
  log: Log;
  /** `check` runs in the session's transaction and throws to refuse the session. */
  start: (
    kind: SessionRow['kind'],
    userId: string,
    from: RequestOrigin,
    claims: Omit<NewToken, 'iss' | 'sub' | 'jti'>,
    check: (tx: Transaction) => void,
    offer?: string,
  ) => Promise<SignedIn>;
};

const wrongCredentials = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');

/** Sent for right and wrong passwords alike, so that it does not reveal whether the password is correct. */
const secondFactorRequired = (): Failure =>
  new Failure(
    'second_factor_required',
    'The owner must sign in with a second factor here. Send it in the header x-second-factor, together with name and password. They are checked together.',
  );

/** Compares in constant time, apart from the lengths. */
export const isSameText = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

const userKey = ({ userId }: UserCredentials): SignInAccount => `user:${userId}`;
const accountKey = ({ holder }: ExternalAccount): SignInAccount =>
  holder.kind === 'application' ? `application:${holder.application}` : `offer:${holder.offer}`;

const findAccountKey = (
  owner: OwnerRow | undefined,
  user: UserCredentials | undefined,
  account: ExternalAccount | undefined,
): SignInAccount | undefined => {
  if (owner !== undefined) return 'owner';
  if (user !== undefined) return userKey(user);
  return account === undefined ? undefined : accountKey(account);
};

type VerifiedFactor = { use: (tx: Transaction) => boolean; isRecovery: boolean };

/**
 * Creates the sign-in by name and password, and that of users by other means, such as passkeys. A name belongs to the
 * owner, else to a user, else to an external account.
 */
export const createSignIn = (parts: SignInParts) => {
  const { store, networks, userDirectory, accounts, throttle, accountLog, clock, log, start } = parts;
  const { startUserSession, signInUser: signInUserWithoutPassword } = createUserSignIn(parts);
  const checkAccountPassword = createAccountCheck(accounts, createExternalHashes(log));

  /** Hash that is checked for unknown names, so that the check takes as long as for known names. */
  let decoy: Promise<string> | undefined;
  const getDecoyHash = (): Promise<string> => (decoy ??= hashPassword(randomUUID()));

  /**
   * Starts a session of the owner. The transaction checks again that the password is the one that was verified, because
   * another request may have changed it since.
   */
  const signInOwner = (owner: OwnerRow, from: RequestOrigin, factor?: VerifiedFactor): Promise<SignedIn> =>
    start('owner', owner.id, from, { accessScope: 'owner', resource: from.host }, (tx) => {
      if (store.owner()?.password_hash !== owner.password_hash) throw wrongCredentials();
      // Another request may have turned the second factor on or off, or used the code.
      const isRequired = parts.secondFactor()?.isRequired(from) ?? false;
      if (isRequired !== (factor !== undefined) || factor?.use(tx) === false) throw wrongCredentials();
      if (factor?.isRecovery === true) accountLog.record(tx, 'recovery-code', from);
      networks.save(tx, 'owner', from.address, clock.now());
      accountLog.record(tx, 'sign-in', from);
    });

  const signInUser = (user: UserCredentials, from: RequestOrigin): Promise<SignedIn> =>
    startUserSession(user, from, (tx) => {
      if (userDirectory.passwordHashWithin(tx, user.userId) !== user.passwordHash) throw wrongCredentials();
    });

  const signInAccount = (account: ExternalAccount, ownerId: string, from: RequestOrigin): Promise<SignedIn> => {
    const { holder } = account;
    const check = (tx: Transaction): void => {
      if (!accounts().exists(tx, account)) throw wrongCredentials();
      networks.save(tx, accountKey(account), from.address, clock.now());
      accountLog.record(tx, 'sign-in', from, holder);
    };
    if (holder.kind === 'application') {
      const claims = { application: holder.application, applicationVersion: holder.version };
      return start('application', ownerId, from, claims, check);
    }
    return start('offer', ownerId, from, { accessScope: 'offer', resource: from.host }, check, holder.offer);
  };

  const signInByName = (
    username: string,
    password: string,
    from: RequestOrigin,
    secondFactor: SecondFactorInput = {},
  ): Promise<SignedIn> => {
    let reasonForOwner: string | undefined;
    const signIn = async (): Promise<SignedIn> => {
      const owner = parts.owner();
      const ownerMatch = owner !== undefined && isSameText(username, owner.name) ? owner : undefined;
      const user = ownerMatch === undefined ? userDirectory.findByName(username) : undefined;
      // The owner and users take precedence over external accounts with the same name, independently of the password.
      const isNameTaken = user !== undefined || isSameName(username, owner?.name ?? '');
      const account = isNameTaken ? undefined : accounts().findByName(username);
      const origin = {
        ...from,
        isKnown: networks.has(findAccountKey(ownerMatch, user, account), from.address, clock.now()),
      };
      throttle.countSignIn(username, origin);
      parts.requirePasswordAllowed(from.host);
      const factorCheck = ownerMatch === undefined ? undefined : parts.secondFactor();
      // Verified independently of the password, so that the response time reveals nothing.
      const verification =
        factorCheck?.isRequired(from) === true ? await factorCheck.verify(secondFactor, from) : undefined;
      const hasFactor = secondFactor.code !== undefined || secondFactor.passkey !== undefined;
      // Created for known names too. Otherwise the duration of the first attempt after a start would reveal whether the
      // name exists.
      const decoyHash = await getDecoyHash();
      const [isPasswordCorrect, isAccountPasswordCorrect] = await throttle.check(origin, () =>
        Promise.all([
          passwordMatches(ownerMatch?.password_hash ?? user?.passwordHash ?? decoyHash, password),
          checkAccountPassword(account, password),
        ]),
      );
      if (account !== undefined && owner !== undefined && isAccountPasswordCorrect)
        return signInAccount(account, owner.id, from);
      if (isPasswordCorrect && ownerMatch !== undefined) {
        if (verification === undefined) return signInOwner(ownerMatch, from);
        const use = verification.accept();
        if (use !== undefined) return signInOwner(ownerMatch, from, { use, isRecovery: verification.isRecovery });
        if (hasFactor) reasonForOwner = 'second_factor_wrong';
      }
      // A disabled user is refused after the same work as other users, so that the duration reveals nothing.
      if (isPasswordCorrect && user?.enabled === true) return signInUser(user, from);
      log.info({ address: from.address, local: from.local }, 'sign-in refused');
      throw verification !== undefined && !hasFactor ? secondFactorRequired() : wrongCredentials();
    };
    return accountLog.recordRefusals('sign-in', from, signIn, () => reasonForOwner);
  };

  return { signIn: signInByName, signInUser: signInUserWithoutPassword };
};
