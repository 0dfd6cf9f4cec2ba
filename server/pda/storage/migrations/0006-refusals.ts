/** Refused calls that are counted together: Unix milliseconds of the last of them. */
export const refusals = `
ALTER TABLE ledger ADD COLUMN last INTEGER;
`;
