/**
 * Adds the time of the most recent request (Unix milliseconds) to rows of the access log that count several refused
 * requests.
 */
export const refusals = `
ALTER TABLE ledger ADD COLUMN last INTEGER;
`;
