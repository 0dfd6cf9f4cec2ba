import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRacedWriter } from '../../../../tests/support/raced-writer.ts';
import { createTestClock, OWNER } from '../../../../tests/support/test-pda.ts';
import { USER_PASSWORD } from '../../../../tests/support/users.ts';
import { createLoginThrottle } from '../../../platform/limits/login-throttle.ts';
import { silentLog } from '../../../platform/log.ts';
import { createOwnerService, type OwnerService } from '../owner/service.ts';
import { createSignInNetworkStore } from '../owner/sign-in/network-store.ts';
import { createOwnerStore } from '../owner/store.ts';
import type { Transaction } from '../../storage/index.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createUserDirectory } from './directory.ts';
import { createUserService, type UserService } from './service.ts';
import { createUserStore } from './store.ts';

const HOST = '127.0.0.1:1';
const NEW_PASSWORD = 'another meadow, further south';
const origin = { address: '127.0.0.1', host: HOST, local: true, userAgent: 'test' };

let users: UserService;
let owner: OwnerService;
let userId: string;
let listUsersWithGrants: () => string[];
let onDelete: (tx: Transaction, userId: string) => void;
let runBeforeNextWrite: (act: () => Promise<unknown>) => void;

beforeEach(async () => {
  const db = new Database(':memory:');
  migrate(db);
  const store = createUserStore(db);
  const racedWriter = createRacedWriter(db);
  const { writer } = racedWriter;
  ({ runBeforeNextWrite } = racedWriter);
  const clock = createTestClock();
  const throttle = createLoginThrottle(clock);
  owner = createOwnerService({
    store: createOwnerStore(db),
    networks: createSignInNetworkStore(db),
    clock,
    throttle,
    log: silentLog(),
    isOwnHost: (host) => host === HOST,
    userDirectory: createUserDirectory(store),
    writer,
  });
  await owner.init(OWNER.name, OWNER.password);
  db.exec('CREATE TABLE grants (user_id TEXT)');
  onDelete = (tx, id) => void tx.db.prepare('DELETE FROM grants WHERE user_id = ?').run(id);
  users = createUserService({ store, owner, throttle, writer, clock });
  users.onDelete((tx, id) => onDelete(tx, id));
  ({ userId } = await users.create({ name: 'Grace', password: USER_PASSWORD }));
  db.prepare('INSERT INTO grants VALUES (?)').run(userId);
  const grants = db.prepare<[], string>('SELECT user_id FROM grants').pluck();
  listUsersWithGrants = () => grants.all();
});

const signIn = (password = USER_PASSWORD) => owner.signIn('grace', password, origin);
const kindOf = async (token: string): Promise<string> => (await owner.authenticate(token)).principal.kind;

describe('a sign-in in progress', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => users.disable(userId)],
    ['deleted', () => users.remove(userId)],
    ['given a different password', () => users.update(userId, { password: NEW_PASSWORD })],
  ])('starts no session if the user is %s before it completes', async (_, act) => {
    runBeforeNextWrite(act);
    await expect(signIn()).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect(owner.sessions('')).toStrictEqual([]);
  });
});

describe('a deleted user', () => {
  it('loses all grants and sessions', async () => {
    const { accessToken } = await signIn();
    await users.remove(userId);
    expect([listUsersWithGrants(), users.list(), await kindOf(accessToken)]).toStrictEqual([[], [], 'visitor']);
  });

  it('cannot be changed', async () => {
    runBeforeNextWrite(() => users.remove(userId));
    await expect(users.update(userId, { password: NEW_PASSWORD })).rejects.toMatchObject({ code: 'not_found' });
    await expect(signIn(NEW_PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('still has a name for requests in progress', async () => {
    expect(users.nameOf(userId)).toBe('Grace');
    await users.remove(userId);
    expect([users.nameOf(userId), users.find(userId)]).toStrictEqual(['Grace', undefined]);
  });
});

describe('the deletion of a user', () => {
  it('is rolled back if the grants cannot be removed', async () => {
    const { accessToken } = await signIn();
    onDelete = (tx, id) => {
      tx.db.prepare('DELETE FROM grants WHERE user_id = ?').run(id);
      throw new Error('the disk is full');
    };
    await expect(users.remove(userId)).rejects.toThrow('the disk is full');
    expect([listUsersWithGrants(), users.find(userId)?.name, await kindOf(accessToken)]).toStrictEqual([
      [userId],
      'Grace',
      'user',
    ]);
    expect(owner.sessions('')).toMatchObject([{ kind: 'user', user: { userId, name: 'Grace' } }]);
  });
});

describe('the lookup of users', () => {
  it('reflects each change immediately', async () => {
    expect(users.find(userId)).toStrictEqual({ userId, name: 'Grace', enabled: true });
    await users.update(userId, { name: 'Grace H.' });
    await users.disable(userId);
    expect(users.find(userId)).toStrictEqual({ userId, name: 'Grace H.', enabled: false });
    expect(users.find(owner.profile()?.id ?? '')).toBeUndefined();
    expect(users.list().map(({ name }) => name)).toStrictEqual(['Grace H.']);
  });
});
