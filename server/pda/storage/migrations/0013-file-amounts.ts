/**
 * All that counting and sorting a search wants of a file, in the order of arrival: its rows are ten times as large, and a search that met
 * thousands of them would read most of the table for it.
 */
export const fileAmounts = `
CREATE INDEX files_amounts ON files (seq, status, size, updated, name);
`;
