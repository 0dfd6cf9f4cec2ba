import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { hashPassword, passwordMatches } from '../../../../platform/auth/password.ts';
import type { NewToken } from '../../../../platform/auth/tokens.ts';
import type { Assertion } from '../../../../wire/second-factor.ts';
import type { createLoginThrottle } from '../../../../platform/limits/login-throttle.ts';
import type { Transaction } from '../../../storage/index.ts';
import { createAccountCheck, isSameName, type Account, type Accounts } from './external-accounts.ts';
import { createForeignHashes } from '../password/external-hash.ts';
import type { Notes } from '../audit-entry.ts';
import type { From, SignedIn } from '../service.ts';
import type { SignInAccount, SignInNetworkStore } from './network-store.ts';
import type { OwnerRow, OwnerStore, SessionRow } from '../store.ts';

/** The user accounts, as sign-in needs them. */
export type People = {
  /** Finds disabled users too. */
  byName(name: string): Person | undefined;
  find(userId: string): { name: string; enabled: boolean } | undefined;
  /** Returns the password hash within a transaction; undefined if the user may not sign in. */
  passwordHashWithin(tx: Transaction, userId: string): string | undefined;
  seen(tx: Transaction, userId: string, time: number): void;
};

export type Person = { userId: string; name: string; enabled: boolean; passwordHash: string };

/** What a sign-in shows beside the password. */
export type Shown = { code?: string | undefined; passkey?: Assertion | undefined };

export type OwnersGate = {
  isAsked(from: From): boolean;
  /** Looks at what is shown, whatever the password is. @param session of the owner who changes something; left out: it is a sign-in */
  look(
    shown: Shown,
    from: From,
    session?: string,
  ): Promise<{
    isRecovery: boolean;
    /** Called after a correct password. Undefined: refused; otherwise consumes the factor, false if another sign-in was faster. */
    settle(): ((tx: Transaction) => boolean) | undefined;
  }>;
};

export type SignInParts = {
  store: Pick<OwnerStore, 'owner'>;
  /** Where each account signed in from before. */
  networks: Pick<SignInNetworkStore, 'has' | 'save'>;
  owner: () => OwnerRow | undefined;
  people: People;
  accounts: () => Accounts;
  /** What the owner proves beside the password. */
  secondFactor: () => OwnersGate | undefined;
  /** @throws Failure forbidden where a password could be read on the way */
  refusePassword: (host: string) => void;
  tries: ReturnType<typeof createLoginThrottle>;
  notes: Notes;
  clock: Clock;
  log: Log;
  /** Starts a session, when `check` lets it begin in the transaction that does it. */
  start: (
    kind: SessionRow['kind'],
    userId: string,
    from: From,
    claims: Omit<NewToken, 'iss' | 'sub' | 'jti'>,
    check: (tx: Transaction) => void,
    offer?: string,
  ) => Promise<SignedIn>;
};

const wrongCredentials = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');

/** The response is the same for right and wrong passwords, so that it reveals nothing. */
const secondFactorRequired = (): Failure =>
  new Failure(
    'second_factor_required',
    'Here the owner needs a second factor: send its code in the header x-second-factor, together with name and password. Whether those are right is not said before.',
  );

export const sameText = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

const userKey = ({ userId }: Person): SignInAccount => `user:${userId}`;
const accountKey = ({ holder }: Account): SignInAccount =>
  holder.kind === 'application' ? `application:${holder.application}` : `offer:${holder.offer}`;

const keyOf = (
  owner: OwnerRow | undefined,
  person: Person | undefined,
  account: Account | undefined,
): SignInAccount | undefined => {
  if (owner !== undefined) return 'owner';
  if (person !== undefined) return userKey(person);
  return account === undefined ? undefined : accountKey(account);
};

type Factor = { use: (tx: Transaction) => boolean; isRecovery: boolean };

/** Shown only to the owner, in the access history. */
const WRONG_FACTOR = 'second_factor_wrong';

/** Who signs in by name and password: the owner, then the people that the owner knows, then the accounts that others have here. */
export const createSignIn = (parts: SignInParts) => {
  const { store, networks, people, accounts, tries, notes, clock, log, start } = parts;
  const accountMatches = createAccountCheck(accounts, createForeignHashes(log));

  /** Checked for unknown names, so that they take as long as the known one. */
  let decoy: Promise<string> | undefined;
  const decoyHash = (): Promise<string> => (decoy ??= hashPassword(randomUUID()));

  /** Hashing takes its time: a password that was changed meanwhile opens nothing any more. */
  const signInOwner = (known: OwnerRow, from: From, factor?: Factor): Promise<SignedIn> =>
    start('owner', known.id, from, { accessScope: 'owner', resource: from.host }, (tx) => {
      if (store.owner()?.password_hash !== known.password_hash) throw wrongCredentials();
      // The factor was switched meanwhile, or its code was used by another sign-in.
      const isAsked = parts.secondFactor()?.isAsked(from) ?? false;
      if (isAsked !== (factor !== undefined) || factor?.use(tx) === false) throw wrongCredentials();
      if (factor?.isRecovery === true) notes.done(tx, 'recovery-code', from);
      networks.save(tx, 'owner', from.address, clock.now());
      notes.done(tx, 'sign-in', from);
    });

  const signInPerson = (person: Person, from: From): Promise<SignedIn> => {
    const { userId, name, passwordHash } = person;
    return start('user', userId, from, { accessScope: 'user', resource: from.host }, (tx) => {
      if (people.passwordHashWithin(tx, userId) !== passwordHash) throw wrongCredentials();
      people.seen(tx, userId, clock.now());
      networks.save(tx, userKey(person), from.address, clock.now());
      notes.done(tx, 'sign-in', from, { kind: 'user', userId, name });
    });
  };

  /** The token of a Data Plug is one of its application; that of an Offer's provider gives its one Data Debit. */
  const signInAccount = (account: Account, ownerId: string, from: From): Promise<SignedIn> => {
    const { holder } = account;
    const check = (tx: Transaction): void => {
      if (!accounts().isHere(tx, account)) throw wrongCredentials();
      networks.save(tx, accountKey(account), from.address, clock.now());
      notes.done(tx, 'sign-in', from, holder);
    };
    if (holder.kind === 'application') {
      const claims = { application: holder.application, applicationVersion: holder.version };
      return start('application', ownerId, from, claims, check);
    }
    return start('offer', ownerId, from, { accessScope: 'offer', resource: from.host }, check, holder.offer);
  };

  return (username: string, password: string, from: From, shown: Shown = {}): Promise<SignedIn> => {
    let why: string | undefined;
    const signIn = async (): Promise<SignedIn> => {
      const owner = parts.owner();
      const known = owner !== undefined && sameText(username, owner.name) ? owner : undefined;
      const person = known === undefined ? people.byName(username) : undefined;
      // Who is here by name comes first, whatever others call themselves, and whichever password was sent.
      const isTaken = person !== undefined || isSameName(username, owner?.name ?? '');
      const account = isTaken ? undefined : accounts().byName(username);
      const origin = { ...from, isKnown: networks.has(keyOf(known, person, account), from.address, clock.now()) };
      tries.takeFor(username, origin);
      parts.refusePassword(from.host);
      const gate = known === undefined ? undefined : parts.secondFactor();
      // Looked at whatever the password is: an answer takes as long.
      const looked = gate?.isAsked(from) === true ? await gate.look(shown, from) : undefined;
      const isShown = shown.code !== undefined || shown.passkey !== undefined;
      // Made for the known name too: the first try after a start would tell them apart.
      const decoyed = await decoyHash();
      const [matches, accountIsTheirs] = await tries.check(origin, () =>
        Promise.all([
          passwordMatches(known?.password_hash ?? person?.passwordHash ?? decoyed, password),
          accountMatches(account, password),
        ]),
      );
      if (account !== undefined && owner !== undefined && accountIsTheirs)
        return signInAccount(account, owner.id, from);
      if (matches && known !== undefined) {
        if (looked === undefined) return signInOwner(known, from);
        const use = isShown ? looked.settle() : undefined;
        if (use !== undefined) return signInOwner(known, from, { use, isRecovery: looked.isRecovery });
        if (isShown) why = WRONG_FACTOR;
      }
      // A disabled user is refused after the same work as any other, so that the timing does not reveal whether the name exists.
      if (matches && person?.enabled === true) return signInPerson(person, from);
      log.info({ address: from.address, local: from.local }, 'a sign-in was refused');
      throw looked !== undefined && !isShown ? secondFactorRequired() : wrongCredentials();
    };
    return notes.refusals('sign-in', from, signIn, () => why);
  };
};
