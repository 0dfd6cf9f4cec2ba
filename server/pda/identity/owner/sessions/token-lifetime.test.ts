import { decodeJwt, importSPKI, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { tokenResponseSchema } from '../../../../wire/owner.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const VALIDATE_PATH = '/users/access_token/validate';

let pda: TestPda;
const startNewPda = async (): Promise<void> => {
  await pda.close();
  pda = await startTestPda();
};
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

// Each test has its own session.
beforeEach(async () => {
  pda.clock.advance(MINUTE_MS);
  pda.token = await pda.signIn();
  await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current');
});

const renew = async (token: string): Promise<string> => {
  const reply = await pda.call('GET', VALIDATE_PATH, { token });
  expect(reply.status).toBe(200);
  const renewedToken = reply.headers['x-auth-token'];
  return typeof renewedToken === 'string' ? renewedToken : expect.fail('a renewed token was expected');
};
const requestStatus = async (token: string): Promise<number> =>
  (await pda.call('GET', VALIDATE_PATH, { token })).status;
const toSeconds = (ms: number): number => Math.floor(ms / 1000);

describe('a token', () => {
  it('has the documented claims, and can be verified with /publickey alone', async () => {
    const key = await importSPKI((await pda.call('GET', '/publickey', { token: null })).text, 'RS256');
    const { payload, protectedHeader } = await jwtVerify(pda.token, key, { currentDate: new Date(pda.clock.now()) });
    expect(protectedHeader).toMatchObject({ typ: 'JWT', alg: 'RS256' });
    const now = toSeconds(pda.clock.now());
    expect(payload).toMatchObject({ iss: pda.host, accessScope: 'owner', resource: pda.host });
    expect(payload).toMatchObject({ iat: now, exp: now + toSeconds(72 * HOUR_MS), auth_time: now });
    expect(payload['application']).toBeUndefined();
  });

  it('expires after 72 hours', async () => {
    pda.clock.advance(72 * HOUR_MS - 1000);
    expect(await requestStatus(pda.token)).toBe(200);
    pda.clock.advance(1000);
    const reply = await pda.call('GET', VALIDATE_PATH);
    expect(reply.status).toBe(401);
    expect(reply.headers['x-auth-token']).toBeUndefined();
  });

  it('is refused after 72 hours even if its verification was cached', async () => {
    for (let hour = 0; hour < 72; hour += 24) {
      expect(await requestStatus(pda.token)).toBe(200);
      pda.clock.advance(24 * HOUR_MS);
    }
    expect(await requestStatus(pda.token)).toBe(401);
  });
});

describe('a renewed token', () => {
  it('keeps jti, iss and auth_time, and updates iat and exp', async () => {
    const firstClaims = decodeJwt(pda.token);
    pda.clock.advance(10 * HOUR_MS);
    const renewedClaims = decodeJwt(await renew(pda.token));
    const now = toSeconds(pda.clock.now());
    expect(renewedClaims).toStrictEqual({ ...firstClaims, iat: now, exp: now + toSeconds(72 * HOUR_MS) });
    expect(renewedClaims['auth_time']).toBe(firstClaims.iat);
  });

  it('keeps the issuer of the sign-in', async () => {
    const origin = { address: '127.0.0.1', host: `localhost:${pda.port}`, local: true, userAgent: 'test' };
    const { accessToken } = await pda.pda.owner.signIn(OWNER.name, OWNER.password, origin);
    expect(decodeJwt(await renew(accessToken)).iss).toBe(`localhost:${pda.port}`);
  });

  it('is constant for a minute and then replaced', async () => {
    const firstToken = await renew(pda.token);
    pda.clock.advance(MINUTE_MS - 1);
    expect(await renew(pda.token)).toBe(firstToken);
    expect(await renew(firstToken)).toBe(firstToken);
    pda.clock.advance(1);
    const secondToken = await renew(pda.token);
    expect(secondToken).not.toBe(firstToken);
    expect(decodeJwt(secondToken).iat).toBe(toSeconds(pda.clock.now()));
  });

  it('extends a session day by day, while the first token expires at its own time', async () => {
    let token = pda.token;
    for (let day = 1; day <= 4; day += 1) {
      pda.clock.advance(DAY_MS);
      token = await renew(token);
    }
    expect(await requestStatus(token)).toBe(200);
    expect(await requestStatus(pda.token)).toBe(401);
  });

  it('expires on day 30 even if it is renewed regularly', async () => {
    const start = pda.clock.now();
    let token = pda.token;
    while (pda.clock.now() + 2 * DAY_MS < start + 30 * DAY_MS) {
      pda.clock.advance(2 * DAY_MS);
      token = await renew(token);
      expect(decodeJwt(token).exp).toBeLessThanOrEqual(toSeconds(start + 30 * DAY_MS));
    }
    pda.clock.set(start + 30 * DAY_MS - 1000);
    token = await renew(token);
    expect(decodeJwt(token).exp).toBe(toSeconds(start + 30 * DAY_MS));
    pda.clock.set(start + 30 * DAY_MS);
    expect(await requestStatus(token)).toBe(401);
  });

  it('is sent with the statuses 200, 400 and 404, but not with 403', async () => {
    const paths: [string, string, number][] = [
      ['GET', '/api/v2.6/data/a/b', 200],
      ['GET', '/api/v2.6/data/a/b?skip=-1', 400],
      ['GET', '/api/v2.6/data-bundle/unknown', 404],
    ];
    for (const [method, path, status] of paths) {
      const reply = await pda.call(method, path);
      expect([reply.status, typeof reply.headers['x-auth-token']]).toStrictEqual([status, 'string']);
    }
    const wrongPassword = { password: 'not the password', newPassword: 'a new one that is long enough' };
    const forbiddenReply = await pda.call('POST', '/api/v2.6/owner/password', { json: wrongPassword });
    expect([forbiddenReply.status, forbiddenReply.headers['x-auth-token']]).toStrictEqual([403, undefined]);
  });

  it('is sent in the headers of a streamed response', async () => {
    const records = Array.from({ length: 3000 }, (_, index) => ({ index }));
    await pda.call('POST', '/api/v2.6/data/many/items', { json: records });
    const reply = await pda.call('GET', '/api/v2.6/data/many/items?take=3000');
    expect(reply.headers['x-auth-token']).toBeTypeOf('string');
  });

  it('can be read by a page of another origin', async () => {
    const exposedHeaders = (await pda.call('GET', VALIDATE_PATH)).headers['access-control-expose-headers'];
    expect(String(exposedHeaders).split(/, */u)).toContain('x-auth-token');
  });

  it('is not sent in the response to a sign-in, whose header contains the token of the new session', async () => {
    const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
    const reply = await pda.call('GET', '/users/access_token', { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-auth-token']).toBe(tokenResponseSchema.parse(reply.json).accessToken);
  });
});

describe('a token for another service', () => {
  const getServiceToken = async (): Promise<string> => {
    const reply = await pda.call('GET', '/users/application_token?name=notes&resource=service.example');
    return tokenResponseSchema.parse(reply.json).accessToken;
  };

  it('names the service, has the scope `validate` only, and is valid for 15 minutes', async () => {
    const claims = decodeJwt(await getServiceToken());
    expect(claims).toMatchObject({ resource: 'service.example', accessScope: 'validate', iss: pda.host });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(15 * 60);
  });

  it('grants no access to the PDA that signed it', async () => {
    expect(await requestStatus(await getServiceToken())).toBe(401);
  });

  it('grants no access even if its resource is the PDA', async () => {
    const reply = await pda.call('GET', `/users/application_token?name=notes&resource=${pda.host}`);
    expect(await requestStatus(tokenResponseSchema.parse(reply.json).accessToken)).toBe(401);
  });

  it('is listed as a session only while it is valid', async () => {
    await getServiceToken();
    const kinds = (): string[] => pda.pda.owner.sessions('').map((session) => session.kind);
    expect(kinds()).toContain('service');
    pda.clock.advance(15 * MINUTE_MS);
    expect(kinds()).not.toContain('service');
  });
});

describe('after a rotation of the signing key', () => {
  afterEach(startNewPda);

  it('older tokens stay valid, new tokens are signed with the new key, and both keys are published', async () => {
    const previousKey = (await pda.call('GET', '/publickey')).text;
    await pda.pda.owner.rotateKey();
    expect(await requestStatus(pda.token)).toBe(200);
    const newKey = (await pda.call('GET', '/publickey')).text;
    expect(newKey).not.toBe(previousKey);
    const token = await pda.signIn();
    await expect(jwtVerify(token, await importSPKI(previousKey, 'RS256'))).rejects.toThrow('signature');
    expect(await requestStatus(token)).toBe(200);
    expect((await pda.call('GET', '/.well-known/jwks.json')).json).toMatchObject({
      keys: [{ alg: 'RS256' }, { alg: 'RS256' }],
    });
  });

  it('only the public parts of the keys are published', async () => {
    await pda.pda.owner.rotateKey();
    const { text } = await pda.call('GET', '/.well-known/jwks.json', { token: null });
    expect(text).not.toMatch(/"(?:d|p|q|dp|dq|qi|k)":/u);
  });

  it('the old key survives a restart and is deleted by a rotation after its last token has expired', async () => {
    await pda.pda.owner.rotateKey();
    await pda.restart();
    expect(await requestStatus(pda.token)).toBe(200);
    pda.clock.advance(31 * DAY_MS);
    await pda.pda.owner.rotateKey();
    expect(pda.pda.owner.keys()).toHaveLength(2);
  });
});

describe('sessions', () => {
  it('end immediately on sign-out, without a renewed token in the response', async () => {
    const reply = await pda.call('POST', '/api/v2.6/owner/sign-out');
    expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
    expect(await requestStatus(pda.token)).toBe(401);
  });

  it('end immediately for every token that was renewed from the same sign-in', async () => {
    const renewedToken = await renew(pda.token);
    await pda.call('POST', '/api/v2.6/owner/sign-out', { token: renewedToken });
    expect(await requestStatus(pda.token)).toBe(401);
    expect(await requestStatus(renewedToken)).toBe(401);
  });

  it('can be ended individually, without affecting the others', async () => {
    const otherToken = await pda.signIn();
    const path = `/api/v2.6/owner/sessions/${decodeJwt(otherToken).jti ?? ''}`;
    expect((await pda.call('DELETE', path)).json).toStrictEqual({ ended: 1 });
    expect(await requestStatus(otherToken)).toBe(401);
    expect(await requestStatus(pda.token)).toBe(200);
    const repeatedReply = await pda.call('DELETE', path);
    expect([repeatedReply.status, errorOf(repeatedReply).error]).toStrictEqual([404, 'not_found']);
  });

  it('can be ended together, with or without the current session', async () => {
    const otherSessions = [await pda.signIn(), await pda.signIn()];
    expect((await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current')).json).toStrictEqual({ ended: 2 });
    for (const token of otherSessions) expect(await requestStatus(token)).toBe(401);
    expect(await requestStatus(pda.token)).toBe(200);
    const reply = await pda.call('DELETE', '/api/v2.6/owner/sessions');
    expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
    expect(await requestStatus(pda.token)).toBe(401);
  });

  it('are not counted as ended if they have already expired', async () => {
    await pda.signIn();
    pda.clock.advance(74 * HOUR_MS);
    pda.token = await pda.signIn();
    await pda.signIn();
    expect((await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current')).json).toStrictEqual({ ended: 1 });
  });

  it('end immediately when the password is changed; the response contains a token of a new session', async () => {
    onTestFinished(startNewPda);
    const otherToken = await pda.signIn();
    const newPassword = 'another horse, another battery';
    const reply = await pda.call('POST', '/api/v2.6/owner/password', {
      json: { password: OWNER.password, newPassword },
    });
    expect(reply.status).toBe(200);
    const { accessToken } = tokenResponseSchema.parse(reply.json);
    expect(reply.headers['x-auth-token']).toBe(accessToken);
    for (const token of [otherToken, pda.token]) expect(await requestStatus(token)).toBe(401);
    expect(await requestStatus(accessToken)).toBe(200);
    await expect(pda.signIn()).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('stay ended after a restart, while other sessions stay valid', async () => {
    const endedToken = await pda.signIn();
    await pda.call('POST', '/api/v2.6/owner/sign-out', { token: endedToken });
    await pda.restart();
    expect(await requestStatus(endedToken)).toBe(401);
    expect(await requestStatus(pda.token)).toBe(200);
  });

  it('are listed only while they are usable, and the current session is marked', async () => {
    const otherToken = await pda.signIn();
    const listSessions = async (token: string): Promise<unknown> =>
      (await pda.call('GET', '/api/v2.6/owner/sessions', { token })).json;
    expect(await listSessions(pda.token)).toMatchObject([
      { current: expect.any(Boolean) },
      { current: expect.any(Boolean) },
    ]);
    pda.clock.advance(50 * HOUR_MS);
    const token = await renew(pda.token);
    pda.clock.advance(50 * HOUR_MS);
    // The renewal is stored after its response.
    await expect.poll(() => listSessions(token)).toMatchObject([{ id: decodeJwt(pda.token).jti, current: true }]);
    expect(await requestStatus(otherToken)).toBe(401);
  });
});
