import { describe, expect, it } from 'vitest';
import { isLastSignInMethod } from './rules.ts';

const HERE = { id: 'phone', rp_id: 'ada.example' };
const ALSO_HERE = { id: 'laptop', rp_id: 'ada.example' };
const ELSEWHERE = { id: 'old', rp_id: 'earlier.example' };

describe('a passkey', () => {
  it.each([
    ['the only one of a user without a password', [HERE], false, true],
    ['one of two that work here', [HERE, ALSO_HERE], false, false],
    ['the only one that works here', [HERE, ELSEWHERE], false, true],
    ['the only one of a user with a password', [HERE], true, false],
  ])('that is %s: is the last sign-in method if nothing else remains', (_, passkeys, hasPassword, isLast) => {
    expect(isLastSignInMethod('phone', passkeys, { hasPassword, rpId: 'ada.example' })).toBe(isLast);
  });

  it('for another address can be removed while one for this address remains', () => {
    const state = { hasPassword: false, rpId: 'ada.example' };
    expect(isLastSignInMethod('old', [HERE, ELSEWHERE], state)).toBe(false);
    expect(isLastSignInMethod('old', [ELSEWHERE], state)).toBe(true);
    expect(isLastSignInMethod('old', [ELSEWHERE, HERE], { ...state, rpId: undefined })).toBe(true);
  });
});
