import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { isoTime, type Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { VISITOR, type Principal } from '../../platform/principal.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { createTokens, type SigningKey, type TokenClaims } from '../../platform/tokens.ts';
import {
  SERVICE_TOKEN_VALIDITY_MS,
  SIGN_IN_BURST,
  SIGN_IN_INTERVAL_MS,
  TOKEN_RENEWAL_MS,
  TOKEN_VALIDITY_MS,
} from '../../wire/limits.ts';
import type { Session } from '../../wire/owner.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import { newKey, toSigningKey } from './keys.ts';
import { hashPassword, passwordMatches, passwordStrength, type Strength } from './password.ts';
import type { OwnerRow, OwnerStore, SessionRow } from './store.ts';

/** Milliseconds between two notes of a session's use: once a minute is enough to tell the owner. */
const NOTED_EVERY_MS = 60_000;

export type SignedIn = { accessToken: string; userId: string };
/** Where a sign-in comes from. */
export type From = { address: string; host: string; local: boolean; userAgent: string };

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
  authenticate(token: string): Promise<{ principal: Principal; renewed: () => Promise<string | undefined> }>;
  sessions(current: string): Session[];
  isSessionAlive(id: string): boolean;
  /** Hears of each change after which a session may have ended. Returns how to stop. */
  onSessionChange(listener: () => void): () => void;
  endSession(id: string): Promise<number>;
  endSessionsExcept(current: string): Promise<number>;
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
};

const wrongCredentials = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');

const wrongOldPassword = (): Failure => new Failure('forbidden', 'The old password is not right. Nothing was changed.');

/** Unix milliseconds at which a session is over, however much it is used. */
const endOf = (row: SessionRow): number =>
  row.created + (row.kind === 'service' ? SERVICE_TOKEN_VALIDITY_MS : TOKEN_RENEWAL_MS);

/** Whether a token of the session can still be valid. The last use is noted to the minute. */
const canBeUsed = (row: SessionRow, now: number): boolean =>
  now < endOf(row) && now < row.last_seen + TOKEN_VALIDITY_MS + NOTED_EVERY_MS;

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
    claims: { accessScope: string; resource: string; validityMs?: number },
    check: () => void = () => undefined,
  ): Promise<SignedIn> => {
    const { id } = requireOwner();
    const issued = await tokens.issue({ iss: from.host, sub: id, ...claims });
    const now = clock.now();
    await writer.write((tx) => {
      check();
      store.insertSession(tx, {
        jti: issued.claims.jti,
        kind,
        application: null,
        issuer: from.host,
        address: from.address,
        user_agent: from.userAgent.slice(0, 300),
        created: now,
        last_seen: now,
      });
      store.dropSessionsBefore(tx, now - 2 * TOKEN_RENEWAL_MS);
    });
    return { accessToken: issued.token, userId: id };
  };

  const ownerSession = (from: From, check?: () => void): Promise<SignedIn> =>
    startSession('owner', from, { accessScope: 'owner', resource: from.host }, check);

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
    if (claims.accessScope !== 'owner' || claims.application !== undefined) return VISITOR;
    if (claims.resource !== undefined && !parts.isOwnHost(claims.resource)) return VISITOR;
    // Looked up each time: ending a session works at once.
    if (!store.isAlive(claims.jti)) return VISITOR;
    return { kind: 'owner', userId: owner.id, sessionId: claims.jti };
  };

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

    async setUp(request, from) {
      if (code === undefined) throw new Failure('wrong_state', 'This PDA is set up already.');
      takeTry('setup');
      if (!sameText(request.code, code)) {
        throw new Failure('invalid_setup_code', 'This address is not the one that the start printed. Open that one.');
      }
      await createOwner(request.name, request.password);
      return ownerSession(from);
    },

    init: createOwner,
    strength: (password, name) => passwordStrength(password, name === undefined ? [] : [name]),

    async signIn(username, password, from) {
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
      return ownerSession(from, () => {
        // Hashing takes its time: a password that was changed meanwhile opens nothing any more.
        if (store.owner()?.password_hash !== known.password_hash) throw wrongCredentials();
      });
    },

    async changePassword(request, from) {
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
      });
      owner = store.owner();
      return ownerSession(from);
    },

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

    serviceToken: (resource, from) =>
      startSession('service', from, { accessScope: 'validate', resource, validityMs: SERVICE_TOKEN_VALIDITY_MS }),

    async authenticate(token) {
      const claims = await tokens.verify(token);
      const principal = claims === undefined ? VISITOR : principalOf(claims);
      if (claims === undefined || principal.kind === 'visitor') return nobody;
      return {
        principal,
        renewed: () => {
          noteUse(claims.jti);
          return tokens.renew(claims);
        },
      };
    },

    sessions: (current) =>
      store
        .liveSessions(clock.now() - TOKEN_RENEWAL_MS)
        .filter((row) => canBeUsed(row, clock.now()))
        .map((row) => ({
          id: row.jti,
          kind: row.kind,
          application: row.application,
          created: isoTime(row.created),
          lastSeen: isoTime(row.last_seen),
          ends: isoTime(endOf(row)),
          issuer: row.issuer,
          address: row.address,
          userAgent: row.user_agent,
          current: row.jti === current,
        })),

    isSessionAlive: (id) => store.isAlive(id),
    onSessionChange: (listener) => store.onSessionChange(listener),

    async endSession(id) {
      const ended = await writer.write((tx) => store.end(tx, id, clock.now()));
      if (ended === 0) throw new Failure('not_found', 'This session has ended already.');
      return ended;
    },
    endSessionsExcept: (current) => writer.write((tx) => store.endAllBut(tx, current, clock.now())),

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
