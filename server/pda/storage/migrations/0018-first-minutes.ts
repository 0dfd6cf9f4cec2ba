/** What strangers may see of the owner; the example data while it is here; and what the owner said need not be done. */
export const firstMinutes = `
CREATE TABLE profile (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Names of the fields that are public (JSON array). The values are in the newest record at the endpoint of the profile.
  public TEXT NOT NULL DEFAULT '[]',
  -- Of the photo: which file it is, and what its content was when everything but the picture had been taken out of it.
  photo TEXT,
  photo_sha256 TEXT
) STRICT;
INSERT INTO profile (id) VALUES (1);

CREATE TABLE examples (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  put INTEGER NOT NULL,
  -- What was there before, where putting and taking away leaves marks (JSON).
  before TEXT NOT NULL
) STRICT;

CREATE TABLE first_steps (
  step TEXT PRIMARY KEY,
  waved INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
