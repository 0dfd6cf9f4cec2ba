/** File records (the content is in the home folder), users with access to a file, and the full-text index. */
export const files = `
CREATE TABLE files (
  -- Shares the sequence of records, so that the access log refers to files and records in the same way.
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  file_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT,
  description TEXT,
  -- JSON array.
  tags TEXT,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  added INTEGER NOT NULL,
  status TEXT NOT NULL,
  -- owner | application | folder; and which application.
  uploader TEXT NOT NULL,
  application TEXT,
  public INTEGER NOT NULL DEFAULT 0,
  -- Random part of the upload address; NULL after the upload.
  nonce TEXT,
  -- Set when the content is complete and durable.
  size INTEGER,
  sha256 TEXT,
  type TEXT,
  kind TEXT NOT NULL DEFAULT 'other',
  -- Path below files/. While moving is 1, the file may still be at its previous path.
  path TEXT UNIQUE,
  -- The path without differences that some file systems ignore: case and Unicode normalization.
  path_key TEXT,
  moving INTEGER NOT NULL DEFAULT 0,
  -- Attributes of the file when it was last read: modification time (nanoseconds, text) and inode.
  modified TEXT,
  inode TEXT,
  deleted INTEGER,
  deleted_by TEXT,
  -- Previous path, while the deletion can be undone.
  undo_path TEXT
) STRICT;
CREATE INDEX files_by_path_key ON files (path_key) WHERE path_key IS NOT NULL;
CREATE INDEX files_by_source ON files (source, seq);
CREATE INDEX files_by_name ON files (name, seq);
CREATE INDEX files_by_status ON files (status);
CREATE INDEX files_by_size ON files (status, size);
CREATE INDEX files_by_title ON files (status, name COLLATE NOCASE);
CREATE INDEX files_by_change ON files (status, updated);
CREATE INDEX files_by_kind ON files (status, kind, source, size);
CREATE INDEX files_public ON files (public) WHERE public = 1;
CREATE INDEX files_by_inode ON files (inode) WHERE inode IS NOT NULL;
CREATE INDEX files_by_hash ON files (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX files_moving ON files (moving) WHERE moving = 1;
CREATE INDEX files_deleted ON files (deleted) WHERE deleted IS NOT NULL;

CREATE TABLE file_tags (
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (tag, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_tags_of ON file_tags (seq);

CREATE TABLE file_grants (
  seq INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  content INTEGER NOT NULL,
  PRIMARY KEY (seq, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_grants_of ON file_grants (user_id, seq);

-- Number of uses of a slug, which determines the suffix of the next one.
CREATE TABLE file_slugs (
  slug TEXT PRIMARY KEY,
  taken INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE file_secret (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE files_text USING fts5 (
  title, description, name, tags,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3 4', detail = column
);
`;
