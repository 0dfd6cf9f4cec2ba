import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OWNER, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { addUser, USER_PASSWORD } from '../../../../../tests/support/users.ts';
import { MAX_SIGN_IN_NETWORKS, SIGN_IN_BURST, SIGN_IN_NETWORK_MS } from '../../../../wire/limits.ts';

const HOME = '203.0.113.7';
const GRACE = { name: 'grace', password: USER_PASSWORD };

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda({ quickSignIn: true });
});
afterEach(() => pda.close());

/** The outcome of a sign-in from elsewhere: `ok`, or the code of the refusal. */
const signIn = ({ name, password }: { name: string; password: string }, address: string): Promise<string> =>
  pda.pda.owner.signIn(name, password, { address, host: pda.host, local: false, userAgent: 'test' }).then(
    () => 'ok',
    (error: unknown) => String(Object(error).code),
  );
let networks = 0;
/** A wrong password, from another network each time. */
const attack = (name: string): Promise<string> =>
  signIn({ name, password: 'wrong' }, `198.51.${Math.floor((networks += 1) / 256)}.${networks % 256}`);
const attackUntilLimited = async (name: string): Promise<void> => {
  while ((await attack(name)) !== 'rate_limited');
};
const stored = (): { account: string; network: string }[] => {
  const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
  try {
    return db
      .prepare<[], { account: string; network: string }>('SELECT account, network FROM sign_in_networks ORDER BY id')
      .all();
  } finally {
    db.close();
  }
};

it.each([OWNER, GRACE])('ten sign-ins of $name get through while others try the name once a second', async (who) => {
  await addUser(pda, GRACE.name);
  expect(await signIn(who, HOME)).toBe('ok');
  await attackUntilLimited(who.name);
  for (let count = 0; count < SIGN_IN_BURST; count += 1) {
    pda.clock.advance(1000);
    await attack(who.name);
    expect([count, await signIn(who, '192.0.2.1')]).toStrictEqual([count, 'rate_limited']);
    expect([count, await signIn(who, HOME)]).toStrictEqual([count, 'ok']);
  }
  // Wrong passwords from there are limited like any others.
  while ((await signIn({ ...who, password: 'wrong' }, HOME)) !== 'rate_limited');
  expect(await signIn(who, HOME)).toBe('rate_limited');
});

it('a network is known to the account that signed in from it, and to no other', async () => {
  await addUser(pda, GRACE.name);
  expect(await signIn(GRACE, HOME)).toBe('ok');
  expect(await signIn({ ...OWNER, password: 'wrong' }, '192.0.2.1')).toBe('invalid_credentials');
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME)).toBe('rate_limited');
  expect(await signIn(OWNER, '192.0.2.1')).toBe('rate_limited');
});

it('an IPv6 network is known as a whole', async () => {
  expect(await signIn(OWNER, '2001:db8:1:2::7')).toBe('ok');
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, '2001:db8:1:2:ffff::1')).toBe('ok');
  expect(await signIn(OWNER, '2001:db8:1:3::7')).toBe('rate_limited');
});

it('networks are known after a restart', async () => {
  expect(await signIn(OWNER, HOME)).toBe('ok');
  await pda.restart();
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME)).toBe('ok');
});

it('the newest networks of an account are stored, and those of other accounts stay', async () => {
  await addUser(pda, GRACE.name);
  await signIn(GRACE, HOME);
  const used = Array.from({ length: MAX_SIGN_IN_NETWORKS + 5 }, (_, index) => `203.0.113.${index + 100}`);
  // The first one is used again and again. The clock is set back in between.
  for (const [index, network] of used.flatMap((each) => [each, used[0] ?? '']).entries()) {
    pda.clock.advance(index === 20 ? -86_400_000 : 4000);
    expect(await signIn(OWNER, network)).toBe('ok');
  }
  const own = stored().filter(({ account }) => account === 'owner');
  expect(own.map(({ network }) => network)).toStrictEqual([...used.slice(-MAX_SIGN_IN_NETWORKS + 1), '203.0.113.100']);
  expect(stored().filter(({ account }) => account !== 'owner')).toHaveLength(1);
});

it('a network is forgotten 90 days after its last sign-in', async () => {
  expect(await signIn(OWNER, HOME)).toBe('ok');
  pda.clock.advance(SIGN_IN_NETWORK_MS);
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME)).toBe('ok');
  pda.clock.advance(SIGN_IN_NETWORK_MS + 1);
  await attackUntilLimited(OWNER.name);
  expect(await signIn(OWNER, HOME)).toBe('rate_limited');
  pda.clock.advance(60_000);
  expect(await signIn(OWNER, '192.0.2.1')).toBe('ok');
  expect(stored()).toStrictEqual([{ account: 'owner', network: '192.0.2.1' }]);
});

it('neither a wrong password nor the address of a forwarder on this machine is stored', async () => {
  await signIn({ ...OWNER, password: 'wrong' }, HOME);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '']) expect(await signIn(OWNER, address)).toBe('ok');
  expect(stored()).toStrictEqual([]);
});

it('networks of a user are erased with the user', async () => {
  const { userId } = await addUser(pda, GRACE.name);
  await signIn(GRACE, HOME);
  await signIn(OWNER, HOME);
  expect(stored()).toContainEqual({ account: `user:${userId}`, network: HOME });
  expect((await pda.call('PUT', `/users/user/${userId}/delete`)).status).toBe(200);
  expect(stored()).toStrictEqual([{ account: 'owner', network: HOME }]);
});

it('networks are erased with everything', async () => {
  const erased = Promise.withResolvers<void>();
  await pda.close();
  pda = await startTestPda({ quickSignIn: true, onEraseEverything: erased.resolve });
  await signIn(OWNER, HOME);
  const request = { kind: 'everything', target: '', typed: OWNER.name, password: OWNER.password };
  expect((await pda.call('POST', '/api/v2.6/owner/erasures', { json: request })).status).toBe(202);
  await erased.promise;
  await pda.restart();
  expect(pda.pda.owner.isSetUp()).toBe(false);
  expect(stored()).toStrictEqual([]);
});

it('the owner changes the password from a new network while others try the name', async () => {
  const { owner } = pda.pda;
  const from = { address: HOME, host: pda.host, local: false, userAgent: 'test' };
  await attackUntilLimited(OWNER.name);
  const change = { password: OWNER.password, newPassword: 'another horse, another battery' };
  await expect(owner.changePassword(change, from, '')).resolves.toHaveProperty('accessToken');
});
