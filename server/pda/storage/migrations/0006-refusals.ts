/** Time of the last request in rows that count several requests, in Unix milliseconds. */
export const refusals = `
ALTER TABLE ledger ADD COLUMN last INTEGER;
`;
