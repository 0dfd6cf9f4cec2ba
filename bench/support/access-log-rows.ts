export const APPLICATIONS = Array.from({ length: 25 }, (_, number) => `application-${number}`);
/** An application with one entry in 100,000. */
export const RARE_APPLICATION = 'rare';
export const DEBITS = Array.from({ length: 40 }, (_, number) => `debit-${number}`);
export const CONTRACTS = Array.from({ length: 5 }, (_, number) => `contract-${number}`);
/** Number of newest records that ordinary readers never access. The rare application reads some of them. */
export const HIDDEN_RECORDS = 100;
