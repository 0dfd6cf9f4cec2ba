import { describe, expect, it } from 'vitest';
import { isLastSignInMethod } from './rules.ts';

const PHONE = { id: 'phone', rp_id: 'ada.example' };
const LAPTOP = { id: 'laptop', rp_id: 'ada.example' };
const OLD_ADDRESS_PASSKEY = { id: 'old', rp_id: 'earlier.example' };

describe('a passkey', () => {
  it.each([
    ['the only one of a user without a password', [PHONE], false, true],
    ['one of two that work here', [PHONE, LAPTOP], false, false],
    ['the only one that works here', [PHONE, OLD_ADDRESS_PASSKEY], false, true],
    ['the only one of a user with a password', [PHONE], true, false],
  ])(
    'that is %s counts as the last sign-in method only if no other method remains',
    (_, passkeys, hasPassword, isLast) => {
      expect(isLastSignInMethod('phone', passkeys, { hasPassword, rpId: 'ada.example' })).toBe(isLast);
    },
  );

  it('for a different address can be removed while one for this address remains', () => {
    const state = { hasPassword: false, rpId: 'ada.example' };
    expect(isLastSignInMethod('old', [PHONE, OLD_ADDRESS_PASSKEY], state)).toBe(false);
    expect(isLastSignInMethod('old', [OLD_ADDRESS_PASSKEY], state)).toBe(true);
    expect(isLastSignInMethod('old', [OLD_ADDRESS_PASSKEY, PHONE], { ...state, rpId: undefined })).toBe(true);
  });
});
