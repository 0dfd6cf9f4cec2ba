/** That this account came here from another PDA, and the public halves of the keys that it had there. */
export const moves = `
CREATE TABLE moves (
  id TEXT PRIMARY KEY,
  -- Name that the account had, the program that wrote the archive, and of which moment it is.
  name TEXT NOT NULL,
  program TEXT NOT NULL,
  exported INTEGER NOT NULL,
  arrived INTEGER NOT NULL,
  -- When the owner let it speak from here; NULL: nothing goes out, and nobody gets in from outside.
  settled INTEGER,
  -- 1: it was made dark by arriving, and not by the owner.
  made_dark INTEGER NOT NULL DEFAULT 0,
  -- What came (JSON).
  counts TEXT NOT NULL
) STRICT;

CREATE TABLE former_keys (
  kid TEXT PRIMARY KEY,
  public_pem TEXT NOT NULL,
  created INTEGER NOT NULL,
  -- Nothing that was signed later counts.
  retired INTEGER NOT NULL
) STRICT;
`;
