import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRacedWriter } from '../../../../tests/support/raced-writer.ts';
import { createTestClock, OWNER } from '../../../../tests/support/test-pda.ts';
import { createLoginThrottle } from '../../../platform/limits/login-throttle.ts';
import { silentLog } from '../../../platform/log.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createUserDirectory } from '../users/directory.ts';
import { createUserStore } from '../users/store.ts';
import { createOwnerService, type OwnerService } from './service.ts';
import { createSignInNetworkStore } from './sign-in/network-store.ts';
import { createOwnerStore, type OwnerStore } from './store.ts';

const HOST = '127.0.0.1:1';
const NEW_PASSWORD = 'another horse, another battery';
const origin = { address: '127.0.0.1', host: HOST, local: true, userAgent: 'test' };

let store: OwnerStore;
let owner: OwnerService;
let runBeforeNextWrite: (act: () => Promise<unknown>) => void;

beforeAll(async () => {
  const db = new Database(':memory:');
  migrate(db);
  store = createOwnerStore(db);
  const racedWriter = createRacedWriter(db);
  ({ runBeforeNextWrite } = racedWriter);
  owner = createOwnerService({
    store,
    networks: createSignInNetworkStore(db),
    clock: createTestClock(),
    throttle: createLoginThrottle(createTestClock()),
    log: silentLog(),
    isOwnHost: (host) => host === HOST,
    userDirectory: createUserDirectory(createUserStore(db)),
    writer: racedWriter.writer,
  });
  await owner.init(OWNER.name, OWNER.password);
});

describe('a concurrent password change', () => {
  it('prevents a sign-in in progress from starting a session, although its password was correct when checked', async () => {
    runBeforeNextWrite(() => owner.changePassword({ password: OWNER.password, newPassword: NEW_PASSWORD }, origin, ''));
    await expect(owner.signIn(OWNER.name, OWNER.password, origin)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    expect(owner.sessions('')).toHaveLength(1);
    await expect(owner.signIn(OWNER.name, NEW_PASSWORD, origin)).resolves.toBeTruthy();
  });

  it('makes a second change with the old password fail', async () => {
    runBeforeNextWrite(() => owner.resetPassword(OWNER.password));
    const secondChange = owner.changePassword(
      { password: NEW_PASSWORD, newPassword: 'a third one, longer than both' },
      origin,
      '',
    );
    await expect(secondChange).rejects.toMatchObject({ code: 'forbidden' });
    await expect(owner.signIn(OWNER.name, OWNER.password, origin)).resolves.toBeTruthy();
  });
});

describe('resetting the password on the machine', () => {
  it('requires a strong new password but not the old one, and ends every session', async () => {
    await expect(owner.resetPassword('password1')).rejects.toMatchObject({ code: 'invalid_input' });
    const { accessToken } = await owner.signIn(OWNER.name, OWNER.password, origin);
    await owner.resetPassword(NEW_PASSWORD);
    expect((await owner.authenticate(accessToken)).principal.kind).toBe('visitor');
    expect(owner.sessions('')).toStrictEqual([]);
  });
});
