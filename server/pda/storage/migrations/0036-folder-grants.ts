/** Folders that are shared with a user, with their subfolders and later files. */
export const folderGrants = `
CREATE TABLE folder_grants (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Path below files/, without a trailing slash.
  folder TEXT NOT NULL,
  created INTEGER NOT NULL,
  UNIQUE (user_id, folder)
) STRICT, WITHOUT ROWID;
CREATE INDEX folder_grants_of ON folder_grants (folder);
`;
