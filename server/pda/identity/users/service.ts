import { randomBytes, randomUUID } from 'node:crypto';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { nameKey, type NewUser, type User, type UserChange } from '../../../wire/users.ts';
import { hashPassword, passwordMatches } from '../../../platform/auth/password.ts';
import type { LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import type { OwnerService, RequestOrigin } from '../owner/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { UserRow, UserStore } from './store.ts';

/** Runs in the transaction of the change, and throws to roll it back. `user`: after the change; before a deletion. */
export type UserChangeHook = (tx: Transaction, user: User) => void;

export type UserService = {
  /** Returns the user as last committed. */
  find(userId: string): { userId: string; name: string; enabled: boolean } | undefined;
  exists(tx: Transaction, userId: string): boolean;
  list(): User[];
  /** Returns the name of a user, even if recently deleted, for requests in progress; empty if the user is unknown. */
  nameOf(userId: string): string;
  /** Users with a passkey, and users of an imported account, may have no password. */
  hasPassword(userId: string): boolean;
  /** `password` is null for a user who signs in with a passkey. @throws Failure already_exists | invalid_input */
  create(
    user: Omit<NewUser, 'password'> & { password: string | null },
    runInTransaction?: UserChangeHook,
  ): Promise<User>;
  /** A new password ends the user's sessions. @throws Failure not_found | forbidden | already_exists | invalid_input */
  update(userId: string, change: UserChange, runInTransaction?: UserChangeHook): Promise<User>;
  /** @throws Failure not_found | forbidden */
  enable(userId: string): Promise<User>;
  /** Ends the user's sessions. @throws Failure not_found | forbidden */
  disable(userId: string): Promise<User>;
  /** Deletes a user, ends their sessions and removes their grants. @throws Failure not_found | forbidden */
  remove(userId: string, runInTransaction?: UserChangeHook): Promise<User>;
  /**
   * Checks the password of a signed-in user. Counts as a sign-in attempt.
   * @returns undefined if the password is wrong; otherwise a function that returns true while the password is unchanged
   * @throws Failure not_found | forbidden | rate_limited
   */
  verifyPassword(
    userId: string,
    password: string,
    from: Pick<RequestOrigin, 'address' | 'host' | 'local'>,
  ): Promise<((tx: Transaction) => boolean) | undefined>;
  /** Registers a listener that removes a user's grants, within the transaction that deletes the user. */
  onDelete(listener: (tx: Transaction, userId: string) => void): void;
};

const toUser = (row: UserRow): User => ({
  userId: row.id,
  name: row.name,
  ...(row.email === null ? {} : { email: row.email }),
  enabled: row.enabled,
  created: isoTime(row.created),
  ...(row.last_seen === null ? {} : { lastSeen: isoTime(row.last_seen) }),
});

const UNKNOWN_PASSWORD_BYTES = 32;
/** Hashes random bytes that are not stored. Password checks against this hash fail, and take as long as others. */
const hashOfNoPassword = (): Promise<string> => hashPassword(randomBytes(UNKNOWN_PASSWORD_BYTES).toString('base64'));

const DELETED_NAMES_MAX = 100;

export const createUserService = (parts: {
  store: UserStore;
  owner: Pick<
    OwnerService,
    'profile' | 'hashNewPassword' | 'requirePasswordAllowed' | 'endUserSessions' | 'forgetUserNetworks'
  >;
  throttle: LoginThrottle;
  writer: Writer;
  clock: Clock;
}): UserService => {
  const { store, owner, throttle, writer, clock } = parts;
  const deletedNames = new Map<string, string>();
  const deleteListeners: Parameters<UserService['onDelete']>[0][] = [];

  const isOwner = (userId: string): boolean => owner.profile()?.id === userId;

  const requireFreeName = (tx: Transaction, name: string, userId: string): void => {
    const holderId = store.findIdByName(tx, name);
    const isOwnersName = nameKey(owner.profile()?.name ?? '') === nameKey(name);
    if (!isOwnersName && (holderId === undefined || holderId === userId)) return;
    throw new Failure('already_exists', `The name ${name} is taken${isOwnersName ? ': it is yours' : ''}.`);
  };

  const requireUser = (row: UserRow | undefined): UserRow => {
    if (row === undefined) throw new Failure('not_found', 'There is no such user.');
    return row;
  };

  const refuseOwner = (userId: string): void => {
    if (isOwner(userId)) throw new Failure('forbidden', "The owner's account cannot be changed here.");
  };

  const change = (userId: string, job: (tx: Transaction, row: UserRow) => UserRow): Promise<User> => {
    refuseOwner(userId);
    return writer.write((tx) => toUser(job(tx, requireUser(store.findWithin(tx, userId)))));
  };

  const setEnabled = (userId: string, enabled: boolean): Promise<User> =>
    change(userId, (tx, row) => {
      const updatedRow = { ...row, enabled };
      store.update(tx, updatedRow);
      if (!enabled) owner.endUserSessions(tx, userId);
      return updatedRow;
    });

  return {
    find(userId) {
      const row = store.find(userId);
      return row === undefined ? undefined : { userId, name: row.name, enabled: row.enabled };
    },
    hasPassword: (userId) => store.find(userId)?.has_password === true,
    exists: (tx, userId) => store.findWithin(tx, userId) !== undefined,
    list: () => store.list().map(toUser),
    nameOf: (userId) => store.find(userId)?.name ?? deletedNames.get(userId) ?? '',

    async create({ name, password, email, userId = randomUUID() }, runInTransaction) {
      const row: UserRow = {
        id: userId,
        name,
        email: email ?? null,
        password_hash:
          password === null ? await hashOfNoPassword() : await owner.hashNewPassword(password, [name, email ?? '']),
        has_password: password !== null,
        enabled: true,
        created: clock.now(),
        last_seen: null,
      };
      return writer.write((tx) => {
        if (isOwner(userId) || store.findWithin(tx, userId) !== undefined)
          throw new Failure('already_exists', 'A user with this id already exists.');
        requireFreeName(tx, name, userId);
        store.insert(tx, row);
        runInTransaction?.(tx, toUser(row));
        return toUser(row);
      });
    },

    async update(userId, { name, email, password }, runInTransaction) {
      refuseOwner(userId);
      const currentRow = requireUser(store.find(userId));
      const inputs = [name ?? currentRow.name, email ?? currentRow.email ?? ''];
      const hash = password === undefined ? undefined : await owner.hashNewPassword(password, inputs);
      return change(userId, (tx, row) => {
        if (name !== undefined) requireFreeName(tx, name, userId);
        const updatedRow = {
          ...row,
          name: name ?? row.name,
          email: email === undefined ? row.email : email,
          password_hash: hash ?? row.password_hash,
          has_password: hash === undefined ? row.has_password : true,
        };
        runInTransaction?.(tx, toUser(updatedRow));
        store.update(tx, updatedRow);
        if (hash !== undefined) owner.endUserSessions(tx, userId);
        return updatedRow;
      });
    },

    enable: async (userId) => setEnabled(userId, true),
    disable: async (userId) => setEnabled(userId, false),

    remove: async (userId, runInTransaction) =>
      change(userId, (tx, row) => {
        runInTransaction?.(tx, toUser(row));
        owner.endUserSessions(tx, userId);
        owner.forgetUserNetworks(tx, userId);
        for (const listener of deleteListeners) listener(tx, userId);
        store.remove(tx, userId);
        tx.afterCommit(() => setBounded(deletedNames, userId, row.name, DELETED_NAMES_MAX));
        return { ...row, enabled: false };
      }),

    async verifyPassword(userId, password, from) {
      const { name, password_hash: hash } = requireUser(store.find(userId));
      const origin = { ...from, isKnown: true };
      throttle.countSignIn(name, origin);
      owner.requirePasswordAllowed(from.host);
      if (!(await throttle.check(origin, () => passwordMatches(hash, password)))) return undefined;
      return (tx) => store.findWithin(tx, userId)?.password_hash === hash;
    },

    onDelete: (listener) => void deleteListeners.push(listener),
  };
};
