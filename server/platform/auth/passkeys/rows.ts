/** Times are in Unix milliseconds. */
export type PasskeyRow = {
  id: string;
  /** Credential ID of the authenticator. */
  credential: string;
  rp_id: string;
  public_key: Buffer;
  counter: number;
  name: string;
  created: number;
  last_used: number | null;
};

/**
 * The statement changes no row if the counter has not grown, because that reveals a copied passkey. Only authenticators
 * without a counter always send 0.
 */
export const usePasskeySql = (table: 'passkeys' | 'user_passkeys'): string =>
  `UPDATE ${table} SET counter = :counter, last_used = :now
   WHERE id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))`;
