/**
 * The address by which the contracts service knows this PDA, with which the PDA leaves a contract after its address has
 * changed. Unknown for contracts that were joined before this migration.
 */
export const contractAddresses = `
ALTER TABLE contracts ADD COLUMN address TEXT;
`;
