import type { UserPasskeyRow } from './store.ts';

/** `rpId`: RP ID of the address of the request; undefined if passkeys do not work there. */
export type SignInState = { hasPassword: boolean; rpId: string | undefined };

/**
 * Returns true if a user could not sign in without this passkey. A passkey for another address does not count, because
 * the PDA may no longer have that address.
 * @param passkeys all passkeys of the user
 */
export const isLastSignInMethod = (
  passkeyId: string,
  passkeys: readonly Pick<UserPasskeyRow, 'id' | 'rp_id'>[],
  { hasPassword, rpId }: SignInState,
): boolean => !hasPassword && !passkeys.some(({ id, rp_id: otherRpId }) => id !== passkeyId && otherRpId === rpId);
