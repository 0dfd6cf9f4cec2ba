import { describe, expect, it } from 'vitest';
import { isOwnerToken } from './token-scope.ts';

const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbg`;

describe('a token that a sign-in gave', () => {
  it('is the owner’s when it says so, also with letters that base64 writes in two ways', () => {
    expect(isOwnerToken(token({ accessScope: 'owner' }))).toBe(true);
    expect(isOwnerToken(token({ accessScope: 'owner', iss: '~~~???>>>ÿÿÿ' }))).toBe(true);
  });

  it('is not the owner’s in any other case', () => {
    for (const claims of [{ accessScope: 'user' }, { application: 'owner' }, {}, null, 'owner', ['owner']])
      expect(isOwnerToken(token(claims))).toBe(false);
    for (const garbage of ['', 'x', 'a.b.c', '..']) expect(isOwnerToken(garbage)).toBe(false);
  });
});
