/** Functions over the owner's data: what is known of each, the packages that are installed, and every run. */
export const functions = `
CREATE TABLE functions (
  id TEXT PRIMARY KEY,
  -- As last registered: they stay when the registration is gone, so that its history still says what it was.
  version TEXT NOT NULL,
  location TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  -- What it last published of itself (JSON, checked), and of which edition of it that is.
  configuration TEXT,
  edition TEXT,
  problem TEXT,
  enabled INTEGER NOT NULL DEFAULT 0,
  -- What the owner saw when it was enabled (JSON), and when that was.
  approved TEXT,
  approved_at INTEGER,
  last_execution INTEGER,
  -- Up to where events are done with (JSON); NULL: it was never enabled.
  cursor TEXT,
  -- Failed runs since the last one that succeeded, and the newest event at the last of them.
  failures INTEGER NOT NULL DEFAULT 0,
  failed_event INTEGER NOT NULL DEFAULT 0,
  -- When it was last not run because that would have gone round in a circle (JSON).
  cycle TEXT
) STRICT;

CREATE TABLE function_packages (
  id TEXT PRIMARY KEY,
  manifest TEXT NOT NULL,
  -- Below functions/<id>/, with the module in it.
  folder TEXT NOT NULL,
  module TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  installed INTEGER NOT NULL
) STRICT;

CREATE TABLE function_runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Also the reference of the origin of each record that it stored: a record names its run.
  id TEXT NOT NULL UNIQUE,
  function TEXT NOT NULL,
  version TEXT NOT NULL,
  reason TEXT NOT NULL,
  started INTEGER NOT NULL,
  finished INTEGER,
  outcome TEXT,
  message TEXT,
  chain TEXT NOT NULL,
  from_date INTEGER,
  until_date INTEGER NOT NULL,
  records_in INTEGER NOT NULL DEFAULT 0,
  bytes_in INTEGER NOT NULL DEFAULT 0,
  records_out INTEGER NOT NULL DEFAULT 0,
  endpoint TEXT NOT NULL,
  -- The places of its records lie between these.
  first_seq INTEGER,
  last_seq INTEGER,
  duration INTEGER,
  peak_memory INTEGER,
  log TEXT NOT NULL DEFAULT '[]',
  undone INTEGER,
  deletion TEXT
) STRICT;
-- Endpoints that became part of another one: what is kept of their events means that one.
CREATE TABLE absorbed_endpoints (
  id INTEGER PRIMARY KEY,
  endpoint INTEGER NOT NULL
) STRICT;

CREATE INDEX function_runs_by_function ON function_runs (function, seq);
CREATE INDEX function_runs_that_run ON function_runs (seq) WHERE finished IS NULL;
`;
