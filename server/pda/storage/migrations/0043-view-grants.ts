/** Tables and charts that are shared with a user. An endpoint that is deleted and used again has a new id. */
export const viewGrants = `
CREATE TABLE view_grants (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  endpoint INTEGER NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Copy of the definition at the time of sharing, as JSON.
  definition TEXT NOT NULL,
  created INTEGER NOT NULL,
  -- NULL for no end.
  ends INTEGER,
  UNIQUE (user_id, endpoint, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX view_grants_of ON view_grants (endpoint);
`;
