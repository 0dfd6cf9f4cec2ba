/** Files: what is known of each; their content lies in the home folder. Users who were given one; the search by words. */
export const files = `
CREATE TABLE files (
  -- A place in the same sequence as that of records, so that the ledger names files as it names records.
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
  -- The part of the one upload address that nobody can guess; gone once content has come.
  nonce TEXT,
  -- Of content that has come, whole and safe.
  size INTEGER,
  sha256 TEXT,
  type TEXT,
  kind TEXT NOT NULL DEFAULT 'other',
  -- Where it lies below files/. While moving is 1, it may still lie where it came from.
  path TEXT UNIQUE,
  -- The path without what some systems do not tell apart: upper and lower case, forms of one letter.
  path_key TEXT,
  moving INTEGER NOT NULL DEFAULT 0,
  -- What the file looked like when it was last read: modified (nanoseconds, text) and inode.
  modified TEXT,
  inode TEXT,
  deleted INTEGER,
  deleted_by TEXT,
  -- Where it lay, for as long as it can be brought back.
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

-- How often a slug was taken: the number that the next one gets.
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
