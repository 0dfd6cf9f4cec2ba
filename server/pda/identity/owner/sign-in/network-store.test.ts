import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OWNER, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { addUser, USER_PASSWORD } from '../../../../../tests/support/users.ts';
import { MAX_SIGN_IN_NETWORKS, SIGN_IN_BURST, SIGN_IN_NETWORK_MS } from '../../../../wire/limits.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const HOME_ADDRESS = '203.0.113.7';
const GRACE = { name: 'grace', password: USER_PASSWORD };

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

/** Returns `ok` or the error code. */
const signIn = ({ name, password }: { name: string; password: string }, address: string): Promise<string> =>
  pda.pda.owner.signIn(name, password, { address, host: pda.host, local: false, userAgent: 'test' }).then(
    () => 'ok',
    (error: unknown) => String(Object(error).code),
  );
let attackCount = 0;
const attack = (name: string): Promise<string> =>
  signIn({ name, password: 'wrong' }, `198.51.${Math.floor((attackCount += 1) / 256)}.${attackCount % 256}`);
const attackUntilLimited = async (name: string): Promise<void> => {
  while ((await attack(name)) !== 'rate_limited');
};
const readNetworks = (): { account: string; network: string }[] => {
  const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
  try {
    return db
      .prepare<[], { account: string; network: string }>('SELECT account, network FROM sign_in_networks ORDER BY id')
      .all();
  } finally {
    db.close();
  }
};

it.each([OWNER, GRACE])(
  'allows ten sign-ins of $name from a known network during an attack on the name',
  async (account) => {
    await addUser(pda, GRACE.name);
    expect(await signIn(account, HOME_ADDRESS)).toBe('ok');
    await attackUntilLimited(account.name);
    for (let count = 0; count < SIGN_IN_BURST; count += 1) {
      pda.clock.advance(1000);
      await attack(account.name);
      expect([count, await signIn(account, '192.0.2.1')]).toStrictEqual([count, 'rate_limited']);
      expect([count, await signIn(account, HOME_ADDRESS)]).toStrictEqual([count, 'ok']);
    }
    // A known network is limited, too.
    while ((await signIn({ ...account, password: 'wrong' }, HOME_ADDRESS)) !== 'rate_limited');
    expect(await signIn(account, HOME_ADDRESS)).toBe('rate_limited');
  },
);

it('records a network only for the account that signed in from it', async () => {
  await addUser(pda, GRACE.name);
  expect(await signIn(GRACE, HOME_ADDRESS)).toBe('ok');
  expect(await signIn({ ...OWNER, password: 'wrong' }, '192.0.2.1')).toBe('invalid_credentials');
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('rate_limited');
  expect(await signIn(OWNER, '192.0.2.1')).toBe('rate_limited');
});

it('records the network of an IPv6 address', async () => {
  expect(await signIn(OWNER, '2001:db8:1:2::7')).toBe('ok');
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, '2001:db8:1:2:ffff::1')).toBe('ok');
  expect(await signIn(OWNER, '2001:db8:1:3::7')).toBe('rate_limited');
});

it('retains networks after a restart', async () => {
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('ok');
  await pda.restart();
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('ok');
});

it('retains only the most recently used networks of each account', async () => {
  await addUser(pda, GRACE.name);
  await signIn(GRACE, HOME_ADDRESS);
  const addresses = Array.from({ length: MAX_SIGN_IN_NETWORKS + 5 }, (_, index) => `203.0.113.${index + 100}`);
  for (const [index, signInAddress] of addresses.flatMap((address) => [address, addresses[0] ?? '']).entries()) {
    // The clock is set back once: the order of the sign-ins counts, not their times.
    pda.clock.advance(index === 20 ? -86_400_000 : 4000);
    expect(await signIn(OWNER, signInAddress)).toBe('ok');
  }
  const ownerNetworks = readNetworks().filter(({ account }) => account === 'owner');
  expect(ownerNetworks.map(({ network }) => network)).toStrictEqual([
    ...addresses.slice(-MAX_SIGN_IN_NETWORKS + 1),
    '203.0.113.100',
  ]);
  expect(readNetworks().filter(({ account }) => account !== 'owner')).toHaveLength(1);
});

it('deletes a network 90 days after its last sign-in', async () => {
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('ok');
  pda.clock.advance(SIGN_IN_NETWORK_MS);
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('ok');
  pda.clock.advance(SIGN_IN_NETWORK_MS + 1);
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME_ADDRESS)).toBe('rate_limited');
  pda.clock.advance(60_000);
  expect(await signIn(OWNER, '192.0.2.1')).toBe('ok');
  expect(readNetworks()).toStrictEqual([{ account: 'owner', network: '192.0.2.1' }]);
});

it('records neither networks of failed sign-ins nor loopback or unknown addresses', async () => {
  await signIn({ ...OWNER, password: 'wrong' }, HOME_ADDRESS);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '']) expect(await signIn(OWNER, address)).toBe('ok');
  expect(readNetworks()).toStrictEqual([]);
});

it('deletes the networks of a user together with the user', async () => {
  const { userId } = await addUser(pda, GRACE.name);
  await signIn(GRACE, HOME_ADDRESS);
  await signIn(OWNER, HOME_ADDRESS);
  expect(readNetworks()).toContainEqual({ account: `user:${userId}`, network: HOME_ADDRESS });
  expect((await pda.call('PUT', `/users/user/${userId}/delete`)).status).toBe(200);
  expect(readNetworks()).toStrictEqual([{ account: 'owner', network: HOME_ADDRESS }]);
});

it.skipIf(!IS_THOROUGH_RUN)('deletes all networks when everything is erased', async () => {
  const erasure = Promise.withResolvers<void>();
  await pda.close();
  pda = await startTestPda({ onEraseEverything: erasure.resolve });
  await signIn(OWNER, HOME_ADDRESS);
  const request = { kind: 'everything', target: '', typed: OWNER.name, password: OWNER.password };
  expect((await pda.call('POST', '/api/v2.6/owner/erasures', { json: request })).status).toBe(202);
  await erasure.promise;
  await pda.restart();
  expect(pda.pda.owner.isSetUp()).toBe(false);
  expect(readNetworks()).toStrictEqual([]);
});

it('allows the owner to change the password from a new network during an attack on the name', async () => {
  const { owner } = pda.pda;
  const origin = { address: HOME_ADDRESS, host: pda.host, local: false, userAgent: 'test' };
  await attackUntilLimited(OWNER.name);
  const change = { password: OWNER.password, newPassword: 'another horse, another battery' };
  await expect(owner.changePassword(change, origin, '')).resolves.toHaveProperty('accessToken');
});
