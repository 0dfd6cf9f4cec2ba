/**
 * Covering index for counting and sorting search results. Rows of the table are ten times as large, so a search with
 * thousands of matches would read most of the table.
 */
export const fileAmounts = `
CREATE INDEX files_amounts ON files (seq, status, size, updated, name);
`;
