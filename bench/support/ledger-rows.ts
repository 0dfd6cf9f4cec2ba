/** Names in the generated access log. */

export const APPLICATIONS = Array.from({ length: 25 }, (_, number) => `application-${number}`);
/** Has one of 100,000 entries. */
export const RARE_APPLICATION = 'rare';
export const DEBITS = Array.from({ length: 40 }, (_, number) => `debit-${number}`);
export const CONTRACTS = Array.from({ length: 5 }, (_, number) => `contract-${number}`);
/** Number of newest records. Only the rare application reads any of them. */
export const HIDDEN_RECORDS = 100;
