import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { recordPasswordChecks } from '../../../../tests/support/quick-hashes.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, signInAs, trySignIn, USER_PASSWORD } from '../../../../tests/support/users.ts';
import { sessionSchema, tokenResponseSchema, type Session } from '../../../wire/owner.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VALIDATE_PATH = '/users/access_token/validate';

let pda: TestPda;
let userId: string;
const startNewPda = async (): Promise<void> => {
  await pda.close();
  pda = await startTestPda();
};
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

// Each test has its own user and one session of the owner. Advancing the clock resets the login throttle.
beforeEach(async () => {
  pda.clock.advance(60_000);
  pda.token = await pda.signIn();
  await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current');
  for (const user of pda.pda.users.list()) await pda.call('PUT', `/users/user/${user.userId}/delete`);
  ({ userId } = await addUser(pda, 'Grace'));
});

const put = async (verb: string, json?: unknown): Promise<void> => {
  const call = json === undefined ? {} : { json };
  expect((await pda.call('PUT', `/users/user/${userId}/${verb}`, call)).status).toBe(200);
};
const requestStatus = async (token: string): Promise<number> =>
  (await pda.call('GET', VALIDATE_PATH, { token })).status;
const listSessions = async (): Promise<Session[]> =>
  sessionSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/sessions')).json);

describe('the sign-in of a user', () => {
  it('responds with a token of the user, which grants no rights', async () => {
    const reply = await trySignIn(pda, 'Grace');
    expect(reply.status).toBe(200);
    const response = tokenResponseSchema.parse(reply.json);
    expect(response.userId).toBe(userId);
    expect(reply.headers['x-auth-token']).toBe(response.accessToken);
    const now = Math.floor(pda.clock.now() / 1000);
    const claims = decodeJwt(response.accessToken);
    expect(claims).toStrictEqual({
      iss: pda.host,
      sub: userId,
      jti: claims.jti,
      accessScope: 'user',
      resource: pda.host,
      iat: now,
      exp: now + (72 * HOUR_MS) / 1000,
      auth_time: now,
    });
    expect(await requestStatus(response.accessToken)).toBe(200);
    expect((await pda.call('GET', '/api/v2.6/owner', { token: response.accessToken })).status).toBe(403);
    const { principal } = await pda.pda.owner.authenticate(response.accessToken);
    expect(principal).toStrictEqual({ kind: 'user', userId, sessionId: claims.jti, scopes: new Set() });
  });

  it.each(['grace', 'GRACE', ' Grace '])('accepts the name as %o', async (name) => {
    expect((await trySignIn(pda, name)).status).toBe(200);
  });

  it('responds in the same way to an unknown name, a wrong password and a disabled user', async () => {
    await addUser(pda, 'Closed');
    await pda.pda.users.disable(pda.pda.users.list().find(({ name }) => name === 'Closed')?.userId ?? '');
    const replies = [
      await trySignIn(pda, 'unknown'),
      await trySignIn(pda, 'Grace', 'wrong'),
      await trySignIn(pda, 'Grace', OWNER.password),
      await trySignIn(pda, OWNER.name),
      await trySignIn(pda, 'Closed'),
      await trySignIn(pda, 'Closed', 'wrong'),
      await trySignIn(pda, ''),
    ];
    for (const reply of replies) {
      expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([401, undefined]);
      expect({ ...errorOf(reply), requestId: '' }).toStrictEqual({
        error: 'invalid_credentials',
        message: 'Unauthorized',
        cause: 'Name or password is wrong.',
        requestId: '',
      });
    }
  });

  it('does the same work for an unknown name, a wrong password and a disabled user', async () => {
    await addUser(pda, 'Open');
    await put('disable');
    const checksOf = (name: string, password: string) =>
      recordPasswordChecks(async () => expect((await trySignIn(pda, name, password)).status).toBe(401));
    const ownerChecks = await checksOf(OWNER.name, 'wrong');
    expect(ownerChecks).toHaveLength(1);
    expect(await checksOf('unknown', 'wrong')).toStrictEqual(ownerChecks);
    expect(await checksOf('Open', 'wrong')).toStrictEqual(ownerChecks);
    // The password is correct, but Grace is disabled.
    expect(await checksOf('Grace', USER_PASSWORD)).toStrictEqual(ownerChecks);
  });

  it('counts attempts per normalised name, for known and unknown names', async () => {
    const guess = (name: string, address: string): Promise<unknown> =>
      pda.pda.owner
        .signIn(name, 'wrong', { address, host: pda.host, local: false, userAgent: 'test' })
        .catch((error: unknown) => error);
    for (const account of ['grace', 'unknown']) {
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const name = attempt % 2 === 0 ? account : account.toUpperCase();
        expect(await guess(name, `203.0.113.${attempt}`)).toMatchObject({ code: 'invalid_credentials' });
      }
      expect(await guess(` ${account}`, '203.0.113.99')).toMatchObject({ code: 'rate_limited' });
      pda.clock.advance(60_000);
    }
  });
});

describe('the session of a user', () => {
  it('is renewed by each request for 72 hours, up to 30 days in total', async () => {
    let token = await signInAs(pda, 'Grace');
    const start = pda.clock.now();
    expect(await requestStatus(token)).toBe(200);
    for (let day = 0; day < 30; day += 2) {
      const reply = await pda.call('GET', VALIDATE_PATH, { token });
      expect(reply.status).toBe(200);
      token = String(reply.headers['x-auth-token']);
      expect(decodeJwt(token)).toMatchObject({ accessScope: 'user', sub: userId });
      pda.clock.advance(2 * DAY_MS);
    }
    expect(pda.clock.now()).toBe(start + 30 * DAY_MS);
    expect(await requestStatus(token)).toBe(401);
    const idleToken = await signInAs(pda, 'Grace');
    pda.clock.advance(72 * HOUR_MS);
    expect(await requestStatus(idleToken)).toBe(401);
  });

  it('is listed for the owner with the current name of the user', async () => {
    await signInAs(pda, 'Grace');
    await put('update', { name: 'Grace Hopper' });
    const session = (await listSessions()).find(({ kind }) => kind === 'user');
    expect(session).toMatchObject({ user: { userId, name: 'Grace Hopper' }, application: null, current: false });
    expect((await listSessions()).find(({ current }) => current)).toMatchObject({ kind: 'owner', user: null });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => put('disable')],
    ['deleted', () => put('delete')],
    ['given a different password', () => put('update', { password: 'another meadow, further south' })],
  ])('ends immediately when the user is %s; other sessions continue', async (_, act) => {
    await addUser(pda, 'Other');
    const otherToken = await signInAs(pda, 'Other');
    const tokens = [await signInAs(pda, 'Grace'), await signInAs(pda, 'Grace')];
    await act();
    for (const token of tokens) expect(await requestStatus(token)).toBe(401);
    expect([await requestStatus(otherToken), await requestStatus(pda.token)]).toStrictEqual([200, 200]);
    await pda.restart();
    for (const token of tokens) expect(await requestStatus(token)).toBe(401);
    expect((await listSessions()).filter(({ kind }) => kind === 'user')).toMatchObject([{ user: { name: 'Other' } }]);
  });

  it('stays ended after the user is enabled again', async () => {
    const token = await signInAs(pda, 'Grace');
    await put('disable');
    await put('enable');
    expect(await requestStatus(token)).toBe(401);
    expect(await requestStatus(await signInAs(pda, 'Grace'))).toBe(200);
  });

  it('continues after a change of name or e-mail address', async () => {
    const token = await signInAs(pda, 'Grace');
    await put('update', { name: 'Hopper', email: 'hopper@example.org' });
    expect(await requestStatus(token)).toBe(200);
  });

  it('ends when the user signs out, without affecting other sessions', async () => {
    const [endedToken, otherToken] = [await signInAs(pda, 'Grace'), await signInAs(pda, 'Grace')];
    const reply = await pda.call('DELETE', '/users/access_token', { token: endedToken });
    expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
    expect([
      await requestStatus(endedToken),
      await requestStatus(otherToken),
      await requestStatus(pda.token),
    ]).toStrictEqual([401, 200, 200]);
  });

  it('ends when the owner ends this session, all other sessions, or all sessions', async () => {
    const firstToken = await signInAs(pda, 'Grace');
    const path = `/api/v2.6/owner/sessions/${decodeJwt(firstToken).jti ?? ''}`;
    expect((await pda.call('DELETE', path)).json).toStrictEqual({ ended: 1 });
    const secondToken = await signInAs(pda, 'Grace');
    expect((await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current')).json).toStrictEqual({ ended: 1 });
    const thirdToken = await signInAs(pda, 'Grace');
    expect((await pda.call('DELETE', '/api/v2.6/owner/sessions')).status).toBe(200);
    for (const token of [firstToken, secondToken, thirdToken, pda.token]) expect(await requestStatus(token)).toBe(401);
  });

  it("ends when the owner's password is changed", async () => {
    onTestFinished(startNewPda);
    const token = await signInAs(pda, 'Grace');
    const json = { password: OWNER.password, newPassword: 'another horse, another battery' };
    expect((await pda.call('POST', '/api/v2.6/owner/password', { json })).status).toBe(200);
    expect(await requestStatus(token)).toBe(401);
    expect(await requestStatus(await signInAs(pda, 'Grace'))).toBe(200);
  });

  it('is not counted as the previous sign-in of the owner', async () => {
    await startNewPda();
    await addUser(pda, 'Grace');
    await signInAs(pda, 'Grace');
    expect((await pda.call('GET', '/api/v2.6/system/status')).json).toContainEqual({
      title: 'Previous Login',
      kind: { kind: 'Text', metric: 'Never' },
    });
  });
});

describe('the owner', () => {
  it('signs out through the same route', async () => {
    expect((await pda.call('DELETE', '/users/access_token')).status).toBe(200);
    expect(await requestStatus(pda.token)).toBe(401);
  });
});
