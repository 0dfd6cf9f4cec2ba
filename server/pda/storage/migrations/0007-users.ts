/** Users with an account on the owner's PDA, and the user of a session. */
export const users = `
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The normalized name, by which names are compared case-insensitively.
  name_key TEXT NOT NULL UNIQUE,
  email TEXT,
  password_hash TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created INTEGER NOT NULL,
  last_seen INTEGER
) STRICT;

ALTER TABLE sessions ADD COLUMN user_id TEXT;
`;
