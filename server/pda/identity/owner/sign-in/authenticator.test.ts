import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hashAtFullCost, recordPasswordChecks } from '../../../../../tests/support/quick-hashes.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import type { Reply } from '../../../../../tests/support/http.ts';
import { trySignIn } from '../../../../../tests/support/users.ts';
import { tokenResponseSchema } from '../../../../wire/owner.ts';
import type { RequestOrigin } from '../service.ts';

const SIGN_IN_PATH = '/users/access_token';

let pda: TestPda;
let password: string = OWNER.password;
const startNewPda = async (): Promise<void> => {
  await pda.close();
  pda = await startTestPda();
  password = OWNER.password;
};
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
// Resets the throttle.
beforeEach(() => pda.clock.advance(60_000));

const signIn = (username: string, attemptedPassword: string): Promise<Reply> =>
  trySignIn(pda, username, attemptedPassword);

const changePassword = async (newPassword: string): Promise<void> => {
  const reply = await pda.call('POST', '/api/v2.6/owner/password', { json: { password, newPassword } });
  expect(reply.status).toBe(200);
  pda.token = tokenResponseSchema.parse(reply.json).accessToken;
  password = newPassword;
};

describe('signing in', () => {
  it('responds with the token and the id of the owner', async () => {
    const reply = await signIn(OWNER.name, OWNER.password);
    expect(reply.status).toBe(200);
    const { accessToken, userId } = tokenResponseSchema.parse(reply.json);
    expect(userId).toBe(pda.pda.owner.profile()?.id);
    expect(reply.headers['x-auth-token']).toBe(accessToken);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it('responds in the same way to a wrong name and a wrong password', async () => {
    const refusals = [
      await signIn('unknown', OWNER.password),
      await signIn(OWNER.name, 'wrong'),
      await signIn('ADA', OWNER.password),
      await signIn(` ${OWNER.name}`, OWNER.password),
      await signIn('', ''),
    ];
    const bodies = refusals.map((reply) => ({ ...errorOf(reply), requestId: '' }));
    for (const body of bodies) expect(body).toStrictEqual({ ...bodies[0], error: 'invalid_credentials' });
    for (const reply of refusals) expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([401, undefined]);
  });

  it('does the same work for a wrong name and a wrong password, at full cost', async () => {
    await pda.close();
    pda = await startTestPda({ setUp: false });
    onTestFinished(startNewPda);
    const [checksOfKnownName, checksOfUnknownName] = await hashAtFullCost(async () => {
      await pda.pda.owner.init(OWNER.name, OWNER.password);
      return [
        await recordPasswordChecks(() => signIn(OWNER.name, 'wrong')),
        await recordPasswordChecks(() => signIn('unknown', 'wrong')),
      ];
    });
    expect(checksOfKnownName).toStrictEqual(['$argon2id$v=19$m=19456,t=2,p=1']);
    expect(checksOfUnknownName).toStrictEqual(checksOfKnownName);
  });

  it('responds in the same way to missing headers as to wrong credentials', async () => {
    for (const headers of [{}, { username: OWNER.name }, { password: 'x' }]) {
      const reply = await pda.call('GET', SIGN_IN_PATH, { token: null, headers });
      expect([reply.status, errorOf(reply).error]).toStrictEqual([401, 'invalid_credentials']);
    }
  });

  it('responds with 400 to an invalid percent escape, without repeating it', async () => {
    for (const invalidEncoding of ['100%', '%zz', '%c3%28secret', '%']) {
      const reply = await pda.call('GET', SIGN_IN_PATH, {
        token: null,
        headers: { username: OWNER.name, password: invalidEncoding },
      });
      expect([invalidEncoding, reply.status, errorOf(reply).error]).toStrictEqual([
        invalidEncoding,
        400,
        'invalid_input',
      ]);
      expect(reply.text).not.toContain('secret');
    }
  });

  it('ignores credentials in the query and in Authorization', async () => {
    const basicCredentials = Buffer.from(`${OWNER.name}:${OWNER.password}`).toString('base64');
    const path = `${SIGN_IN_PATH}?username=${OWNER.name}&password=${encodeURIComponent(OWNER.password)}`;
    const reply = await pda.call('GET', path, { token: null, headers: { authorization: `Basic ${basicCredentials}` } });
    expect(reply.status).toBe(401);
  });
});

describe('the login throttle', () => {
  const originOf = (address: string, local = false): RequestOrigin => ({
    address,
    host: pda.host,
    local,
    userAgent: 'test',
  });
  const guess = (name: string, origin: RequestOrigin): Promise<unknown> =>
    pda.pda.owner.signIn(name, 'wrong', origin).catch((error: unknown) => error);
  const wrongCredentials = { code: 'invalid_credentials' };
  const limitedFailure = { code: 'rate_limited' };

  it('allows a burst of ten attempts and then one every two seconds, with Retry-After', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await signIn(OWNER.name, 'wrong')).status).toBe(401);
    const reply = await signIn(OWNER.name, OWNER.password);
    expect([reply.status, errorOf(reply).error, reply.headers['retry-after']]).toStrictEqual([
      429,
      'rate_limited',
      '2',
    ]);
    expect(reply.headers['access-control-expose-headers']).toContain('retry-after');
    pda.clock.advance(1999);
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(429);
    pda.clock.advance(1);
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(200);
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(429);
  });

  it('counts attempts per address, whatever the names', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await guess(`name${attempt}`, originOf('203.0.113.5'))).toMatchObject(wrongCredentials);
    expect(await guess('name10', originOf('203.0.113.5'))).toMatchObject(limitedFailure);
    expect(await guess('name10', originOf('203.0.113.6'))).toMatchObject(wrongCredentials);
  });

  it('counts attempts per network, so all addresses of an IPv6 network share one limit', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await guess(`name${attempt}`, originOf(`2001:db8:1:2::${attempt}`))).toMatchObject(wrongCredentials);
    expect(await guess('name10', originOf('2001:db8:1:2:ffff::1'))).toMatchObject(limitedFailure);
    expect(await guess('name10', originOf('2001:db8:1:3::1'))).toMatchObject(wrongCredentials);
    // An IPv4-mapped address counts as the IPv4 address.
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await guess(`name${attempt}`, originOf('::ffff:203.0.113.5'))).toMatchObject(wrongCredentials);
    expect(await guess('name10', originOf('203.0.113.5'))).toMatchObject(limitedFailure);
    expect(await guess('name10', originOf('::ffff:203.0.113.6'))).toMatchObject(wrongCredentials);
  });

  it('counts attempts per account, for any number of addresses', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await guess(OWNER.name, originOf(`203.0.113.${attempt}`))).toMatchObject(wrongCredentials);
    expect(await guess(OWNER.name, originOf('203.0.113.99'))).toMatchObject(limitedFailure);
  });

  it('applies before the password is checked, so that a correct password is limited, too', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) await guess(OWNER.name, originOf('203.0.113.5'));
    await expect(pda.pda.owner.signIn(OWNER.name, OWNER.password, originOf('203.0.113.5'))).rejects.toMatchObject(
      limitedFailure,
    );
  });

  it('does not lock out the owner on the machine itself', async () => {
    for (let attempt = 0; attempt < 40; attempt += 1) await guess(OWNER.name, originOf(`203.0.113.${attempt % 20}`));
    expect(await guess(OWNER.name, originOf('203.0.113.99'))).toMatchObject(limitedFailure);
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(200);
    await expect(pda.pda.owner.signIn(OWNER.name, OWNER.password, originOf('127.0.0.1', true))).resolves.toBeTruthy();
  });

  it('applies to checks of the old password when the password is changed', async () => {
    const body = { password: 'wrong', newPassword: 'a new one that is long enough' };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await pda.call('POST', '/api/v2.6/owner/password', { json: body })).status).toBe(403);
    }
    const reply = await pda.call('POST', '/api/v2.6/owner/password', { json: body });
    expect([reply.status, reply.headers['retry-after']]).toStrictEqual([429, '2']);
  });
});

describe('a password in a header', () => {
  afterAll(startNewPda);

  it.each([
    'plus + sign and 100 % sure',
    'пароль, длинный и свой',
    'smile 😀 and 漢字, both',
    'quotes " and \\ and ; and : in it',
    ` space at the end and the start `,
    '漢'.repeat(1000),
  ])('can be percent-encoded: $0', async (newPassword) => {
    await changePassword(newPassword);
    expect((await signIn(OWNER.name, newPassword)).status).toBe(200);
    expect((await signIn(OWNER.name, newPassword.slice(1))).status).toBe(401);
  });

  it('can contain a plus sign, which is not decoded as a space', async () => {
    await changePassword('one+two+three+four');
    const headers = { username: OWNER.name, password: 'one+two+three+four' };
    expect((await pda.call('GET', SIGN_IN_PATH, { token: null, headers })).status).toBe(200);
    expect((await signIn(OWNER.name, 'one two three four')).status).toBe(401);
  });
});

describe('a password change', () => {
  it('requires the old password and a strong new password', async () => {
    const change = (oldPassword: string, newPassword: string) =>
      pda.call('POST', '/api/v2.6/owner/password', { json: { password: oldPassword, newPassword } });
    expect((await change('wrong', 'a new one that is long enough')).status).toBe(403);
    const weakReply = await change(OWNER.password, 'password1');
    expect([weakReply.status, errorOf(weakReply).error]).toStrictEqual([400, 'invalid_input']);
    expect(errorOf(weakReply).details).toMatchObject([{ path: 'body.newPassword' }]);
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(200);
  });

  it('succeeds for only one of two concurrent requests', async () => {
    const replies = await Promise.all(
      ['the first new password', 'the second new password'].map((newPassword) =>
        pda.call('POST', '/api/v2.6/owner/password', { json: { password: OWNER.password, newPassword } }),
      ),
    );
    await startNewPda();
    expect(new Set(replies.map((reply) => reply.status))).toStrictEqual(new Set([200, 403]));
  });

  it('remains in effect after a restart', async () => {
    await changePassword('another horse, another battery');
    await pda.restart();
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(401);
    expect((await signIn(OWNER.name, 'another horse, another battery')).status).toBe(200);
  });
});
