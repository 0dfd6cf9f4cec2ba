/**
 * Share links. The token is stored, so that the owner can copy the link again. A hash would protect nothing, because a
 * reader of the home folder can read the files anyway.
 */
export const shareLinks = `
CREATE TABLE share_links (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- Path of a shared folder below files/; NULL if the link is for single files.
  folder TEXT,
  created INTEGER NOT NULL,
  expires INTEGER,
  password_hash TEXT,
  view_only INTEGER NOT NULL,
  opens_max INTEGER,
  opens INTEGER NOT NULL DEFAULT 0,
  last_opened INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE share_link_files (
  link TEXT NOT NULL REFERENCES share_links (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL REFERENCES files (seq) ON DELETE CASCADE,
  PRIMARY KEY (link, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_link_files_of ON share_link_files (seq);
`;
