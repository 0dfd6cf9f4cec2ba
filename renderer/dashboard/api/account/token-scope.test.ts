import { describe, expect, it } from 'vitest';
import { isOwnerToken } from './token-scope.ts';

const createToken = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbg`;

describe('isOwnerToken', () => {
  it('accepts tokens with owner scope, including payloads with base64url-specific characters', () => {
    expect(isOwnerToken(createToken({ accessScope: 'owner' }))).toBe(true);
    expect(isOwnerToken(createToken({ accessScope: 'owner', iss: '~~~???>>>ÿÿÿ' }))).toBe(true);
  });

  it('rejects tokens with other scopes and malformed tokens', () => {
    for (const claims of [{ accessScope: 'user' }, { application: 'owner' }, {}, null, 'owner', ['owner']])
      expect(isOwnerToken(createToken(claims))).toBe(false);
    for (const malformedToken of ['', 'x', 'a.b.c', '..']) expect(isOwnerToken(malformedToken)).toBe(false);
  });
});
