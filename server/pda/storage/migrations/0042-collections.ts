/**
 * Collections: named sets of files, independent of folders. Deleted files stay in their collections until their records
 * are erased, so that a restored file is in them again. A collection can be shared with users (`collection_grants`),
 * with a link, or with an invitation.
 */
export const collections = `
CREATE TABLE collections (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The name without differences of case and Unicode representation.
  name_key TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_files (
  collection TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  seq INTEGER NOT NULL REFERENCES files (seq) ON DELETE CASCADE,
  PRIMARY KEY (collection, position),
  UNIQUE (collection, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_files_of ON collection_files (seq);

CREATE TABLE collection_grants (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  collection TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  created INTEGER NOT NULL,
  UNIQUE (user_id, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_grants_of ON collection_grants (collection);

ALTER TABLE share_links ADD COLUMN collection TEXT REFERENCES collections (id) ON DELETE CASCADE;
CREATE INDEX share_links_of_collection ON share_links (collection) WHERE collection IS NOT NULL;

-- A folder or a collection that is shared with the person who accepts. Path below files/, without a trailing slash.
ALTER TABLE invitations ADD COLUMN folder TEXT;
ALTER TABLE invitations ADD COLUMN collection TEXT REFERENCES collections (id) ON DELETE SET NULL;
CREATE INDEX invitations_of_collection ON invitations (collection) WHERE collection IS NOT NULL;
`;
