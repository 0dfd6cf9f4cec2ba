/** Applications that the owner set up, with what was approved: rights are read from here, never from what is published later. */
export const applications = `
CREATE TABLE applications (
  -- Ids are one whatever their case; kept as the maker wrote it when it was set up.
  id TEXT PRIMARY KEY COLLATE NOCASE,
  enabled INTEGER NOT NULL,
  version TEXT NOT NULL,
  -- The whole application (JSON) as the owner saw it.
  definition TEXT NOT NULL,
  approved INTEGER NOT NULL
) STRICT;
`;
