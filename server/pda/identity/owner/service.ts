import { randomBytes, randomUUID } from 'node:crypto';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import type { Strength } from '../../../platform/auth/password-strength.ts';
import { hashPassword, passwordMatches } from '../../../platform/auth/password.ts';
import { ANONYMOUS, type Principal } from '../../../platform/auth/principal.ts';
import { newKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import { createTokens, type NewToken, type SigningKey } from '../../../platform/auth/tokens.ts';
import { createLoginThrottle } from '../../../platform/limits/login-throttle.ts';
import { SERVICE_TOKEN_VALIDITY_MS, TOKEN_RENEWAL_MS } from '../../../wire/limits.ts';
import type { Session } from '../../../wire/owner.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createBearers } from './sessions/bearer.ts';
import { createChangePassword, type PasswordChange } from './sign-in/password-change.ts';
import { costOf } from './password/external-hash.ts';
import { byApplication, canBeUsed, isOfAnotherClock, NOTED_EVERY_MS, toSession } from './sessions/session.ts';
import { createNotes, type Notes } from './audit-entry.ts';
import { createOwnerRegistrations, type OwnerRegistrations } from './registrations.ts';
import type { People } from './sign-in/authenticator.ts';
import { createSignIn, sameText, type Shown } from './sign-in/authenticator.ts';
import type { SignInNetworkStore } from './sign-in/network-store.ts';
import type { OwnerRow, OwnerStore, SessionRow } from './store.ts';
import { strengthOf } from './password/strength.ts';

export type SignedIn = { accessToken: string; userId: string };
/** Where a sign-in comes from. */
export type From = { address: string; host: string; local: boolean; userAgent: string };

export type { OwnerNote, TakeNote } from './audit-entry.ts';
export type { People } from './sign-in/authenticator.ts';
export type { Account, Accounts } from './sign-in/external-accounts.ts';
export type { OwnersGate, Shown } from './sign-in/authenticator.ts';

export type OwnerService = OwnerRegistrations & {
  isSetUp(): boolean;
  profile(): OwnerRow | undefined;
  /** The code that proves one sits at the machine; undefined once there is an owner. */
  setupCode(): string | undefined;
  /** One try of that code. @throws Failure wrong_state | invalid_setup_code | rate_limited */
  proveSetUp(given: string): void;
  /** @throws Failure wrong_state | invalid_setup_code | invalid_input */
  setUp(request: { code: string; name: string; password: string }, from: From): Promise<SignedIn>;
  /** Creates the owner without the wizard, from the command line, on a home that is not served. */
  init(name: string, password: string): Promise<void>;
  strength(password: string, name?: string): Promise<Strength>;
  /**
   * The owner, one of the people that the owner knows, or an account that others have here. `shown`: the owner's second factor.
   * @throws Failure invalid_credentials | second_factor_required | forbidden | rate_limited
   */
  signIn(username: string, password: string, from: From, shown?: Shown): Promise<SignedIn>;
  /** Tells the access history of what rooms beside this one change of the account. */
  notes: Notes;
  /** One try. Undefined: it is wrong; else whether it is the password still, for the transaction that it is proven for. @throws Failure forbidden | rate_limited */
  provePassword(password: string, from: Pick<From, 'address' | 'host' | 'local'>): Promise<(() => boolean) | undefined>;
  /** @param session of the owner who asks @throws Failure forbidden | invalid_input | rate_limited */
  changePassword(request: PasswordChange, from: From, session: string): Promise<SignedIn>;
  /** Sets a new password without the old one, for callers with access to the home folder. Ends every session. */
  resetPassword(password: string): Promise<void>;
  /** What is kept of a new password. `inputs`: words that an attacker would try first. @throws Failure invalid_input */
  hashNewPassword(password: string, inputs: readonly string[]): Promise<string>;
  /** A token by which another service can be sure who it speaks with. */
  serviceToken(resource: string, from: From): Promise<SignedIn>;
  /**
   * A token for an application. `check` runs in the transaction that starts the session, and throws when it may not.
   * @throws Failure whatever `check` throws
   */
  applicationToken(
    application: { id: string; version: string },
    from: From,
    check: (tx: Transaction) => void,
  ): Promise<SignedIn & { sessionId: string }>;
  /** Ends every session of an application, within a transaction that another room leads. Returns how many there were. */
  endApplicationSessions(tx: Transaction, application: string): number;
  /** Ends the sessions of an Offer's provider. */
  endOfferSessions(tx: Transaction, offer: string): number;
  /** Ends every session of a person, within a transaction that another room leads. */
  endUserSessions(tx: Transaction, userId: string): number;
  /** Removes the networks that a user signed in from, within the transaction that deletes the user. */
  forgetUser(tx: Transaction, userId: string): void;
  /** The live sessions of applications by id, with when they were last used. */
  applicationSessions(): ReadonlyMap<string, { sessions: number; lastSeen: number }>;
  /** host[:port] that the newest sign-in to an application came through, while it is one of this PDA's addresses. */
  applicationIssuer(application: string): string | undefined;
  /** Finds the principal of a token of this PDA, or else of a registered issuer. `current`: the same a while later, when its session may have ended. */
  authenticate(token: string): Promise<{
    principal: Principal;
    renewed: () => Promise<string | undefined>;
    current?: () => Principal;
  }>;
  /** How many fields of the profile everybody can read, at most. */
  publicFieldCount(): number;
  sessions(current: string): Session[];
  isSessionAlive(id: string): boolean;
  /** Registers a listener for changes that may end a session. Returns the function that unregisters it. */
  onSessionChange(listener: () => void): () => void;
  endSession(id: string, from: From): Promise<number>;
  /** Ends the session of a user who signs out; their request is already logged. */
  endUserSession(id: string): Promise<void>;
  endSessionsExcept(current: string, from: From): Promise<number>;
  /** Returns true if an external hash can be checked here at no more than the cost of a sign-in. */
  canCheck(hash: string): boolean;
  publicKey(): string;
  keys(): readonly SigningKey[];
  /** New tokens are signed with a new key; the old one verifies until the last token it signed is over. */
  rotateKey(): Promise<void>;
};

export type OwnerParts = {
  store: OwnerStore;
  networks: SignInNetworkStore;
  writer: Writer;
  clock: Clock;
  log: Log;
  /** Whether a host[:port] is one of this PDA's own: the only issuers whose tokens count. */
  isOwnHost: (host: string) => boolean;
  people: People;
  /** The code of the set-up, where the owner of before was told one; otherwise one is made. */
  setUpCode?: string | undefined;
};

/** Sessions of which it is known when their last use was noted. */
const MAX_NOTED = 1000;

export const createOwnerService = (parts: OwnerParts): OwnerService => {
  const { store, networks, writer, clock, log, people } = parts;
  const { registrations, ...registered } = createOwnerRegistrations();
  let owner = store.owner();
  let signingKeys = store.keys().map(toSigningKey);
  let code = owner === undefined ? (parts.setUpCode ?? randomBytes(18).toString('base64url')) : undefined;
  const tokens = createTokens({ keys: () => signingKeys, clock });
  const tries = createLoginThrottle(clock);
  const notes = createNotes(registered.noteChange);

  const requireOwner = (): OwnerRow => {
    if (owner === undefined) throw new Failure('not_set_up', 'This PDA is not set up yet.');
    return owner;
  };

  const hashNewPassword = async (password: string, inputs: readonly string[]): Promise<string> => {
    const { acceptable } = await strengthOf(password, inputs);
    if (!acceptable) {
      throw new Failure('invalid_input', 'This password is too easy to guess. Use a longer one, or several words.', {
        details: [{ path: 'body.password', problem: 'too easy to guess' }],
      });
    }
    return hashPassword(password);
  };

  const startSession = async (
    kind: SessionRow['kind'],
    userId: string,
    from: From,
    claims: Omit<NewToken, 'iss' | 'sub' | 'jti'>,
    check: (tx: Transaction) => void = () => undefined,
    offer: string | null = null,
  ): Promise<SignedIn & { sessionId: string }> => {
    const issued = await tokens.issue({ iss: from.host, sub: userId, ...claims });
    const now = clock.now();
    await writer.write((tx) => {
      check(tx);
      store.insertSession(tx, {
        jti: issued.claims.jti,
        kind,
        application: claims.application ?? null,
        user_id: kind === 'user' ? userId : null,
        offer,
        issuer: from.host,
        address: from.address,
        user_agent: from.userAgent.slice(0, 300),
        created: now,
        last_seen: now,
      });
      store.dropSessionsBefore(tx, now - 2 * TOKEN_RENEWAL_MS);
    });
    return { accessToken: issued.token, userId, sessionId: issued.claims.jti };
  };

  /** What is answered of a session that was started. */
  const answerOf = ({ accessToken, userId }: SignedIn): SignedIn => ({ accessToken, userId });

  const ownerSession = async (from: From, check?: (tx: Transaction) => void): Promise<SignedIn> => {
    const claims = { accessScope: 'owner', resource: from.host };
    return answerOf(await startSession('owner', requireOwner().id, from, claims, check));
  };

  const signIn = createSignIn({
    store,
    networks,
    owner: () => owner,
    people,
    accounts: registered.accounts,
    secondFactor: registered.secondFactor,
    refusePassword: registered.refusePassword,
    tries,
    notes,
    clock,
    log,
    start: async (...session) => answerOf(await startSession(...session)),
  });

  const provePassword: OwnerService['provePassword'] = async (password, from) => {
    const row = requireOwner();
    tries.takeForSession(from);
    registered.refusePassword(from.host);
    const origin = { ...from, isKnown: true };
    if (!(await tries.check(origin, () => passwordMatches(row.password_hash, password)))) return undefined;
    return () => store.owner()?.password_hash === row.password_hash;
  };

  const proveSetUp = (given: string): void => {
    if (code === undefined) throw new Failure('wrong_state', 'This PDA is set up already.');
    tries.take('setup');
    if (!sameText(given, code))
      throw new Failure('invalid_setup_code', 'This address is not the one that the start printed. Open that one.');
  };

  const createOwner = async (name: string, password: string): Promise<void> => {
    const [passwordHash, key] = await Promise.all([hashNewPassword(password, [name]), newKey(clock.now())]);
    const row: OwnerRow = { id: randomUUID(), name, password_hash: passwordHash, created: clock.now() };
    await writer.write((tx: Transaction) => {
      if (store.owner() !== undefined) throw new Failure('wrong_state', 'This PDA is set up already.');
      store.insertOwner(tx, row);
      store.insertKey(tx, key);
    });
    owner = row;
    signingKeys = store.keys().map(toSigningKey);
    code = undefined;
  };

  const principalOf = createBearers({
    ownerId: () => owner?.id,
    holderOf: store.holderOf,
    isOwnHost: parts.isOwnHost,
    isEnabled: (userId) => people.find(userId)?.enabled === true,
    scopesOf: registered.scopesOf,
  });

  const usableSessions = (): SessionRow[] =>
    store.liveSessions(clock.now() - TOKEN_RENEWAL_MS).filter((row) => canBeUsed(row, clock.now()));

  /** Session id -> when its last use was written down. */
  const noted = new Map<string, number>();
  const noteUse = (jti: string, principal: Principal): void => {
    const now = clock.now();
    if (Math.abs(now - (noted.get(jti) ?? 0)) < NOTED_EVERY_MS) return;
    setBounded(noted, jti, now, MAX_NOTED);
    writer
      .write((tx) => {
        store.seen(tx, jti, now);
        if (principal.kind === 'user') people.seen(tx, principal.userId, now);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a session was not noted'));
  };

  return {
    ...registrations,
    publicFieldCount: registered.publicFieldCount,
    isSetUp: () => owner !== undefined,
    profile: () => owner,
    setupCode: () => code,
    proveSetUp,

    setUp: (request, from) =>
      notes.refusals('set-up', from, async () => {
        proveSetUp(request.code);
        await createOwner(request.name, request.password);
        return ownerSession(from, (tx) => notes.done(tx, 'set-up', from));
      }),

    init: createOwner,
    strength: (password, name) => strengthOf(password, name === undefined ? [] : [name]),

    signIn,
    notes,
    provePassword,

    changePassword: createChangePassword({
      store,
      writer,
      clock,
      provePassword,
      hashNewPassword,
      notes,
      owner: requireOwner,
      secondFactor: registered.secondFactor,
      start(from) {
        owner = store.owner();
        return ownerSession(from);
      },
    }),

    async resetPassword(password) {
      const row = requireOwner();
      const hash = await hashNewPassword(password, [row.name]);
      await writer.write((tx) => {
        store.setPassword(tx, hash);
        store.endAllBut(tx, '', clock.now());
      });
      owner = store.owner();
    },

    hashNewPassword,
    canCheck: (hash) => costOf(hash) !== undefined,

    async serviceToken(resource, from) {
      const { id } = requireOwner();
      const claims = { accessScope: 'validate', resource, validityMs: SERVICE_TOKEN_VALIDITY_MS };
      return answerOf(await startSession('service', id, from, claims, (tx) => notes.done(tx, 'service-token', from)));
    },

    async applicationToken({ id, version }, from, check) {
      const claims = { application: id, applicationVersion: version };
      return startSession('application', requireOwner().id, from, claims, check);
    },

    endApplicationSessions: (tx, application) => store.endOfApplication(tx, application, clock.now()),
    endOfferSessions: (tx, offer) => store.endOfOffer(tx, offer, clock.now()),
    endUserSessions: (tx, userId) => store.endOfUser(tx, userId, clock.now()),
    forgetUser: (tx, userId) => networks.remove(tx, `user:${userId}`),

    applicationSessions: () => byApplication(usableSessions()),
    applicationIssuer(application) {
      const issuer = store.signInIssuer(application);
      return issuer !== undefined && parts.isOwnHost(issuer) ? issuer : undefined;
    },

    async authenticate(token) {
      const claims = await tokens.verify(token);
      const principal = claims === undefined ? ANONYMOUS : principalOf(claims);
      if (claims === undefined || principal.kind === 'visitor' || isOfAnotherClock(claims.iat * 1000, clock.now()))
        return { principal: await registered.resolveToken(token), renewed: () => Promise.resolve(undefined) };
      return {
        principal,
        current: () => principalOf(claims),
        renewed: () => {
          noteUse(claims.jti, principal);
          return tokens.renew(claims);
        },
      };
    },

    sessions: (current) =>
      usableSessions().map((row) => toSession(row, current, (userId) => people.find(userId)?.name ?? '')),

    isSessionAlive: (id) => store.holderOf(id) !== undefined,
    onSessionChange: (listener) => store.onSessionChange(listener),

    async endSession(id, from) {
      const ended = await writer.write((tx) => {
        const count = store.end(tx, id, clock.now());
        if (count > 0) notes.done(tx, 'sign-out', from);
        return count;
      });
      if (ended === 0) throw new Failure('not_found', 'This session has ended already.');
      return ended;
    },
    async endUserSession(id) {
      await writer.write((tx) => store.end(tx, id, clock.now()));
    },
    endSessionsExcept: (current, from) =>
      writer.write((tx) => {
        const count = store.endAllBut(tx, current, clock.now());
        if (count > 0) notes.done(tx, 'sign-out', from);
        return count;
      }),

    publicKey: () => {
      requireOwner();
      return store.keys().find((key) => key.retired === null)?.public_pem ?? '';
    },
    keys: () => signingKeys,

    async rotateKey() {
      const now = clock.now();
      const key = await newKey(now);
      await writer.write((tx) => {
        store.dropKeysRetiredBefore(tx, now - TOKEN_RENEWAL_MS);
        store.retireKeys(tx, now);
        store.insertKey(tx, key);
      });
      signingKeys = store.keys().map(toSigningKey);
    },
  };
};
