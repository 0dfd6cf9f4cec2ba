import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../../../tests/support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, trySignIn, USER_PASSWORD } from '../../../../tests/support/users.ts';
import { userListSchema, userSchema, type User } from '../../../wire/users.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const add = (user: unknown): Promise<Reply> => pda.call('POST', '/users/user', { json: user });
const put = (userId: string, verb: string, json?: unknown): Promise<Reply> =>
  pda.call('PUT', `/users/user/${userId}/${verb}`, json === undefined ? {} : { json });
const list = async (): Promise<User[]> => userListSchema.parse((await pda.call('GET', '/users/user')).json);
const find = async (userId: string): Promise<User | undefined> => (await list()).find((user) => user.userId === userId);
const newUser = (name: string) => ({ name, password: USER_PASSWORD });
const refusalOf = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];
const ownerId = (): string => pda.pda.owner.profile()?.id ?? '';

describe('a new user', () => {
  it('is returned as stored, and is in the list, which is sorted by name, at both paths', async () => {
    const reply = await add({ ...newUser('Zoë'), email: 'zoe@example.org' });
    expect(reply.status).toBe(201);
    const { userId } = userSchema.parse(reply.json);
    const zoe = {
      userId,
      name: 'Zoë',
      email: 'zoe@example.org',
      enabled: true,
      created: new Date(pda.clock.now()).toISOString(),
    };
    expect(reply.json).toStrictEqual(zoe);
    const alan = await addUser(pda, 'alan');
    expect(await list()).toStrictEqual([alan, zoe]);
    expect((await pda.call('GET', '/api/v2.6/users/user')).json).toStrictEqual([alan, zoe]);
  });

  it('exists after a restart and can sign in', async () => {
    const user = await addUser(pda, 'Stays');
    await pda.restart();
    expect(await find(user.userId)).toStrictEqual(user);
    expect((await trySignIn(pda, 'Stays')).status).toBe(200);
  });

  it('can have a chosen id, which is compared regardless of case', async () => {
    const userId = randomUUID();
    const reply = await add({ ...newUser('Chosen'), userId: userId.toUpperCase() });
    expect(userSchema.parse(reply.json).userId).toBe(userId);
    expect((await put(userId.toUpperCase(), 'disable')).json).toMatchObject({ userId, enabled: false });
    expect(refusalOf(await add({ ...newUser('Another'), userId }))).toStrictEqual([400, 'already_exists']);
    expect(refusalOf(await add({ ...newUser('Another'), userId: ownerId() }))).toStrictEqual([400, 'already_exists']);
  });

  it.each(['GRACE', 'grace', ' Grace ', 'Ｇｒａｃｅ', 'gRACE'])(
    'needs a unique name: %o equals Grace',
    async (name) => {
      if ((await list()).every((user) => user.name !== 'Grace')) await addUser(pda, 'Grace');
      const initialUsers = await list();
      expect(refusalOf(await add(newUser(name)))).toStrictEqual([400, 'already_exists']);
      expect(await list()).toStrictEqual(initialUsers);
    },
  );

  it.each([
    ['José', 'Jose\u0301'],
    ['Weiß', 'WEISS'],
    ['№ Five', 'no five'],
    ['Mary  Ann', 'mary ann'],
    // The second name contains invisible characters: a joiner and a variation selector.
    ['Unseen', 'Un\u034fseen\ufe0f'],
  ])('needs a unique name: %o equals %o', async (name, otherName) => {
    await addUser(pda, name);
    expect(refusalOf(await add(newUser(otherName)))).toStrictEqual([400, 'already_exists']);
  });

  it.each([OWNER.name, OWNER.name.toUpperCase(), `${OWNER.name} `])(
    "cannot have the owner's name: %o",
    async (name) => {
      expect(refusalOf(await add(newUser(name)))).toStrictEqual([400, 'already_exists']);
    },
  );

  it.each(['', '   ', 'a\u0000b', 'a\nb', 'a\u200bb', '\u202egrace', 'x'.repeat(101), '\ud800', '\u3164', '\u2800'])(
    'is refused if the name is empty, too long or not readable: %j',
    async (name) => {
      expect(refusalOf(await add(newUser(name)))[0]).toBe(400);
    },
  );

  it.each([
    ['a password that is easy to guess', { name: 'Weak', password: 'password1' }],
    ['their own name as the password', { name: 'Bartholomew', password: 'bartholomew' }],
    ['no password', { name: 'Weak' }],
    ['an invalid e-mail address', { ...newUser('Weak'), email: 'invalid' }],
    ['an invalid id', { ...newUser('Weak'), userId: 'me' }],
    ['an unknown property', { ...newUser('Weak'), role: 'owner' }],
  ])('is refused with %s, and nothing is stored', async (_, user) => {
    const initialUsers = await list();
    const reply = await add(user);
    expect(refusalOf(reply)).toStrictEqual([400, 'invalid_input']);
    expect(reply.text).not.toContain('password1');
    expect(await list()).toStrictEqual(initialUsers);
  });

  it('is created only once by two concurrent requests with the same name', async () => {
    const replies = await Promise.all([add(newUser('Twin')), add(newUser('twin'))]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toStrictEqual([201, 400]);
  });
});

describe('a change', () => {
  it('affects only the given properties', async () => {
    const { userId, ...user } = await addUser(pda, 'Ida');
    expect((await put(userId, 'update', { email: 'ida@example.org' })).json).toStrictEqual({
      userId,
      ...user,
      email: 'ida@example.org',
    });
    expect((await put(userId, 'update', { name: 'IDA' })).json).toMatchObject({
      name: 'IDA',
      email: 'ida@example.org',
    });
    const withoutEmail = await put(userId, 'update', { email: null });
    expect(withoutEmail.json).toStrictEqual({ userId, ...user, name: 'IDA' });
    expect((await put(userId, 'update', {})).json).toStrictEqual(withoutEmail.json);
    expect(await find(userId)).toStrictEqual(withoutEmail.json);
  });

  it('is refused if the new name is in use', async () => {
    const { userId } = await addUser(pda, 'Renamed');
    await addUser(pda, 'Taken');
    for (const name of ['TAKEN', OWNER.name])
      expect(refusalOf(await put(userId, 'update', { name }))).toStrictEqual([400, 'already_exists']);
    expect(await find(userId)).toMatchObject({ name: 'Renamed' });
  });

  it('to the password requires a strong one, and invalidates the old one', async () => {
    const { userId } = await addUser(pda, 'Lock');
    expect(refusalOf(await put(userId, 'update', { password: 'password1' }))).toStrictEqual([400, 'invalid_input']);
    expect((await trySignIn(pda, 'Lock')).status).toBe(200);
    expect((await put(userId, 'update', { password: 'a new and quite long one' })).status).toBe(200);
    expect((await trySignIn(pda, 'Lock')).status).toBe(401);
    expect((await trySignIn(pda, 'Lock', 'a new and quite long one')).status).toBe(200);
  });

  it('is idempotent when it disables or enables the user, and returns the new state', async () => {
    const { userId } = await addUser(pda, 'Switch');
    for (const [verb, enabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
      ['enable', true],
    ] as const) {
      const reply = await put(userId, verb);
      expect([reply.status, userSchema.parse(reply.json).enabled]).toStrictEqual([200, enabled]);
      expect(await find(userId)).toStrictEqual(reply.json);
    }
  });

  it.each(['update', 'enable', 'disable', 'delete'])(
    'through `%s` is refused with 404 for an unknown user, 403 for the owner, and 400 for an invalid id',
    async (verb) => {
      const json = verb === 'update' ? { name: 'Another' } : undefined;
      expect(refusalOf(await put(randomUUID(), verb, json))).toStrictEqual([404, 'not_found']);
      expect(refusalOf(await put(ownerId(), verb, json))).toStrictEqual([403, 'forbidden']);
      expect(refusalOf(await put('me', verb, json))).toStrictEqual([400, 'invalid_input']);
      expect(pda.pda.owner.profile()).toMatchObject({ name: OWNER.name });
    },
  );
});

describe('a deleted user', () => {
  it('is returned once and no longer exists, and name and id can be used again', async () => {
    const user = await addUser(pda, 'Gone');
    expect((await put(user.userId, 'delete')).json).toStrictEqual({ ...user, enabled: false });
    expect(await find(user.userId)).toBeUndefined();
    expect(refusalOf(await put(user.userId, 'delete'))).toStrictEqual([404, 'not_found']);
    expect((await trySignIn(pda, 'Gone')).status).toBe(401);
    expect((await add({ ...newUser('gone'), userId: user.userId })).status).toBe(201);
  });
});

describe('the time at which a user was last seen', () => {
  it('is set at sign-in and updated by later requests', async () => {
    const { userId } = await addUser(pda, 'Guest');
    expect((await find(userId))?.lastSeen).toBeUndefined();
    pda.clock.advance(60_000);
    const token = String((await trySignIn(pda, 'Guest')).headers['x-auth-token']);
    const signInTime = pda.clock.now();
    expect((await find(userId))?.lastSeen).toBe(new Date(signInTime).toISOString());
    pda.clock.advance(3_600_000);
    await pda.call('GET', '/users/access_token/validate', { token });
    await expect.poll(async () => (await find(userId))?.lastSeen).toBe(new Date(pda.clock.now()).toISOString());
  });
});

describe('passwords and their hashes', () => {
  it('are in no response', async () => {
    const password = 'secret canary of the north';
    const { userId } = userSchema.parse((await add({ name: 'Canary', password })).json);
    const replies = [
      await pda.call('GET', '/users/user'),
      await put(userId, 'update', { password: `${password} again` }),
      await put(userId, 'update', { password: 'canary', name: 'canary' }),
      await put(userId, 'disable'),
      await put(userId, 'enable'),
      await pda.call('GET', '/api/v2.6/owner/sessions'),
      await pda.call('GET', '/api/v2.6/owner/ledger'),
      await put(userId, 'delete'),
    ];
    for (const { text } of replies) {
      expect(text).not.toContain('argon2');
      expect(text).not.toContain('secret canary');
      expect(text).not.toMatch(/"pass/u);
    }
  });

  it('are in no log line at any level, and neither are names, e-mail addresses or tokens', async () => {
    const lines: string[] = [];
    const { pino } = await import('pino');
    const pdaWithLog = await startTestPda({
      log: pino({ level: 'trace' }, { write: (text) => void lines.push(text) }),
    });
    const password = 'secret canary of the north';
    const json = { name: 'Canary', password, email: 'canary@example.org' };
    const { userId } = userSchema.parse((await pdaWithLog.call('POST', '/users/user', { json })).json);
    const token = String((await trySignIn(pdaWithLog, 'Canary', password)).headers['x-auth-token']);
    await trySignIn(pdaWithLog, 'Canary', `${password} wrong`);
    await pdaWithLog.call('GET', '/users/user', { token });
    const change = { json: { password: `${password} again` } };
    await pdaWithLog.call('PUT', `/users/user/${userId}/update`, change);
    await pdaWithLog.call('PUT', `/users/user/${userId}/delete`);
    await pdaWithLog.close();
    expect(lines.length).toBeGreaterThan(5);
    for (const secret of ['canary', 'argon2', token, token.split('.')[2] ?? ''])
      expect(lines.join('').toLowerCase()).not.toContain(secret.toLowerCase());
  });
});
