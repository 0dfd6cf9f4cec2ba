import { randomBytes, randomUUID } from 'node:crypto';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import type { Strength } from '../../../platform/auth/password-strength.ts';
import { hashPassword, passwordMatches } from '../../../platform/auth/password.ts';
import { ANONYMOUS, type Principal } from '../../../platform/auth/principal.ts';
import { generateSigningKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import { createTokens, type NewToken, type SigningKey } from '../../../platform/auth/tokens.ts';
import type { LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import { SERVICE_TOKEN_VALIDITY_MS, TOKEN_RENEWAL_MS } from '../../../wire/limits.ts';
import type { Session } from '../../../wire/owner.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createPrincipalResolver } from './sessions/bearer.ts';
import { createChangePassword, type PasswordChange } from './sign-in/password-change.ts';
import { hashCostOf } from './password/external-hash.ts';
import { countByApplication, isUsable, isFromWrongClock, LAST_USE_INTERVAL_MS, toSession } from './sessions/session.ts';
import { createAccountLog, type AccountLog } from './account-log.ts';
import { createOwnerRegistrations, type OwnerRegistrations } from './registrations.ts';
import { createSignIn, isSameText, type SecondFactorInput, type UserDirectory } from './sign-in/authenticator.ts';
import type { SignInNetworkStore } from './sign-in/network-store.ts';
import type { OwnerRow, OwnerStore, SessionRow } from './store.ts';
import { strengthOf } from './password/strength.ts';

export type SignedIn = { accessToken: string; userId: string };
/** `host`: address of this PDA at which the request arrived. */
export type RequestOrigin = { address: string; host: string; local: boolean; userAgent: string };

export type { AccountEvent, AccountEventRecorder } from './account-log.ts';
export type { ExternalAccount, ExternalAccounts } from './sign-in/external-accounts.ts';
export type { SecondFactorCheck, SecondFactorInput, UserDirectory } from './sign-in/authenticator.ts';

export type OwnerService = OwnerRegistrations & {
  isSetUp(): boolean;
  profile(): OwnerRow | undefined;
  /** Returns the code that proves access to the machine; undefined after the set-up. */
  setupCode(): string | undefined;
  /** @throws Failure wrong_state | invalid_setup_code | rate_limited */
  verifySetupCode(submittedCode: string): void;
  /** @throws Failure wrong_state | invalid_setup_code | invalid_input | rate_limited */
  setUp(request: { code: string; name: string; password: string }, from: RequestOrigin): Promise<SignedIn>;
  /** Creates the owner without a running server, for the command line. @throws Failure wrong_state | invalid_input */
  init(name: string, password: string): Promise<void>;
  strength(password: string, name?: string): Promise<Strength>;
  /** @throws Failure invalid_credentials | second_factor_required | forbidden | rate_limited */
  signIn(username: string, password: string, from: RequestOrigin, factor?: SecondFactorInput): Promise<SignedIn>;
  /** Signs in a user by means other than a password. @throws Failure invalid_credentials | forbidden | rate_limited */
  signInUser: ReturnType<typeof createSignIn>['signInUser'];
  accountLog: AccountLog;
  /**
   * @returns undefined if the password is wrong; otherwise a function that returns true while the password is unchanged
   * @throws Failure forbidden | not_set_up | rate_limited
   */
  verifyPassword(
    password: string,
    from: Pick<RequestOrigin, 'address' | 'host' | 'local'>,
  ): Promise<(() => boolean) | undefined>;
  /**
   * Changes the password, ends all sessions and starts a new one.
   * @throws Failure forbidden | invalid_input | rate_limited
   */
  changePassword(request: PasswordChange, from: RequestOrigin, session: string): Promise<SignedIn>;
  /** Sets a new password and ends all sessions, for the command line. @throws Failure invalid_input | not_set_up */
  resetPassword(password: string): Promise<void>;
  /**
   * @param inputs words that an attacker would try first
   * @param field name of the field in the request body that contains the password; default: `password`
   * @throws Failure invalid_input
   */
  hashNewPassword(password: string, inputs: readonly string[], field?: string): Promise<string>;
  /** Creates a token that proves the owner's identity to another service. It grants no access to this PDA. */
  serviceToken(resource: string, from: RequestOrigin): Promise<SignedIn>;
  /** @param check runs in the transaction; throws to refuse the session */
  applicationToken(
    application: { id: string; version: string },
    from: RequestOrigin,
    check: (tx: Transaction) => void,
  ): Promise<SignedIn & { sessionId: string }>;
  endApplicationSessions(tx: Transaction, application: string): void;
  endOfferSessions(tx: Transaction, offer: string): void;
  endUserSessions(tx: Transaction, userId: string): number;
  /** Deletes the networks from which a user has signed in. */
  forgetUserNetworks(tx: Transaction, userId: string): void;
  /** Returns the number and last use (Unix ms) of live sessions by application id. See `countByApplication`. */
  applicationSessions(): ReadonlyMap<string, { sessions: number; lastSeen: number }>;
  /**
   * Returns the host[:port] of this PDA at which an application last signed in; undefined if it never has, or if the
   * host is no longer an address of this PDA.
   */
  applicationIssuer(application: string): string | undefined;
  /**
   * Returns the principal of a token. `renewToken` renews a token of this PDA and records its use; `currentPrincipal`
   * resolves the principal again.
   */
  authenticate(token: string): Promise<{
    principal: Principal;
    renewToken: () => Promise<string | undefined>;
    currentPrincipal?: () => Principal;
  }>;
  publicFieldCount(): number;
  /** Returns the live sessions, most recently used first. */
  sessions(currentSessionId: string): Session[];
  /**
   * Returns the time in Unix milliseconds of the owner's last sign-in before the one that started this session, or of
   * the owner's last sign-in if this is not a session of the owner. Undefined if there was none, or if its session has
   * been deleted, which happens after twice the time for which a session can be renewed.
   */
  previousSignIn(sessionId: string): number | undefined;
  isSessionAlive(id: string): boolean;
  /** Registers a listener for changes that may end a session. Returns the function that unregisters it. */
  onSessionChange(listener: () => void): () => void;
  /** @throws Failure not_found */
  endSession(id: string, from: RequestOrigin): Promise<number>;
  endUserSession(id: string): Promise<void>;
  /** Ends all other sessions, and returns how many of them were usable. */
  endSessionsExcept(sessionId: string, from: RequestOrigin): Promise<number>;
  isSupportedHash(hash: string): boolean;
  /** Returns the current public key in PEM. @throws Failure not_set_up */
  publicKey(): string;
  /** Returns all keys that verify tokens, including retired ones. */
  keys(): readonly SigningKey[];
  /** Signs new tokens with a new key. Old keys verify tokens at least until the last of their tokens has expired. */
  rotateKey(): Promise<void>;
};

export type OwnerParts = {
  store: OwnerStore;
  networks: SignInNetworkStore;
  writer: Writer;
  clock: Clock;
  log: Log;
  isOwnHost: (host: string) => boolean;
  userDirectory: UserDirectory;
  throttle: LoginThrottle;
  /** Set-up code that was shown before the account was erased. If undefined, a new code is created. */
  setupCode?: string | undefined;
};

const RECORDED_USES_MAX = 1000;
const USER_AGENT_MAX_CHARS = 300;

export const createOwnerService = (parts: OwnerParts): OwnerService => {
  const { store, networks, writer, clock, log, userDirectory, throttle } = parts;
  const { registrations, ...registry } = createOwnerRegistrations();
  let owner = store.owner();
  let signingKeys = store.keys().map(toSigningKey);
  let setupCode = owner === undefined ? (parts.setupCode ?? randomBytes(18).toString('base64url')) : undefined;
  const tokens = createTokens({ keys: () => signingKeys, clock });
  const accountLog = createAccountLog(registry.recordAccountEvent);

  const requireOwner = (): OwnerRow => {
    if (owner === undefined) throw new Failure('not_set_up', 'This PDA is not set up yet.');
    return owner;
  };

  const hashNewPassword: OwnerService['hashNewPassword'] = async (password, inputs, field = 'password') => {
    const { acceptable } = await strengthOf(password, inputs);
    if (!acceptable) {
      throw new Failure('invalid_input', 'This password is too easy to guess. Use a longer one, or several words.', {
        details: [{ path: `body.${field}`, problem: 'too easy to guess' }],
      });
    }
    return hashPassword(password);
  };

  const startSession = async (
    kind: SessionRow['kind'],
    userId: string,
    from: RequestOrigin,
    claims: Omit<NewToken, 'iss' | 'sub' | 'jti'>,
    check: (tx: Transaction) => void = () => undefined,
    offer: string | null = null,
  ): Promise<SignedIn & { sessionId: string }> => {
    const issuedToken = await tokens.issue({ iss: from.host, sub: userId, ...claims });
    const now = clock.now();
    await writer.write((tx) => {
      check(tx);
      store.insertSession(tx, {
        jti: issuedToken.claims.jti,
        kind,
        application: claims.application ?? null,
        user_id: kind === 'user' ? userId : null,
        offer,
        issuer: from.host,
        address: from.address,
        user_agent: from.userAgent.slice(0, USER_AGENT_MAX_CHARS),
        created: now,
        last_seen: now,
      });
      store.dropSessionsBefore(tx, now - 2 * TOKEN_RENEWAL_MS);
    });
    return { accessToken: issuedToken.token, userId, sessionId: issuedToken.claims.jti };
  };

  const toResponse = ({ accessToken, userId }: SignedIn): SignedIn => ({ accessToken, userId });

  const startOwnerSession = async (from: RequestOrigin, check?: (tx: Transaction) => void): Promise<SignedIn> => {
    const claims = { accessScope: 'owner', resource: from.host };
    return toResponse(await startSession('owner', requireOwner().id, from, claims, check));
  };

  const { signIn, signInUser } = createSignIn({
    ...parts,
    owner: () => owner,
    accounts: registry.accounts,
    secondFactor: registry.secondFactor,
    requirePasswordAllowed: registrations.requirePasswordAllowed,
    accountLog,
    start: async (...session) => toResponse(await startSession(...session)),
  });

  const verifyPassword: OwnerService['verifyPassword'] = async (password, from) => {
    const row = requireOwner();
    throttle.countSessionAttempt(from);
    registrations.requirePasswordAllowed(from.host);
    const origin = { ...from, isKnown: true };
    if (!(await throttle.check(origin, () => passwordMatches(row.password_hash, password)))) return undefined;
    return () => store.owner()?.password_hash === row.password_hash;
  };

  const verifySetupCode = (submittedCode: string): void => {
    if (setupCode === undefined) throw new Failure('wrong_state', 'This PDA is already set up.');
    throttle.take('setup');
    if (!isSameText(submittedCode, setupCode))
      throw new Failure(
        'invalid_setup_code',
        'The set-up code is wrong. Open the address that was printed when the PDA started.',
      );
  };

  const createOwner = async (name: string, password: string): Promise<void> => {
    const [passwordHash, key] = await Promise.all([hashNewPassword(password, [name]), generateSigningKey(clock.now())]);
    const row: OwnerRow = { id: randomUUID(), name, password_hash: passwordHash, created: clock.now() };
    await writer.write((tx: Transaction) => {
      if (store.owner() !== undefined) throw new Failure('wrong_state', 'This PDA is already set up.');
      store.insertOwner(tx, row);
      store.insertKey(tx, key);
    });
    owner = row;
    signingKeys = store.keys().map(toSigningKey);
    setupCode = undefined;
    registry.reportSetUp();
  };

  const principalOf = createPrincipalResolver({
    ownerId: () => owner?.id,
    holderOf: store.holderOf,
    isOwnHost: parts.isOwnHost,
    isEnabled: (userId) => userDirectory.find(userId)?.enabled === true,
    scopesOf: registry.scopesOf,
  });

  const listUsableSessions = (): SessionRow[] =>
    store.liveSessions(clock.now() - TOKEN_RENEWAL_MS).filter((row) => isUsable(row, clock.now()));

  const recordedUses = new Map<string, number>();
  const recordUse = (jti: string, principal: Principal): void => {
    const now = clock.now();
    if (Math.abs(now - (recordedUses.get(jti) ?? 0)) < LAST_USE_INTERVAL_MS) return;
    setBounded(recordedUses, jti, now, RECORDED_USES_MAX);
    writer
      .write((tx) => {
        store.setLastSeen(tx, jti, now);
        if (principal.kind === 'user') userDirectory.setLastSeen(tx, principal.userId, now);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'could not record the use of a session'));
  };

  return {
    ...registrations,
    publicFieldCount: registry.publicFieldCount,
    isSetUp: () => owner !== undefined,
    profile: () => owner,
    setupCode: () => setupCode,
    verifySetupCode,

    setUp: (request, from) =>
      accountLog.recordRefusals('set-up', from, async () => {
        verifySetupCode(request.code);
        await createOwner(request.name, request.password);
        return startOwnerSession(from, (tx) => accountLog.record(tx, 'set-up', from));
      }),

    init: createOwner,
    strength: (password, name) => strengthOf(password, name === undefined ? [] : [name]),
    signIn,
    signInUser,
    accountLog,
    verifyPassword,

    changePassword: createChangePassword({
      ...parts,
      verifyPassword,
      hashNewPassword,
      accountLog,
      owner: requireOwner,
      secondFactor: registry.secondFactor,
      startSession(from) {
        owner = store.owner();
        return startOwnerSession(from);
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
    isSupportedHash: (hash) => hashCostOf(hash) !== undefined,
    async serviceToken(resource, from) {
      const { id } = requireOwner();
      const claims = { accessScope: 'validate', resource, validityMs: SERVICE_TOKEN_VALIDITY_MS };
      return toResponse(
        await startSession('service', id, from, claims, (tx) => accountLog.record(tx, 'service-token', from)),
      );
    },

    applicationToken: async ({ id, version }, from, check) =>
      startSession('application', requireOwner().id, from, { application: id, applicationVersion: version }, check),

    endApplicationSessions: (tx, application) => store.endSessionsOfApplication(tx, application, clock.now()),
    endOfferSessions: (tx, offer) => store.endSessionsOfOffer(tx, offer, clock.now()),
    endUserSessions: (tx, userId) => store.endSessionsOfUser(tx, userId, clock.now()),
    forgetUserNetworks: (tx, userId) => networks.remove(tx, `user:${userId}`),
    applicationSessions: () => countByApplication(listUsableSessions()),
    applicationIssuer(application) {
      const issuer = store.signInIssuer(application);
      return issuer !== undefined && parts.isOwnHost(issuer) ? issuer : undefined;
    },

    async authenticate(token) {
      const claims = await tokens.verify(token);
      const principal = claims === undefined ? ANONYMOUS : principalOf(claims);
      if (claims === undefined || principal.kind === 'visitor' || isFromWrongClock(claims.iat * 1000, clock.now()))
        return { principal: await registry.resolveToken(token), renewToken: () => Promise.resolve(undefined) };
      return {
        principal,
        currentPrincipal: () => principalOf(claims),
        renewToken: () => {
          recordUse(claims.jti, principal);
          return tokens.renew(claims);
        },
      };
    },

    sessions: (currentSessionId) =>
      listUsableSessions().map((row) =>
        toSession(row, currentSessionId, (userId) => userDirectory.find(userId)?.name ?? ''),
      ),

    previousSignIn: store.previousSignIn,
    isSessionAlive: (id) => store.holderOf(id) !== undefined,
    onSessionChange: (listener) => store.onSessionChange(listener),

    async endSession(id, from) {
      const endedSessions = await writer.write((tx) => {
        const count = store.end(tx, id, clock.now());
        if (count > 0) accountLog.record(tx, 'sign-out', from);
        return count;
      });
      if (endedSessions === 0) throw new Failure('not_found', 'This session has already ended.');
      return endedSessions;
    },
    async endUserSession(id) {
      await writer.write((tx) => store.end(tx, id, clock.now()));
    },
    endSessionsExcept: (sessionId, from) =>
      writer.write((tx) => {
        // Expired sessions end, too, but are not counted, because the list of sessions omits them.
        const count = listUsableSessions().filter(({ jti }) => jti !== sessionId).length;
        store.endAllBut(tx, sessionId, clock.now());
        if (count > 0) accountLog.record(tx, 'sign-out', from);
        return count;
      }),

    publicKey: () => {
      requireOwner();
      return store.keys().find((key) => key.retired === null)?.public_pem ?? '';
    },
    keys: () => signingKeys,

    async rotateKey() {
      const now = clock.now();
      const key = await generateSigningKey(now);
      await writer.write((tx) => {
        store.dropKeysRetiredBefore(tx, now - TOKEN_RENEWAL_MS);
        store.retireKeys(tx, now);
        store.insertKey(tx, key);
      });
      signingKeys = store.keys().map(toSigningKey);
    },
  };
};
