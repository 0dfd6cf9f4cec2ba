/** Time of the last of several refused requests that one row counts (Unix milliseconds). */
export const refusals = `
ALTER TABLE ledger ADD COLUMN last INTEGER;
`;
