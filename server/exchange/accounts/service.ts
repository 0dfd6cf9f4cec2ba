import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { setBounded } from '../../platform/limits/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { issuerAndKeyIdOf, signPdaToken } from '../../platform/auth/pda-token.ts';
import { estimatePasswordStrength } from '../../platform/auth/password-strength.ts';
import { hashPassword, passwordMatches } from '../../platform/auth/password.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import { ANONYMOUS, type Principal, type Scope } from '../../platform/auth/principal.ts';
import { createTokens, type SigningKey } from '../../platform/auth/tokens.ts';
import type { Authentication } from '../../platform/http/request-pipeline.ts';
import { createLoginThrottle } from '../../platform/limits/login-throttle.ts';
import { MAX_PASSWORD_CHARS, TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import {
  accountNameSchema,
  accountRoleSchema,
  type Account,
  type accountChangeSchema,
  type AccountRole,
} from '../../wire/exchange.ts';
import type { Audit, Database, Db } from '../storage/index.ts';
import { createSigningKeyCache } from './signing-key-cache.ts';
import {
  changeAccount,
  deleteSessionsBefore,
  endSession,
  endSessionsOf,
  findAccount,
  findAccountByName,
  findSessionHolder,
  insertAccount,
  insertSession,
  listAccounts,
  lockAccount,
  updateLastSeen,
  type AccountRow,
} from './store.ts';

/** `host` is the exchange's host in the request. `local` is true if the client is on this machine. */
type SignInOrigin = { address: string; host: string; local: boolean };
type Actor = string;

export type AccountService = ReturnType<typeof createAccountService>;

const LAST_SEEN_INTERVAL_MS = 60_000;
const LAST_SEEN_CACHE_MAX = 10_000;
const ROLES = accountRoleSchema.options;

const wrongCredentialsFailure = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');
const nameKey = (name: string): string => name.toLowerCase();

const rolesOf = (roleNames: string): AccountRole[] => {
  const names = new Set(roleNames.split(' '));
  return ROLES.filter((role) => names.has(role));
};

const scopesOf = (roleNames: string): ReadonlySet<Scope> => {
  const roles = rolesOf(roleNames);
  return new Set((roles.includes('administrator') ? ROLES : roles).map((role) => `role:${role}` as const));
};

const toAccount = (row: AccountRow): Account => ({
  userId: row.id,
  name: row.name,
  roles: rolesOf(row.roles),
  enabled: row.enabled,
  created: row.created,
  lastSeen: row.last_seen,
});

const requireAccount = (row: AccountRow | undefined): AccountRow => {
  if (row === undefined) throw new Failure('not_found', 'This account does not exist.');
  return row;
};

const hashNewPassword = async (password: string, name: string): Promise<string> => {
  // Routes limit the length themselves; the command line does not.
  if (password.length > MAX_PASSWORD_CHARS)
    throw new Failure('invalid_input', `A password can have at most ${MAX_PASSWORD_CHARS} characters.`);
  const { acceptable } = estimatePasswordStrength(password, [name]);
  if (!acceptable) {
    throw new Failure('invalid_input', 'This password is too easy to guess. Use a longer one, or several words.', {
      details: [{ path: 'body.password', problem: 'too easy to guess' }],
    });
  }
  return hashPassword(password);
};

export const createAccountService = (parts: {
  database: Database;
  audit: Audit;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
  log: Log;
}) => {
  const { database, audit, clock, log } = parts;
  const signingKeys = createSigningKeyCache({ database, clock });
  const tokens = createTokens({ keys: signingKeys.getKeys, clock });
  const throttle = createLoginThrottle(clock);

  /** Compared with the password for an unknown name, so that the response time does not reveal which names exist. */
  let decoyHash: Promise<string> | undefined;
  const getDecoyHash = (): Promise<string> => (decoyHash ??= hashPassword(randomUUID()));

  const lastUpdateTimes = new Map<string, number>();
  const pendingUpdates = new Set<Promise<void>>();
  const recordUse = (accountId: string): void => {
    const now = clock.now();
    if (Math.abs(now - (lastUpdateTimes.get(accountId) ?? 0)) < LAST_SEEN_INTERVAL_MS) return;
    setBounded(lastUpdateTimes, accountId, now, LAST_SEEN_CACHE_MAX);
    const update = database
      .run((db) => updateLastSeen(db, accountId, now))
      .catch((error: unknown) => log.warn({ err: error }, 'could not update the last-seen time of an account'))
      .finally(() => pendingUpdates.delete(update));
    pendingUpdates.add(update);
  };

  const getSigningKey = async (): Promise<SigningKey> => {
    await signingKeys.refresh();
    const key = signingKeys.getKeys().find(({ retired }) => !retired);
    if (key === undefined) throw new Error('There is no signing key.');
    return key;
  };

  /** Returns undefined if the session has ended or its account is disabled. */
  const findActiveHolder = async (session: string) => {
    const holder = await database.run((db) => findSessionHolder(db, session));
    return holder?.enabled === true ? holder : undefined;
  };

  /** @throws Failure not_found | wrong_state | invalid_input */
  const change = async (
    userId: string,
    { roles, enabled, password }: z.infer<typeof accountChangeSchema>,
    actor: { name: Actor; userId?: string },
  ): Promise<Account> => {
    if (actor.userId === userId && (enabled === false || (roles !== undefined && !roles.includes('administrator')))) {
      // Otherwise the last administrator could lock everyone out.
      throw new Failure(
        'wrong_state',
        'Administrators cannot disable their own account or remove their own role. Ask another administrator.',
      );
    }
    const existing = requireAccount(await database.run((db) => findAccount(db, userId)));
    const hash = password === undefined ? undefined : await hashNewPassword(password, existing.name);
    const columns = {
      ...(roles === undefined ? {} : { roles: ROLES.filter((role) => roles.includes(role)).join(' ') }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(hash === undefined ? {} : { password_hash: hash }),
    };
    const updatedRow = await database.transact(async (tx) => {
      const row = requireAccount(await lockAccount(tx, userId));
      if (Object.keys(columns).length === 0) return row;
      await changeAccount(tx, userId, columns);
      if (hash !== undefined || enabled === false) await endSessionsOf(tx, userId);
      const changes = [
        ...(roles === undefined ? [] : [`roles: ${columns.roles ?? ''}`]),
        ...(enabled === undefined ? [] : [enabled ? 'enabled' : 'disabled']),
        ...(hash === undefined ? [] : ['new password']),
      ];
      const detail = changes.join(', ');
      await audit.note(tx, { actor: actor.name, action: 'account.changed', subject: row.name, detail });
      return { ...row, ...columns };
    });
    return toAccount(updatedRow);
  };

  return {
    /** @throws Failure invalid_credentials | rate_limited */
    async signIn(username: string, password: string, origin: SignInOrigin): Promise<{ token: string; userId: string }> {
      throttle.countSignIn(username, origin);
      // An invalid name takes the same path as an unknown name.
      const key = accountNameSchema.safeParse(username).success ? nameKey(username) : '';
      const account = await database.run((db) => findAccountByName(db, key));
      // Also computed for known names. Otherwise the first attempt with an unknown name would be noticeably slower.
      const fallbackHash = await getDecoyHash();
      const isMatch = await throttle.check(origin, () =>
        passwordMatches(account?.password_hash ?? fallbackHash, password),
      );
      if (!isMatch || account?.enabled !== true) {
        log.info({ address: origin.address }, 'sign-in refused');
        throw wrongCredentialsFailure();
      }
      await signingKeys.refresh();
      const now = clock.now();
      const claims = { iss: origin.host, sub: account.id, accessScope: 'account', resource: origin.host };
      const issuedToken = await tokens.issue(claims);
      await database.transact(async (tx) => {
        // Checked again, because the account may have changed during the slow password check.
        const currentAccount = await lockAccount(tx, account.id);
        if (currentAccount?.enabled !== true || currentAccount.password_hash !== account.password_hash)
          throw wrongCredentialsFailure();
        await deleteSessionsBefore(tx, account.id, now - TOKEN_RENEWAL_MS);
        await insertSession(tx, { id: issuedToken.claims.jti, account_id: account.id, created: now });
        await updateLastSeen(tx, account.id, now);
      });
      return { token: issuedToken.token, userId: account.id };
    },

    /** @throws Failure not_found if the session has ended */
    async signOut(sessionId: string): Promise<void> {
      const wasActive = await database.transact((tx) => endSession(tx, sessionId));
      if (!wasActive) throw new Failure('not_found', 'This session has already ended.');
    },

    /**
     * Returns undefined unless the token belongs to an active session of an enabled account. Session and account are
     * read from the database each time, so that revocation takes effect immediately.
     */
    async authenticate(token: string): Promise<Authentication | undefined> {
      await signingKeys.refresh();
      let claims = await tokens.verify(token);
      if (claims === undefined) {
        await signingKeys.refresh(issuerAndKeyIdOf(token).kid);
        claims = await tokens.verify(token);
      }
      if (claims?.accessScope !== 'account' || claims.application !== undefined) return undefined;
      if (!parts.isOwnHost(claims.iss) || claims.resource === undefined || !parts.isOwnHost(claims.resource))
        return undefined;
      const { jti, sub } = claims;
      const findPrincipal = async (): Promise<Principal | undefined> => {
        const holder = await findActiveHolder(jti);
        if (holder?.account_id !== sub) return undefined;
        const scopes = scopesOf(holder.roles);
        return { kind: 'account', accountId: sub, name: holder.name, sessionId: jti, scopes };
      };
      const principal = await findPrincipal();
      if (principal === undefined) return undefined;
      const verifiedClaims = claims;
      return {
        principal,
        reauthenticate: async () => (await findPrincipal()) ?? ANONYMOUS,
        renewToken: () => {
          recordUse(sub);
          return tokens.renew(verifiedClaims);
        },
      };
    },

    /** Locks an account until the transaction ends, so that work that counts its items runs one at a time. */
    lockWithin: lockAccount,

    /**
     * Checks a session again during work that takes long.
     * @throws Failure not_authenticated if the session has ended or its account is disabled
     */
    async requireSession({ sessionId }: { sessionId: string }): Promise<void> {
      if ((await findActiveHolder(sessionId)) === undefined)
        throw new Failure('not_authenticated', 'This session has ended.');
    },

    /** @throws Failure already_exists | invalid_input */
    async create(
      { name, password, roles }: { name: string; password: string; roles: readonly AccountRole[] },
      actor: Actor,
    ): Promise<Account> {
      const now = clock.now();
      const row: AccountRow = {
        id: uuidV7(now),
        name,
        name_key: nameKey(name),
        password_hash: await hashNewPassword(password, name),
        roles: ROLES.filter((role) => roles.includes(role)).join(' '),
        enabled: true,
        created: now,
        last_seen: null,
      };
      await database.transact(async (tx) => {
        if (!(await insertAccount(tx, row))) throw new Failure('already_exists', `The account ${name} already exists.`);
        await audit.note(tx, { actor, action: 'account.created', subject: name, detail: row.roles });
      });
      return toAccount(row);
    },

    change,

    /** Sets a password, enables the account and ends its sessions. @throws Failure not_found | invalid_input */
    async resetPassword(name: string, password: string, actor: Actor): Promise<void> {
      const account = requireAccount(await database.run((db) => findAccountByName(db, nameKey(name))));
      await change(account.id, { password, enabled: true }, { name: actor });
    },

    list: async (): Promise<Account[]> => (await database.run(listAccounts)).map(toAccount),
    /** @throws Failure not_found */
    get: async (userId: string): Promise<Account> =>
      toAccount(requireAccount(await database.run((db) => findAccount(db, userId)))),
    /** @throws Failure not_found */
    getByName: async (name: string): Promise<Account> =>
      toAccount(requireAccount(await database.run((db) => findAccountByName(db, nameKey(name))))),
    async findByName(db: Db, name: string): Promise<Account | undefined> {
      const row = await findAccountByName(db, nameKey(name));
      return row === undefined ? undefined : toAccount(row);
    },
    async find(db: Db, userId: string): Promise<Account | undefined> {
      const row = await findAccount(db, userId);
      return row === undefined ? undefined : toAccount(row);
    },

    async listKeys(): Promise<readonly SigningKey[]> {
      await signingKeys.refresh();
      return signingKeys.getKeys();
    },
    /** Returns the current public key as PEM. */
    getPublicKey: async (): Promise<string> =>
      (await getSigningKey()).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rotateKey: (actor: Actor): Promise<void> =>
      signingKeys.rotate((tx) => audit.note(tx, { actor, action: 'key.rotated', subject: 'signing key' })),
    /**
     * Signs a token that proves to a PDA that a request comes from the exchange.
     * @param issuer the exchange's host, as the PDA knows it
     */
    signTokenForPda: async (pdaAddress: string, issuer: string): Promise<string> =>
      signPdaToken(await getSigningKey(), { iss: issuer, resource: pdaAddress, accessScope: 'exchange' }, clock),

    close: async (): Promise<void> => void (await Promise.allSettled(pendingUpdates)),
  };
};
