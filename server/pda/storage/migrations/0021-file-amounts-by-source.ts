/** The same with source and kind: what is shared, of one of them, is counted and sorted without a row too. */
export const fileAmountsBySource = `
DROP INDEX files_amounts;
CREATE INDEX files_amounts ON files (seq, status, size, updated, name, kind, source);
`;
