/** Times are in Unix milliseconds. */
export type PasskeyRow = {
  id: string;
  /** WebAuthn credential ID. */
  credential: string;
  rp_id: string;
  public_key: Buffer;
  counter: number;
  name: string;
  created: number;
  last_used: number | null;
};

/**
 * Returns the SQL that records a use of a passkey. It changes no row if the passkey was removed or its counter did not
 * increase, which can mean that the passkey was copied. The counter of an authenticator without one stays 0.
 */
export const passkeyUseSql = (table: 'passkeys' | 'user_passkeys'): string =>
  `UPDATE ${table} SET counter = :counter, last_used = :now
   WHERE id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))`;
