import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { VISITOR, type Principal, type Scope } from '../../platform/principal.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { createTokens, type NewToken, type SigningKey, type TokenClaims } from '../../platform/tokens.ts';
import { SERVICE_TOKEN_VALIDITY_MS, SIGN_IN_BURST, SIGN_IN_INTERVAL_MS, TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import type { Session } from '../../wire/owner.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import { newKey, toSigningKey } from './keys.ts';
import { byApplication, canBeUsed, NOTED_EVERY_MS, toSession } from './sessions.ts';
import { hashPassword, passwordMatches, passwordStrength, type Strength } from './password.ts';
import type { OwnerRow, OwnerStore, SessionRow } from './store.ts';

export type SignedIn = { accessToken: string; userId: string };
/** Where a sign-in comes from. */
export type From = { address: string; host: string; local: boolean; userAgent: string };

/** What the account tells of itself: what was done, or why it was refused. */
export type OwnerNote = {
  action: 'sign-in' | 'sign-out' | 'set-up' | 'password-change' | 'service-token';
  status: number;
  /** Error code of a refusal; null when it was done. */
  reason: string | null;
  address: string;
};

export type OwnerService = {
  isSetUp(): boolean;
  profile(): OwnerRow | undefined;
  /** The code that proves one sits at the machine; undefined once there is an owner. */
  setupCode(): string | undefined;
  /** @throws Failure wrong_state | invalid_setup_code | invalid_input */
  setUp(request: { code: string; name: string; password: string }, from: From): Promise<SignedIn>;
  /** Creates the owner without the wizard: the command line, on a home that nobody serves. */
  init(name: string, password: string): Promise<void>;
  strength(password: string, name?: string): Promise<Strength>;
  /** @throws Failure invalid_credentials | rate_limited */
  signIn(username: string, password: string, from: From): Promise<SignedIn>;
  changePassword(request: { password: string; newPassword: string }, from: From): Promise<SignedIn>;
  /** Sets a new password without the old one: whoever can read the home folder may. Ends every session. */
  resetPassword(password: string): Promise<void>;
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
  /** The live sessions of applications by id, with when they were last used. */
  applicationSessions(): ReadonlyMap<string, { sessions: number; lastSeen: number }>;
  /** `current`: the same a while later, when its session may have ended. */
  authenticate(token: string): Promise<{
    principal: Principal;
    renewed: () => Promise<string | undefined>;
    current?: () => Principal;
  }>;
  sessions(current: string): Session[];
  isSessionAlive(id: string): boolean;
  /** Hears of each change after which a session may have ended. Returns how to stop. */
  onSessionChange(listener: () => void): () => void;
  endSession(id: string, from: From): Promise<number>;
  endSessionsExcept(current: string, from: From): Promise<number>;
  publicKey(): string;
  keys(): readonly SigningKey[];
  /** New tokens are signed with a new key; the old one verifies until the last token it signed is over. */
  rotateKey(): Promise<void>;
};

export type OwnerParts = {
  store: OwnerStore;
  writer: Writer;
  clock: Clock;
  log: Log;
  /** Whether a host[:port] is one of this PDA's own: the only issuers whose tokens count. */
  isOwnHost: (host: string) => boolean;
  /** What an application may do; undefined when it is not set up, or disabled. Asked at each of its calls. */
  scopesOf: (application: string) => ReadonlySet<Scope> | undefined;
  /** Hears what was done, within the transaction that does it, and what was refused, without one. */
  note?: (tx: Transaction | undefined, note: OwnerNote) => Promise<void> | void;
};

const wrongCredentials = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');

const wrongOldPassword = (): Failure => new Failure('forbidden', 'The old password is not right. Nothing was changed.');

const sameText = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

export const createOwnerService = (parts: OwnerParts): OwnerService => {
  const { store, writer, clock, log } = parts;
  let owner = store.owner();
  let signingKeys = store.keys().map(toSigningKey);
  let code = owner === undefined ? randomBytes(18).toString('base64url') : undefined;
  const tokens = createTokens({ keys: () => signingKeys, clock });
  const limit = createRateLimit({ burst: SIGN_IN_BURST, intervalMs: SIGN_IN_INTERVAL_MS, clock });

  /** Checked for unknown names, so that they take as long as the known one. */
  let decoy: Promise<string> | undefined;
  const decoyHash = (): Promise<string> => (decoy ??= hashPassword(randomUUID()));

  const takeTry = (key: string): void => {
    const wait = limit.take(key);
    if (wait === 0) return;
    throw new Failure('rate_limited', 'Too many tries. Wait a moment.', {
      headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
    });
  };

  /** The machine's own caller has a count of its own: strangers cannot use up the owner's tries. */
  const takeTries = (account: string, from: From): void => {
    if (from.local) takeTry('local');
    else {
      takeTry(`address ${from.address}`);
      takeTry(`account ${account}`);
    }
  };

  const requireOwner = (): OwnerRow => {
    if (owner === undefined) throw new Failure('not_set_up', 'This PDA is not set up yet.');
    return owner;
  };

  const noteDone = (tx: Transaction, action: OwnerNote['action'], { address }: From): void => {
    void parts.note?.(tx, { action, status: 200, reason: null, address });
  };

  /** Tells of a refusal before it is answered. */
  const notingRefusal = async <T>(
    action: OwnerNote['action'],
    { address }: From,
    work: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure)
        await parts.note?.(undefined, { action, status: error.status, reason: error.code, address });
      throw error;
    }
  };

  const requireStrong = async (password: string, name: string): Promise<void> => {
    const { acceptable } = await passwordStrength(password, [name]);
    if (!acceptable) {
      throw new Failure('invalid_input', 'This password is too easy to guess. Use a longer one, or several words.', {
        details: [{ path: 'body.password', problem: 'too easy to guess' }],
      });
    }
  };

  const startSession = async (
    kind: SessionRow['kind'],
    from: From,
    claims: Omit<NewToken, 'iss' | 'sub' | 'jti'>,
    check: (tx: Transaction) => void = () => undefined,
  ): Promise<SignedIn & { sessionId: string }> => {
    const { id } = requireOwner();
    const issued = await tokens.issue({ iss: from.host, sub: id, ...claims });
    const now = clock.now();
    await writer.write((tx) => {
      check(tx);
      store.insertSession(tx, {
        jti: issued.claims.jti,
        kind,
        application: claims.application ?? null,
        issuer: from.host,
        address: from.address,
        user_agent: from.userAgent.slice(0, 300),
        created: now,
        last_seen: now,
      });
      store.dropSessionsBefore(tx, now - 2 * TOKEN_RENEWAL_MS);
    });
    return { accessToken: issued.token, userId: id, sessionId: issued.claims.jti };
  };

  /** What is answered of a session that was started. */
  const answerOf = ({ accessToken, userId }: SignedIn): SignedIn => ({ accessToken, userId });

  const ownerSession = async (from: From, check?: (tx: Transaction) => void): Promise<SignedIn> =>
    answerOf(await startSession('owner', from, { accessScope: 'owner', resource: from.host }, check));

  const createOwner = async (name: string, password: string): Promise<void> => {
    await requireStrong(password, name);
    const [passwordHash, key] = await Promise.all([hashPassword(password), newKey(clock.now())]);
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

  const principalOf = (claims: TokenClaims): Principal => {
    if (owner === undefined || claims.sub !== owner.id || !parts.isOwnHost(claims.iss)) return VISITOR;
    if (claims.resource !== undefined && !parts.isOwnHost(claims.resource)) return VISITOR;
    // Looked up each time: ending a session works at once.
    if (!store.isAlive(claims.jti)) return VISITOR;
    const session = { userId: owner.id, sessionId: claims.jti };
    const { application } = claims;
    if (application === undefined) return claims.accessScope === 'owner' ? { kind: 'owner', ...session } : VISITOR;
    // A token of ours is either the owner's or an application's, never both.
    if (claims.accessScope !== undefined) return VISITOR;
    const scopes = parts.scopesOf(application);
    return scopes === undefined ? VISITOR : { kind: 'application', application, ...session, scopes };
  };

  const usableSessions = (): SessionRow[] =>
    store.liveSessions(clock.now() - TOKEN_RENEWAL_MS).filter((row) => canBeUsed(row, clock.now()));

  /** Session id -> when its last use was written down. */
  const noted = new Map<string, number>();
  const noteUse = (jti: string): void => {
    const now = clock.now();
    if (Math.abs(now - (noted.get(jti) ?? 0)) < NOTED_EVERY_MS) return;
    if (noted.size > 1000) noted.clear();
    noted.set(jti, now);
    writer
      .write((tx) => store.seen(tx, jti, now))
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a session was not noted'));
  };

  const nobody = { principal: VISITOR, renewed: () => Promise.resolve(undefined) };

  return {
    isSetUp: () => owner !== undefined,
    profile: () => owner,
    setupCode: () => code,

    setUp: (request, from) =>
      notingRefusal('set-up', from, async () => {
        if (code === undefined) throw new Failure('wrong_state', 'This PDA is set up already.');
        takeTry('setup');
        if (!sameText(request.code, code)) {
          throw new Failure('invalid_setup_code', 'This address is not the one that the start printed. Open that one.');
        }
        await createOwner(request.name, request.password);
        return ownerSession(from, (tx) => noteDone(tx, 'set-up', from));
      }),

    init: createOwner,
    strength: (password, name) => passwordStrength(password, name === undefined ? [] : [name]),

    signIn: (username, password, from) =>
      notingRefusal('sign-in', from, async () => {
        takeTries(username, from);
        const known = owner;
        const right = known !== undefined && sameText(username, known.name);
        // Made for the known name too: the first try after a start would tell them apart.
        const decoyed = await decoyHash();
        const matches = await passwordMatches(right ? known.password_hash : decoyed, password);
        if (!right || !matches) {
          log.info({ address: from.address, local: from.local }, 'a sign-in was refused');
          throw wrongCredentials();
        }
        return ownerSession(from, (tx) => {
          // Hashing takes its time: a password that was changed meanwhile opens nothing any more.
          if (store.owner()?.password_hash !== known.password_hash) throw wrongCredentials();
          noteDone(tx, 'sign-in', from);
        });
      }),

    changePassword: (request, from) =>
      notingRefusal('password-change', from, async () => {
        const row = requireOwner();
        takeTries(row.name, from);
        if (!(await passwordMatches(row.password_hash, request.password))) {
          throw wrongOldPassword();
        }
        await requireStrong(request.newPassword, row.name);
        const hash = await hashPassword(request.newPassword);
        await writer.write((tx) => {
          // Of two changes at once the second was proven with a password that is no longer the one.
          if (store.owner()?.password_hash !== row.password_hash) throw wrongOldPassword();
          store.setPassword(tx, hash);
          store.endAllBut(tx, '', clock.now());
          noteDone(tx, 'password-change', from);
        });
        owner = store.owner();
        return ownerSession(from);
      }),

    async resetPassword(password) {
      const row = requireOwner();
      await requireStrong(password, row.name);
      const hash = await hashPassword(password);
      await writer.write((tx) => {
        store.setPassword(tx, hash);
        store.endAllBut(tx, '', clock.now());
      });
      owner = store.owner();
    },

    async serviceToken(resource, from) {
      const claims = { accessScope: 'validate', resource, validityMs: SERVICE_TOKEN_VALIDITY_MS };
      return answerOf(await startSession('service', from, claims, (tx) => noteDone(tx, 'service-token', from)));
    },

    applicationToken: ({ id, version }, from, check) =>
      startSession('application', from, { application: id, applicationVersion: version }, check),

    endApplicationSessions: (tx, application) => store.endOfApplication(tx, application, clock.now()),

    applicationSessions: () => byApplication(usableSessions()),

    async authenticate(token) {
      const claims = await tokens.verify(token);
      const principal = claims === undefined ? VISITOR : principalOf(claims);
      if (claims === undefined || principal.kind === 'visitor') return nobody;
      return {
        principal,
        current: () => principalOf(claims),
        renewed: () => {
          noteUse(claims.jti);
          return tokens.renew(claims);
        },
      };
    },

    sessions: (current) => usableSessions().map((row) => toSession(row, current)),

    isSessionAlive: (id) => store.isAlive(id),
    onSessionChange: (listener) => store.onSessionChange(listener),

    async endSession(id, from) {
      const ended = await writer.write((tx) => {
        const count = store.end(tx, id, clock.now());
        if (count > 0) noteDone(tx, 'sign-out', from);
        return count;
      });
      if (ended === 0) throw new Failure('not_found', 'This session has ended already.');
      return ended;
    },
    endSessionsExcept: (current, from) =>
      writer.write((tx) => {
        const count = store.endAllBut(tx, current, clock.now());
        if (count > 0) noteDone(tx, 'sign-out', from);
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
