/** Adds source and kind to the covering index, so that searches by source or kind read no table rows. */
export const fileAmountsBySource = `
DROP INDEX files_amounts;
CREATE INDEX files_amounts ON files (seq, status, size, updated, name, kind, source);
`;
