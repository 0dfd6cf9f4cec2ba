/** What the owner proves beside the password: an authenticator app, passkeys, and codes for when none of them is at hand. */
export const secondFactor = `
CREATE TABLE second_factor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- 1: asked for on this machine too.
  always INTEGER NOT NULL DEFAULT 0,
  -- Of the authenticator app; NULL: there is none. It has to be kept as it is: codes are made from it on both sides.
  secret BLOB,
  secret_since INTEGER,
  last_step INTEGER NOT NULL DEFAULT 0,
  salt BLOB,
  codes_made INTEGER,
  -- What the owner has not said to have seen: a recovery code was used; the password was right and the rest was not.
  recovery_used INTEGER,
  wrong_tries INTEGER NOT NULL DEFAULT 0,
  last_wrong INTEGER
) STRICT;
INSERT INTO second_factor (id) VALUES (1);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  -- As the authenticator names it.
  credential TEXT NOT NULL,
  rp_id TEXT NOT NULL,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  name TEXT NOT NULL,
  created INTEGER NOT NULL,
  last_used INTEGER,
  UNIQUE (rp_id, credential)
) STRICT;

CREATE TABLE recovery_codes (
  hash BLOB PRIMARY KEY,
  used INTEGER
) STRICT, WITHOUT ROWID;
`;
