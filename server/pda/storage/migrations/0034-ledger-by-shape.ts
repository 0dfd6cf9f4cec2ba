/** Index for finding access log entries by act, endpoint and words, which are attributes of the shape. */
export const ledgerByShape = `
CREATE INDEX ledger_by_shape ON ledger (shape);
`;
