import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';

let pda: TestPda;
let claims: JWTPayload;
let kid: string;
let ownKey: KeyObject;

beforeAll(async () => {
  pda = await startTestPda();
  claims = decodeJwt(pda.token);
  kid = decodeProtectedHeader(pda.token).kid ?? '';
  ownKey = pda.pda.owner.keys()[0]?.privateKey ?? expect.fail('the PDA has no key');
});
afterAll(() => pda.close());

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const sign = (
  payload: Record<string, unknown>,
  key: KeyObject = ownKey,
  header: Record<string, unknown> = {},
): Promise<string> => new SignJWT(payload).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid, ...header }).sign(key);

const signWithHmac = (header: unknown, payload: unknown, secret: string): string => {
  const content = `${encodeJson(header)}.${encodeJson(payload)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};

const expectRefused = async (token: string): Promise<void> => {
  const reply = await pda.call('GET', '/users/access_token/validate', { token });
  expect(reply.status).toBe(401);
  expect(errorOf(reply).error).toBe('not_authenticated');
  expect(reply.headers['x-auth-token']).toBeUndefined();
};

describe('the verification of a token header and signature', () => {
  it('accepts a token that is signed with the key of this PDA', async () => {
    const token = await sign(claims);
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
  });

  it.each(['none', 'None', 'NONE', ''])('refuses alg %o with and without a signature', async (alg) => {
    const content = `${encodeJson({ typ: 'JWT', alg, kid })}.${encodeJson(claims)}`;
    await expectRefused(`${content}.`);
    await expectRefused(content);
    await expectRefused(`${content}.${pda.token.split('.')[2] ?? ''}`);
  });

  it('refuses HS256 with the public key, in several encodings, or the kid as the secret', async () => {
    const pem = (await pda.call('GET', '/publickey')).text;
    const header = { typ: 'JWT', alg: 'HS256', kid };
    for (const secret of [pem, pem.trim(), pem.replaceAll('\n', ''), kid])
      await expectRefused(signWithHmac(header, claims, secret));
  });

  it.each(['HS256', 'HS512', 'RS384', 'RS512', 'PS256', 'ES256'])(
    'refuses a header with alg %s and an RS256 signature',
    async (alg) => {
      const [, payload, signature] = pda.token.split('.');
      await expectRefused(`${encodeJson({ typ: 'JWT', alg, kid })}.${payload ?? ''}.${signature ?? ''}`);
    },
  );

  it('refuses RS512 with the right key', async () => {
    await expectRefused(await sign(claims, ownKey, { alg: 'RS512' }));
  });

  it('refuses a different key with the kid of this PDA, with a different kid, and without a kid', async () => {
    await expectRefused(await sign(claims, otherKey));
    await expectRefused(await sign(claims, otherKey, { kid: 'another' }));
    await expectRefused(await sign(claims, otherKey, { kid: undefined }));
  });

  it('refuses a key that the token embeds or refers to', async () => {
    const jwk = otherKey.export({ format: 'jwk' });
    await expectRefused(await sign(claims, otherKey, { jwk, kid: undefined }));
    await expectRefused(await sign(claims, otherKey, { jku: 'http://127.0.0.1/keys', kid }));
  });

  it('refuses a kid that is a path, a number, or missing, even with the right key', async () => {
    for (const invalidKid of ['../../etc/passwd', '', 7, null, undefined])
      await expectRefused(await sign(claims, ownKey, { kid: invalidKid }));
  });

  it('refuses an unknown critical header', async () => {
    const header = encodeJson({ typ: 'JWT', alg: 'RS256', kid, crit: ['exp'], exp: 1 });
    const [, payload, signature] = pda.token.split('.');
    await expectRefused(`${header}.${payload ?? ''}.${signature ?? ''}`);
  });

  it('refuses a different or missing token type, even with the right key', async () => {
    await expectRefused(await sign(claims, ownKey, { typ: 'at+jwt' }));
    await expectRefused(await sign(claims, ownKey, { typ: undefined }));
  });

  it('refuses a payload that was changed after signing', async () => {
    const [header, , signature] = pda.token.split('.');
    await expectRefused(`${header ?? ''}.${encodeJson({ ...claims, exp: Number(claims.exp) + 1 })}.${signature ?? ''}`);
  });

  it('refuses a changed or truncated signature', async () => {
    await expectRefused(pda.token.slice(0, -4));
    const [header, payload, signature = ''] = pda.token.split('.');
    const changedSignature = Buffer.from(signature, 'base64url');
    changedSignature[0] = (changedSignature[0] ?? 0) ^ 1;
    await expectRefused(`${header ?? ''}.${payload ?? ''}.${changedSignature.toString('base64url')}`);
  });

  it.each(['x', '..', 'a.b.c', '....', 'null', '{}', 'Bearer x', `${'A'.repeat(8000)}.${'B'.repeat(2000)}.C`])(
    'refuses an invalid token: $0',
    async (token) => {
      await expectRefused(token);
    },
  );

  it('refuses two tokens in one request', async () => {
    const reply = await pda.call('GET', '/users/access_token/validate', {
      token: null,
      headers: { 'x-auth-token': [pda.token, pda.token] },
    });
    expect(reply.status).toBe(401);
  });
});

describe('the verification of claims that this PDA signed', () => {
  it('refuses a different issuer', async () => {
    for (const iss of ['evil.example', `${pda.host}.evil.example`, `http://${pda.host}`, '127.0.0.1', '', undefined]) {
      await expectRefused(await sign({ ...claims, iss }));
    }
  });

  it('accepts each address of this PDA as issuer', async () => {
    for (const iss of [`localhost:${pda.port}`, `127.0.0.1:${pda.port}`, `[::1]:${pda.port}`]) {
      const token = await sign({ ...claims, iss });
      expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
    }
  });

  it('refuses a different subject, scope or resource, and an application with the owner’s scope', async () => {
    await expectRefused(await sign({ ...claims, sub: '00000000-0000-4000-8000-000000000000' }));
    for (const accessScope of ['validate', 'Owner', '', undefined])
      await expectRefused(await sign({ ...claims, accessScope }));
    await expectRefused(await sign({ ...claims, resource: 'service.example' }));
    await expectRefused(await sign({ ...claims, application: 'notes' }));
  });

  it('refuses an unknown session', async () => {
    await expectRefused(await sign({ ...claims, jti: '00000000-0000-4000-8000-000000000000' }));
  });

  it.each(['iss', 'sub', 'jti', 'iat', 'exp', 'auth_time'])('refuses a token without %s', async (claim) => {
    await expectRefused(await sign({ ...claims, [claim]: undefined }));
  });

  it('refuses claims of the wrong type', async () => {
    await expectRefused(await sign({ ...claims, auth_time: 'long ago' }));
    await expectRefused(await sign({ ...claims, jti: 7 }));
  });

  it('refuses a token after 30 days, even if its `exp` is later', async () => {
    const start = pda.clock.now();
    const token = await sign({ ...claims, exp: Number(claims.exp) + 60 * 86_400 });
    pda.clock.advance(30 * 86_400_000 - 1000);
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
    pda.clock.advance(1000);
    await expectRefused(token);
    pda.clock.set(start);
  });

  it('refuses a token that is not valid yet', async () => {
    await expectRefused(await sign({ ...claims, nbf: Number(claims.iat) + 3600 }));
  });

  it('ignores tokens in the query, in cookies and in Authorization', async () => {
    const path = `/users/access_token/validate?token=${pda.token}&x-auth-token=${pda.token}&accessToken=${pda.token}`;
    const headers = { cookie: `x-auth-token=${pda.token}; token=${pda.token}`, authorization: `Bearer ${pda.token}` };
    expect((await pda.call('GET', path, { token: null, headers })).status).toBe(401);
  });
});
