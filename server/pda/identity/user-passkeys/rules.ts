import type { UserPasskeyRow } from './store.ts';

/** Rules of the passkeys of users, as pure functions. */

/** Sign-in methods of a user other than passkeys, and the RP ID of a request's address. */
export type SignInState = { hasPassword: boolean; rpId: string | undefined };

/**
 * Returns true if a user could not sign in any more without this passkey. A passkey for another address does not count,
 * because the account may no longer have that address.
 * @param passkeys all passkeys of the user
 */
export const isLastSignInMethod = (
  passkeyId: string,
  passkeys: readonly Pick<UserPasskeyRow, 'id' | 'rp_id'>[],
  { hasPassword, rpId }: SignInState,
): boolean => !hasPassword && !passkeys.some(({ id, rp_id: otherRpId }) => id !== passkeyId && otherRpId === rpId);
