/** The first tables: owner, keys, sessions, endpoints, records, change events, saved queries, imports and settings. */
export const foundation = `
CREATE TABLE owner (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY,
  private_pem TEXT NOT NULL,
  public_pem TEXT NOT NULL,
  created INTEGER NOT NULL,
  retired INTEGER
) STRICT;

CREATE TABLE sessions (
  jti TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  application TEXT,
  issuer TEXT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  ended INTEGER
) STRICT;

-- Interned endpoint paths: a record stores a small integer. A deleted endpoint has no path. Its row is deleted last.
-- Ids are never reused, because retained change events still refer to deleted endpoints.
CREATE TABLE endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT UNIQUE,
  records INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  first_created INTEGER,
  last_created INTEGER,
  last_change INTEGER,
  -- Fingerprints exist for every record up to this seq; NULL: not computed yet.
  fingerprinted_to INTEGER,
  deletion TEXT
) STRICT;

-- What stored a record: the owner, an application, an import, a function or a contract.
CREATE TABLE origins (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  reference TEXT NOT NULL DEFAULT '',
  UNIQUE (kind, name, reference)
) STRICT;

-- seq is the order of creation and can be computed from the id, so ids need no index of their own (docs/adr/0004).
CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  endpoint INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX records_by_endpoint ON records (endpoint);

CREATE TABLE fingerprints (
  endpoint INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (endpoint, fingerprint, seq)
) STRICT, WITHOUT ROWID;

-- Change events, retained until every consumer has processed them. seqs is set if first..last is not the exact set.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  endpoint INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  seqs TEXT
) STRICT;

CREATE TABLE activity (
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE deletions (
  id TEXT PRIMARY KEY,
  path TEXT,
  endpoint INTEGER,
  records INTEGER NOT NULL,
  time INTEGER NOT NULL
) STRICT;

CREATE TABLE deleted_records (
  deletion TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  path TEXT NOT NULL,
  origin INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER,
  data TEXT NOT NULL,
  PRIMARY KEY (deletion, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE combinators (
  name TEXT PRIMARY KEY,
  definition TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE bundles (
  name TEXT PRIMARY KEY,
  definition TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

-- Indexes that registered queries need. ready: built and in use.
CREATE TABLE earned_indexes (
  name TEXT PRIMARY KEY,
  endpoint INTEGER NOT NULL,
  expression TEXT NOT NULL,
  ready INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE imports (
  id TEXT PRIMARY KEY,
  file_name TEXT NOT NULL,
  -- Path and modification time of a file that is read in place (command line). They identify an interrupted import.
  path TEXT,
  changed INTEGER,
  size INTEGER NOT NULL,
  received INTEGER NOT NULL,
  state TEXT NOT NULL,
  endpoint TEXT,
  format TEXT,
  column_types TEXT,
  -- Number of processed elements, and the newest record from before the import: duplicates are searched for up to it.
  position INTEGER NOT NULL DEFAULT 0,
  before_seq INTEGER,
  bytes_read INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  error_line INTEGER,
  error_problem TEXT,
  created INTEGER NOT NULL,
  started INTEGER,
  finished INTEGER
) STRICT;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`;
