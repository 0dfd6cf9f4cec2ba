/** Time of the most recent request in rows that count several refused requests, in Unix milliseconds. */
export const refusals = `
ALTER TABLE ledger ADD COLUMN last INTEGER;
`;
