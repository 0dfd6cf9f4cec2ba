/** Data Debits that the owner has paused: until this time nothing is shared. NULL: not paused, or resumed. */
export const debitPauses = `
ALTER TABLE debits ADD COLUMN paused_until INTEGER;
CREATE INDEX debits_paused ON debits (paused_until) WHERE paused_until IS NOT NULL;
`;
