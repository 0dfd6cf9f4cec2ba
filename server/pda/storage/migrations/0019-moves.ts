/** Transfers of this account from another PDA, and the public keys that it had there. */
export const moves = `
CREATE TABLE moves (
  id TEXT PRIMARY KEY,
  -- Name of the account, program that wrote the archive, and time of the export.
  name TEXT NOT NULL,
  program TEXT NOT NULL,
  exported INTEGER NOT NULL,
  arrived INTEGER NOT NULL,
  -- When the owner activated the account here; NULL: no outgoing requests and no access from outside.
  settled INTEGER,
  -- 1: the import made the account dark, not the owner.
  made_dark INTEGER NOT NULL DEFAULT 0,
  -- Number of imported items (JSON).
  counts TEXT NOT NULL
) STRICT;

CREATE TABLE former_keys (
  kid TEXT PRIMARY KEY,
  public_pem TEXT NOT NULL,
  created INTEGER NOT NULL,
  -- Signatures after this time are invalid.
  retired INTEGER NOT NULL
) STRICT;
`;
