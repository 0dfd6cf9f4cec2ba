/** Tables and charts that are shared with a user. A path that is used again after a deletion has no grants. */
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
