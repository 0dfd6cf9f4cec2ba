/** Erasures for good: what was asked for, how far it is, and what is said of it afterwards. */
export const erasures = `
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- Application or namespace; of a file its id in the access history; empty: everything.
  subject TEXT NOT NULL,
  -- What is to be done (JSON). It can name what goes, so it goes itself when all is done.
  plan TEXT,
  -- The step that is next; NULL: all are done.
  step TEXT,
  begun INTEGER NOT NULL,
  finished INTEGER,
  -- Counts, no values (JSON).
  found TEXT NOT NULL,
  -- What is to be told at the end (JSON).
  report TEXT NOT NULL DEFAULT '{}',
  problem TEXT
) STRICT;
`;
