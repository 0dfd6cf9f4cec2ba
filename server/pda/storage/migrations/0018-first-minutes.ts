/** Public profile of the owner, installed example data, and dismissed first steps. */
export const firstMinutes = `
CREATE TABLE profile (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Names of the public fields (JSON array). The values are in the newest record at the endpoint of the profile.
  public TEXT NOT NULL DEFAULT '[]',
  -- File of the photo, and the hash of its content after all metadata was removed.
  photo TEXT,
  photo_sha256 TEXT
) STRICT;
INSERT INTO profile (id) VALUES (1);

CREATE TABLE examples (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  put INTEGER NOT NULL,
  -- State before the examples were installed, as far as removing them must restore it (JSON).
  before TEXT NOT NULL
) STRICT;

CREATE TABLE first_steps (
  step TEXT PRIMARY KEY,
  waved INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
