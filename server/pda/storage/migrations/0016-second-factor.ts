/** Second factors of the owner: authenticator app, passkeys and recovery codes. */
export const secondFactor = `
CREATE TABLE second_factor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- 1: also required on this computer.
  always INTEGER NOT NULL DEFAULT 0,
  -- Secret of the authenticator app; NULL: none. Stored unencrypted, because both sides derive the codes from it.
  secret BLOB,
  secret_since INTEGER,
  last_step INTEGER NOT NULL DEFAULT 0,
  salt BLOB,
  codes_made INTEGER,
  -- Events that the owner has not acknowledged: a recovery code was used; the second factor failed after the right password.
  recovery_used INTEGER,
  wrong_tries INTEGER NOT NULL DEFAULT 0,
  last_wrong INTEGER
) STRICT;
INSERT INTO second_factor (id) VALUES (1);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  -- Credential id of the authenticator.
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
