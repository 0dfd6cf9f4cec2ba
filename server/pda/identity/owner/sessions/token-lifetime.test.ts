import { decodeJwt, importSPKI, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { tokenResponseSchema } from '../../../../wire/owner.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const VALIDATE = '/users/access_token/validate';

let pda: TestPda;
const restartFresh = async (): Promise<void> => {
  await pda.close();
  pda = await startTestPda();
};
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

/** Each test uses a new session, the only one. */
beforeEach(async () => {
  pda.clock.advance(MINUTE);
  pda.token = await pda.signIn();
  await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current');
});

/** Returns the renewed token of a request; fails if there is none. */
const renewed = async (token: string): Promise<string> => {
  const reply = await pda.call('GET', VALIDATE, { token });
  expect(reply.status).toBe(200);
  const next = reply.headers['x-auth-token'];
  return typeof next === 'string' ? next : expect.fail('a renewed token was expected');
};
const statusWith = async (token: string): Promise<number> => (await pda.call('GET', VALIDATE, { token })).status;
const seconds = (ms: number): number => Math.floor(ms / 1000);

describe('a token lives 72 hours', () => {
  it('has the documented claims, and verifies with /publickey alone', async () => {
    const key = await importSPKI((await pda.call('GET', '/publickey', { token: null })).text, 'RS256');
    const { payload, protectedHeader } = await jwtVerify(pda.token, key, { currentDate: new Date(pda.clock.now()) });
    expect(protectedHeader).toMatchObject({ typ: 'JWT', alg: 'RS256' });
    const now = seconds(pda.clock.now());
    expect(payload).toMatchObject({ iss: pda.host, accessScope: 'owner', resource: pda.host });
    expect(payload).toMatchObject({ iat: now, exp: now + seconds(72 * HOUR), auth_time: now });
    expect(payload['application']).toBeUndefined();
  });

  it('is valid until one second before 72 hours', async () => {
    pda.clock.advance(72 * HOUR - 1000);
    expect(await statusWith(pda.token)).toBe(200);
    pda.clock.advance(1000);
    const reply = await pda.call('GET', VALIDATE);
    expect(reply.status).toBe(401);
    expect(reply.headers['x-auth-token']).toBeUndefined();
  });

  it('is refused after 72 hours even if its verification was cached', async () => {
    for (let hour = 0; hour < 72; hour += 24) {
      expect(await statusWith(pda.token)).toBe(200);
      pda.clock.advance(24 * HOUR);
    }
    expect(await statusWith(pda.token)).toBe(401);
  });
});

describe('a renewed token', () => {
  it('keeps jti, iss and auth_time, and updates iat and exp', async () => {
    const first = decodeJwt(pda.token);
    pda.clock.advance(10 * HOUR);
    const next = decodeJwt(await renewed(pda.token));
    const now = seconds(pda.clock.now());
    expect(next).toStrictEqual({ ...first, iat: now, exp: now + seconds(72 * HOUR) });
    expect(next['auth_time']).toBe(first.iat);
  });

  it('keeps the issuer of the sign-in', async () => {
    const from = { address: '127.0.0.1', host: `localhost:${pda.port}`, local: true, userAgent: 'test' };
    const { accessToken } = await pda.pda.owner.signIn(OWNER.name, OWNER.password, from);
    expect(decodeJwt(await renewed(accessToken)).iss).toBe(`localhost:${pda.port}`);
  });

  it('is the same within a minute and another one after it', async () => {
    const first = await renewed(pda.token);
    pda.clock.advance(MINUTE - 1);
    expect(await renewed(pda.token)).toBe(first);
    expect(await renewed(first)).toBe(first);
    pda.clock.advance(1);
    const second = await renewed(pda.token);
    expect(second).not.toBe(first);
    expect(decodeJwt(second).iat).toBe(seconds(pda.clock.now()));
  });

  it('extends a session day by day, while the first token expires at its own time', async () => {
    let token = pda.token;
    for (let day = 1; day <= 4; day += 1) {
      pda.clock.advance(DAY);
      token = await renewed(token);
    }
    expect(await statusWith(token)).toBe(200);
    expect(await statusWith(pda.token)).toBe(401);
  });

  it('expires on day 30 even if it is renewed regularly', async () => {
    const start = pda.clock.now();
    let token = pda.token;
    while (pda.clock.now() + 2 * DAY < start + 30 * DAY) {
      pda.clock.advance(2 * DAY);
      token = await renewed(token);
      expect(decodeJwt(token).exp).toBeLessThanOrEqual(seconds(start + 30 * DAY));
    }
    pda.clock.set(start + 30 * DAY - 1000);
    token = await renewed(token);
    expect(decodeJwt(token).exp).toBe(seconds(start + 30 * DAY));
    pda.clock.set(start + 30 * DAY);
    expect(await statusWith(token)).toBe(401);
  });

  it('is sent with the statuses 200, 400 and 404, not with 401 and 403', async () => {
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
    const forbidden = await pda.call('POST', '/api/v2.6/owner/password', { json: wrongPassword });
    expect([forbidden.status, forbidden.headers['x-auth-token']]).toStrictEqual([403, undefined]);
  });

  it('is sent in the headers of a streamed response', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ index }));
    await pda.call('POST', '/api/v2.6/data/many/items', { json: many });
    const reply = await pda.call('GET', '/api/v2.6/data/many/items?take=3000');
    expect(reply.headers['x-auth-token']).toBeTypeOf('string');
  });

  it('can be read by a page of another origin', async () => {
    const exposed = (await pda.call('GET', VALIDATE)).headers['access-control-expose-headers'];
    expect(String(exposed).split(/, */u)).toContain('x-auth-token');
  });

  it('is not sent with a sign-in, whose own token is in the header instead', async () => {
    const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
    const reply = await pda.call('GET', '/users/access_token', { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-auth-token']).toBe(tokenResponseSchema.parse(reply.json).accessToken);
  });
});

describe('a token for another service', () => {
  const serviceToken = async (): Promise<string> => {
    const reply = await pda.call('GET', '/users/application_token?name=notes&resource=service.example');
    return tokenResponseSchema.parse(reply.json).accessToken;
  };

  it('names the service, has the scope `validate` only, and is valid for 15 minutes', async () => {
    const claims = decodeJwt(await serviceToken());
    expect(claims).toMatchObject({ resource: 'service.example', accessScope: 'validate', iss: pda.host });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(15 * 60);
  });

  it('grants no access to the PDA that signed it', async () => {
    expect(await statusWith(await serviceToken())).toBe(401);
  });

  it('grants no access even if its resource is the PDA', async () => {
    const reply = await pda.call('GET', `/users/application_token?name=notes&resource=${pda.host}`);
    expect(await statusWith(tokenResponseSchema.parse(reply.json).accessToken)).toBe(401);
  });

  it('is listed as a session only while it is valid', async () => {
    await serviceToken();
    const kinds = (): string[] => pda.pda.owner.sessions('').map((session) => session.kind);
    expect(kinds()).toContain('service');
    pda.clock.advance(15 * MINUTE);
    expect(kinds()).not.toContain('service');
  });
});

describe('after a rotation of the signing key', () => {
  afterEach(restartFresh);

  it('older tokens stay valid, new ones are signed with the new key, and both keys are published', async () => {
    const before = (await pda.call('GET', '/publickey')).text;
    await pda.pda.owner.rotateKey();
    expect(await statusWith(pda.token)).toBe(200);
    const after = (await pda.call('GET', '/publickey')).text;
    expect(after).not.toBe(before);
    const token = await pda.signIn();
    await expect(jwtVerify(token, await importSPKI(before, 'RS256'))).rejects.toThrow('signature');
    expect(await statusWith(token)).toBe(200);
    expect((await pda.call('GET', '/.well-known/jwks.json')).json).toMatchObject({
      keys: [{ alg: 'RS256' }, { alg: 'RS256' }],
    });
  });

  it('only the public parts of the keys are published', async () => {
    await pda.pda.owner.rotateKey();
    const { text } = await pda.call('GET', '/.well-known/jwks.json', { token: null });
    expect(text).not.toMatch(/"(?:d|p|q|dp|dq|qi|k)":/u);
  });

  it('the old key stays valid after a restart and is deleted after its last token has expired', async () => {
    await pda.pda.owner.rotateKey();
    await pda.restart();
    expect(await statusWith(pda.token)).toBe(200);
    pda.clock.advance(31 * DAY);
    await pda.pda.owner.rotateKey();
    expect(pda.pda.owner.keys()).toHaveLength(2);
  });
});

describe('sessions', () => {
  it('end immediately on sign-out, without a renewed token in the response', async () => {
    const reply = await pda.call('POST', '/api/v2.6/owner/sign-out');
    expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
    expect(await statusWith(pda.token)).toBe(401);
  });

  it('end immediately for every token that was renewed from the same sign-in', async () => {
    const next = await renewed(pda.token);
    await pda.call('POST', '/api/v2.6/owner/sign-out', { token: next });
    expect(await statusWith(pda.token)).toBe(401);
    expect(await statusWith(next)).toBe(401);
  });

  it('can be ended individually, without affecting the others', async () => {
    const other = await pda.signIn();
    const path = `/api/v2.6/owner/sessions/${decodeJwt(other).jti ?? ''}`;
    expect((await pda.call('DELETE', path)).json).toStrictEqual({ ended: 1 });
    expect(await statusWith(other)).toBe(401);
    expect(await statusWith(pda.token)).toBe(200);
    const repeated = await pda.call('DELETE', path);
    expect([repeated.status, errorOf(repeated).error]).toStrictEqual([404, 'not_found']);
  });

  it('can be ended together, with or without the current one', async () => {
    const otherSessions = [await pda.signIn(), await pda.signIn()];
    expect((await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current')).json).toStrictEqual({ ended: 2 });
    for (const token of otherSessions) expect(await statusWith(token)).toBe(401);
    expect(await statusWith(pda.token)).toBe(200);
    const reply = await pda.call('DELETE', '/api/v2.6/owner/sessions');
    expect([reply.status, reply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
    expect(await statusWith(pda.token)).toBe(401);
  });

  it('end immediately when the password is changed, which responds with a token for a new session', async () => {
    onTestFinished(restartFresh);
    const other = await pda.signIn();
    const newPassword = 'another horse, another battery';
    const reply = await pda.call('POST', '/api/v2.6/owner/password', {
      json: { password: OWNER.password, newPassword },
    });
    expect(reply.status).toBe(200);
    const { accessToken } = tokenResponseSchema.parse(reply.json);
    expect(reply.headers['x-auth-token']).toBe(accessToken);
    for (const token of [other, pda.token]) expect(await statusWith(token)).toBe(401);
    expect(await statusWith(accessToken)).toBe(200);
    await expect(pda.signIn()).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('stay ended after a restart, while others stay valid', async () => {
    const ended = await pda.signIn();
    await pda.call('POST', '/api/v2.6/owner/sign-out', { token: ended });
    await pda.restart();
    expect(await statusWith(ended)).toBe(401);
    expect(await statusWith(pda.token)).toBe(200);
  });

  it('are listed only while they are usable, with the current one marked', async () => {
    const other = await pda.signIn();
    const ids = async (token: string): Promise<unknown> =>
      (await pda.call('GET', '/api/v2.6/owner/sessions', { token })).json;
    expect(await ids(pda.token)).toMatchObject([{ current: expect.any(Boolean) }, { current: expect.any(Boolean) }]);
    pda.clock.advance(50 * HOUR);
    const token = await renewed(pda.token);
    pda.clock.advance(50 * HOUR);
    expect(await ids(token)).toMatchObject([{ id: decodeJwt(pda.token).jti, current: true }]);
    expect(await statusWith(other)).toBe(401);
  });
});
