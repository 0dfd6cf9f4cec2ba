/** Functions: their registrations, installed packages and runs. Also endpoints that were merged into others. */
export const functions = `
CREATE TABLE functions (
  id TEXT PRIMARY KEY,
  -- Values as last registered. Retained after the registration is removed, because the run history refers to them.
  version TEXT NOT NULL,
  location TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  -- The configuration that the function last published (JSON, validated), and its edition.
  configuration TEXT,
  edition TEXT,
  problem TEXT,
  enabled INTEGER NOT NULL DEFAULT 0,
  -- What the owner approved when enabling it (JSON), and when.
  approved TEXT,
  approved_at INTEGER,
  last_execution INTEGER,
  -- Position up to which change events are processed (JSON); NULL: it was never enabled.
  cursor TEXT,
  -- Failed runs since the last success, and the newest change event at the last of them.
  failures INTEGER NOT NULL DEFAULT 0,
  failed_event INTEGER NOT NULL DEFAULT 0,
  -- When a run was last skipped because it would have closed a cycle (JSON).
  cycle TEXT
) STRICT;

CREATE TABLE function_packages (
  id TEXT PRIMARY KEY,
  manifest TEXT NOT NULL,
  -- Folder below functions/<id>/ that contains the module.
  folder TEXT NOT NULL,
  module TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  installed INTEGER NOT NULL
) STRICT;

CREATE TABLE function_runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Also the origin reference of the records that the run stored.
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
  -- Range of the sequence numbers of its records.
  first_seq INTEGER,
  last_seq INTEGER,
  duration INTEGER,
  peak_memory INTEGER,
  log TEXT NOT NULL DEFAULT '[]',
  undone INTEGER,
  deletion TEXT
) STRICT;
-- Endpoints that were merged into another one. Retained change events with the old id count as events of that endpoint.
CREATE TABLE absorbed_endpoints (
  id INTEGER PRIMARY KEY,
  endpoint INTEGER NOT NULL
) STRICT;

CREATE INDEX function_runs_by_function ON function_runs (function, seq);
CREATE INDEX function_runs_that_run ON function_runs (seq) WHERE finished IS NULL;
`;
