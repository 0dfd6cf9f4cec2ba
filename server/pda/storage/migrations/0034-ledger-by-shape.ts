/** Finds entries by act, endpoint and words: these are attributes of the shape. */
export const ledgerByShape = `
CREATE INDEX ledger_by_shape ON ledger (shape);
`;
