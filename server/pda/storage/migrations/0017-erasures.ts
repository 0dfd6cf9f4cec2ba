/** Erasures: request, progress and report. */
export const erasures = `
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- Application or namespace; for a file, its id in the access log; empty: everything.
  subject TEXT NOT NULL,
  -- Plan (JSON). It can name erased data, so it is erased itself at the end.
  plan TEXT,
  -- Next step; NULL: all steps are done.
  step TEXT,
  begun INTEGER NOT NULL,
  finished INTEGER,
  -- Counts, no values (JSON).
  found TEXT NOT NULL,
  -- Report for the owner (JSON).
  report TEXT NOT NULL DEFAULT '{}',
  problem TEXT
) STRICT;
`;
