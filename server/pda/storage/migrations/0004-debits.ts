/** Data Debits and the facts from which their state is computed when it is read. */
export const debits = `
CREATE TABLE debits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  requester_kind TEXT NOT NULL,
  requester_name TEXT NOT NULL,
  -- The application that may read the shared data. It never changes.
  application TEXT COLLATE NOCASE,
  created INTEGER NOT NULL,
  removed INTEGER,
  -- The requester is notified about new values: last processed change event, time of the last and of the next notification.
  events_to INTEGER,
  told INTEGER,
  tell_at INTEGER
) STRICT;
CREATE INDEX debits_by_application ON debits (application) WHERE application IS NOT NULL;
CREATE INDEX debits_that_listen ON debits (events_to) WHERE events_to IS NOT NULL;

-- Names of the bundles and conditions of Data Debits. After an approval a name belongs to its Data Debit permanently.
CREATE TABLE debit_bundles (
  name TEXT PRIMARY KEY,
  debit INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per version of what a Data Debit allows. Decided once; afterwards only its cancellation and its end change.
CREATE TABLE debit_permissions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  debit INTEGER NOT NULL,
  created INTEGER NOT NULL,
  start INTEGER NOT NULL,
  asked_period INTEGER NOT NULL,
  asked_cancel INTEGER NOT NULL,
  terms TEXT NOT NULL,
  asked TEXT NOT NULL,
  conditions TEXT,
  -- What the owner approved: period in seconds, whether the permission ends with it, and what is read and shown.
  period INTEGER NOT NULL,
  cancel_at_period_end INTEGER NOT NULL,
  granted TEXT,
  accepted INTEGER,
  rejected INTEGER,
  canceled INTEGER,
  canceled_at_period_end INTEGER NOT NULL DEFAULT 0,
  -- When the permission expires; NULL: never, or the expiry has been reported.
  ends INTEGER
) STRICT;
CREATE INDEX debit_permissions_by_debit ON debit_permissions (debit, seq);
CREATE INDEX debit_permissions_that_end ON debit_permissions (ends) WHERE ends IS NOT NULL;

CREATE TABLE debit_history (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  debit INTEGER NOT NULL,
  time INTEGER NOT NULL,
  event TEXT NOT NULL,
  permission TEXT
) STRICT;
CREATE INDEX debit_history_by_debit ON debit_history (debit, seq);
`;
