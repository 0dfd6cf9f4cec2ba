/**
 * Moves of files to another folder that are in progress. A row is written before the file is moved on the disk and deleted
 * with the change of its path, so that the next start can complete an interrupted move.
 */
export const fileMoves = `
CREATE TABLE file_moves (
  seq INTEGER PRIMARY KEY,
  -- New path below files/.
  path TEXT NOT NULL
) STRICT;
`;
