import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, signInAs } from '../../../../tests/support/users.ts';
import type { Principal } from '../../../platform/auth/principal.ts';

/*
 * The PDA's own key signs all tokens except that of the other PDA, so these tokens can be refused only because
 * of their claims.
 */

let pda: TestPda;
let otherPda: TestPda;
let claims: Record<'owner' | 'application' | 'user' | 'secondUser', JWTPayload>;
beforeAll(async () => {
  pda = await startTestPda({ config: { applications: [anApplication({ roles: [{ role: 'owner' }] })] } });
  otherPda = await startTestPda();
  for (const name of ['Grace', 'Second']) await addUser(pda, name);
  claims = {
    owner: decodeJwt(pda.token),
    application: decodeJwt(await setUpApplication(pda, 'notes')),
    user: decodeJwt(await signInAs(pda, 'Grace')),
    secondUser: decodeJwt(await signInAs(pda, 'Second')),
  };
});
afterAll(() => Promise.all([pda.close(), otherPda.close()]));

const sign = (payload: JWTPayload): Promise<string> => {
  const key = pda.pda.owner.keys()[0]?.privateKey ?? expect.fail('the PDA has no key');
  const { kid } = decodeProtectedHeader(pda.token);
  return new SignJWT(payload).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: kid ?? '' }).sign(key);
};
const kindOf = async (payload: JWTPayload): Promise<Principal['kind']> =>
  (await pda.pda.owner.authenticate(await sign(payload))).principal.kind;
const without = (payload: JWTPayload, claim: string): JWTPayload =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => name !== claim));

describe('a token of each kind', () => {
  it('is accepted with its own claims, even if the issuer is another address of the PDA', async () => {
    expect(await kindOf(claims.owner)).toBe('owner');
    expect(await kindOf(claims.application)).toBe('application');
    expect(await kindOf(claims.user)).toBe('user');
    expect(await kindOf({ ...claims.user, iss: `localhost:${pda.port}` })).toBe('user');
  });
});

describe('the authentication of tokens with mixed claims', () => {
  const mixedClaims: [string, () => JWTPayload][] = [
    ['a user who claims the scope of the owner', () => ({ ...claims.user, accessScope: 'owner' })],
    ['a user who claims to be the owner', () => ({ ...claims.user, sub: claims.owner.sub ?? '' })],
    [
      'a user who claims the scope and the identity of the owner',
      () => ({ ...claims.user, accessScope: 'owner', sub: claims.owner.sub ?? '' }),
    ],
    ['the owner in the session of a user', () => ({ ...claims.owner, jti: claims.user.jti ?? '' })],
    ['the owner in the session of an application', () => ({ ...claims.owner, jti: claims.application.jti ?? '' })],
    ['a user in the session of the owner', () => ({ ...claims.user, jti: claims.owner.jti ?? '' })],
    ['a user in the session of an application', () => ({ ...claims.user, jti: claims.application.jti ?? '' })],
    ['a user in the session of another user', () => ({ ...claims.user, jti: claims.secondUser.jti ?? '' })],
    ['a user with the scope of a service', () => ({ ...claims.user, accessScope: 'validate' })],
    ['a user without a scope', () => without(claims.user, 'accessScope')],
    ['a user with a different spelling of the scope', () => ({ ...claims.user, accessScope: 'User' })],
    ['a user who claims an application', () => ({ ...claims.user, application: 'notes' })],
    [
      'a user who claims an application and no scope',
      () => ({ ...without(claims.user, 'accessScope'), application: 'notes' }),
    ],
    ['an application with the scope of a user', () => ({ ...claims.application, accessScope: 'user' })],
    ['an application with the scope of the owner', () => ({ ...claims.application, accessScope: 'owner' })],
    ['an application that claims to be a user', () => ({ ...claims.application, sub: claims.user.sub ?? '' })],
    [
      'an application with the scope and the subject of a user',
      () => ({ ...claims.application, accessScope: 'user', sub: claims.user.sub ?? '' }),
    ],
    ['an application in the session of a user', () => ({ ...claims.application, jti: claims.user.jti ?? '' })],
    ['an application that claims another application', () => ({ ...claims.application, application: 'other' })],
    [
      'an application that claims the scope of the owner and no application',
      () => ({ ...without(claims.application, 'application'), accessScope: 'owner' }),
    ],
    ['the owner with the scope of a user', () => ({ ...claims.owner, accessScope: 'user' })],
    ['the owner who claims to be a user', () => ({ ...claims.owner, sub: claims.user.sub ?? '' })],
    ['a user of another issuer', () => ({ ...claims.user, iss: otherPda.host })],
    ['a user for another resource', () => ({ ...claims.user, resource: 'service.example' })],
    ['an unknown user', () => ({ ...claims.user, sub: '00000000-0000-4000-8000-000000000000' })],
    ['a user in an unknown session', () => ({ ...claims.user, jti: '00000000-0000-4000-8000-000000000000' })],
  ];
  it.each(mixedClaims)('rejects %s', async (_, createClaims) => {
    expect(await kindOf(createClaims())).toBe('visitor');
  });

  it('rejects a service token for this PDA, with any scope and subject', async () => {
    const { host } = pda;
    const origin = { address: '', host, local: true, userAgent: '' };
    const serviceClaims = decodeJwt((await pda.pda.owner.serviceToken(host, origin)).accessToken);
    for (const accessScope of ['validate', 'user', 'owner'])
      for (const sub of [claims.owner.sub ?? '', claims.user.sub ?? ''])
        expect(await kindOf({ ...serviceClaims, accessScope, sub })).toBe('visitor');
  });

  it('rejects a token that another PDA signed for a user of the same name', async () => {
    await addUser(otherPda, 'Grace');
    const { principal } = await pda.pda.owner.authenticate(await signInAs(otherPda, 'Grace'));
    expect(principal.kind).toBe('visitor');
  });
});
