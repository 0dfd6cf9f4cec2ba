import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { issuerAndKeyIdOf, publicKeyOf, readPdaToken, signPdaToken, verifyPdaToken } from './pda-token.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const clock = { now: () => NOW };
const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits });
const key = rsa(2048);
const otherKey = rsa(2048);
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const tokenClaims = { iss: 'ada.example.org', resource: 'exchange.example.org', accessScope: 'proof', challenge: 'c' };
const check = { resource: 'exchange.example.org', accessScope: 'proof', clock };

describe('a token of a PDA', () => {
  it('is verified by its audience and carries its claims', async () => {
    const token = await signPdaToken({ ...key, kid: 'k1' }, tokenClaims, clock);
    const claims = await verifyPdaToken(token, pem, check);
    expect(claims).toMatchObject({ ...tokenClaims, iat: NOW / 1000, exp: NOW / 1000 + 300 });
    expect(await readPdaToken(token)).toStrictEqual(claims);
    expect(issuerAndKeyIdOf(token)).toStrictEqual({ iss: 'ada.example.org', kid: 'k1' });
    expect(
      await verifyPdaToken(token, key.publicKey, { ...check, resource: (host) => host.endsWith('.org') }),
    ).toBeDefined();
  });

  it('is rejected with a different key, audience or purpose', async () => {
    const token = await signPdaToken(key, tokenClaims, clock);
    expect(await verifyPdaToken(token, otherKey.publicKey, check)).toBeUndefined();
    expect(await verifyPdaToken(token, pem, { ...check, resource: 'elsewhere.example.org' })).toBeUndefined();
    expect(await verifyPdaToken(token, pem, { ...check, resource: () => false })).toBeUndefined();
    expect(await verifyPdaToken(token, pem, { ...check, accessScope: 'validate' })).toBeUndefined();
  });

  it('is valid for five minutes, even if the clock of the PDA is slightly ahead', async () => {
    const checkAt = (ms: number) => ({ ...check, clock: { now: () => NOW + ms } });
    const token = await signPdaToken(key, tokenClaims, clock);
    expect(await verifyPdaToken(token, pem, checkAt(-59_000))).toBeDefined();
    expect(await verifyPdaToken(token, pem, checkAt(-61_000))).toBeUndefined();
    expect(await verifyPdaToken(token, pem, checkAt(299_000))).toBeDefined();
    expect(await verifyPdaToken(token, pem, checkAt(300_000))).toBeUndefined();
  });

  it('is rejected with a longer lifetime, without a required claim, or with a different algorithm or type', async () => {
    const iat = NOW / 1000;
    const signClaims = (claims: JWTPayload, header = { alg: 'RS256', typ: 'JWT' }) =>
      new SignJWT({ jti: 'j', iat, exp: iat + 300, ...tokenClaims, ...claims })
        .setProtectedHeader(header)
        .sign(key.privateKey);
    expect(await verifyPdaToken(await signClaims({}), pem, check)).toBeDefined();
    expect(await verifyPdaToken(await signClaims({ exp: iat + 301 }), pem, check)).toBeUndefined();
    expect(
      await verifyPdaToken(await signClaims({ exp: iat + 301 }), pem, { ...check, validityMs: 400_000 }),
    ).toBeDefined();
    for (const name of ['exp', 'iat', 'jti', 'iss', 'resource', 'accessScope'])
      expect([name, await verifyPdaToken(await signClaims({ [name]: undefined }), pem, check)]).toStrictEqual([
        name,
        undefined,
      ]);
    expect(await verifyPdaToken(await signClaims({}, { alg: 'RS512', typ: 'JWT' }), pem, check)).toBeUndefined();
    expect(await verifyPdaToken(await signClaims({}, { alg: 'RS256', typ: 'at+jwt' }), pem, check)).toBeUndefined();
  });

  it('is rejected if forged or malformed', async () => {
    const token = await signPdaToken(key, tokenClaims, clock);
    const [, payload = ''] = token.split('.');
    const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hmacToken = await new SignJWT({ jti: 'j', iat: NOW / 1000, exp: NOW / 1000 + 300, ...tokenClaims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(Buffer.from(pem));
    for (const forgedToken of [
      `${encodePart({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      hmacToken,
      token.slice(0, -4),
      '',
      'a.b',
      'x'.repeat(9000),
    ]) {
      expect(await verifyPdaToken(forgedToken, pem, check)).toBeUndefined();
    }
    for (const malformedText of ['', 'a.b.c', '..', `.${encodePart(7)}.`])
      expect(issuerAndKeyIdOf(malformedText)).toStrictEqual({ iss: undefined, kid: undefined });
    expect(await readPdaToken('a.b.c')).toBeUndefined();
  });
});

describe('the public key of a PDA', () => {
  it('is an RSA key in normalised PEM', () => {
    expect(publicKeyOf(pem)?.pem).toBe(pem);
    expect(publicKeyOf(`\n${pem.replaceAll('\n', '\r\n')}\n`)?.pem).toBe(pem);
  });

  it('is rejected if it is private, of another type, too small or malformed', () => {
    const toPem = (pair: { publicKey: typeof key.publicKey }) =>
      pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(publicKeyOf(key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toBeUndefined();
    expect(publicKeyOf(toPem(generateKeyPairSync('ec', { namedCurve: 'P-256' })))).toBeUndefined();
    expect(publicKeyOf(toPem(rsa(1024)))).toBeUndefined();
    for (const malformedText of [
      '',
      'no key',
      pem.slice(0, 100),
      `${pem}${pem}`,
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    ])
      expect(publicKeyOf(malformedText)).toBeUndefined();
  });
});
