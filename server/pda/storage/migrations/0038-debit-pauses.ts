/** Until `paused_until`, a Data Debit shares nothing. NULL: not paused. */
export const debitPauses = `
ALTER TABLE debits ADD COLUMN paused_until INTEGER;
CREATE INDEX debits_paused ON debits (paused_until) WHERE paused_until IS NOT NULL;
`;
