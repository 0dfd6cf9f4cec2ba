/**
 * Invitations, each with a token with which a person becomes a user. Only the hash of the token is stored. Ended
 * invitations stay until the owner removes them, so that their page can say why they have ended.
 */
export const invitations = `
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  revoked INTEGER,
  accepted INTEGER,
  user_id TEXT REFERENCES users (id) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_of ON invitations (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE invitation_files (
  invitation TEXT NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL REFERENCES files (seq) ON DELETE CASCADE,
  PRIMARY KEY (invitation, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitation_files_of ON invitation_files (seq);
`;
