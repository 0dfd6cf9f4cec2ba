/** Names in the generated access log. */

export const APPLICATIONS = Array.from({ length: 25 }, (_, number) => `application-${number}`);
/** Application with only ten entries. */
export const RARE = 'rare';
export const DEBITS = Array.from({ length: 40 }, (_, number) => `debit-${number}`);
export const CONTRACTS = Array.from({ length: 5 }, (_, number) => `contract-${number}`);
/** Number of newest records that only the rare application reads, and of these only the first few. */
export const HIDDEN = 100;
