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

/** Changes no row if the counter has not grown: the passkey was copied. Without a counter it is always 0. */
export const usePasskeySql = (table: 'passkeys' | 'user_passkeys'): string =>
  `UPDATE ${table} SET counter = :counter, last_used = :now
   WHERE id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))`;
