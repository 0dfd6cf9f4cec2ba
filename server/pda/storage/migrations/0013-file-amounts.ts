/** Covering index for counting and sorting search results. Table rows are ten times as large. */
export const fileAmounts = `
CREATE INDEX files_amounts ON files (seq, status, size, updated, name);
`;
