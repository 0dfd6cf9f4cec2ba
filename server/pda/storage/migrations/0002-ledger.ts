/** The access log. Only the count and the bytes of a row change later, and the time of its last request (0006). */
export const ledger = `
-- Search keys of rows, each combination once: principal, consent and outcome. The totals are for summaries.
CREATE TABLE ledger_groups (
  id INTEGER PRIMARY KEY,
  who_kind TEXT NOT NULL,
  who_name TEXT NOT NULL,
  consent_kind TEXT NOT NULL,
  consent_name TEXT NOT NULL,
  refused INTEGER NOT NULL,
  -- Whether the requests read data, and whether their rows name records.
  reads INTEGER NOT NULL,
  holds INTEGER NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0,
  UNIQUE (who_kind, who_name, consent_kind, consent_name, refused, reads, holds)
) STRICT;

-- Values that rows of similar requests share: action, status, reason, consent, endpoints, fields, address.
CREATE TABLE ledger_shapes (
  id INTEGER PRIMARY KEY,
  shape TEXT NOT NULL UNIQUE
) STRICT;

-- The id contains a time. behind: milliseconds from the first request to this time. places: packed set of places.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  count INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER,
  places BLOB
) STRICT;
CREATE INDEX ledger_by_group ON ledger (grp);
CREATE INDEX ledger_behind ON ledger (behind) WHERE behind > 0;

-- Records are numbered when they first appear in the log, so that records that are read together have adjacent
-- numbers (places).
-- tail: the random half of the record id.
CREATE TABLE ledger_places (
  place INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  tail BLOB
) STRICT;

-- Index from a record to its rows: the union of the places of sixteen rows of a group, of sixteen such unions, and so on. Split
-- into blocks of places, so that a search reads one block only.
CREATE TABLE ledger_unions (
  grp INTEGER NOT NULL,
  level INTEGER NOT NULL,
  block INTEGER NOT NULL,
  last INTEGER NOT NULL,
  first INTEGER NOT NULL,
  places BLOB NOT NULL,
  PRIMARY KEY (grp, level, block, last)
) STRICT, WITHOUT ROWID;

-- Unions that are not yet part of a larger one, because there are fewer than sixteen. Not split into blocks.
CREATE TABLE ledger_waiting (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  level INTEGER NOT NULL,
  last INTEGER NOT NULL,
  first INTEGER NOT NULL,
  places BLOB NOT NULL,
  UNIQUE (grp, level, last)
) STRICT;

-- All places of a group, so that a search skips groups without the record. id: four times the group, plus 0 for rows that are in
-- no union yet, 1 for unions of sixteen rows that are in no larger union, 2 for all others.
CREATE TABLE ledger_met (
  id INTEGER PRIMARY KEY,
  places BLOB NOT NULL
) STRICT;

CREATE TABLE ledger_days (
  day INTEGER NOT NULL,
  grp INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (day, grp)
) STRICT, WITHOUT ROWID;
`;
