/** Names in the ledger that is searched. */

export const APPLICATIONS = Array.from({ length: 25 }, (_, number) => `application-${number}`);
/** Has ten rows in all. */
export const RARE = 'rare';
export const DEBITS = Array.from({ length: 40 }, (_, number) => `debit-${number}`);
export const CONTRACTS = Array.from({ length: 5 }, (_, number) => `contract-${number}`);
/** Records, the newest ones, that only the rare application reads; and of them only the first few. */
export const HIDDEN = 100;
