/** Imports of exports with several kinds of things: what each added, what could not be read, and by what an entry is known again. */
export const importKinds = `
-- The files of an import (JSON), when they are several or lie where they are; what of it is wanted, and how it is read (JSON).
ALTER TABLE imports ADD COLUMN parts TEXT;
ALTER TABLE imports ADD COLUMN options TEXT;
-- Where in the files a run is (JSON).
ALTER TABLE imports ADD COLUMN reached TEXT;
ALTER TABLE imports ADD COLUMN changed_records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN broken INTEGER NOT NULL DEFAULT 0;

CREATE TABLE import_kinds (
  import TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  -- The newest record that was here before, when nothing at the endpoint is known by a key; NULL: keys tell.
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

-- By what an imported entry is known again in a later export, the record it became, and what it said the last time (a hash).
CREATE TABLE import_keys (
  endpoint INTEGER NOT NULL,
  key BLOB NOT NULL,
  seq INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (endpoint, key)
) STRICT, WITHOUT ROWID;

-- What a record said before an import brought it up to date, for when that is undone.
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
