/** People beside the owner, who sign in with a password of their own; whose a session is. */
export const users = `
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The name as it is compared: two that differ in upper and lower case only are one.
  name_key TEXT NOT NULL UNIQUE,
  email TEXT,
  password_hash TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created INTEGER NOT NULL,
  last_seen INTEGER
) STRICT;

ALTER TABLE sessions ADD COLUMN user_id TEXT;
`;
