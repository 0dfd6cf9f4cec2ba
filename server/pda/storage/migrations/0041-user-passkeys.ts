/**
 * Passkeys of users. A user without a password has the hash of random bytes that are stored nowhere, so that no
 * password matches and a check takes as long as any other.
 */
export const userPasskeys = `
ALTER TABLE users ADD COLUMN has_password INTEGER NOT NULL DEFAULT 1;

CREATE TABLE user_passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
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
CREATE INDEX user_passkeys_of ON user_passkeys (user_id);
`;
