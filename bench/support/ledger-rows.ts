/** Names in the generated access log. */

export const APPLICATIONS = Array.from({ length: 25 }, (_, number) => `application-${number}`);
/** Application with only ten entries. */
export const RARE_APPLICATION = 'rare';
export const DEBITS = Array.from({ length: 40 }, (_, number) => `debit-${number}`);
export const CONTRACTS = Array.from({ length: 5 }, (_, number) => `contract-${number}`);
/** Number of newest records that no other application reads. The rare application reads the first few of them. */
export const HIDDEN_RECORDS = 100;
