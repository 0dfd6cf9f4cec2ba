/**
 * Moves of files that are in progress. A row is inserted before a file is moved on the disk and deleted when its path
 * is changed, so that the next start can complete an interrupted move.
 */
export const fileMoves = `
CREATE TABLE file_moves (
  seq INTEGER PRIMARY KEY,
  -- New path below files/.
  path TEXT NOT NULL
) STRICT;
`;
