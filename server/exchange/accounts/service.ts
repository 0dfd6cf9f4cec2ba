import { randomBytes, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { setBounded } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { issuerOf, signPdaToken } from '../../platform/pda-proof.ts';
import { passwordStrength } from '../../platform/password-strength.ts';
import { hashPassword, passwordMatches } from '../../platform/password.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Principal, Scope } from '../../platform/principal.ts';
import { createTokens } from '../../platform/tokens.ts';
import { createTries } from '../../platform/tries.ts';
import { TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import { accountNameSchema, accountRoleSchema } from '../../wire/exchange.ts';
import type { Audit, Database, Db } from '../storage/index.ts';
import { createKeyring } from './keyring.ts';
import {
  changeAccount,
  dropSessionsOf,
  endSession,
  endSessionsOf,
  findAccount,
  findAccountByName,
  findSecret,
  holderOf,
  insertAccount,
  insertSecret,
  insertSession,
  listAccounts,
  lockAccount,
  noteSeen,
  type AccountRow,
} from './store.ts';

export type Role = (typeof accountRoleSchema.options)[number];
export type Account = {
  userId: string;
  name: string;
  roles: Role[];
  enabled: boolean;
  created: number;
  lastSeen: number | null;
};
/** Where a sign-in comes from. */
export type From = { address: string; host: string; local: boolean };
/** Name of an account, or `command line`: who does what is written into the audit. */
export type By = string;

export type AccountService = {
  /** @throws Failure invalid_credentials | rate_limited */
  signIn(username: string, password: string, from: From): Promise<{ token: string; userId: string }>;
  signOut(sessionId: string): Promise<void>;
  /** Who bears a token that one of our keys signed; undefined when nobody does. Its session and account are looked up each time. */
  authenticate(
    token: string,
  ): Promise<{ principal: Principal; renewed: () => Promise<string | undefined> } | undefined>;
  create(account: { name: string; password: string; roles: readonly Role[] }, by: By): Promise<Account>;
  /** @throws Failure not_found | wrong_state */
  change(
    userId: string,
    change: { roles?: readonly Role[] | undefined; enabled?: boolean | undefined; password?: string | undefined },
    by: { name: By; userId?: string },
  ): Promise<Account>;
  /** For whoever sits at the machine. @throws Failure not_found */
  resetPassword(name: string, password: string, by: By): Promise<void>;
  list(): Promise<Account[]>;
  /** @throws Failure not_found */
  get(userId: string): Promise<Account>;
  /** @throws Failure not_found */
  named(name: string): Promise<Account>;
  /** For rooms that keep something of an account's: within their transaction. */
  findByName(db: Db, name: string): Promise<Account | undefined>;
  find(db: Db, userId: string): Promise<Account | undefined>;
  /** Public keys as JSON Web Keys, and the current one as PEM. */
  jwks(): Promise<Record<string, string>[]>;
  publicKey(): Promise<string>;
  rotateKey(by: By): Promise<void>;
  /** A token by which the PDA at this address can be sure that it is the exchange that speaks to it. `issuer`: our host as the PDA knows it. */
  tokenForPda(pdaAddress: string, issuer: string): Promise<string>;
  /** A secret that every process of this exchange knows, made at first use. */
  secret(name: string): Promise<string>;
  close(): Promise<void>;
};

/** Milliseconds between two notes of when an account was seen. */
const NOTED_EVERY_MS = 60_000;
const MAX_NOTED = 10_000;
const ROLES = accountRoleSchema.options;

const wrongCredentials = (): Failure => new Failure('invalid_credentials', 'Name or password is wrong.');
const nameKey = (name: string): string => name.toLowerCase();

const rolesOf = (stored: string): Role[] => {
  const words = new Set(stored.split(' '));
  return ROLES.filter((role) => words.has(role));
};

const scopesOf = (stored: string): ReadonlySet<Scope> => {
  const roles = rolesOf(stored);
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

const unknownAccount = (): Failure => new Failure('not_found', 'There is no such account.');

const hashNewPassword = async (password: string, name: string): Promise<string> => {
  const { acceptable } = passwordStrength(password, [name]);
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
}): AccountService => {
  const { database, audit, clock, log } = parts;
  const keyring = createKeyring({ database, clock });
  const tokens = createTokens({ keys: keyring.keys, clock });
  const tries = createTries(clock);

  /** Checked for unknown names, so that they take as long as a known one. */
  let decoy: Promise<string> | undefined;
  const decoyHash = (): Promise<string> => (decoy ??= hashPassword(randomUUID()));

  const noted = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const noteUse = (accountId: string): void => {
    const now = clock.now();
    if (Math.abs(now - (noted.get(accountId) ?? 0)) < NOTED_EVERY_MS) return;
    setBounded(noted, accountId, now, MAX_NOTED);
    const noting = database
      .read((db) => noteSeen(db, accountId, now))
      .catch((error: unknown) => log.warn({ err: error }, 'the use of an account was not noted'))
      .finally(() => running.delete(noting));
    running.add(noting);
  };

  const signingKey = async (): Promise<{ privateKey: KeyObject; publicKey: KeyObject; kid: string }> => {
    await keyring.refresh();
    const key = keyring.keys().find(({ retired }) => !retired);
    if (key === undefined) throw new Error('no signing key');
    return key;
  };

  const change: AccountService['change'] = async (userId, { roles, enabled, password }, by) => {
    if (by.userId === userId && (enabled === false || (roles !== undefined && !roles.includes('administrator')))) {
      // Otherwise the last one could lock the door behind itself.
      throw new Failure('wrong_state', 'Administrators do not take their own rights away. Another one can.');
    }
    const before = await database.read((db) => findAccount(db, userId));
    if (before === undefined) throw unknownAccount();
    const hash = password === undefined ? undefined : await hashNewPassword(password, before.name);
    const set = {
      ...(roles === undefined ? {} : { roles: ROLES.filter((role) => roles.includes(role)).join(' ') }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(hash === undefined ? {} : { password_hash: hash }),
    };
    const after = await database.transact(async (tx) => {
      const row = await lockAccount(tx, userId);
      if (row === undefined) throw unknownAccount();
      if (Object.keys(set).length === 0) return row;
      await changeAccount(tx, userId, set);
      if (hash !== undefined || enabled === false) await endSessionsOf(tx, userId);
      const done = [
        ...(roles === undefined ? [] : [`roles: ${set.roles ?? ''}`]),
        ...(enabled === undefined ? [] : [enabled ? 'enabled' : 'disabled']),
        ...(hash === undefined ? [] : ['new password']),
      ];
      await audit.note(tx, { who: by.name, what: 'account.changed', subject: row.name, detail: done.join(', ') });
      return { ...row, ...set };
    });
    return toAccount(after);
  };

  return {
    async signIn(username, password, from) {
      tries.takeFor(username, from);
      // What is no name is nobody's, and takes as long as an unknown one.
      const sought = accountNameSchema.safeParse(username).success ? nameKey(username) : '';
      const found = await database.read((db) => findAccountByName(db, sought));
      // Made for known names too: the first try after a start would tell them apart.
      const decoyed = await decoyHash();
      const matches = await tries.check(from, () => passwordMatches(found?.password_hash ?? decoyed, password));
      if (!matches || found?.enabled !== true) {
        log.info({ address: from.address }, 'a sign-in was refused');
        throw wrongCredentials();
      }
      await keyring.refresh();
      const now = clock.now();
      const claims = { iss: from.host, sub: found.id, accessScope: 'account', resource: from.host };
      const issued = await tokens.issue(claims);
      await database.transact(async (tx) => {
        // Hashing takes its time: a password that was changed meanwhile, or an account that was closed, opens nothing any more.
        const still = await lockAccount(tx, found.id);
        if (still?.enabled !== true || still.password_hash !== found.password_hash) throw wrongCredentials();
        await dropSessionsOf(tx, found.id, now - TOKEN_RENEWAL_MS);
        await insertSession(tx, { id: issued.claims.jti, account_id: found.id, created: now });
        await noteSeen(tx, found.id, now);
      });
      return { token: issued.token, userId: found.id };
    },

    async signOut(sessionId) {
      const ended = await database.transact((tx) => endSession(tx, sessionId));
      if (!ended) throw new Failure('not_found', 'This session has ended already.');
    },

    async authenticate(token) {
      await keyring.refresh();
      let claims = await tokens.verify(token);
      if (claims === undefined) {
        await keyring.refresh(issuerOf(token).kid);
        claims = await tokens.verify(token);
      }
      if (claims?.accessScope !== 'account' || claims.application !== undefined) return undefined;
      if (!parts.isOwnHost(claims.iss) || claims.resource === undefined || !parts.isOwnHost(claims.resource))
        return undefined;
      const { jti, sub } = claims;
      const holder = await database.read((db) => holderOf(db, jti));
      if (holder === undefined || !holder.enabled || holder.account_id !== sub) return undefined;
      const known = claims;
      return {
        principal: {
          kind: 'account',
          accountId: sub,
          name: holder.name,
          sessionId: jti,
          scopes: scopesOf(holder.roles),
        },
        renewed: () => {
          noteUse(sub);
          return tokens.renew(known);
        },
      };
    },

    async create({ name, password, roles }, by) {
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
        if (!(await insertAccount(tx, row)))
          throw new Failure('already_exists', `There is an account ${name} already. Nothing was changed.`);
        await audit.note(tx, { who: by, what: 'account.created', subject: name, detail: row.roles });
      });
      return toAccount(row);
    },

    change,

    async resetPassword(name, password, by) {
      const found = await database.read((db) => findAccountByName(db, nameKey(name)));
      if (found === undefined) throw unknownAccount();
      await change(found.id, { password, enabled: true }, { name: by });
    },

    list: async () => (await database.read(listAccounts)).map(toAccount),
    async get(userId) {
      const row = await database.read((db) => findAccount(db, userId));
      if (row === undefined) throw unknownAccount();
      return toAccount(row);
    },
    async named(name) {
      const row = await database.read((db) => findAccountByName(db, nameKey(name)));
      if (row === undefined) throw unknownAccount();
      return toAccount(row);
    },
    async findByName(db, name) {
      const row = await findAccountByName(db, nameKey(name));
      return row === undefined ? undefined : toAccount(row);
    },
    async find(db, userId) {
      const row = await findAccount(db, userId);
      return row === undefined ? undefined : toAccount(row);
    },

    async jwks() {
      await keyring.refresh();
      return keyring.keys().map(({ publicKey, kid }) => {
        const { kty = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
        return { kty, n, e, kid, alg: 'RS256', use: 'sig' };
      });
    },
    publicKey: async () => (await signingKey()).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rotateKey: (by) => keyring.rotate((tx) => audit.note(tx, { who: by, what: 'key.rotated', subject: 'signing key' })),
    tokenForPda: async (pdaAddress, issuer) =>
      signPdaToken(await signingKey(), { iss: issuer, resource: pdaAddress, accessScope: 'exchange' }, clock),

    async secret(name) {
      const known = await database.read((db) => findSecret(db, name));
      if (known !== undefined) return known;
      await database.read((db) => insertSecret(db, name, randomBytes(32).toString('base64url')));
      const made = await database.read((db) => findSecret(db, name));
      if (made === undefined) throw new Error(`the secret ${name} is not there after it was made`);
      return made;
    },

    close: async () => void (await Promise.allSettled(running)),
  };
};
