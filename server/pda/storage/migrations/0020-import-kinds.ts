/**
 * Imports with several kinds of entries: counts per kind, unreadable entries, and keys that identify an entry in a
 * later import.
 */
export const importKinds = `
-- Files of an import that has several, or whose files are read in place (JSON); selected kinds and options (JSON).
ALTER TABLE imports ADD COLUMN parts TEXT;
ALTER TABLE imports ADD COLUMN options TEXT;
-- Position of a run in the files (JSON).
ALTER TABLE imports ADD COLUMN reached TEXT;
ALTER TABLE imports ADD COLUMN changed_records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN broken INTEGER NOT NULL DEFAULT 0;

CREATE TABLE import_kinds (
  import TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  -- Newest record from before the import, if the endpoint has no import keys; NULL: duplicates are identified by key.
  before_seq INTEGER,
  added INTEGER NOT NULL DEFAULT 0,
  same INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (import, endpoint)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_troubles (
  import TEXT NOT NULL,
  number INTEGER NOT NULL,
  place TEXT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (import, number)
) STRICT, WITHOUT ROWID;

-- Key that identifies an imported entry in a later export, its record, and a hash of its last content.
CREATE TABLE import_keys (
  endpoint INTEGER NOT NULL,
  key BLOB NOT NULL,
  seq INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (endpoint, key)
) STRICT, WITHOUT ROWID;

-- Content of a record before an import updated it, for undo.
CREATE TABLE import_changes (
  import TEXT NOT NULL,
  endpoint INTEGER NOT NULL,
  key BLOB NOT NULL,
  seq INTEGER NOT NULL,
  content BLOB NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (import, endpoint, key)
) STRICT, WITHOUT ROWID;
`;
